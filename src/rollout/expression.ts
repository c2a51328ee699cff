/**
 * Which nodes a rollout means, by their attributes: `rack eq a and disk ne ssd`, in the words of location rules. Values are compared as numbers where
 * both are numbers, as text otherwise; `and` binds closer than `or`.
 */
export const operators = ['eq', 'ne', 'lt', 'gt', 'lte', 'gte'] as const
type Operator = (typeof operators)[number]

export type Expression =
  | { readonly kind: 'compare'; readonly attribute: string; readonly operator: Operator; readonly value: string }
  | { readonly kind: 'defined'; readonly attribute: string; readonly isDefined: boolean }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Expression[] }

/** A sentence where the text is no expression. */
export function parseExpression(text: string): Expression | string {
  const words = text.match(/[()]|"[^"]*"|[^\s()]+/g) ?? []
  try {
    const [expression, rest] = readOr(words)
    const [next] = rest
    return next === undefined ? expression : `'${next}' is not expected here`
  } catch (error) {
    if (error instanceof NotUnderstood) return error.message
    throw error
  }
}

class NotUnderstood extends Error {
  override readonly name = 'NotUnderstood'
}

type Read = readonly [Expression, rest: readonly string[]]

const readOr = (words: readonly string[]): Read => readJoined('or', words, readAnd)
const readAnd = (words: readonly string[]): Read => readJoined('and', words, readOne)

function readJoined(kind: 'and' | 'or', words: readonly string[], readPart: (words: readonly string[]) => Read): Read {
  let [part, rest] = readPart(words)
  const parts = [part]
  while (rest[0] === kind) {
    ;[part, rest] = readPart(rest.slice(1))
    parts.push(part)
  }
  return [parts.length === 1 ? part : { kind, parts }, rest]
}

function readOne(words: readonly string[]): Read {
  const [first, second, third] = words
  if (first === undefined) throw new NotUnderstood('the expression ends too early')
  if (first === '(') {
    const [inner, rest] = readOr(words.slice(1))
    if (rest[0] !== ')') throw new NotUnderstood("a ')' is missing")
    return [inner, rest.slice(1)]
  }
  if (first === 'defined' || first === 'not_defined') {
    if (second === undefined) throw new NotUnderstood(`'${first}' needs the name of an attribute`)
    return [{ kind: 'defined', attribute: second, isDefined: first === 'defined' }, words.slice(2)]
  }
  const operator = operators.find((known) => known === second)
  if (operator === undefined)
    throw new NotUnderstood(`'${first}' is to be followed by one of ${operators.join(', ')}, not by '${second ?? ''}'`)
  if (third === undefined || third === ')') throw new NotUnderstood(`'${first} ${operator}' needs a value`)
  const value = third.startsWith('"') ? third.slice(1, -1) : third
  return [{ kind: 'compare', attribute: first, operator, value }, words.slice(3)]
}

export function holdsOn(expression: Expression, attributes: ReadonlyMap<string, string>): boolean {
  switch (expression.kind) {
    case 'and':
      return expression.parts.every((part) => holdsOn(part, attributes))
    case 'or':
      return expression.parts.some((part) => holdsOn(part, attributes))
    case 'defined':
      return attributes.has(expression.attribute) === expression.isDefined
    case 'compare':
      return compares(attributes.get(expression.attribute), expression)
  }
}

/** An attribute that a node does not have is unequal to every value, and neither less nor more. */
function compares(
  actual: string | undefined,
  { operator, value }: { readonly operator: Operator; readonly value: string },
): boolean {
  if (actual === undefined) return operator === 'ne'
  const order = orderOf(actual, value)
  switch (operator) {
    case 'eq':
      return order === 0
    case 'ne':
      return order !== 0
    case 'lt':
      return order < 0
    case 'gt':
      return order > 0
    case 'lte':
      return order <= 0
    case 'gte':
      return order >= 0
  }
}

function orderOf(left: string, right: string): number {
  const [a, b] = [Number(left), Number(right)]
  const areNumbers = left.trim() !== '' && right.trim() !== '' && !Number.isNaN(a) && !Number.isNaN(b)
  if (areNumbers) return a - b
  return left < right ? -1 : left > right ? 1 : 0
}
