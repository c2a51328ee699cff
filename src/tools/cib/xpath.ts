/**
 * The part of XPath 1.0 that agents and deployment tools ask a CIB with: `/`, `//`, `*`, `..`, `.`, `|`, places (`[1]`), and conditions
 * on attributes (`@a`, `@a='v'`, `!=`, `contains()`, `starts-with()`, `and`, `or`, `not()`, brackets) and on children
 * (`primitive[@id='x']`). A path that ends in an attribute finds the elements that have it, as cibadmin prints them.
 */
import { failed, ok, type Result } from '../../base/index.ts'
import { childElements, type XmlElement } from '../../cib/index.ts'

type Test = (node: Placed) => boolean
type Step =
  | { readonly kind: 'parent' }
  | { readonly kind: 'self' }
  | {
      readonly kind: 'named'
      readonly deep: boolean
      readonly name: string
      readonly tests: readonly (Test | number)[]
    }
  | { readonly kind: 'attribute'; readonly deep: boolean; readonly name: string }

/** An element with its way to the root, for `..`. */
interface Placed {
  readonly element: XmlElement
  readonly parent?: Placed
}

/** The elements that a path finds, in the order of the document. */
export function selectXpath(root: XmlElement, xpath: string): Result<readonly XmlElement[], string> {
  const reader = new Reader(xpath)
  const top: Placed = { element: { kind: 'element', name: '#document', attributes: {}, children: [root] } }
  const found = new Set<XmlElement>()
  do {
    const steps = parsePath(reader, true)
    if (typeof steps === 'string') return failed(`The path ${xpath} is not understood: ${steps}`)
    for (const { element } of walk([top], steps)) found.add(element)
  } while (reader.take('|'))
  if (!xpath.includes('|')) return ok([...found])
  return ok(descendants({ element: top.element }).flatMap(({ element }) => (found.has(element) ? [element] : [])))
}

/** `/cib/configuration/resources/primitive[@id='web']`. */
export function elementPath(root: XmlElement, target: XmlElement): string | undefined {
  const { id } = root.attributes
  // The root needs no id to be found.
  const own = `/${root.name}${id === undefined || root.name === 'cib' ? '' : `[@id='${id}']`}`
  if (root === target) return own
  for (const child of childElements(root)) {
    const below = elementPath(child, target)
    if (below !== undefined) return `${own}${below}`
  }
  return undefined
}

function walk(from: readonly Placed[], steps: readonly Step[]): readonly Placed[] {
  return steps.reduce<readonly Placed[]>((found, step) => unique(found.flatMap((node) => follow(node, step))), from)
}

function follow(node: Placed, step: Step): readonly Placed[] {
  if (step.kind === 'self') return [node]
  if (step.kind === 'parent') return node.parent === undefined ? [] : [node.parent]
  if (step.kind === 'attribute') {
    const holders = step.deep ? [node, ...descendants(node)] : [node]
    return holders.filter(({ element }) => step.name === '*' || element.attributes[step.name] !== undefined)
  }
  const candidates = (step.deep ? descendants(node) : children(node)).filter(
    ({ element }) => step.name === '*' || element.name === step.name,
  )
  return step.tests.reduce<readonly Placed[]>(
    (kept, test) => kept.filter((one) => (typeof test === 'number' ? placeOf(one, kept) === test : test(one))),
    candidates,
  )
}

/** A place counts among those of one parent. */
function placeOf(node: Placed, among: readonly Placed[]): number {
  return among.filter(({ parent }) => parent?.element === node.parent?.element).indexOf(node) + 1
}

function children(parent: Placed): readonly Placed[] {
  return childElements(parent.element).map((element) => ({ element, parent }))
}

function descendants(parent: Placed): readonly Placed[] {
  return children(parent).flatMap((child) => [child, ...descendants(child)])
}

