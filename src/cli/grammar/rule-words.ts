/**
 * Rules as they are typed: `#uname eq n1 and (rack eq a or defined gpu)`, `date gt 2026-12-01`, `date in_range A to B`,
 * `date-spec hours=9-17`. `and` and `or` bind alike, from the left, as in pcs: `a or b and c` is `( a or b ) and c`.
 */
import { parseDurationMs } from '../../base/index.ts'
import type { RuleCondition } from '../../cib/index.ts'
import { Refusal } from '../call/command.ts'

export interface WrittenRule {
  readonly booleanOp: 'and' | 'or'
  readonly conditions: readonly RuleCondition[]
}

const comparisons = ['lt', 'gt', 'lte', 'gte', 'eq', 'ne'] as const
const dateOperations = ['gt', 'lt', 'in_range']
const valueForms: Readonly<Record<string, RegExp>> = {
  integer: /^[+-]?\d+$/,
  number: /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i,
  version: /^\d+(\.\d+)*$/,
}
const wantedForms: Readonly<Record<string, string>> = {
  integer: 'an integer',
  number: 'a floating-point number',
  version: 'a version number (e.g. 1, 1.2, 1.23.45, ...)',
}
const valueTypes = ['string', 'number', 'integer', 'version'] as const

/**
 * `keepsBlanks`: what a shell has quoted is one value, as in pcs 0.11, which takes a rule in several words alone. `as011`: parentheses around what is
 * joined alike are as if they were not there, and a range of dates has both ends.
 */
export function readRule(words: readonly string[], { keepsBlanks = false, as011 = false } = {}): WrittenRule {
  const text = words.join(' ')
  const tokens = keepsBlanks ? tokensOfWords(words) : tokensIn(text)
  if (tokens.length === 0) throw new Refusal("A rule needs an expression, such as '#uname eq n1'.")
  const reader = new TokenReader(text, tokens, as011)
  const rule = readJoined(reader)
  const extra = reader.peek()
  if (extra !== undefined)
    throw reader.unreadable(`Unexpected '${extra}' in the rule. Join expressions with 'and' or 'or'.`)
  return rule
}

/** In rules within a rule pcs 0.11 writes a score that means nothing. */
export const withNestedScores = (conditions: readonly RuleCondition[]): readonly RuleCondition[] =>
  conditions.map((one) =>
    one.kind === 'rule'
      ? { ...one, rule: { ...one.rule, score: 0, conditions: withNestedScores(one.rule.conditions) } }
      : one,
  )

const tokensIn = (text: string): readonly Token[] =>
  [...text.matchAll(/[()]|[^\s()]+/g)].map(({ 0: token, index }) => ({ token, at: index }))

function tokensOfWords(words: readonly string[]): readonly Token[] {
  let begins = 0
  return words.flatMap((word) => {
    const at = begins
    begins += word.length + 1
    return /\s/.test(word) ? [{ token: word, at }] : tokensIn(word).map((one) => ({ ...one, at: at + one.at }))
  })
}

interface Token {
  readonly token: string
  /** Where it begins in the text. */
  readonly at: number
}

/** A value of a rule that cannot be one, and how pcs says it. */
const badValue = (own: string, pcs: string): Refusal =>
  new Refusal({ own, about: { code: 'said-by-pcs', errors: [pcs], closes: true } })

