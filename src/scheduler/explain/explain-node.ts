/** Why a node is, or would be, fenced, why nothing is placed on it, and what is there now and shall be. */
import type { NodeName, ResourceId } from '../../base/index.ts'
import type { Role } from '../../cib/index.ts'
import type { NodeUnavailable } from '../assignment.ts'
import { type Explained, primitivesOf } from './explain-resource.ts'

export interface NodeReport {
  readonly node: NodeName
  readonly unavailable?: NodeUnavailable
  /** Why it must be fenced; empty where it need not. */
  readonly fencing: readonly string[]
  readonly now: readonly { readonly resource: ResourceId; readonly role: Role }[]
  readonly next: readonly { readonly resource: ResourceId; readonly role: Role }[]
  readonly text: string
}

/** Undefined where there is no such node. */
export function explainNode({ status, assignment }: Explained, name: string): NodeReport | undefined {
  const node = status.nodes.find((candidate) => candidate.name === name)
  if (node === undefined) return undefined
  const unavailable = assignment.unavailable.get(node.name)
  const fencing = [...new Set([...node.fencingReasons, ...(assignment.fencing.get(node.name) ?? [])])]
  const now = status.resources
    .flatMap(primitivesOf)
    .flatMap(({ id, state }) =>
      state.active.filter((place) => place.node === node.name).map(({ role }) => ({ resource: id, role })),
    )
  const next = [...assignment.primitives.values()]
    .filter((assigned) => assigned.node === node.name)
    .map(({ id, nextRole }) => ({ resource: id, role: nextRole }))
  const list = (title: string, entries: typeof now): readonly string[] =>
    entries.length === 0 ? [] : [title, ...entries.map(({ resource, role }) => `  ${resource} (${role})`)]
  const lines = [
    `${node.name}: ${unavailable ?? 'can run resources'}`,
    ...fencing.map((reason) => `  must be fenced: ${reason}`),
    ...list('active there now:', now),
    ...list('shall be there:', next),
  ]
  return {
    node: node.name,
    ...(unavailable === undefined ? {} : { unavailable }),
    fencing,
    now,
    next,
    text: lines.join('\n'),
  }
}
