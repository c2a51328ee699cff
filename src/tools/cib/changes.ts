/**
 * The changes that cibadmin makes (cibadmin(8)): an element given as XML is created, merged into the one of its name and id,
 * put in its place, or deleted. Each is a function from a CIB to the changed one, or undefined where what it changes is not there.
 */
import { expandValue } from '../../attributes/index.ts'
import { childElements, type XmlElement } from '../../cib/index.ts'
import { appended, descendants, removed, replaced } from './tree.ts'

export type Created =
  | { readonly kind: 'created'; readonly parent: XmlElement }
  /** An element of that name and id is there already. */
  | { readonly kind: 'exists'; readonly element: XmlElement }

/** A section given whole brings its children. */
export function created(parent: XmlElement, given: XmlElement): Created {
  const elements = given.name === parent.name ? childElements(given) : [given]
  let current = parent
  for (const element of elements) {
    // What has no name is found by its kind: there is one of it.
    if (childOf(current, element) !== undefined) return { kind: 'exists', element }
    current = appended(current, element)
  }
  return { kind: 'created', parent: current }
}

/** The attributes and children of the given element come into the first one of its name and id at or below `from`. */
export function modified(from: XmlElement, given: XmlElement): XmlElement | undefined {
  const target = [from, ...descendants(from)].find((candidate) => isSame(candidate, given))
  return target === undefined ? undefined : replaced(from, target, merged(target, given))
}

function merged(target: XmlElement, given: XmlElement): XmlElement {
  const attributes = { ...target.attributes }
  for (const [name, value] of Object.entries(given.attributes)) attributes[name] = counted(target, name, value)
  const remarks = given.children.filter(
    ({ kind, ...comment }) =>
      kind === 'comment' &&
      !target.children.some((one) => one.kind === 'comment' && 'text' in comment && one.text === comment.text),
  )
  let children = [...target.children, ...remarks]
  for (const child of childElements(given)) {
    const there = childOf({ ...target, children }, child)
    children =
      there === undefined ? [...children, child] : children.map((one) => (one === there ? merged(there, child) : one))
  }
  return { ...target, attributes, children }
}

/** A counter names its attribute: `admin_epoch++` and `epoch+=5` count, and so does `value++` in a pair. */
function counted({ attributes }: XmlElement, name: string, written: string): string {
  const how = written.startsWith(name) ? written.slice(name.length) : ''
  const counter = `value${how}`
  const value = expandValue(attributes[name], counter)
  return value === counter ? written : value
}

/** The given element stands where the first one of its name and id was. */
export function replacedBy(from: XmlElement, given: XmlElement): XmlElement | undefined {
  const target = [from, ...descendants(from)].find((candidate) => isSame(candidate, given))
  return target === undefined ? undefined : replaced(from, target, given)
}

/** The first element of that name that has all the given attributes goes; the others it may have besides. */
export function deleted(from: XmlElement, given: XmlElement): XmlElement {
  const target = descendants(from).find(
    ({ name, attributes }) =>
      name === given.name && Object.entries(given.attributes).every(([key, value]) => attributes[key] === value),
  )
  return target === undefined ? from : removed(from, target)
}

function isSame(candidate: XmlElement, given: XmlElement): boolean {
  return candidate.name === given.name && candidate.attributes.id === given.attributes.id
}

/** Without an id, the first child of that name. */
function childOf(parent: XmlElement, given: XmlElement): XmlElement | undefined {
  const { id } = given.attributes
  return childElements(parent, given.name).find(({ attributes }) => id === undefined || attributes.id === id)
}
