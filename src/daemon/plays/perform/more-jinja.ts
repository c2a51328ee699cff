/**
 * What Jinja has and the library that renders it has not: further filters, `append` and `extend` of lists, and `raw`. The tree of a template is changed so that it calls
 * functions of ours, by names that no template can write.
 */

export interface Tree {
  readonly type?: unknown
  readonly [field: string]: unknown
}

export const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null

/** Of a filter or a test, with or without arguments. */
export function nameOf(tree: unknown): string {
  if (!isTree(tree)) return ''
  return tree.type === 'CallExpression' ? nameOf(tree.callee) : String(tree.value)
}

export const argumentsOf = (tree: unknown): readonly unknown[] =>
  isTree(tree) && Array.isArray(tree.args) ? tree.args : []

export interface WithoutRaw {
  readonly text: string
  readonly values: Readonly<Record<string, readonly string[]>>
}

const rawName = '__raw'

/** Each `raw` becomes a value: what is in it is nobody's to render. */
export function withoutRaw(text: string): WithoutRaw {
  const kept: string[] = []
  const rest = text.replaceAll(
    /\{%(-?)\s*raw\s*(-?)%\}([\s\S]*?)\{%(-?)\s*endraw\s*(-?)%\}/g,
    (...found: readonly string[]) => {
      const [, before = '', start = '', content = '', end = '', behind = ''] = found
      const trimmed = start === '' ? content : content.trimStart()
      kept.push(end === '' ? trimmed : trimmed.trimEnd())
      return `{{${before} ${rawName}[${kept.length - 1}] ${behind}}}`
    },
  )
  return kept.length === 0 ? { text, values: {} } : { text: rest, values: { [rawName]: kept } }
}

type Plain = unknown
type Filter = (value: Plain, ...given: readonly Plain[]) => Plain

