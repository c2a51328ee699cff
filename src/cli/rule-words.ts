/**
 * Rules as they are typed: `#uname eq n1 and (rack eq a or defined gpu)`, `date gt 2026-12-01`, `date in_range A to B`,
 * `date-spec hours=9-17`. `and` binds tighter than `or`, as in pcs.
 */
import { parseDurationMs } from '../base/index.ts'
import type { RuleCondition } from '../cib/index.ts'
import { Refusal } from './command.ts'
import { onlyKnown } from './constraint-words.ts'

export interface WrittenRule {
  readonly booleanOp: 'and' | 'or'
  readonly conditions: readonly RuleCondition[]
}

const comparisons = ['lt', 'gt', 'lte', 'gte', 'eq', 'ne'] as const
const valueTypes = ['string', 'number', 'integer', 'version'] as const

export function readRule(words: readonly string[]): WrittenRule {
  const tokens = words.flatMap((word) =>
    word.split(/([()])|\s+/).filter((token) => token !== undefined && token !== ''),
  )
  if (tokens.length === 0) throw new Refusal("A rule needs an expression, such as '#uname eq n1'.")
  const reader = new TokenReader(tokens)
  const rule = readOr(reader)
  const extra = reader.peek()
  if (extra !== undefined)
    throw new Refusal(`The rule cannot go on with '${extra}': join expressions by 'and' or 'or'.`)
  return rule
}

class TokenReader {
  readonly #tokens: readonly string[]
  #at = 0
  constructor(tokens: readonly string[]) {
    this.#tokens = tokens
  }
  peek(ahead = 0): string | undefined {
    return this.#tokens[this.#at + ahead]
  }
  next(what: string): string {
    const token = this.#tokens[this.#at++]
    if (token === undefined) throw new Refusal(`The rule ends where ${what} is expected.`)
    return token
  }
}

function readOr(reader: TokenReader): WrittenRule {
  return readJoined(reader, 'or', (inner) => readJoined(inner, 'and', readSingle))
}

function readJoined(
  reader: TokenReader,
  booleanOp: 'and' | 'or',
  part: (reader: TokenReader) => WrittenRule,
): WrittenRule {
  const parts = [part(reader)]
  while (reader.peek() === booleanOp) {
    reader.next(booleanOp)
    parts.push(part(reader))
  }
  const [only] = parts
  if (only && parts.length === 1) return only
  return { booleanOp, conditions: parts.map(asCondition) }
}

function asCondition(rule: WrittenRule): RuleCondition {
  const [only] = rule.conditions
  return only && rule.conditions.length === 1 ? only : { kind: 'rule', rule: { id: '', ...rule } }
}

function readSingle(reader: TokenReader): WrittenRule {
  if (reader.peek() === '(') {
    reader.next('(')
    const inner = readOr(reader)
    if (reader.next("')'") !== ')') throw new Refusal("A '(' in the rule is not closed.")
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
  if (first === 'date') return readDate(reader)
  if (first === 'date-spec') return { kind: 'date', operation: 'date_spec', spec: readPairs(reader, 'date-spec') }
  return readComparison(first, reader)
}

/** `resource ocf:heartbeat:IPaddr2`; any part may be left out: `resource ::IPaddr2`, `resource systemd::`. */
function readAgent(reader: TokenReader): RuleCondition {
  const word = reader.next("an agent after 'resource'")
  const parts = word.split(':')
  if (parts.length > 3) throw new Refusal(`'${word}' is no agent of a rule: write <class>:<provider>:<type>.`)
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
  if (intervalMs === undefined) throw new Refusal(`'${interval}' is no interval: write it as 10s, 1min or 500ms.`)
  return { kind: 'operation', name, intervalMs }
}

function readComparison(attribute: string, reader: TokenReader): RuleCondition {
  const word = reader.next(`a comparison after '${attribute}'`)
  const operation = comparisons.find((known) => known === word)
  if (!operation) throw new Refusal(`'${word}' is no comparison: use one of ${comparisons.join(', ')}.`)
  const type = valueTypes.find(
    (known) => known === reader.peek() && reader.peek(1) !== undefined && !isJoint(reader.peek(1)),
  )
  if (type) reader.next('a type')
  const value = reader.next(`a value after '${attribute} ${word}'`)
  return { kind: 'attribute', attribute, operation, value, valueSource: 'literal', ...(type ? { type } : {}) }
}

function isJoint(token: string | undefined): boolean {
  return token === 'and' || token === 'or' || token === ')'
}

function readDate(reader: TokenReader): RuleCondition {
  const operation = reader.next("'gt', 'lt' or 'in_range'")
  if (operation === 'gt') return { kind: 'date', operation, start: readMoment(reader) }
  if (operation === 'lt') return { kind: 'date', operation, end: readMoment(reader) }
  if (operation !== 'in_range')
    throw new Refusal(`'date ${operation}' is not known: use date gt, date lt or date in_range.`)
  // A range that began ever since has no start.
  if (reader.peek() === 'to') {
    reader.next("'to'")
    return { kind: 'date', operation, end: readMoment(reader) }
  }
  const start = readMoment(reader)
  if (reader.next("'to'") !== 'to') throw new Refusal("A range of dates is written 'date in_range <from> to <until>'.")
  if (reader.peek() !== 'duration') return { kind: 'date', operation, start, end: readMoment(reader) }
  reader.next('duration')
  return { kind: 'date', operation, start, duration: readPairs(reader, 'duration') }
}

function readMoment(reader: TokenReader): string {
  const text = reader.next('a date')
  if (Number.isNaN(Date.parse(text)))
    throw new Refusal(`'${text}' is no date: write 2026-12-01 or 2026-12-01T09:00:00Z.`)
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

function readPairs(reader: TokenReader, what: keyof typeof dateFields): Readonly<Record<string, string>> {
  const pairs: Record<string, string> = {}
  for (let token = reader.peek(); token?.includes('='); token = reader.peek()) {
    const at = token.indexOf('=')
    pairs[token.slice(0, at)] = token.slice(at + 1)
    reader.next('a pair')
  }
  if (Object.keys(pairs).length === 0) throw new Refusal(`After '${what}' come pairs such as hours=9-17.`)
  onlyKnown(new Map(Object.entries(pairs)), dateFields[what], `A ${what}`)
  return pairs
}
