/** Whether a move has moved: where a resource is, by the role that was meant, and what has failed since at the node that was meant. */
import { utcOffsetAt } from '../../../base/index.ts'
import { findResource, type Role, type XmlElement } from '../../../cib/index.ts'
import { failuresAlike, statusOfCib } from '../../../status/index.ts'
import { idsWithin } from '../../change/change.ts'
import { promotedLocations, resourceLocations } from '../../facts/locations.ts'
import { secondsOf } from '../../host/host-time.ts'
import { describeFailures } from '../status/sentences.ts'

export interface Moving {
  readonly resource: string
  readonly role: Role | undefined
}

/** The nodes on which it is promoted, where that role is meant; where it runs otherwise. */
export const locationsOf = ({ resource, role }: Moving, cib: XmlElement, now: Date): readonly string[] =>
  role === undefined ? resourceLocations(cib, resource, now) : promotedLocations(cib, resource, now)

export interface Move extends Moving {
  /** Undefined where it is moved away from where it is. */
  readonly node: string | undefined
  readonly from: readonly string[]
  /** As the command found it. */
  readonly before: XmlElement
}

/** `db-clone is promoted on n2.` */
export function describeLocation({ resource, role }: Moving, nodes: readonly string[]): string {
  const verb = role === undefined ? 'runs' : 'is promoted'
  return `${resource} ${verb} ${nodes.length === 0 ? 'nowhere' : `on ${nodes.join(', ')}`}.`
}

/** Undefined where it is where it was to go: a cluster that has settled may have done so without the move. */
export function whyNotMoved(move: Move, after: XmlElement, now: Date): string | undefined {
  const { resource, role, node, from } = move
  const nodes = locationsOf(move, after, now)
  if (node === undefined ? nodes.some((one) => !from.includes(one)) : nodes.includes(node)) return undefined
  const target = node === undefined ? `away from ${from.join(', ')}` : `to ${node}`
  const failed = failedSince(move, after, now)
  return `${role === undefined ? resource : `The promoted role of ${resource}`} did not move ${target}${failed === '' ? '' : `: ${failed}`}.`
}

function failedSince({ resource, node, before }: Move, after: XmlElement, now: Date): string {
  const read = (cib: XmlElement) => statusOfCib({ cib, now: secondsOf(now), utcOffsetAt })
  const own = new Set(idsWithin(findResource(after, resource)))
  const known = new Set(read(before).failures.map((failure) => JSON.stringify(failure)))
  const fresh = read(after).failures.filter(
    (failure) =>
      own.has(failure.configuredResource) &&
      (node === undefined || failure.node === node) &&
      !known.has(JSON.stringify(failure)),
  )
  return failuresAlike(fresh)
    .map((alike) => describeFailures(alike, secondsOf(now)))
    .join('; ')
}
