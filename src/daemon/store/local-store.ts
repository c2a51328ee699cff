/** The store of this node, by cluster.json: its own etcd member, an embedded store that the pulse thread shares, or an outside one. */
import { join } from 'node:path'
import { createStore, type Entry, type Store, serveStore } from '../../store/index.ts'
import type { Paths } from '../host/paths.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import { dropOldTrust } from '../pki/identity.ts'
import type { OwnSetup } from './member-settings.ts'
import { OwnMember } from './own-member.ts'
import { storeConfig, voterEndpoints } from './store-config.ts'

export interface LocalStore {
  readonly store: Store
  /** What stands in the store's way, for people. */
  readonly trouble: () => string | undefined
  /** The list of nodes has changed: other voters, or a vote for this node. */
  readonly follow: (file: ClusterFile) => void
  /** This node's member has every change that was ever confirmed: it votes, and does not only copy the store. */
  readonly isComplete: () => boolean
  /** Makes this node's member a cluster of one, with all its data: only once the others are known to be off. */
  readonly goAlone: (onPointOfNoReturn: () => void) => Promise<void>
  /** This node's member is a cluster of one, by its own list. Undefined while it does not answer, as one that waits for a majority since it was started. */
  readonly isAlone: () => Promise<boolean | undefined>
  /** What this node's own member has below a prefix, whatever others say. */
  readonly ownEntries: (prefix: string) => Promise<readonly Entry[]>
  /** The links of this node are others than those that its member was started with. */
  readonly mustRelink: () => boolean
  /** Its member gets the addresses of the links, and is started anew with them: one member of the cluster at a time. Answers when it has a leader. */
  readonly relink: (hasTurn: () => Promise<boolean>) => Promise<void>
  /** This node believes other authorities. Where it has no member of etcd, nothing reads the older file. */
  readonly believe: () => void
  /** `stop`: the node leaves, so its member stops too; `leave-running`: only the daemon ends. */
  readonly close: (how: 'stop' | 'leave-running') => Promise<void>
}

export async function openLocalStore(setup: OwnSetup): Promise<LocalStore> {
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
    isComplete: () => member?.isComplete() ?? false,
    goAlone: async (onPointOfNoReturn) => {
      if (!member) throw new Error('This store has no member of this node.')
      await member.goAlone(onPointOfNoReturn)
    },
    isAlone: async () => await member?.isAlone(),
    ownEntries: async (prefix) => (await member?.ownEntries(prefix)) ?? [],
    mustRelink: () => member?.mustRelink() ?? false,
    relink: async (hasTurn) => await member?.relink(hasTurn),
    believe: () => member?.believe(),
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
  const goAlone = async (): Promise<void> => undefined
  const isAlone = async (): Promise<boolean> => true
  return {
    store,
    trouble: () => undefined,
    follow: () => undefined,
    isComplete: () => true,
    goAlone,
    isAlone,
    ownEntries: async (prefix) => (await store.list(prefix)).entries,
    mustRelink: () => false,
    relink: async () => undefined,
    believe: () => dropOldTrust(paths.pki),
    close,
  }
}
