/** Connections to the other daemons, made when they are first needed and kept for as long as the link that they use is the best one. */
import type { NodeName } from '../../base/index.ts'
import { connectPeer, type PeerClient, refuse, type TlsIdentity } from '../../rpc/index.ts'
import type { ClusterFile, ClusterNodeEntry } from '../node-list/cluster-file.ts'

export interface PeersPorts {
  readonly identity: () => TlsIdentity
  /** The address at which a node is reached now. */
  readonly reach: (node: ClusterNodeEntry) => string
  /** The incarnation of its daemon, where it is known. */
  readonly lifeOf: (node: NodeName) => number | undefined
  /**
   * The list of nodes is that of the store. A node that was away may know others by keys that they have no more: until it has quorum their names and
   * the authority count.
   */
  readonly isCurrent: () => boolean
}

export class Peers {
  readonly #identity: () => TlsIdentity
  readonly #clients = new Map<
    NodeName,
    { readonly at: string; life: number | undefined; readonly client: PeerClient }
  >()
  readonly #reach: (node: ClusterNodeEntry) => string
  readonly #lifeOf: (node: NodeName) => number | undefined
  readonly #isCurrent: () => boolean
  #file: ClusterFile

  constructor(file: ClusterFile, { identity, reach, lifeOf, isCurrent }: PeersPorts) {
    this.#isCurrent = isCurrent
    this.#file = file
    this.#identity = identity
    this.#reach = reach
    this.#lifeOf = lifeOf
  }

  to(node: NodeName): PeerClient {
    const entry = this.#file.nodes.find(({ name }) => name === node)
    if (!entry) throw refuse('no-such-node', `There is no node '${node}' in cluster.json.`)
    const host = this.#reach(entry)
    const at = `${host} ${entry.ports.peer}`
    const known = this.#clients.get(node)
    const life = this.#lifeOf(node) ?? known?.life
    // What was connected to a daemon's earlier life may never end by itself: its host lost power.
    if (known?.at === at && (known.life === undefined || known.life === life)) {
      known.life = life
      return known.client
    }
    known?.client.close()
    const keys = (): readonly string[] | undefined =>
      this.#isCurrent() ? this.#file.nodes.find(({ name }) => name === node)?.keys : undefined
    const client = connectPeer({ node, host, port: entry.ports.peer, keys }, this.#identity)
    this.#clients.set(node, { at, life, client })
    return client
  }

  replaceFile(file: ClusterFile): void {
    this.#file = file
    for (const [node, { client }] of this.#clients)
      if (!file.nodes.some(({ name }) => name === node)) {
        client.close()
        this.#clients.delete(node)
      }
  }

  /** After this node's certificate was renewed: the one before is soon nobody's. What was called goes on. */
  renew(): void {
    this.close()
  }

  close(): void {
    for (const { client } of this.#clients.values()) client.close()
    this.#clients.clear()
  }
}