class TokenReader {
  readonly #text: string
  readonly #tokens: readonly Token[]
  readonly as011: boolean
  #at = 0
  constructor(text: string, tokens: readonly Token[], as011: boolean) {
    this.as011 = as011
    this.#text = text
    this.#tokens = tokens
  }
  peek(ahead = 0): string | undefined {
    return this.#tokens[this.#at + ahead]?.token
  }
  next(what: string): string {
    const token = this.peek()
    if (token === undefined) throw this.unreadable(`The rule ends where ${what} is expected.`)
    this.#at++
    return token
  }
  /** As pcs 0.11 answers. */
  notARule(own: string, why: string): Refusal {
    const errors = [`'${this.#text}' is not a valid rule expression: ${why}`]
    return new Refusal({ own, about: { code: 'said-by-pcs', errors } })
  }
  /** At the next token, or at the last where it joins nothing; `back` is for one that was read already. */
  unreadable(own: string, back = 0): Refusal {
    const at = this.#tokens[this.#at - back]?.at
    const last = this.#tokens.at(-1)
    const column = (at ?? (last && isJointWord(last.token) ? last.at : this.#text.length)) + 1
    return new Refusal({ own, about: { code: 'rule-syntax', rule: this.#text, column } })
  }
}

const isJointWord = (token: string): boolean => /^(and|or)$/i.test(token)

/** Of operators that differ the former are one expression for the latter: `a or b and c`. */
function readJoined(reader: TokenReader): WrittenRule {
  let rule: WrittenRule & { readonly isJoined?: boolean } = readSingle(reader)
  for (let word = jointAt(reader); word !== undefined; word = jointAt(reader)) {
    reader.next(word)
    const next = readSingle(reader)
    const parts = (one: WrittenRule, isOpen: boolean): readonly RuleCondition[] =>
      one.booleanOp === word && isOpen ? one.conditions : [asCondition(one)]
    rule = {
      booleanOp: word,
      conditions: [...parts(rule, reader.as011 || rule.isJoined === true), ...parts(next, reader.as011)],
      isJoined: true,
    }
  }
  return { booleanOp: rule.booleanOp, conditions: rule.conditions }
}

function jointAt(reader: TokenReader): 'and' | 'or' | undefined {
  const word = reader.peek()?.toLowerCase()
  return word === 'and' || word === 'or' ? word : undefined
}

function asCondition({ booleanOp, conditions }: WrittenRule): RuleCondition {
  const [only] = conditions
  return only && conditions.length === 1 ? only : { kind: 'rule', rule: { id: '', booleanOp, conditions } }
}

function readSingle(reader: TokenReader): WrittenRule {
  if (reader.peek() === '(') {
    reader.next('(')
    const inner = readJoined(reader)
    if (reader.next("')'") !== ')') throw reader.unreadable("A '(' in the rule is not closed.", 1)
    return inner
  }
  return { booleanOp: 'and', conditions: [readCondition(reader)] }
}

function readCondition(reader: TokenReader): RuleCondition {
  const first = reader.next('an expression')
  if (first === 'defined' || first === 'not_defined')
    return { kind: 'attribute', operation: first, attribute: reader.next('an attribute'), valueSource: 'literal' }
  if (first === 'resource') return readAgent(reader)
  if (first === 'op') return readOperation(reader)
  // Otherwise it is a node attribute of this name, as pcs reads it.
  if (first === 'date' && dateOperations.includes(reader.peek() ?? '')) return readDate(reader)
  if (first === 'date-spec') return { kind: 'date', operation: 'date_spec', spec: readPairs(reader, 'date-spec') }
  return readComparison(first, reader)
}

/** `resource ocf:heartbeat:IPaddr2`; any part may be left out: `resource ::IPaddr2`, `resource systemd::`. */
function readAgent(reader: TokenReader): RuleCondition {
  const word = reader.next("an agent after 'resource'")
  const parts = word.split(':')
  if (parts.length > 3) throw new Refusal(`'${word}' is not an agent. Specify <class>:<provider>:<type>.`)
  const [agentClass, provider, type] = parts.length === 3 ? parts : [parts[0], undefined, parts[1]]
  const given = { class: agentClass, provider, type }
  return {
    kind: 'resource',
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== '')),
  }
}

function readOperation(reader: TokenReader): RuleCondition {
  const name = reader.next("an operation after 'op'")
  const interval = /^interval=(.*)$/.exec(reader.peek() ?? '')?.[1]
  if (interval === undefined) return { kind: 'operation', name }
  reader.next('an interval')
  const intervalMs = parseDurationMs(interval)
  if (intervalMs === undefined) throw new Refusal(`'${interval}' is not an interval. Examples: 10s, 1min, 500ms.`)
  return { kind: 'operation', name, intervalMs }
}

function readComparison(attribute: string, reader: TokenReader): RuleCondition {
  const word = reader.next(`a comparison after '${attribute}'`)
  const operation = comparisons.find((known) => known === word)
  if (!operation) throw reader.unreadable(`'${word}' is not a comparison. Use one of ${comparisons.join(', ')}.`, 1)
  const type = valueTypes.find(
    (known) => known === reader.peek() && reader.peek(1) !== undefined && !isJoint(reader.peek(1)),
  )
  if (type) reader.next('a type')
  const value = reader.next(`a value after '${attribute} ${word}'`)
  const form = type && valueForms[type]
  if (form && !form.test(value))
    throw badValue(
      `'${value}' is not a valid ${type} to compare '${attribute}' with.`,
      `'${value}' is not a valid ${type} attribute value, use ${wantedForms[type] ?? type}`,
    )
  return { kind: 'attribute', attribute, operation, value, valueSource: 'literal', ...(type ? { type } : {}) }
}

function isJoint(token: string | undefined): boolean {
  return /^(and|or|\))$/i.test(token ?? '')
}

function readDate(reader: TokenReader): RuleCondition {
  const word = reader.next("'gt', 'lt' or 'in_range'")
  const operation = word === 'gt' || word === 'lt' ? word : 'in_range'
  if (operation === 'gt') return { kind: 'date', operation, start: readMoment(reader) }
  if (operation === 'lt') return { kind: 'date', operation, end: readMoment(reader) }
  // A range that began ever since has no start.
  if (reader.peek() === 'to') {
    if (reader.as011)
      throw reader.notARule("A range of dates needs a start: 'date in_range <from> to <until>'.", "unexpected 'to'")
    reader.next("'to'")
    return { kind: 'date', operation, end: readMoment(reader) }
  }
  const start = readMoment(reader)
  if (reader.next("'to'") !== 'to') throw new Refusal("Specify a range of dates as 'date in_range <from> to <until>'.")
  if (reader.peek() !== 'duration') {
    const end = readMoment(reader)
    if (Date.parse(start) >= Date.parse(end))
      throw badValue(
        `The range of dates ends at '${end}', before its start '${start}'.`,
        `Since '${start}' is not sooner than until '${end}'`,
      )
    return { kind: 'date', operation, start, end }
  }
  reader.next('duration')
  return { kind: 'date', operation, start, duration: readPairs(reader, 'duration') }
}

function readMoment(reader: TokenReader): string {
  const text = reader.next('a date')
  if (Number.isNaN(Date.parse(text)))
    throw badValue(
      `'${text}' is not a date. Examples: 2026-12-01, 2026-12-01T09:00:00Z.`,
      `'${text}' is not a valid date value, use ISO 8601 date`,
    )
  return text
}

/** What a recurring date and a duration are made of, as the schema knows them. */
const dateFields = {
  'date-spec': [
    'hours',
    'minutes',
    'monthdays',
    'months',
    'moon',
    'seconds',
    'weekdays',
    'weeks',
    'weekyears',
    'yeardays',
    'years',
  ],
  duration: ['days', 'hours', 'minutes', 'months', 'seconds', 'weeks', 'years'],
} as const

/** The least and the greatest value of a calendar field. */
const fieldRanges: Readonly<Record<string, readonly [number, number]>> = {
  hours: [0, 23],
  minutes: [0, 59],
  seconds: [0, 59],
  monthdays: [1, 31],
  weekdays: [1, 7],
  yeardays: [1, 366],
  months: [1, 12],
  weeks: [1, 53],
  moon: [0, 7],
}

/** A number, or a range that rises: `9-16`. Years have no end. */
function isInField(name: string, value: string): boolean {
  const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(value) ?? []
  if (from === undefined) return false
  const [least, greatest] = fieldRanges[name] ?? [1, Number.POSITIVE_INFINITY]
  const isIn = (number: number): boolean => number >= least && number <= greatest
  return isIn(Number(from)) && (to === undefined || (isIn(Number(to)) && Number(from) < Number(to)))
}

function readPairs(reader: TokenReader, what: keyof typeof dateFields): Readonly<Record<string, string>> {
  const pairs: Record<string, string> = {}
  for (let token = reader.peek(); token?.includes('='); token = reader.peek()) {
    const at = token.indexOf('=')
    pairs[token.slice(0, at)] = token.slice(at + 1)
    reader.next('a pair')
  }
  if (Object.keys(pairs).length === 0) throw reader.unreadable(`Expected pairs such as hours=9-17 after '${what}'.`)
  refuseUnknown(pairs, what)
  for (const [name, value] of Object.entries(pairs))
    if (!(what === 'duration' ? /^0*[1-9]\d*$/.test(value) : isInField(name, value)))
      throw badValue(
        `'${value}' is not a valid value for ${name} in a ${what}.`,
        `'${value}' is not a valid ${name} value, use ${wantedOf(name, what)}`,
      )
  return pairs
}

function wantedOf(name: string, what: keyof typeof dateFields): string {
  const [least, greatest] = fieldRanges[name] ?? []
  if (what === 'duration') return 'a positive integer'
  if (least === undefined || greatest === undefined) return 'a number or a range'
  return `${least}..${greatest} or ${least}..${greatest - 1}-${least + 1}..${greatest}`
}

function refuseUnknown(pairs: Readonly<Record<string, string>>, what: keyof typeof dateFields): void {
  const names: readonly string[] = dateFields[what]
  const unknown = Object.keys(pairs).filter((name) => !names.includes(name))
  if (unknown.length === 0) return
  const [kind, listed] = [what.replace('-', ''), (all: readonly string[]) => all.map((name) => `'${name}'`).join(', ')]
  throw badValue(
    `A ${what} has no option${unknown.length > 1 ? 's' : ''} ${listed(unknown)}. The options are ${names.join(', ')}.`,
    `invalid ${kind} option${unknown.length > 1 ? 's:' : ''} ${listed(unknown.toSorted())}, allowed options are: ${listed(names.filter((name) => name !== 'moon'))}`,
  )
}
