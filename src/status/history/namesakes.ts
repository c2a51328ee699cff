/**
 * A history that was taken for that of another instance, or for none, may bear this one's name, as where an instance changed its
 * number. By which agent and with which parameters it was made concerns both: of whoever has the name, a history by another agent
 * is deleted, and an instance that runs where such a history is restarts if the parameters changed since.
 */
import type { NodeName } from '../../base/index.ts'
import type { Agent } from '../../cib/index.ts'
import type { HistoryEntry } from '../cluster-status.ts'
import type { PrimitiveDraft, World } from '../drafts.ts'
import { sameAgent } from '../same-agent.ts'
import { withoutNumber } from './fail-count.ts'

export function noteNamesakes({ primitives, recorded }: World): void {
  const anonymous = [...primitives.values()].filter(({ instance, orphan }) => instance?.unique === false && !orphan)
  for (const instance of anonymous) noteOtherEntries(instance, recorded)
  const foreign = foreignHistories(anonymous, recorded)
  if (foreign.size === 0) return
  for (const { id, state } of anonymous) {
    const note = (name: string, isShadowed: (node: NodeName) => boolean): void => {
      for (const { node, agent } of foreign.get(name) ?? [])
        if (!state.history.has(node) && !isShadowed(node)) state.otherAgents.set(node, agent)
    }
    note(id, () => false)
    // The name with its number counts before the one that all instances share.
    if (state.historyName !== undefined && state.historyName !== id)
      note(state.historyName, (node) => recorded.get(node)?.resourcesByName.has(id) === true)
  }
}

function noteOtherEntries({ id, state }: PrimitiveDraft, recorded: World['recorded']): void {
  const { historyName } = state
  for (const node of state.active.keys()) {
    const own = state.history.get(node)
    const named = recorded.get(node)?.resourcesByName
    if (own === undefined || named === undefined) continue
    const others: (readonly HistoryEntry[])[] = []
    for (const name of historyName === undefined || historyName === id ? [id] : [id, historyName]) {
      const entries = named.get(name)?.entries
      if (entries !== undefined && entries !== own) others.push(entries)
    }
    if (others.length > 0) state.namesakes.set(node, others)
  }
}

interface Foreign {
  readonly node: NodeName
  readonly agent: Agent
}

/** By the name that they bear: the histories that were not made by the agent of whom they are named after. */
function foreignHistories(
  anonymous: readonly PrimitiveDraft[],
  recorded: World['recorded'],
): ReadonlyMap<string, readonly Foreign[]> {
  const agents = new Map(anonymous.map(({ configuredId, agent }) => [configuredId as string, agent] as const))
  const foreign = new Map<string, Foreign[]>()
  if (agents.size === 0) return foreign
  for (const [node, { resourcesByName }] of recorded) {
    for (const [name, { agent }] of resourcesByName) {
      const own = agents.get(withoutNumber(name))
      if (own === undefined || agent === undefined || sameAgent(own, agent)) continue
      const known = foreign.get(name)
      if (known === undefined) foreign.set(name, [{ node, agent }])
      else known.push({ node, agent })
    }
  }
  return foreign
}
