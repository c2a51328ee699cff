/** The application of a difference of two documents as Pacemaker writes it (make-patch.ts). */
import { childElement, childElements, type XmlElement, type XmlNode } from '../../cib/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { removed, replaced } from './tree.ts'
import { compareVersions, versionOf } from './version.ts'

const elements = ({ children }: XmlElement): readonly XmlElement[] =>
  children.filter((child): child is XmlElement => child.kind === 'element')

export type PatchOutcome = { readonly kind: 'applied'; readonly document: XmlElement } | PatchFailure

/** The patch is for another version, is not one, or a change does not fit. */
export type PatchFailure =
  | { readonly kind: 'old' | 'newer' | 'malformed' | 'no-patch' }
  | { readonly kind: 'failed'; readonly path: string }

/** The exit code of both commands that apply one, and the words. */
export function describePatchFailure(failure: PatchFailure): readonly [number, string] {
  switch (failure.kind) {
    case 'old':
      return [exitCodes.old, 'Update was older than existing configuration']
    case 'newer':
      return [exitCodes.error, 'Application of update diff failed, requesting full refresh']
    case 'malformed':
      return [exitCodes.protocol, 'No message of desired type']
    case 'no-patch':
      return [exitCodes.software, 'Invalid argument']
    case 'failed':
      return [exitCodes.error, `Application of update diff failed: there is no ${failure.path}`]
  }
}

/** A patch leads from one version to a later one, unless it is taken for `ofAnyVersion`. */
export function applyPatch(
  document: XmlElement,
  patch: XmlElement,
  { ofAnyVersion = false }: { readonly ofAnyVersion?: boolean } = {},
): PatchOutcome {
  if (patch.attributes.format !== '2') return { kind: 'no-patch' }
  const changes = childElements(patch, 'change')
  if (changes.some((change) => change.attributes.operation === 'modify' && !childElement(change, 'change-result')))
    return { kind: 'malformed' }
  const unfit = ofAnyVersion ? undefined : versionFailure(document, patch)
  if (unfit !== undefined) return unfit
  const of = (wanted: string): readonly XmlElement[] =>
    changes.filter(({ attributes: { operation } }) => operation === wanted)
  let current = document
  for (const change of [...of('delete'), ...of('modify')]) {
    const next = applied(current, change, childElement(patch, 'version') === undefined)
    if (next === undefined) return failedAt(change)
    current = next
  }
  for (const [parent, placed] of placings(changes)) {
    const next = withPlaced(current, parent, placed)
    if (next.kind !== 'element') return next
    current = next
  }
  return { kind: 'applied', document: current }
}

const failedAt = ({ attributes }: XmlElement): PatchFailure => ({ kind: 'failed', path: attributes.path ?? '' })

/** What comes or moves, by the path of its parent: the deepest first, so that what moves does so with everything in it. */
function placings(changes: readonly XmlElement[]): readonly (readonly [string, readonly XmlElement[]])[] {
  const byParent = new Map<string, XmlElement[]>()
  for (const change of changes) {
    const { operation, path = '' } = change.attributes
    if (operation === 'delete' || operation === 'modify') continue
    const parent = operation === 'move' ? parentPath(path) : path
    byParent.set(parent, [...(byParent.get(parent) ?? []), change])
  }
  const depth = (path: string): number => stepsOf(path).length
  return [...byParent].sort(([a], [b]) => depth(b) - depth(a))
}

/** Whatever moves is taken out first: then each place is the last one, taken in ascending order. */
function withPlaced(document: XmlElement, path: string, changes: readonly XmlElement[]): XmlElement | PatchFailure {
  const parent = followPath(document, path).at(-1)
  const placed = changes.map((change) => ({ change, child: placedChild(document, change) }))
  const missing = placed.find(({ child }) => child === undefined)
  if (missing !== undefined) return failedAt(missing.change)
  const [first] = changes
  if (parent === undefined) return first === undefined ? document : failedAt(first)
  const moving = new Set(placed.map(({ child }) => child))
  const rest: XmlElement = { ...parent, children: parent.children.filter((child) => !moving.has(child)) }
  const next = [...placed]
    .sort((a, b) => Number(a.change.attributes.position) - Number(b.change.attributes.position))
    .reduce(
      (current, { change, child }) =>
        child === undefined ? current : inserted(current, child, Number(change.attributes.position)),
      rest,
    )
  return replaced(document, parent, next)
}

