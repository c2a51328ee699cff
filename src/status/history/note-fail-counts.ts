/** Puts fail counts with the resources that they are about: while a history is read, and for all others afterwards. */
import type { NodeDraft, PrimitiveDraft, World } from '../drafts.ts'
import { hasBlockingFailure } from './blocking-failure.ts'
import { type FailCountIndex, failCountOf, indexFailCounts, withoutNumber } from './fail-count.ts'

/** Only instances of anonymous clones share a count. */
const numberMatters = ({ instance }: PrimitiveDraft): boolean => instance === undefined || instance.unique

export function noteFailCount(world: World, resource: PrimitiveDraft, node: NodeDraft, index: FailCountIndex): void {
  const { id, configuredId, state } = resource
  const failCount = failCountOf(
    index,
    { id, configuredId, numberMatters: numberMatters(resource) },
    {
      failureTimeoutMs: failureTimeoutOf(resource),
      now: world.zone.now,
      isBlocked: () => hasBlockingFailure(resource, node),
    },
  )
  if (failCount === undefined) return
  state.failCounts.set(node.name, failCount)
  if (failCount.expiresAt !== undefined && !failCount.expired)
    world.moments.push({ at: failCount.expiresAt, because: `failure-timeout of ${id} on ${node.name} ends` })
}

/** A connection that is made again at intervals forgets its failures at the same pace. */
export function failureTimeoutOf(resource: PrimitiveDraft): number | undefined {
  return resource.reconnectIntervalMs ?? resource.meta.failureTimeoutMs
}

/** Counts on nodes where the resource has no history. */
export function noteRemainingFailCounts(world: World): void {
  const byName = new Map<string, PrimitiveDraft[]>()
  for (const node of world.nodes.values()) {
    const index = indexFailCounts(node.attributes)
    if (index.byName.size === 0) continue
    if (byName.size === 0) indexByName(world, byName)
    for (const name of new Set([...index.byName.keys(), ...index.byBaseName.keys()]))
      for (const resource of byName.get(name) ?? [])
        if (!resource.state.failCounts.has(node.name)) noteFailCount(world, resource, node, index)
  }
}

function indexByName(world: World, byName: Map<string, PrimitiveDraft[]>): void {
  for (const resource of world.primitives.values()) {
    const name = numberMatters(resource) ? resource.id : withoutNumber(resource.configuredId)
    const known = byName.get(name)
    if (known === undefined) byName.set(name, [resource])
    else known.push(resource)
  }
}
