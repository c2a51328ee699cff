/** Reads a component as it is written: options before the rest, quotes, and names in braces. */
import { didYouMean, similarWords } from '../base/index.ts'
import { checkOfVerb, wrongCommonValues } from './check-component.ts'
import type { Component } from './component.ts'
import { commonSwitches, commonValues, type Grammar, grammars } from './grammar.ts'

/** Of Directord, and needing what a cluster has not, or of its inner workings. */
const refusedVerbs: Readonly<Record<string, string>> = {
  JOB_WAIT: 'JOB_WAIT waits for a job by a number of Directord’s own. Use QUEUESENTINEL, or another item.',
  SECONTEXT: 'SECONTEXT is not supported. Use RUN with semanage fcontext and restorecon.',
}

export interface ReadComponent {
  readonly component?: Component
  readonly mistakes: readonly string[]
}

export interface Written {
  readonly verb: string
  readonly value: string
  /** Options that stand beside the verb, as `vars: {stdout_arg: x}`. */
  readonly vars?: Readonly<Record<string, string>>
  /** Verbs of components that users have written. */
  readonly own: ReadonlySet<string>
}

export function readComponent({ verb, value, vars = {}, own }: Written): ReadComponent {
  const refused = refusedVerbs[verb]
  if (refused !== undefined) return { mistakes: [refused] }
  const grammar = Object.hasOwn(grammars, verb) ? grammars[verb] : undefined
  const label = `${verb} ${value.trim().replaceAll(/\s+/g, ' ')}`.trim().slice(0, 200)
  if (grammar === undefined) {
    if (!own.has(verb))
      return {
        mistakes: [
          `There is no component '${verb}'.${didYouMean(similarWords(verb, [...Object.keys(grammars), ...own]))} Components of your own are files such as components/${verb.toLowerCase()}.py beside the orchestration file.`,
        ],
      }
    const options = optionsOfOwn(vars)
    const mistakes = wrongCommonValues(options)
    return mistakes.length > 0 ? { mistakes } : { component: { verb, label, options, text: value.trim() }, mistakes }
  }
  const reader = new Reader(verb, grammar)
  reader.take(value)
  for (const [name, given] of Object.entries(vars)) reader.option(name.replaceAll('_', '-'), given)
  const { mistakes } = reader
  if (mistakes.length === 0) reader.check()
  return mistakes.length > 0 ? { mistakes } : { component: { verb, label, ...reader.read }, mistakes }
}

/** Those that every component has act for these, too. */
const optionsOfOwn = (vars: Readonly<Record<string, string>>): Component['options'] =>
  Object.fromEntries(
    Object.entries(vars)
      .map(([name, value]) => [name.replaceAll('_', '-'), value] as const)
      .filter(([name, value]) => value !== 'false' || !Object.hasOwn(commonSwitches, name)),
  )

class Reader {
  readonly mistakes: string[] = []
  readonly #verb: string
  readonly #grammar: Grammar
  readonly #options: Record<string, string> = {}
  #text = ''
  #words: readonly string[] = []

  constructor(verb: string, grammar: Grammar) {
    this.#verb = verb
    this.#grammar = grammar
  }

  get read(): Pick<Component, 'options' | 'text' | 'words'> {
    const { rest } = this.#grammar
    return {
      options: this.#options,
      ...(rest === 'text' && { text: this.#text }),
      ...(rest === 'words' && { words: this.#words }),
    }
  }

  /** Options of a command's component stand before the command: those behind are the command's own. */
  take(value: string): void {
    let left = value.trim()
    const words: string[] = []
    while (left !== '') {
      const [word, behind] = firstWord(left)
      const option = word.raw === word.text ? /^--([a-z][a-z-]*)(?:=([\s\S]*))?$/.exec(word.text) : undefined
      const name = option?.[1]
      if (name === undefined || (this.#grammar.rest === 'text' && !this.#takes(name))) {
        if (this.#grammar.rest === 'text') break
        words.push(word.text)
        left = behind
        continue
      }
      left = behind
      let given = option?.[2]
      if (given === undefined && this.#isValue(name)) {
        const [next, after] = firstWord(behind)
        given = next.text
        left = after
      }
      this.option(name, given ?? '')
    }
    this.#text = left
    this.#words = words
  }

  #isValue(name: string): boolean {
    return Object.hasOwn(this.#grammar.values ?? {}, name) || Object.hasOwn(commonValues, name)
  }

  #isSwitch(name: string): boolean {
    return Object.hasOwn(this.#grammar.switches ?? {}, name) || Object.hasOwn(commonSwitches, name)
  }

  #takes(name: string): boolean {
    return this.#isValue(name) || this.#isSwitch(name)
  }

  option(name: string, given: string): void {
    if (this.#isValue(name)) {
      if (given === '') this.mistakes.push(`--${name} of ${this.#verb} needs a value.`)
      this.#options[name] = given
    } else if (this.#isSwitch(name)) {
      if (given === 'false') return
      if (given !== '' && given !== 'true') this.mistakes.push(`--${name} of ${this.#verb} takes no value.`)
      this.#options[name] = ''
    } else {
      const known = [
        ...Object.keys({ ...this.#grammar.switches, ...this.#grammar.values, ...commonSwitches, ...commonValues }),
      ]
      this.mistakes.push(`${this.#verb} has no option --${name}.${didYouMean(similarWords(name, known))}`)
    }
  }

  check(): void {
    const { groups = [], atLeast = 0, atMost = Number.POSITIVE_INFINITY, rest, usage } = this.#grammar
    for (const { names, required } of groups) {
      const given = names.filter((name) => this.#options[name] !== undefined)
      if (given.length > 1) this.mistakes.push(`Specify one of ${given.map((name) => `--${name}`).join(' and ')}.`)
      if (required && given.length === 0)
        this.mistakes.push(`${this.#verb} needs one of ${names.map((name) => `--${name}`).join(', ')}.`)
    }
    const count = rest === 'text' ? this.#text.split(/\s+/).filter((word) => word !== '').length : this.#words.length
    if (count < atLeast || (rest !== 'text' && count > (rest === 'none' ? 0 : atMost)))
      this.mistakes.push(`${this.#verb} takes ${usage === '' ? 'nothing but options' : usage}.`)
    this.#checkValues()
    if (this.mistakes.length === 0) this.mistakes.push(...checkOfVerb(this.#verb, this.read))
  }

  #checkValues(): void {
    const { chmod } = this.#options
    if (chmod !== undefined && !/^[0-7]{3,4}$/.test(chmod))
      this.mistakes.push(`'${chmod}' is not a mode in octal digits, such as 0644.`)
    this.mistakes.push(...wrongCommonValues(this.#options))
  }
}

interface Word {
  readonly text: string
  readonly raw: string
}

/** The first word, without its quotes, and what follows it. */
function firstWord(text: string): readonly [Word, string] {
  let at = 0
  let word = ''
  let quote = ''
  for (; at < text.length; at++) {
    const character = text[at] ?? ''
    const isWord = isInBraces(text, at)
    if (quote === '' && /\s/.test(character) && !isWord) break
    // Quotes of an expression are the expression's.
    if (isWord) word += character
    else if (quote === '' && (character === '"' || character === "'")) quote = character
    else if (character === quote) quote = ''
    else word += character
  }
  return [{ text: word, raw: text.slice(0, at) }, text.slice(at).trimStart()]
}

/** `{{ name }}` is one word. */
const isInBraces = (text: string, at: number): boolean =>
  text.lastIndexOf('{{', at) > text.lastIndexOf('}}', at) && text.indexOf('}}', at) >= 0