function placedChild(document: XmlElement, change: XmlElement): XmlNode | undefined {
  const { operation, path = '' } = change.attributes
  if (operation === 'create') return change.children.find(({ kind }) => kind !== 'text')
  return operation === 'move' ? followPath(document, path).at(-1) : undefined
}

function versionFailure(document: XmlElement, patch: XmlElement): PatchFailure | undefined {
  const version = childElement(patch, 'version')
  const [source, target] = [version && childElement(version, 'source'), version && childElement(version, 'target')]
  if (source === undefined) return undefined
  const [wanted, have] = [versionOf(source), versionOf(document)]
  const distance = compareVersions(wanted, have)
  if (distance > 0) return { kind: 'newer' }
  return distance < 0 || (target !== undefined && compareVersions(versionOf(target), have) <= 0)
    ? { kind: 'old' }
    : undefined
}

function applied(document: XmlElement, change: XmlElement, keepsVersion: boolean): XmlElement | undefined {
  const { operation, path = '', position } = change.attributes
  const found = followPath(document, path.replace(/\/comment$/, ''))
  const target = found.at(-1)
  // What is not there needs no deleting.
  if (target === undefined) return operation === 'delete' ? document : undefined
  if (operation === 'delete' && path.endsWith('/comment')) return withoutComment(document, target, Number(position))
  return operation === 'delete'
    ? removed(document, target)
    : replaced(document, target, withAttributes(target, change, keepsVersion && target === document))
}

function withoutComment(document: XmlElement, parent: XmlElement, position: number): XmlElement {
  const comment = parent.children.filter(({ kind }) => kind !== 'text')[position]
  if (comment?.kind !== 'comment') return document
  return replaced(document, parent, { ...parent, children: parent.children.filter((child) => child !== comment) })
}

function inserted(parent: XmlElement, child: XmlNode, position: number): XmlElement {
  const at = Number.isInteger(position) && position >= 0 ? position : parent.children.length
  const children: readonly XmlNode[] = [...parent.children.slice(0, at), child, ...parent.children.slice(at)]
  return { ...parent, children }
}

/** As the patch shows the result. One without versions leaves the version of the CIB as it is. */
function withAttributes(target: XmlElement, change: XmlElement, keepsVersion: boolean): XmlElement {
  const result = childElement(change, 'change-result')
  const attributes = (result && elements(result)[0])?.attributes ?? target.attributes
  if (!keepsVersion) return { ...target, attributes }
  const version = Object.entries(target.attributes).filter(([name]) =>
    ['admin_epoch', 'epoch', 'num_updates'].includes(name),
  )
  return { ...target, attributes: { ...attributes, ...Object.fromEntries(version) } }
}

const stepsOf = (path: string): readonly RegExpExecArray[] => [...path.matchAll(/\/([^/[]+)(?:\[@id='([^']*)'\])?/g)]

const parentPath = (path: string): string =>
  stepsOf(path)
    .slice(0, -1)
    .map(([step]) => step)
    .join('')

/** The elements along a path, the root first; empty where it leads nowhere. */
function followPath(document: XmlElement, path: string): readonly XmlElement[] {
  const steps = stepsOf(path)
  const found: XmlElement[] = []
  let candidates: readonly XmlElement[] = [document]
  for (const [, name, id] of steps) {
    const next = candidates.find((one) => one.name === name && (id === undefined || one.attributes.id === id))
    if (next === undefined) return []
    found.push(next)
    candidates = elements(next)
  }
  return found
}
