/**
 * `expression`: compares a node attribute with a value, which may be written, or come from a parameter or meta-attribute of
 * the resource (Pacemaker Explained, "Node Attribute Expressions").
 *
 * Without a type, lt, lte, gte and gt compare as integers, or as numbers where either has a decimal point; the others as
 * text. What is not a number compares as text, without regard to case. An undefined attribute is neither less nor greater.
 */
import { assertNever } from '../../base/index.ts'
import type { RuleCondition } from '../../cib/index.ts'

export type AttributeCondition = Extract<RuleCondition, { readonly kind: 'attribute' }>
type ValueType = NonNullable<AttributeCondition['type']>

/** Where the values of a comparison are looked up. */
export interface AttributeSources {
  readonly nodeAttributes?: ReadonlyMap<string, string> | undefined
  readonly parameters?: ReadonlyMap<string, string> | undefined
  readonly meta?: ReadonlyMap<string, string> | undefined
  /** What the groups of a resource pattern matched, for `%1` … `%9` in attribute names. */
  readonly submatches?: readonly string[] | undefined
}

export function attributeHolds(condition: AttributeCondition, sources: AttributeSources): boolean {
  const actual = sources.nodeAttributes?.get(withSubmatches(condition.attribute, sources.submatches))
  const wanted = wantedValue(condition, sources)
  switch (condition.operation) {
    case 'defined':
      return actual !== undefined
    case 'not_defined':
      return actual === undefined
    case 'eq':
      return compareOptional(condition, actual, wanted) === 0
    case 'ne':
      return compareOptional(condition, actual, wanted) !== 0
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return actual !== undefined && wanted !== undefined && isOrdered(condition, compare(condition, actual, wanted))
    default:
      return assertNever(condition.operation)
  }
}

function wantedValue(condition: AttributeCondition, sources: AttributeSources): string | undefined {
  const { value, valueSource } = condition
  if (value === undefined) return undefined
  switch (valueSource) {
    case 'literal':
      return value
    case 'param':
      return sources.parameters?.get(value)
    case 'meta':
      return sources.meta?.get(value)
    default:
      return assertNever(valueSource)
  }
}

/** `%0` is the whole match, `%%` a percent sign. */
export function withSubmatches(text: string, submatches: readonly string[] | undefined): string {
  if (submatches === undefined || !text.includes('%')) return text
  return text.replace(/%([0-9%])/g, (_, digit: string) => (digit === '%' ? '%' : (submatches[Number(digit)] ?? '')))
}

function compareOptional(condition: AttributeCondition, a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1
  return compare(condition, a, b)
}

function isOrdered({ operation }: AttributeCondition, order: number): boolean {
  if (operation === 'lt') return order < 0
  if (operation === 'lte') return order <= 0
  return operation === 'gt' ? order > 0 : order >= 0
}

function compare(condition: AttributeCondition, a: string, b: string): number {
  switch (condition.type ?? defaultType(condition, a, b)) {
    case 'integer':
      return compareNumbers(/^\s*[+-]?\d+/, a, b)
    case 'number':
      return compareNumbers(/^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?/i, a, b)
    case 'version':
      return compareVersions(a, b)
    case 'string':
      return compareText(a, b)
  }
}

function defaultType({ operation }: AttributeCondition, a: string, b: string): ValueType {
  if (operation === 'eq' || operation === 'ne') return 'string'
  return a.includes('.') || b.includes('.') ? 'number' : 'integer'
}

function compareNumbers(form: RegExp, a: string, b: string): number {
  const [first, second] = [form.exec(a), form.exec(b)]
  return first === null || second === null
    ? compareText(a, b)
    : Math.sign(Number.parseFloat(first[0]) - Number.parseFloat(second[0]))
}

function compareText(a: string, b: string): number {
  const [first, second] = [a.toLowerCase(), b.toLowerCase()]
  return first === second ? 0 : first < second ? -1 : 1
}

/** Part by part: 1.1.10 is later than 1.1.9, and 1.1 equals 1.1.0. */
function compareVersions(a: string, b: string): number {
  const [first, second] = [a.split('.'), b.split('.')]
  for (let part = 0; part < Math.max(first.length, second.length); part++) {
    const difference = numberOf(first[part]) - numberOf(second[part])
    if (difference !== 0) return Math.sign(difference)
  }
  return 0
}

function numberOf(part: string | undefined): number {
  const value = Number.parseInt(part ?? '0', 10)
  return Number.isNaN(value) ? 0 : value
}
