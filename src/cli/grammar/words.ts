/** Splitting of pcs's word grammar: flags, keywords that open a section, and `name=value` pairs. */
import { didYouMean, similarWords } from '../../base/index.ts'
import { type Flag, Refusal } from '../call/command.ts'
import type { Message } from '../call/message.ts'

export interface SplitLine {
  readonly words: readonly string[]
  readonly flags: ReadonlyMap<string, string | true>
}

/** Takes the flags out of a command line. `--` ends them. Throws a Refusal for one that the command does not know. */
export function splitFlags(line: readonly string[], known: readonly Flag[]): SplitLine {
  const words: string[] = []
  const flags = new Map<string, string | true>()
  let rest = [...line]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      words.push(...rest)
      rest = []
    } else if (isFlag(word)) {
      const [flag, inlineValue] = findFlag(word, known)
      const typed = word.startsWith('--') ? flag.name : (flag.letter ?? flag.name)
      const value = flagValue(flag, inlineValue, rest, typed)
      const before = flags.get(flag.name)
      // A flag that may be repeated collects its values.
      flags.set(flag.name, flag.repeats && typeof before === 'string' ? `${before}\n${String(value)}` : value)
    } else words.push(word)
  }
  return { words, flags }
}

/** `-5` and `-INFINITY` are scores, not flags. */
export function isFlag(word: string): boolean {
  return /^--\w/.test(word) || /^-[a-z]$/i.test(word)
}

/** Names that other tools have for an option of ours. */
const elsewhere: ReadonlyMap<string, string> = new Map(['dry-run', 'dryrun', 'noop'].map((name) => [name, 'preview']))

function findFlag(word: string, known: readonly Flag[]): readonly [Flag, string | undefined] {
  const [name = '', ...value] = word.replace(/^--?/, '').split('=')
  const flag = known.find((candidate) => (word.startsWith('--') ? candidate.name === name : candidate.letter === name))
  if (!flag) {
    const names = known.map((candidate) => candidate.name)
    const meant = elsewhere.get(name)
    const similar = meant !== undefined && names.includes(meant) ? [meant] : similarWords(name, names)
    const typed = word.split('=')[0] ?? word
    throw new Refusal({
      own: `This command has no option '${typed}'.${didYouMean(similar.map((other) => `--${other}`))}`,
      about: { code: 'unknown-flag', flag: typed },
    })
  }
  return [flag, value.length > 0 ? value.join('=') : undefined]
}

function flagValue(flag: Flag, inlineValue: string | undefined, rest: string[], typed: string): string | true {
  if (flag.value === undefined) {
    if (inlineValue !== undefined)
      throw new Refusal({
        own: `The option --${flag.name} takes no value. Omit '=${inlineValue}'.`,
        about: { code: 'flag-takes-no-value', flag: flag.name },
      })
    return true
  }
  if (inlineValue !== undefined) return inlineValue
  if (flag.value.startsWith('[')) return true
  const next = rest.shift()
  if (next === undefined)
    throw new Refusal({
      own: `The option --${flag.name} requires a value: --${flag.name}=<${flag.value}>.`,
      about: { code: 'flag-needs-value', flag: typed },
    })
  return next
}

/** A command in one text, as a shell would split it: at blanks, but for those between quotes. */
export function splitText(text: string): readonly string[] {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (const character of text) {
    if (character === quote) quote = ''
    else if (quote === '' && (character === '"' || character === "'")) {
      quote = character
      word ??= ''
    } else if (quote === '' && /\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + character
  }
  if (quote !== '') throw new Refusal(`A quote is not closed: ${text}`)
  return word === undefined ? words : [...words, word]
}

export interface Section {
  /** '' for the words before the first keyword. */
  readonly keyword: string
  readonly words: readonly string[]
}

/** Splits at keywords: `web ocf:x:y a=1 op monitor interval=5 meta b=2`. A keyword may come more than once. */
export function splitSections(words: readonly string[], keywords: readonly string[]): readonly Section[] {
  const sections: { keyword: string; words: string[] }[] = [{ keyword: '', words: [] }]
  for (const word of words) {
    if (keywords.includes(word)) sections.push({ keyword: word, words: [] })
    else sections.at(-1)?.words.push(word)
  }
  return sections
}

/** `name=value` pairs in their order. The value may be empty, which unsets the name in most commands. */
export function parsePairs(words: readonly string[], what: string): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>()
  const wrong: Message[] = []
  for (const word of words) {
    const at = word.indexOf('=')
    const [name, value] = [word.slice(0, at), word.slice(at + 1)]
    const before = pairs.get(name)
    if (at <= 0)
      wrong.push({
        own: `'${word}' is not of the form name=value, as ${what} must be.`,
        about: { code: 'no-pair', word },
      })
    else if (before !== undefined && before !== value)
      wrong.push({
        own: `'${name}' is given twice with different values among ${what}. Omit one.`,
        about: { code: 'pair-twice', name, values: [before, value] },
      })
    else pairs.set(name, value)
  }
  if (wrong.length > 0) throw new Refusal(...wrong)
  return pairs
}

/** The line is not one of this command: its usage says more than the sentence. */
export const wrongCall = (own: string): Message => ({ own, about: { code: 'wrong-call' } })

/** The words of a call must be this many. */
export function expectWords(
  words: readonly string[],
  expected: { readonly atLeast: number; readonly atMost?: number; readonly usage: string },
): void {
  if (words.length < expected.atLeast)
    throw new Refusal(wrongCall(`Arguments are missing. Usage: systole ${expected.usage}.`))
  const extra = words[expected.atMost ?? Number.POSITIVE_INFINITY]
  if (extra !== undefined)
    throw new Refusal(wrongCall(`Unexpected argument '${extra}'. Usage: systole ${expected.usage}.`))
}
