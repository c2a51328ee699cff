/** What one decision places otherwise than another: the answer to every "what if". */
import type { NodeName, ResourceId } from '../../base/index.ts'
import type { Role } from '../../cib/index.ts'
import type { TransitionChange } from '../actions/graph/summary.ts'
import type { Explained } from './explained.ts'

export interface Place {
  readonly node?: NodeName
  readonly role: Role
}

export interface Moved {
  readonly resource: ResourceId
  readonly before: Place
  readonly after: Place
  /** What the second transition does with it, with its reason. */
  readonly changes: readonly TransitionChange[]
}

/** Resources that the second decision puts elsewhere, or gives another role. */
export function movedBetween(before: Explained, after: Explained): readonly Moved[] {
  return [...after.assignment.primitives.values()].flatMap(({ id }): readonly Moved[] => {
    const [was, is] = [placeIn(before, id), placeIn(after, id)]
    if (was.node === is.node && was.role === is.role) return []
    return [{ resource: id, before: was, after: is, changes: changesOf(after, id) }]
  })
}

/** Resources that stay where they are, and yet are restarted, say, by the second transition and not by the first. */
export function disturbedBetween(before: Explained, after: Explained): readonly TransitionChange[] {
  const key = ({ what, subject, details }: TransitionChange): string => `${what} ${subject} ${details ?? ''}`
  const anyway = new Set(before.changes.map(key))
  const moved = new Set<string>(movedBetween(before, after).map(({ resource }) => resource))
  return after.changes.filter((change) => !anyway.has(key(change)) && !moved.has(change.subject))
}

export function describePlace({ node, role }: Place): string {
  return node === undefined ? 'nowhere' : role === 'Started' ? `on ${node}` : `${role.toLowerCase()} on ${node}`
}

function placeIn({ assignment }: Explained, id: ResourceId): Place {
  const assigned = assignment.primitives.get(id)
  return { role: assigned?.nextRole ?? 'Stopped', ...(assigned?.node === undefined ? {} : { node: assigned.node }) }
}

function changesOf({ changes }: Explained, id: ResourceId): readonly TransitionChange[] {
  return changes.filter(({ subject }) => subject === id)
}
