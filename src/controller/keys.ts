/**
 * The keys of the replicated state (ARCHITECTURE.md, "What is replicated") and back. Names become path segments: a slash
 * in an attribute's name must not look like another level.
 */
import { type NodeName, nodeName, type ResourceId, resourceId } from '../base/index.ts'
import { operationKey } from '../cib/index.ts'

export const root = '/systole/'

const segment = (text: string): string => encodeURIComponent(text)

export const keys = {
  configuration: `${root}config/current`,
  dc: `${root}dc`,
  transition: `${root}transition`,
  member: (node: NodeName) => `${root}members/${segment(node)}`,
  nodeState: (node: NodeName) => `${root}node-state/${segment(node)}`,
  history: (node: NodeName, resource: ResourceId, recordId: string) =>
    `${root}history/${segment(node)}/${segment(resource)}/${segment(recordId)}`,
  lastFailure: (node: NodeName, resource: ResourceId) => keys.history(node, resource, `${resource}_last_failure_0`),
  /** What tells of a resource that has come to the node by a live migration. */
  arrival: (target: NodeName, resource: ResourceId) =>
    keys.history(target, resource, operationKey(resource, 'migrate_from', 0)),
  /** A prefix: all of a node's history. */
  historyOfNode: (node: NodeName) => `${root}history/${segment(node)}/`,
  historyOfResource: (node: NodeName, resource: ResourceId) => `${root}history/${segment(node)}/${segment(resource)}/`,
  attribute: (node: NodeName, set: string, name: string) =>
    `${root}attributes/${segment(node)}/${segment(set)}/${segment(name)}`,
  attributesOfNode: (node: NodeName) => `${root}attributes/${segment(node)}/`,
  /** Private attributes, and changes that wait: below a node as the attributes are, and gone with it. */
  withheld: (node: NodeName, set: string, name: string) =>
    `${root}attributes-withheld/${segment(node)}/${segment(set)}/${segment(name)}`,
  withheldOfNode: (node: NodeName) => `${root}attributes-withheld/${segment(node)}/`,
  attributeTraits: (name: string) => `${root}attribute-traits/${segment(name)}`,
  shutdownLock: (node: NodeName, resource: ResourceId) => `${root}shutdown-locks/${segment(node)}/${segment(resource)}`,
  /** What is to be otherwise for a while (src/holds). */
  hold: (id: string) => `${root}holds/${segment(id)}`,
  ticket: (id: string) => `${root}tickets/${segment(id)}`,
  fencingHistory: (id: string) => `${root}fencing/history/${segment(id)}`,
  fencingConfirmed: (node: NodeName) => `${root}fencing/confirmed/${segment(node)}`,
  selfFencing: (node: NodeName) => `${root}fencing/self/${segment(node)}`,
  /** Its daemon restarts in place: `{incarnation, since}`. */
  restart: (node: NodeName) => `${root}restarts/${segment(node)}`,
  diskFencing: (node: NodeName) => `${root}fencing/disk/${segment(node)}`,
} as const

/** What a key is about. */
export type Subject =
  | { readonly kind: 'configuration' }
  | { readonly kind: 'dc' }
  | { readonly kind: 'transition' }
  | { readonly kind: 'member'; readonly node: NodeName }
  | { readonly kind: 'node-state'; readonly node: NodeName }
  | { readonly kind: 'history'; readonly node: NodeName; readonly resource: ResourceId; readonly recordId: string }
  | { readonly kind: 'attribute'; readonly node: NodeName; readonly set: string; readonly name: string }
  | { readonly kind: 'withheld-attribute' }
  | { readonly kind: 'attribute-traits'; readonly name: string }
  | { readonly kind: 'shutdown-lock' }
  | { readonly kind: 'hold'; readonly id: string }
  | { readonly kind: 'restart'; readonly node: NodeName }
  | { readonly kind: 'ticket'; readonly id: string }
  | { readonly kind: 'fencing-history'; readonly id: string }
  | { readonly kind: 'fencing-confirmed'; readonly node: NodeName }
  | { readonly kind: 'self-fencing'; readonly node: NodeName }
  | { readonly kind: 'disk-fencing'; readonly node: NodeName }

/** undefined for keys that decide nothing: old versions of the configuration, keys of later versions. */
export function subjectOf(key: string): Subject | undefined {
  if (!key.startsWith(root)) return undefined
  const [kind = '', ...parts] = key.slice(root.length).split('/')
  const [first = '', second = '', third = ''] = parts.map(decodeURIComponent)
  switch (kind) {
    case 'config':
      return first === 'current' && parts.length === 1 ? { kind: 'configuration' } : undefined
    case 'dc':
    case 'transition':
      return { kind }
    case 'members':
      return { kind: 'member', node: nodeName(first) }
    case 'node-state':
      return { kind: 'node-state', node: nodeName(first) }
    case 'history':
      return { kind: 'history', node: nodeName(first), resource: resourceId(second), recordId: third }
    case 'attributes':
      return { kind: 'attribute', node: nodeName(first), set: second, name: third }
    case 'attributes-withheld':
      return { kind: 'withheld-attribute' }
    case 'attribute-traits':
      return { kind: 'attribute-traits', name: first }
    case 'shutdown-locks':
      return { kind: 'shutdown-lock' }
    case 'restarts':
      return { kind: 'restart', node: nodeName(first) }
    case 'holds':
      return { kind: 'hold', id: first }
    case 'tickets':
      return { kind: 'ticket', id: first }
    case 'fencing':
      if (first === 'history') return { kind: 'fencing-history', id: second }
      if (first === 'confirmed') return { kind: 'fencing-confirmed', node: nodeName(second) }
      if (first === 'self') return { kind: 'self-fencing', node: nodeName(second) }
      return first === 'disk' ? { kind: 'disk-fencing', node: nodeName(second) } : undefined
    default:
      return undefined
  }
}
