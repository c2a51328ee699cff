/**
 * The part of XPath 1.0 that agents and deployment tools ask a CIB with: `/`, `//`, `*`, `..`, and conditions on attributes
 * (`@a`, `@a='v'`, `!=`, `and`, `or`, `not()`, brackets) and on children (`primitive[@id='x']`).
 */
import { failed, ok, type Result } from '../base/index.ts'
import { childElements, type XmlElement } from '../cib/index.ts'

type Test = (node: Placed) => boolean
type Step =
  | { readonly kind: 'parent' }
  | { readonly kind: 'named'; readonly deep: boolean; readonly name: string; readonly tests: readonly Test[] }

/** An element with its way to the root, for `..`. */
interface Placed {
  readonly element: XmlElement
  readonly parent?: Placed
}

/** The elements that a path finds, in the order of the document. */
export function selectXpath(root: XmlElement, xpath: string): Result<readonly XmlElement[], string> {
  const steps = parsePath(new Reader(xpath), true)
  if (typeof steps === 'string') return failed(`The path ${xpath} is not understood: ${steps}`)
  const top: Placed = { element: { kind: 'element', name: '#document', attributes: {}, children: [root] } }
  return ok(walk([top], steps).map(({ element }) => element))
}

function walk(from: readonly Placed[], steps: readonly Step[]): readonly Placed[] {
  return steps.reduce<readonly Placed[]>((found, step) => unique(found.flatMap((node) => follow(node, step))), from)
}

function follow(node: Placed, step: Step): readonly Placed[] {
  if (step.kind === 'parent') return node.parent === undefined ? [] : [node.parent]
  const candidates = step.deep ? descendants(node) : children(node)
  return candidates.filter(
    (candidate) =>
      (step.name === '*' || candidate.element.name === step.name) && step.tests.every((test) => test(candidate)),
  )
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
    return whole && reader.rest !== '' ? `'${reader.rest}' is unexpected.` : steps
  }
}

function parseStep(reader: Reader, deep: boolean): Step | string {
  if (reader.take('..')) return { kind: 'parent' }
  const name = reader.match(namePattern)
  if (name === undefined) return `an element's name is expected before '${reader.rest}'.`
  const tests: Test[] = []
  while (reader.take('[')) {
    const test = parseOr(reader)
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
  if (reader.take('@')) return parseAttribute(reader)
  const path = parsePath(reader, false)
  return typeof path === 'string' ? path : (node) => walk([node], path).length > 0
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
