/**
 * A node that was away while every node that it knows was replaced finds nobody: those that it asks for the list (ask-for-list.ts) are gone, and those that
 * are there now are strangers to it. So the DC brings the list to the nodes that do not take part, again and again, and such a node takes it from a stranger.
 * So does a witness, to which every node brings it.
 */

import type { NodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { neverJoined } from '../../quorum/index.ts'
import { type NodeCaller, serialOf } from '../../rpc/index.ts'
import { type ClusterFile, printClusterFile, storeHosts } from '../node-list/cluster-file.ts'
import { isKnown } from '../node-list/known-node.ts'
import type { Peers } from './peers.ts'

const bringEveryMs = 5000
/** Whoever has no quorum asks others before. */
const answerWithinMs = 4000

/**
 * Whether a node without quorum, or a witness whose vote does not count, takes this list from a node that its own does not name: newer, of the same cluster, naming both by their keys, and nothing that was
 * known to be revoked. It trusts the authority here, as it does when it asks others before it has quorum (`Peers`).
 */
export function takesFromStranger(
  own: ClusterFile,
  self: NodeName,
  { caller, listed }: { readonly caller: Pick<NodeCaller, 'name' | 'key'>; readonly listed: ClusterFile },
): boolean {
  const ownKeys = storeHosts(own).find(({ name }) => name === self)?.keys
  return (
    listed.clusterName === own.clusterName &&
    listed.nodesVersion > own.nodesVersion &&
    isKnown(listed.nodes, caller) &&
    (ownKeys ?? ['']).some((key) => isKnown(storeHosts(listed), { name: self, key })) &&
    own.revoked?.includes(serialOf(caller.key)) !== true
  )
}

/** Nodes that take no part and were here before: they may not know who is here now. */
export function awayNodes(
  file: ClusterFile,
  { members, nodeStates }: Pick<ClusterView, 'members' | 'nodeStates'>,
): readonly NodeName[] {
  return file.nodes.flatMap(({ name }) => (members.has(name) || neverJoined(nodeStates.get(name)) ? [] : [name]))
}

export interface BringPorts {
  readonly leads: () => boolean
  readonly file: () => ClusterFile
  readonly view: () => ClusterView
  readonly peers: Pick<Peers, 'to'>
}

/** On each node; it works on the one that leads. */
export class BringList {
  readonly #ports: BringPorts
  /** Which version was brought to whom. */
  readonly #brought = new Map<NodeName, number>()
  readonly #underWay = new Set<NodeName>()
  #timer: NodeJS.Timeout | undefined

  constructor(ports: BringPorts) {
    this.#ports = ports
  }

  begin(): void {
    this.#timer ??= setInterval(() => this.look(), bringEveryMs)
  }

  end(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  look(): void {
    const { leads, file, view } = this.#ports
    if (!leads()) {
      this.#brought.clear()
      return
    }
    const away = awayNodes(file(), view())
    for (const node of this.#brought.keys()) if (!away.includes(node)) this.#brought.delete(node)
    for (const node of away) if (this.#brought.get(node) !== file().nodesVersion) this.#bring(node, file())
  }

  #bring(node: NodeName, file: ClusterFile): void {
    if (this.#underWay.has(node)) return
    this.#underWay.add(node)
    const json = printClusterFile(file)
    // Whoever does not answer is off, or not there yet: it is brought again.
    Promise.resolve()
      .then(async () => await this.#ports.peers.to(node).updateClusterFile({ json }, { timeoutMs: answerWithinMs }))
      .then(
        () => this.#brought.set(node, file.nodesVersion),
        () => undefined,
      )
      .finally(() => this.#underWay.delete(node))
  }
}