/** Two ways may lead to one element. */
function unique(found: readonly Placed[]): readonly Placed[] {
  const seen = new Set<XmlElement>()
  return found.filter(({ element }) => !seen.has(element) && seen.add(element))
}

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Takes the word if it comes next. */
  take(word: string): boolean {
    this.#skipBlanks()
    if (!this.#text.startsWith(word, this.#at)) return false
    this.#at += word.length
    return true
  }

  match(pattern: RegExp): string | undefined {
    this.#skipBlanks()
    const found = pattern.exec(this.#text.slice(this.#at))?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  get rest(): string {
    return this.#text.slice(this.#at).trim()
  }

  #skipBlanks(): void {
    while (this.#text[this.#at] === ' ') this.#at++
  }
}

const namePattern = /^(?:[A-Za-z_][\w.-]*|\*)/

/** A whole path must be used up; one inside a condition ends where the condition goes on. */
function parsePath(reader: Reader, whole: boolean): readonly Step[] | string {
  const steps: Step[] = []
  let deep = reader.take('//')
  if (!deep) reader.take('/')
  for (;;) {
    const step = parseStep(reader, deep)
    if (typeof step === 'string') return step
    steps.push(step)
    deep = reader.take('//')
    if (deep || reader.take('/')) continue
    return whole && reader.rest !== '' && !reader.rest.startsWith('|') ? `'${reader.rest}' is unexpected.` : steps
  }
}

function parseStep(reader: Reader, deep: boolean): Step | string {
  if (reader.take('..')) return { kind: 'parent' }
  if (reader.take('.')) return { kind: 'self' }
  if (reader.take('@')) {
    const attribute = reader.match(namePattern)
    return attribute === undefined
      ? `an attribute's name is expected before '${reader.rest}'.`
      : { kind: 'attribute', deep, name: attribute }
  }
  const name = reader.match(namePattern)
  if (name === undefined) return `an element's name is expected before '${reader.rest}'.`
  const tests: (Test | number)[] = []
  while (reader.take('[')) {
    const place = reader.match(/^\d+(?=\s*\])/)
    const test = place === undefined ? parseOr(reader) : Number(place)
    if (typeof test === 'string') return test
    if (!reader.take(']')) return `a ']' is missing before '${reader.rest}'.`
    tests.push(test)
  }
  return { kind: 'named', deep, name, tests }
}

function parseOr(reader: Reader): Test | string {
  const first = parseAnd(reader)
  if (typeof first === 'string' || reader.match(/^or\b/) === undefined) return first
  const rest = parseOr(reader)
  return typeof rest === 'string' ? rest : (node) => first(node) || rest(node)
}

function parseAnd(reader: Reader): Test | string {
  const first = parseCondition(reader)
  if (typeof first === 'string' || reader.match(/^and\b/) === undefined) return first
  const rest = parseAnd(reader)
  return typeof rest === 'string' ? rest : (node) => first(node) && rest(node)
}

function parseCondition(reader: Reader): Test | string {
  const negated = reader.match(/^not\s*(?=\()/) !== undefined
  if (reader.take('(')) {
    const inner = parseOr(reader)
    if (typeof inner === 'string') return inner
    if (!reader.take(')')) return `a ')' is missing before '${reader.rest}'.`
    return negated ? (node) => !inner(node) : inner
  }
  const called = reader.match(/^(?:contains|starts-with)(?=\s*\()/)
  if (called !== undefined) return parseCall(reader, called, negated)
  if (reader.take('@')) return parseAttribute(reader)
  const path = parsePath(reader, false)
  return typeof path === 'string' ? path : (node) => walk([node], path).length > 0
}

/** `contains(@name, 'x')`. */
function parseCall(reader: Reader, called: string, negated: boolean): Test | string {
  const name = reader.take('(') && reader.take('@') ? reader.match(/^[A-Za-z_][\w.-]*/) : undefined
  const quoted = reader.take(',') ? reader.match(/^(?:'[^']*'|"[^"]*")/) : undefined
  if (name === undefined || quoted === undefined || !reader.take(')'))
    return `${called}() takes an attribute and a text in quotes.`
  const text = quoted.slice(1, -1)
  return ({ element }) => {
    const value = element.attributes[name] ?? ''
    return (called === 'contains' ? value.includes(text) : value.startsWith(text)) !== negated
  }
}

function parseAttribute(reader: Reader): Test | string {
  const name = reader.match(/^[A-Za-z_][\w.-]*/)
  if (name === undefined) return `an attribute's name is expected before '${reader.rest}'.`
  const sign = reader.match(/^!?=/)
  if (sign === undefined) return ({ element }) => element.attributes[name] !== undefined
  const quoted = reader.match(/^(?:'[^']*'|"[^"]*")/)
  if (quoted === undefined) return `a value in quotes is expected before '${reader.rest}'.`
  const value = quoted.slice(1, -1)
  return sign === '='
    ? ({ element }) => element.attributes[name] === value
    : ({ element }) => element.attributes[name] !== undefined && element.attributes[name] !== value
}
