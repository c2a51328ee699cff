/** Connections to the other daemons, made when they are first needed and kept for as long as the link that they use is the best one. */
import type { NodeName } from '../../base/index.ts'
import { connectPeer, type PeerClient, refuse, type TlsIdentity } from '../../rpc/index.ts'
import type { ClusterFile, ClusterNodeEntry } from './cluster-file.ts'

export class Peers {
  readonly #identity: TlsIdentity
  readonly #clients = new Map<NodeName, { readonly at: string; readonly client: PeerClient }>()
  readonly #reach: (node: ClusterNodeEntry) => string
  #file: ClusterFile

  /** `reach`: the address at which a node is reached now. */
  constructor(file: ClusterFile, identity: TlsIdentity, reach: (node: ClusterNodeEntry) => string) {
    this.#file = file
    this.#identity = identity
    this.#reach = reach
  }

  to(node: NodeName): PeerClient {
    const entry = this.#file.nodes.find(({ name }) => name === node)
    if (!entry) throw refuse('no-such-node', `There is no node '${node}' in cluster.json.`)
    const host = this.#reach(entry)
    const at = `${host} ${entry.ports.peer}`
    const known = this.#clients.get(node)
    if (known?.at === at) return known.client
    known?.client.close()
    const client = connectPeer({ node, host, port: entry.ports.peer }, this.#identity)
    this.#clients.set(node, { at, client })
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

  close(): void {
    for (const { client } of this.#clients.values()) client.close()
    this.#clients.clear()
  }
}
