/** The store of this node, by cluster.json: its own etcd member, an embedded store that the pulse thread shares, or an outside one. */
import { join } from 'node:path'
import {
  createStore,
  discardMember,
  EtcdMember,
  type MemberSettings,
  machineClock,
  readTlsFiles,
  type Store,
  serveStore,
} from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import type { ClusterFile, ClusterNodeEntry } from '../nodes/cluster-file.ts'
import { etcdPeerUrl, etcdTls, storeConfig, voterEndpoints } from './store-config.ts'

export interface LocalStore {
  readonly store: Store
  /** What stands in the store's way, for people. */
  readonly trouble: () => string | undefined
  /** The list of nodes has changed: other voters, or a vote for this node. */
  readonly follow: (file: ClusterFile) => void
  /** `stop`: the node leaves, so its member stops too; `leave-running`: only the daemon ends. */
  readonly close: (how: 'stop' | 'leave-running') => Promise<void>
}

interface Setup {
  readonly file: ClusterFile
  readonly own: ClusterNodeEntry
  readonly paths: Paths
  readonly log: Log
}

export async function openLocalStore(setup: Setup): Promise<LocalStore> {
  const { file, own, paths } = setup
  if (file.store.kind === 'embedded') return await openEmbedded(paths)
  const store = createStore(storeConfig(file, own, paths))
  const member = file.store.kind === 'etcd' ? new OwnMember(setup) : undefined
  return {
    store,
    trouble: () => member?.trouble(),
    follow: (changed) => {
      if (!member) return
      const endpoints = voterEndpoints(changed, own.name)
      if (endpoints.length > 0) store.useEndpoints?.(endpoints)
      member.follow(changed)
    },
    close: async (how) => {
      await store.close()
      await member?.close(how)
    },
  }
}

async function openEmbedded(paths: Paths): Promise<LocalStore> {
  const store = createStore({ kind: 'embedded', directory: join(paths.data, 'store') })
  const served = await serveStore(store, { path: join(paths.run, 'store.sock') })
  const close = async (): Promise<void> => {
    await served.close()
    await store.close()
  }
  return { store, trouble: () => undefined, follow: () => undefined, close }
}

/**
 * This node's etcd member, which is there while the list of nodes says that the node votes. One that comes to a cluster
 * that exists joins it with the help of the others; whoever takes the vote away has removed the member from the others before.
 */
class OwnMember {
  readonly #setup: Setup
  #file: ClusterFile
  #member: EtcdMember | undefined
  /** One change at a time: a member is not started while its predecessor is being ended. */
  #turn: Promise<void> = Promise.resolve()

  constructor(setup: Setup) {
    this.#setup = setup
    this.#file = setup.file
    this.follow(setup.file)
  }

  trouble(): string | undefined {
    return this.#member?.status().problem
  }

  follow(file: ClusterFile): void {
    this.#file = file
    this.#turn = this.#turn.then(async () => {
      const votes = this.#file.nodes.some((node) => node.name === this.#setup.own.name && node.votes)
      if (votes) this.#member ??= this.#start()
      else await this.#discard()
    })
    this.#turn.catch((error: unknown) => this.#setup.log.error('the etcd member did not follow the list', { error }))
  }

  async close(how: 'stop' | 'leave-running'): Promise<void> {
    await this.#turn.catch(() => undefined)
    if (how === 'stop') await this.#member?.stop()
    this.#member?.close()
  }

  #start(): EtcdMember {
    const { log } = this.#setup
    const member = new EtcdMember({
      settings: memberSettings(this.#setup, () => this.#file),
      tls: readTlsFiles(etcdTls(this.#setup.paths)),
      events: {
        onReport: (report, refusal) => {
          // How a vote that is taken looks from here; the list that says so follows.
          if (refusal?.kind === 'removed') log.info('the other voters have taken out this node’s etcd member')
          else log.warn('etcd', { report, refusal: refusal?.kind })
        },
      },
    })
    member.run()
    return member
  }

  /** Also what an earlier daemon has left running. */
  async #discard(): Promise<void> {
    this.#member?.close()
    this.#member = undefined
    const settings = memberSettings(this.#setup, () => this.#file)
    await discardMember({ settings, clock: machineClock, timeoutMs: endMemberMs })
  }
}

const endMemberMs = 5000

/** Every founder starts with the same list. Whom it can ask for repairs is read when it asks. */
function memberSettings({ own, paths }: Setup, file: () => ClusterFile): MemberSettings {
  const { nodes, nodesVersion, clusterName } = file()
  return {
    name: own.name,
    directory: join(paths.data, 'etcd'),
    address: own.address,
    clientPort: own.ports.etcdClient,
    peerPort: own.ports.etcdPeer,
    // Certificates are checked by the node's name, whatever its address: TLS knows no server names that are addresses.
    serverName: own.name,
    tls: etcdTls(paths),
    joins: nodesVersion > 0,
    founders: nodes.filter(({ votes }) => votes).map((node) => ({ name: node.name, peerUrl: etcdPeerUrl(node) })),
    token: clusterName,
    get otherEndpoints() {
      return voterEndpoints({ ...file(), nodes: file().nodes.filter(({ name }) => name !== own.name) }, own.name)
    },
  }
}
