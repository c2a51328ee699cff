/** The store of this node, by cluster.json: its own etcd member, an embedded store that the pulse thread shares, or an outside one. */
import { join } from 'node:path'
import { assertNever } from '../base/index.ts'
import {
  createStore,
  type EndpointAddress,
  EtcdMember,
  readTlsFiles,
  type Store,
  type StoreConfig,
  serveStore,
} from '../store/index.ts'
import type { ClusterFile, ClusterNodeEntry } from './cluster-file.ts'
import { pkiFiles } from './identity.ts'
import type { Log } from './log.ts'
import type { Paths } from './paths.ts'

export interface LocalStore {
  readonly store: Store
  /** For the pulse thread, which has a connection of its own. */
  readonly config: StoreConfig
  /** What stands in the store's way, for people. */
  readonly trouble: () => string | undefined
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
  const choice = setup.file.store
  switch (choice.kind) {
    case 'embedded': {
      const store = createStore({ kind: 'embedded', directory: join(setup.paths.data, 'store') })
      const path = join(setup.paths.run, 'store.sock')
      const served = await serveStore(store, { path })
      const close = async (): Promise<void> => {
        await served.close()
        await store.close()
      }
      return { store, config: { kind: 'socket', path }, trouble: () => undefined, close }
    }
    case 'embedded-socket':
      return connected({ kind: 'socket', path: choice.path })
    case 'external':
      return connected({ kind: 'etcd', endpoints: choice.endpoints })
    case 'etcd':
      return openEtcd(setup)
    default:
      return assertNever(choice)
  }
}

function connected(config: StoreConfig): LocalStore {
  const store = createStore(config)
  return { store, config, trouble: () => undefined, close: async () => await store.close() }
}

function openEtcd({ file, own, paths, log }: Setup): LocalStore {
  const pki = pkiFiles(paths.pki)
  const tls = { ca: pki.authority, certificate: pki.certificate, key: pki.key }
  // Every member starts with the same list.
  const voters = file.nodes.filter(({ votes }) => votes)
  const endpointOf = ({ name, address, ports }: ClusterNodeEntry): EndpointAddress => ({
    address: `${address.includes(':') ? `[${address}]` : address}:${ports.etcdClient}`,
    serverName: name,
  })
  const others = voters.filter(({ name }) => name !== own.name)
  const endpoints = [...(own.votes ? [endpointOf(own)] : []), ...others.map(endpointOf)]
  const config: StoreConfig = { kind: 'etcd', endpoints, tls }
  const store = createStore(config)
  if (!own.votes) return { store, config, trouble: () => undefined, close: async () => await store.close() }
  const member = new EtcdMember({
    settings: {
      name: own.name,
      directory: join(paths.data, 'etcd'),
      address: own.address,
      clientPort: own.ports.etcdClient,
      peerPort: own.ports.etcdPeer,
      tls,
      founders: voters.map(({ name, address, ports }) => ({
        name,
        peerUrl: `https://${address.includes(':') ? `[${address}]` : address}:${ports.etcdPeer}`,
      })),
      token: file.clusterName,
      otherEndpoints: others.map(endpointOf),
    },
    tls: readTlsFiles(tls),
    events: { onReport: (sentence, refusal) => log.warn('etcd', { report: sentence, refusal: refusal?.kind }) },
  })
  member.run()
  const close = async (how: 'stop' | 'leave-running'): Promise<void> => {
    await store.close()
    if (how === 'stop') await member.stop()
    member.close()
  }
  return { store, config, trouble: () => member.status().problem, close }
}
