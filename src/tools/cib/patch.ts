/**
 * Differences of two documents as Pacemaker writes them (`<diff format="2">`), and their application. A change names its element
 * by a path of names and ids: `/cib/configuration/nodes/node[@id='3']`.
 */
import { childElement, childElements, element, type XmlElement, type XmlNode } from '../../cib/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { removed, replaced } from './tree.ts'
import { compareVersions, versionOf } from './version.ts'

/** `withVersions` leaves out neither the versions nor the attributes that carry them. */
export function makePatch(before: XmlElement, after: XmlElement, withVersions: boolean): XmlElement | undefined {
  const old = withVersions ? before : withoutVersion(before)
  const current = withVersions ? after : withoutVersion(after)
  const gone = deletions(old, current, pathOf('', old))
  const changes = changesOf(old, current, pathOf('', old))
  if (gone.length === 0 && changes.length === 0) return undefined
  return element('diff', { format: '2' }, [...(withVersions ? [versions(before, after)] : []), ...gone, ...changes])
}

const versionAttributes = new Set(['admin_epoch', 'epoch', 'num_updates'])

function withoutVersion(cib: XmlElement): XmlElement {
  const kept = Object.entries(cib.attributes).filter(([name]) => !versionAttributes.has(name))
  return { ...cib, attributes: Object.fromEntries(kept) }
}

function versions(before: XmlElement, after: XmlElement): XmlElement {
  const of = (name: string, cib: XmlElement): XmlElement => {
    const { adminEpoch, epoch, numUpdates } = versionOf(cib)
    return element(name, { admin_epoch: `${adminEpoch}`, epoch: `${epoch}`, num_updates: `${numUpdates}` })
  }
  return element('version', {}, [of('source', before), of('target', after)])
}

function pathOf(parent: string, { name, attributes }: XmlElement): string {
  return `${parent}/${name}${attributes.id === undefined ? '' : `[@id='${attributes.id}']`}`
}

const elements = ({ children }: XmlElement): readonly XmlElement[] =>
  children.filter((child): child is XmlElement => child.kind === 'element')

function counterpart(parent: XmlElement, child: XmlElement): XmlElement | undefined {
  const { id } = child.attributes
  return childElements(parent, child.name).find(({ attributes }) => attributes.id === id)
}

/** What went stands first, so that whatever comes later has its final place. */
function deletions(before: XmlElement, after: XmlElement, path: string): readonly XmlElement[] {
  return elements(before).flatMap((child) => {
    const at = pathOf(path, child)
    const now = counterpart(after, child)
    return now === undefined ? [element('change', { operation: 'delete', path: at })] : deletions(child, now, at)
  })
}

function changesOf(before: XmlElement, after: XmlElement, path: string): readonly XmlElement[] {
  const attributes = attributeChanges(before, after)
  const modify =
    attributes.length === 0
      ? []
      : [
          element('change', { operation: 'modify', path }, [
            element('change-list', {}, attributes),
            element('change-result', {}, [{ ...after, children: [] }]),
          ]),
        ]
  const below = elements(after).flatMap((child, position): readonly XmlElement[] => {
    const was = counterpart(before, child)
    return was === undefined
      ? [element('change', { operation: 'create', path, position: String(position) }, [child])]
      : changesOf(was, child, pathOf(path, child))
  })
  return [...modify, ...below, ...moves(before, after, path)]
}

function attributeChanges(before: XmlElement, after: XmlElement): readonly XmlElement[] {
  const set = Object.entries(after.attributes)
    .filter(([name, value]) => before.attributes[name] !== value)
    .map(([name, value]) => element('change-attr', { name, operation: 'set', value }))
  const unset = Object.keys(before.attributes)
    .filter((name) => after.attributes[name] === undefined)
    .map((name) => element('change-attr', { name, operation: 'unset' }))
  return [...set, ...unset]
}

/** Those of the kept children that do not stand where they stood among the kept ones. */
function moves(before: XmlElement, after: XmlElement, path: string): readonly XmlElement[] {
  const kept = elements(before).flatMap((child) =>
    counterpart(after, child) === undefined ? [] : [pathOf(path, child)],
  )
  const now = elements(after)
  const order = now.filter((child) => counterpart(before, child) !== undefined).map((child) => pathOf(path, child))
  return now.flatMap((child, position) => {
    const at = pathOf(path, child)
    const index = order.indexOf(at)
    return index === -1 || kept[index] === at
      ? []
      : [element('change', { operation: 'move', path: at, position: String(position) })]
  })
}

export type PatchOutcome = { readonly kind: 'applied'; readonly document: XmlElement } | PatchFailure

/** The patch is for another version, is not one, or a change does not fit. */
export type PatchFailure =
  | { readonly kind: 'old' | 'newer' | 'malformed' }
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
  const changes = childElements(patch, 'change')
  if (changes.some((change) => change.attributes.operation === 'modify' && !childElement(change, 'change-result')))
    return { kind: 'malformed' }
  const unfit = ofAnyVersion ? undefined : versionFailure(document, patch)
  if (unfit !== undefined) return unfit
  let current = document
  // What is created or moved goes to its final place, so that deletions come first and places are taken in ascending order.
  for (const change of [...changes].sort((a, b) => rank(a) - rank(b))) {
    const next = applied(current, change)
    if (next === undefined) return { kind: 'failed', path: change.attributes.path ?? '' }
    current = next
  }
  return { kind: 'applied', document: current }
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

function rank({ attributes }: XmlElement): number {
  return attributes.operation === 'delete' ? 0 : attributes.operation === 'modify' ? 1 : 2
}

function applied(document: XmlElement, change: XmlElement): XmlElement | undefined {
  const { operation, path = '', position } = change.attributes
  const found = followPath(document, path)
  const target = found.at(-1)
  // What is not there needs no deleting.
  if (target === undefined) return operation === 'delete' ? document : undefined
  switch (operation) {
    case 'delete':
      return removed(document, target)
    case 'create': {
      const [child] = elements(change)
      return child && replaced(document, target, inserted(target, child, Number(position)))
    }
    case 'modify':
      return replaced(document, target, withAttributes(target, change))
    case 'move': {
      const parent = found.at(-2)
      if (parent === undefined) return undefined
      const without = { ...parent, children: parent.children.filter((child) => child !== target) }
      return replaced(document, parent, inserted(without, target, Number(position)))
    }
    default:
      return undefined
  }
}

function inserted(parent: XmlElement, child: XmlElement, position: number): XmlElement {
  const at = Number.isInteger(position) && position >= 0 ? position : parent.children.length
  const children: readonly XmlNode[] = [...parent.children.slice(0, at), child, ...parent.children.slice(at)]
  return { ...parent, children }
}

/** The order of the attributes is that of the result, which the patch has too. */
function withAttributes(target: XmlElement, change: XmlElement): XmlElement {
  const attributes = { ...target.attributes }
  const list = childElement(change, 'change-list')
  for (const { attributes: one } of list === undefined ? [] : childElements(list, 'change-attr')) {
    const { name = '', operation, value = '' } = one
    if (operation === 'unset') delete attributes[name]
    else attributes[name] = value
  }
  return { ...target, attributes }
}

/** The elements along a path, the root first; empty where it leads nowhere. */
function followPath(document: XmlElement, path: string): readonly XmlElement[] {
  const steps = [...path.matchAll(/\/([^/[]+)(?:\[@id='([^']*)'\])?/g)]
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
