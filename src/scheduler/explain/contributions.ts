/**
 * Where the score of a primitive on a node comes from. What rules out an instance of a cloned group, such as clone-node-max, was
 * noted for the group and holds for its members. A failure of an anonymous clone is noted by each of its instances for all of them:
 * what is INFINITY already is told once.
 */
import type { NodeName, ResourceId } from '../../base/index.ts'
import { INFINITY_SCORE } from '../../cib/index.ts'
import type { Contribution } from '../assigned/assignment.ts'
import type { Explained } from './explained.ts'
import { namesAbove } from './instances.ts'

export function contributionsOn(
  { status, assignment }: Explained,
  id: ResourceId,
  node: NodeName,
): readonly Contribution[] {
  const own = assignment.primitives.get(id)?.contributionsOn(node) ?? []
  if (own.some(({ source }) => source.kind === 'instances')) return toldOnce(own)
  const inherited = namesAbove(status.resources, id).flatMap((above) =>
    (assignment.collectives.get(above)?.contributionsOn(node) ?? []).filter(
      ({ source }) => source.kind === 'instances',
    ),
  )
  return toldOnce([...own, ...inherited])
}

function toldOnce(contributions: readonly Contribution[]): readonly Contribution[] {
  const told = new Set<string>()
  return contributions.filter(({ source, score }) => {
    const key = JSON.stringify([source, score])
    if (Math.abs(score) < INFINITY_SCORE || !told.has(key)) {
      told.add(key)
      return true
    }
    return false
  })
}
