/**
 * One node is added, removed or replaced, and at any moment of that one machine is lost and stays lost: its power, its network, or all that it does. Whoever
 * is healthy must then run everything, without anybody's help.
 */
import type { NodeName } from '../../src/base/index.ts'
import { storeHosts } from '../../src/daemon/node-list/cluster-file.ts'
import { witnessName } from './node-list.ts'
import type { World } from './world.ts'

const changes = ['add', 'remove', 'new one first', 'old one first'] as const
const losses = ['power', 'network', 'hangs'] as const

export interface Loss {
  readonly node: NodeName
  /**
   * Somebody else has a copy of the store that counts; and no vote is half changed. Between etcd and the list neither a majority nor the rules for two may hold
   * for those who are left: for as long as a new member copies the store, and, where the leaving node led etcd, until another does.
   */
  readonly othersCan: boolean
}

/** Returns what is lost, as soon as it is. */
export function loseOneWhileNodesChange(world: World): () => Loss | undefined {
  const { chance, timeline, administrator, network, hostNames } = world
  let loss: Loss | undefined
  const change = chance.pick(changes) ?? 'add'
  const spare = world.machines.find((machine) => !world.isListed(machine))
  const old = chance.pick(world.nodeNames)
  const lose = (): void => {
    const lost = chance.pick([...new Set([...world.nodeNames, ...(spare === undefined ? [] : [spare])])])
    const how = chance.pick(losses) ?? 'power'
    if (lost === undefined) return
    loss = { node: lost, othersCan: othersCan(world, lost) }
    world.log(lost, 'fault', `is lost: ${how}`)
    world.counts.faults++
    if (how === 'power') world.losePower(lost, 'and nobody puts the plug back')
    if (how === 'power') world.broken.add(lost)
    if (how === 'hangs') world.hosts.get(lost)?.pause(world.faultsLastMs - timeline.now)
    const node = lost
    if (how === 'network') network.partition([[node], hostNames.filter((other) => other !== node)])
  }
  timeline.after(15_000, () => {
    world.log('all', 'fault', `${change}: ${spare} comes, ${old} goes`)
    if (change !== 'remove' && spare !== undefined)
      timeline.after(change === 'old one first' ? 4000 : 0, () => administrator.add(spare))
    if (change !== 'add' && old !== undefined)
      timeline.after(change === 'new one first' ? 4000 : 0, () => administrator.remove(old))
    timeline.after(chance.between(0, 9000), lose)
  })
  return () => loss
}

function othersCan({ store, list }: World, lost: NodeName): boolean {
  const listed = storeHosts(list).flatMap(({ name, votes }) => (votes ? [name] : []))
  const isInStep = listed.toSorted().join() === store.voters.toSorted().join()
  // Of two the one that is to stay cannot know whether the other has voted its own vote away already.
  const isHalfOfTwo = list.nodes.length === 2 && list.nodes.some(({ leaving, votes }) => leaving === true && votes)
  return isInStep && !isHalfOfTwo && store.voters.some((voter) => voter !== lost && voter !== witnessName)
}
