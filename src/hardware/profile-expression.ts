/**
 * What hardware a profile asks for: `memory >= 64 GiB and disks >= 2`. The grammar, strict:
 *
 *     expression = all { "or" all }
 *     all        = one { "and" one }
 *     one        = "not" one | "(" expression ")" | fact comparison value
 *     comparison = ">=" | "<=" | ">" | "<" | "=" | "!="
 *     value      = number [ unit ] | word | "'" text "'"
 *
 * Facts are numbers or texts, which only compare as `=` and `!=`. A fact that is not known of a node satisfies no comparison.
 */
import { didYouMean, failed, ok, type Result, similarWords } from '../base/index.ts'
import { type FactDefinition, type Facts, factDefinitions, factNamed, printFact } from './facts.ts'

export type Comparison = '>=' | '<=' | '>' | '<' | '=' | '!='

export type ProfileExpression =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly ProfileExpression[] }
  | { readonly kind: 'not'; readonly part: ProfileExpression }
  | FactComparison

export interface FactComparison {
  readonly kind: 'fact'
  readonly fact: FactDefinition
  readonly comparison: Comparison
  /** As the attribute has it: in the unit of the fact. */
  readonly value: string
}

export const longestExpression = 1000
const deepest = 20

export interface ExpressionMistake {
  /** The character at which it is, counted from 1. */
  readonly column: number
  readonly problem: string
}

export function parseExpression(text: string): Result<ProfileExpression, ExpressionMistake> {
  if (text.length > longestExpression)
    return failed({
      column: longestExpression + 1,
      problem: `the expression has more than ${longestExpression} characters`,
    })
  try {
    const reader = new Reader(text)
    const expression = readOr(reader, 0)
    if (reader.token.kind !== 'end') throw reader.mistake("expected 'and' or 'or'")
    return ok(expression)
  } catch (error) {
    if (error instanceof Mistake) return failed({ column: error.column, problem: error.message })
    throw error
  }
}

class Mistake extends Error {
  readonly column: number
  constructor(column: number, problem: string) {
    super(problem)
    this.column = column
  }
}

interface Token {
  readonly kind: 'word' | 'number' | 'comparison' | 'open' | 'close' | 'text' | 'end'
  readonly text: string
  readonly at: number
}

const forms: readonly (readonly [Token['kind'], RegExp])[] = [
  ['number', /\d+(?:\.\d+)?/y],
  ['comparison', /[<>!]=|[<>=]/y],
  ['open', /\(/y],
  ['close', /\)/y],
  ['text', /'[^']*'/y],
  ['word', /[A-Za-z][A-Za-z0-9._/-]*/y],
]