const asNumber = (value: Plain): number => (typeof value === 'number' ? value : Number(value))
const asList = (value: Plain): readonly Plain[] => {
  if (Array.isArray(value)) return value
  if (typeof value === 'string') return [...value]
  return isTree(value) ? Object.keys(value) : []
}
const asText = (value: Plain): string => {
  if (value === undefined) return ''
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
const isTrue = (value: Plain): boolean => {
  if (Array.isArray(value)) return value.length > 0
  return isTree(value) ? Object.keys(value).length > 0 : Boolean(value)
}
const isSame = (one: Plain, other: Plain): boolean => JSON.stringify(one) === JSON.stringify(other)
const attributeOf = (value: Plain, name: Plain): Plain => (isTree(value) ? value[String(name)] : undefined)

const tests: Readonly<Record<string, (value: Plain, given: Plain) => boolean>> = {
  defined: (value) => value !== undefined,
  undefined: (value) => value === undefined,
  none: (value) => value === null,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  mapping: (value) => isTree(value) && !Array.isArray(value),
  sequence: (value) => Array.isArray(value) || typeof value === 'string',
  even: (value) => asNumber(value) % 2 === 0,
  odd: (value) => Math.abs(asNumber(value) % 2) === 1,
  equalto: isSame,
  eq: isSame,
  '==': isSame,
  ne: (value, given) => !isSame(value, given),
  '!=': (value, given) => !isSame(value, given),
  in: (value, given) =>
    typeof given === 'string' ? given.includes(asText(value)) : asList(given).some((one) => isSame(one, value)),
  gt: (value, given) => asNumber(value) > asNumber(given),
  '>': (value, given) => asNumber(value) > asNumber(given),
  lt: (value, given) => asNumber(value) < asNumber(given),
  '<': (value, given) => asNumber(value) < asNumber(given),
}

/** Without a test, whether it is true. */
function chosen(value: Plain, name: Plain, given: Plain): boolean {
  if (name === undefined) return isTrue(value)
  const test = Object.hasOwn(tests, String(name)) ? tests[String(name)] : undefined
  if (test === undefined) throw new Error(`There is no test '${String(name)}'`)
  return test(value, given)
}

/** For `map('upper')`, and by themselves where the library has them for some values only. */
const ofOne: Readonly<Record<string, (value: Plain) => Plain>> = {
  upper: (value) => asText(value).toUpperCase(),
  lower: (value) => asText(value).toLowerCase(),
  trim: (value) => asText(value).trim(),
  string: asText,
  int: (value) => Math.trunc(asNumber(value)) || 0,
  float: (value) => asNumber(value) || 0,
  abs: (value) => Math.abs(asNumber(value)),
  length: (value) => asList(value).length,
  first: (value) => asList(value)[0],
  last: (value) => asList(value).at(-1),
}

function mapped(value: Plain, name: Plain): Plain {
  const one = Object.hasOwn(ofOne, String(name)) ? ofOne[String(name)] : undefined
  if (one === undefined) throw new Error(`map('${String(name)}') is not supported`)
  return asList(value).map(one)
}

const most = (value: Plain, isBetter: (one: Plain, other: Plain) => boolean): Plain =>
  asList(value).reduce((best, one) => (best === undefined || isBetter(one, best) ? one : best), undefined)
const isLess = (one: Plain, other: Plain): boolean =>
  typeof one === 'number' && typeof other === 'number' ? one < other : asText(one) < asText(other)

/** As Python formats with %: %s, %d, %f, %x, with flags and a width. */
function formatted(text: Plain, ...given: readonly Plain[]): string {
  const left = given.values()
  return asText(text).replaceAll(/%[-0]*\d*(?:\.\d+)?[sdfx%]/g, (directive) =>
    directive.endsWith('%') ? '%' : formattedOne(directive, left.next().value),
  )
}

function formattedOne(directive: string, value: Plain): string {
  const [, flags = '', width = '', digits, kind] = /^%([-0]*)(\d*)(?:\.(\d+))?(.)$/.exec(directive) ?? []
  const written = {
    d: () => String(Math.trunc(asNumber(value))),
    f: () => asNumber(value).toFixed(Number(digits ?? 6)),
    x: () => Math.trunc(asNumber(value)).toString(16),
    s: () => asText(value).slice(0, digits === undefined ? undefined : Number(digits)),
  }[kind === 'd' || kind === 'f' || kind === 'x' ? kind : 's']()
  // Nobody formats a line of more than that.
  const columns = Math.min(Number(width), 1000)
  if (flags.includes('-')) return written.padEnd(columns)
  return written.padStart(columns, flags.includes('0') && kind !== 's' ? '0' : ' ')
}

const filters: Readonly<Record<string, Filter>> = {
  select: (value, test, given) => asList(value).filter((one) => chosen(one, test, given)),
  reject: (value, test, given) => asList(value).filter((one) => !chosen(one, test, given)),
  map: mapped,
  list: (value) => asList(value),
  count: (value) => asList(value).length,
  max: (value) => most(value, (one, best) => isLess(best, one)),
  min: (value) => most(value, isLess),
  sum: (value, named) =>
    asList(value)
      .map((one) =>
        asNumber(
          attributeOf(named, 'attribute') === undefined ? one : attributeOf(one, attributeOf(named, 'attribute')),
        ),
      )
      .reduce((sum, one) => sum + one, 0),
  round: (value, digits) => Number(asNumber(value).toFixed(typeof digits === 'number' ? digits : 0)),
  format: formatted,
  wordcount: (value) =>
    asText(value)
      .split(/\s+/)
      .filter((word) => word !== '').length,
  urlencode: (value) => encodeURIComponent(asText(value)).replaceAll('%2F', '/'),
}

/** The library has them for lists of other arguments. */
const onlyWithAName = new Set(['map'])

const changing: Readonly<Record<string, (list: unknown[], given: readonly unknown[]) => void>> = {
  append: (list, given) => void list.push(...given),
  extend: (list, given) => {
    for (const one of given) if (isTree(one) && Array.isArray(one.value)) list.push(...(one.value as unknown[]))
  },
}

const filterName = (name: string): string => `__filter_${name}`
const changeName = (name: string): string => `__change_${name}`

/** What the changed tree calls. */
export const functionsOfJinja: Readonly<Record<string, unknown>> = Object.fromEntries([
  ...Object.entries(filters).map(([name, filter]) => [
    filterName(name),
    (...given: readonly unknown[]) => {
      const [value, ...more] = given.map(plain)
      return filter(value, ...more)
    },
  ]),
  ...Object.entries(changing).map(([name, change]) => [
    changeName(name),
    (list: unknown, given: unknown) => {
      if (!Array.isArray(list) || !Array.isArray(given)) throw new Error(`${name} is of lists only`)
      change(list, given)
    },
  ]),
])

/** The library hands over lists and maps whose items are values of its own. */
function plain(value: unknown): Plain {
  const inner = (one: unknown): Plain => (isTree(one) ? plain(one.value) : one)
  if (Array.isArray(value)) return value.map(inner)
  return value instanceof Map
    ? Object.fromEntries([...value].map(([key, one]: [unknown, unknown]) => [String(key), inner(one)]))
    : value
}

/** In place. */
export function callOurs(tree: unknown): void {
  if (Array.isArray(tree)) for (const one of tree) callOurs(one)
  else if (tree instanceof Map) for (const [key, value] of tree) callOurs([key, value])
  else if (isTree(tree)) {
    for (const value of Object.values(tree)) callOurs(value)
    if (tree.type === 'FilterExpression') callFilter(tree)
    else if (tree.type === 'CallExpression') callChange(tree)
  }
}

const named = (value: string): Tree => ({ type: 'Identifier', value })

function callFilter(tree: Tree): void {
  const name = nameOf(tree.filter)
  if (!Object.hasOwn(filters, name)) return
  const given = argumentsOf(tree.filter)
  if (onlyWithAName.has(name) && !given.some((one) => isTree(one) && one.type === 'StringLiteral')) return
  Object.assign(tree, { type: 'CallExpression', callee: named(filterName(name)), args: [tree.operand, ...given] })
}

function callChange(tree: Tree): void {
  const { callee } = tree
  if (!isTree(callee) || callee.type !== 'MemberExpression' || callee.computed === true) return
  const name = nameOf(callee.property)
  if (!Object.hasOwn(changing, name)) return
  const given = { type: 'ArrayLiteral', value: argumentsOf(tree) }
  Object.assign(tree, { callee: named(changeName(name)), args: [callee.object, given] })
}
