/** The store of this node, by cluster.json: its own etcd member, an embedded store that the pulse thread shares, or an outside one. */
import { join } from 'node:path'
import { createStore, EtcdMember, readTlsFiles, type Store, serveStore } from '../store/index.ts'
import type { ClusterFile, ClusterNodeEntry } from './cluster-file.ts'
import type { Log } from './log.ts'
import type { Paths } from './paths.ts'
import { bracketed, etcdEndpoint, etcdTls, storeConfig } from './store-config.ts'

export interface LocalStore {
  readonly store: Store
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
  const { file, own, paths } = setup
  if (file.store.kind === 'embedded') return await openEmbedded(paths)
  const store = createStore(storeConfig(file, own, paths))
  const member = file.store.kind === 'etcd' && own.votes ? startMember(setup) : undefined
  return {
    store,
    trouble: () => member?.status().problem,
    close: async (how) => {
      await store.close()
      if (how === 'stop') await member?.stop()
      member?.close()
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
  return { store, trouble: () => undefined, close }
}

/** Every member starts with the same list of founders. */
function startMember({ file, own, paths, log }: Setup): EtcdMember {
  const tls = etcdTls(paths)
  const voters = file.nodes.filter(({ votes }) => votes)
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
        peerUrl: `https://${bracketed(address)}:${ports.etcdPeer}`,
      })),
      token: file.clusterName,
      otherEndpoints: voters.filter(({ name }) => name !== own.name).map(etcdEndpoint),
    },
    tls: readTlsFiles(tls),
    events: { onReport: (sentence, refusal) => log.warn('etcd', { report: sentence, refusal: refusal?.kind }) },
  })
  member.run()
  return member
}