class Reader {
  readonly #text: string
  #next: Token
  constructor(text: string) {
    this.#text = text
    this.#next = this.#read(0)
  }
  get token(): Token {
    return this.#next
  }
  take(): Token {
    const token = this.#next
    this.#next = this.#read(token.at + token.text.length)
    return token
  }
  takeWord(word: string): boolean {
    if (this.#next.kind !== 'word' || this.#next.text.toLowerCase() !== word) return false
    this.take()
    return true
  }
  mistake(problem: string, at: Token = this.#next): Mistake {
    const found = at.kind === 'end' ? 'the expression ends' : `found '${at.text}'`
    return new Mistake(at.at + 1, `${problem}, and ${found}`)
  }
  #read(from: number): Token {
    const at = from + (/^\s*/.exec(this.#text.slice(from))?.[0].length ?? 0)
    if (at >= this.#text.length) return { kind: 'end', text: '', at }
    for (const [kind, form] of forms) {
      form.lastIndex = at
      const found = form.exec(this.#text)
      if (found) return { kind, text: found[0], at }
    }
    throw new Mistake(at + 1, `'${Array.from(this.#text.slice(at))[0]}' has no meaning here`)
  }
}

function readOr(reader: Reader, depth: number): ProfileExpression {
  return readJoined(reader, 'or', () => readJoined(reader, 'and', () => readOne(reader, depth)))
}

function readJoined(reader: Reader, kind: 'and' | 'or', read: () => ProfileExpression): ProfileExpression {
  const first = read()
  const parts = [first]
  while (reader.takeWord(kind)) parts.push(read())
  return parts.length === 1 ? first : { kind, parts }
}

function readOne(reader: Reader, depth: number): ProfileExpression {
  if (depth > deepest) throw reader.mistake(`more than ${deepest} expressions are inside each other`)
  if (reader.takeWord('not')) return { kind: 'not', part: readOne(reader, depth + 1) }
  if (reader.token.kind === 'open') {
    reader.take()
    const inner = readOr(reader, depth + 1)
    const end = reader.take()
    if (end.kind !== 'close') throw reader.mistake("expected 'and', 'or' or ')'", end)
    return inner
  }
  return readComparison(reader)
}

function readComparison(reader: Reader): FactComparison {
  const word = reader.token
  if (word.kind !== 'word' || ['and', 'or'].includes(word.text.toLowerCase()))
    throw reader.mistake('expected a fact, such as memory')
  const fact = factNamed(word.text)
  if (fact === undefined) {
    const names = factDefinitions.map(({ name }) => name)
    const similar = didYouMean(similarWords(word.text, names)).replace(/\?$/, '')
    throw new Mistake(word.at + 1, `there is no fact '${word.text}'.${similar || ` Facts are ${names.join(', ')}`}`)
  }
  reader.take()
  if (reader.token.kind !== 'comparison') throw reader.mistake(`expected >=, <=, >, <, = or != after '${fact.name}'`)
  const token = reader.take()
  const comparison = token.text as Comparison
  if (fact.kind === 'number') return { kind: 'fact', fact, comparison, value: readNumber(reader, fact) }
  if (comparison !== '=' && comparison !== '!=')
    throw reader.mistake(`${fact.name} is a text: it compares with = or !=`, token)
  const value = reader.token
  if (value.kind === 'text' && value.text.length > 2)
    return { kind: 'fact', fact, comparison, value: reader.take().text.slice(1, -1) }
  if (value.kind === 'word') return { kind: 'fact', fact, comparison, value: reader.take().text }
  throw reader.mistake(`expected a word, or a text in single quotes, to compare ${fact.name} with`)
}

/** In units of bytes, or of bits a second. */
const units: Readonly<Record<string, number>> = {
  B: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
  kB: 1000,
  MB: 1000 ** 2,
  GB: 1000 ** 3,
  TB: 1000 ** 4,
}
const rates: Readonly<Record<string, number>> = { 'Mbit/s': 1, 'Gbit/s': 1000, Mbit: 1, Gbit: 1000 }
const mostDigits = 12

function readNumber(reader: Reader, fact: FactDefinition): string {
  const token = reader.token
  if (token.kind !== 'number') throw reader.mistake(`expected a number to compare ${fact.name} with`)
  if (token.text.length > mostDigits) throw reader.mistake('the number is too long')
  reader.take()
  const number = Number(token.text)
  const isUnit = reader.token.kind === 'word' && !['and', 'or'].includes(reader.token.text.toLowerCase())
  if (fact.unit === undefined) {
    if (isUnit) throw reader.mistake(`${fact.name} is a number without a unit`)
    if (!Number.isInteger(number)) throw reader.mistake(`${fact.name} is a whole number`, token)
    return token.text
  }
  const known = fact.unit === 'Mbit/s' ? rates : units
  if (!isUnit) throw reader.mistake(`expected a unit of ${fact.name}: ${Object.keys(known).join(', ')}`)
  const factor = Object.hasOwn(known, reader.token.text) ? known[reader.token.text] : undefined
  if (factor === undefined) throw reader.mistake(`expected a unit of ${fact.name}: ${Object.keys(known).join(', ')}`)
  reader.take()
  return String(Number(((number * factor) / (known[fact.unit] ?? 1)).toFixed(3)))
}

export function printExpression(expression: ProfileExpression): string {
  switch (expression.kind) {
    case 'fact': {
      const { fact, comparison, value } = expression
      const shown =
        fact.kind === 'number' ? exactly(fact, value) : /^[A-Za-z][A-Za-z0-9._/-]*$/.test(value) ? value : `'${value}'`
      return `${fact.name} ${comparison} ${shown}`
    }
    case 'not':
      return `not ${inside(expression.part, expression.part.kind !== 'fact')}`
    default:
      return expression.parts
        .map((part) => inside(part, part.kind === 'or' || part.kind === expression.kind))
        .join(` ${expression.kind} `)
  }
}

const inside = (part: ProfileExpression, needsBrackets: boolean): string =>
  needsBrackets && part.kind !== 'not' ? `(${printExpression(part)})` : printExpression(part)

/** Without rounding, as it must be read again. */
function exactly(fact: FactDefinition, value: string): string {
  if (fact.unit === undefined) return value
  const short = printFact(fact, value)
  const read = parseExpression(`${fact.name} = ${short}`)
  return read.ok && read.value.kind === 'fact' && read.value.value === value ? short : `${value} ${fact.unit}`
}

export interface Match {
  readonly matches: boolean
  /** What is not as it is asked for, or not known: `memory is 32 GiB`. */
  readonly lacks: readonly string[]
}

export function matchFacts(expression: ProfileExpression, facts: Facts): Match {
  return match(withoutNot(expression), facts)
}

function match(expression: PositiveExpression, facts: Facts): Match {
  if (expression.kind === 'fact') {
    const { fact, comparison, value } = expression
    const known = facts.get(fact.attribute)
    if (known === undefined) return { matches: false, lacks: [`${fact.name} is not known`] }
    const matches = compare(fact, comparison, { known, value })
    return { matches, lacks: matches ? [] : [`${fact.name} is ${printFact(fact, known)}`] }
  }
  const parts = expression.parts.map((part) => match(part, facts))
  const matches = expression.kind === 'and' ? parts.every((part) => part.matches) : parts.some((part) => part.matches)
  return { matches, lacks: matches ? [] : [...new Set(parts.flatMap(({ lacks }) => lacks))] }
}

export type PositiveExpression =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly PositiveExpression[] }
  | FactComparison

/** `not` turns comparisons round, so that what is not known satisfies nothing there either. */
export function withoutNot(expression: ProfileExpression, negated = false): PositiveExpression {
  if (expression.kind === 'not') return withoutNot(expression.part, !negated)
  if (expression.kind === 'fact')
    return negated ? { ...expression, comparison: opposites[expression.comparison] } : expression
  const other = expression.kind === 'and' ? 'or' : 'and'
  return { kind: negated ? other : expression.kind, parts: expression.parts.map((part) => withoutNot(part, negated)) }
}

export const opposites: Readonly<Record<Comparison, Comparison>> = {
  '>=': '<',
  '<=': '>',
  '>': '<=',
  '<': '>=',
  '=': '!=',
  '!=': '=',
}

function compare(
  fact: FactDefinition,
  comparison: Comparison,
  { known, value }: { readonly known: string; readonly value: string },
): boolean {
  if (fact.kind === 'text') return (known.toLowerCase() === value.toLowerCase()) === (comparison === '=')
  const difference = Number(known) - Number(value)
  switch (comparison) {
    case '>=':
      return difference >= 0
    case '<=':
      return difference <= 0
    case '>':
      return difference > 0
    case '<':
      return difference < 0
    case '=':
      return difference === 0
    case '!=':
      return difference !== 0
  }
}

export function comparisonsIn(expression: PositiveExpression): readonly FactComparison[] {
  return expression.kind === 'fact' ? [expression] : expression.parts.flatMap(comparisonsIn)
}
