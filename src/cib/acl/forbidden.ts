/**
 * The first difference between two CIBs that a user may not make. What is there is changed or removed by those who may write it, in the CIB
 * as it was and as it becomes; what is new is made by those who may write it there, or encloses only such things and has nothing but an id
 * ("scaffolding"); a set of pairs that is so goes with the last pair: who may disable a resource may enable it again. Nothing in the list of permissions itself is scaffolding.
 */
import { childElements, type XmlElement, type XmlNode } from '../document.ts'
import type { Access } from './access.ts'
import { keyedChildren } from './keyed-children.ts'

export interface Forbidden {
  readonly kind: 'create' | 'change' | 'remove' | 'reorder'
  /** `/cib/configuration/resources/primitive[@id='web']`. */
  readonly path: string
  readonly attribute?: string
}

export interface Side {
  readonly cib: XmlElement
  readonly access: Access
}

export function firstForbidden(before: Side, after: Side): Forbidden | undefined {
  return forbiddenIn(before.cib, after.cib, { before: before.access, after: after.access, path: pathOf('', after.cib) })
}

/** For the person who asked. */
export function describeForbidden({ kind, path, attribute }: Forbidden, user: string): string {
  const what = attribute === undefined ? path : `the attribute ${attribute} of ${path}`
  return `Permission denied: ${user} may not ${kind} ${what}. That needs the permission 'write' on it.`
}

interface Place {
  readonly before: Access
  readonly after: Access
  readonly path: string
}

function forbiddenIn(before: XmlElement, after: XmlElement, place: Place): Forbidden | undefined {
  if (before === after) return undefined
  const isWritable = place.before.of(before) === 'write' && place.after.of(after) === 'write'
  const { path } = place
  if (!isWritable) {
    const attribute = changedAttribute(before, after)
    if (attribute !== undefined) return { kind: 'change', path, attribute }
    if (textOf(before) !== textOf(after)) return { kind: 'change', path }
  }
  const [old, current] = [keyedChildren(before), keyedChildren(after)]
  for (const [key, child] of old)
    if (!current.has(key)) {
      const forbidden = unremovable(child, place.before, pathOf(path, child))
      if (forbidden !== undefined) return forbidden
    }
  for (const [key, child] of current) {
    const was = old.get(key)
    const at = pathOf(path, child)
    const forbidden =
      was === undefined ? uncreatable(child, place.after, at) : forbiddenIn(was, child, { ...place, path: at })
    if (forbidden !== undefined) return forbidden
  }
  return isWritable ? undefined : reordered(old, current, path)
}

/** What the cluster itself writes into the root is nobody's change. */
export const ofTheCluster: ReadonlySet<string> = new Set([
  'num_updates',
  'have-quorum',
  'no-quorum-panic',
  'dc-uuid',
  'cib-last-written',
  'update-origin',
  'update-client',
  'update-user',
  'execution-date',
])

function changedAttribute(before: XmlElement, after: XmlElement): string | undefined {
  const names = new Set([...Object.keys(before.attributes), ...Object.keys(after.attributes)])
  return [...names].find(
    (name) => before.attributes[name] !== after.attributes[name] && (before.name !== 'cib' || !ofTheCluster.has(name)),
  )
}

function textOf({ children }: XmlElement): string {
  return children.flatMap((child: XmlNode) => (child.kind === 'element' ? [] : [child.text.trim()])).join('\n')
}

/** Removed is also what is in it: all of that must be writable. A set of pairs that is scaffolding goes with the last of its pairs. */
function unremovable(element: XmlElement, access: Access, path: string): Forbidden | undefined {
  const isWritable = (one: XmlElement): boolean => access.of(one) === 'write' && childElements(one).every(isWritable)
  const isEmptied =
    setsOfPairs.has(element.name) && mayComeAndGo(element, access, path) && childElements(element).every(isWritable)
  return isEmptied || isWritable(element) ? undefined : { kind: 'remove', path }
}

const setsOfPairs = new Set(['meta_attributes', 'instance_attributes', 'utilization'])

function uncreatable(element: XmlElement, access: Access, path: string): Forbidden | undefined {
  if (!mayComeAndGo(element, access, path)) return { kind: 'create', path }
  for (const child of childElements(element)) {
    const forbidden = uncreatable(child, access, pathOf(path, child))
    if (forbidden !== undefined) return forbidden
  }
  return undefined
}

/** By itself: whether what is in it may is asked of that. */
function mayComeAndGo(element: XmlElement, access: Access, path: string): boolean {
  const kind = access.of(element)
  return kind === 'write' || (kind !== 'deny' && childElements(element).length > 0 && isScaffolding(element, path))
}

function isScaffolding(element: XmlElement, path: string): boolean {
  return (
    Object.keys(element.attributes).every((name) => name === 'id') && !path.includes('/acls/') && textOf(element) === ''
  )
}

function reordered(
  old: ReadonlyMap<string, XmlElement>,
  current: ReadonlyMap<string, XmlElement>,
  path: string,
): Forbidden | undefined {
  const before = [...old.keys()].filter((key) => current.has(key))
  const after = [...current.keys()].filter((key) => old.has(key))
  return before.some((key, i) => key !== after[i]) ? { kind: 'reorder', path } : undefined
}

function pathOf(parent: string, { name, attributes: { id } }: XmlElement): string {
  return `${parent}/${name}${id === undefined || name === 'cib' ? '' : `[@id='${id}']`}`
}
