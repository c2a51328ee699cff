/**
 * A cluster of one that grows: its state moves from the embedded store to an etcd of its own. Resources run on, since the
 * node's part in the cluster ends as it does for an upgrade; only their monitors pause, for about as long as a restart of the daemon takes.
 *
 * Until cluster.json names etcd, the embedded store is the one that counts: whatever fails before that, or kills the daemon, leaves
 * the cluster as it was, and the next attempt begins with an empty etcd. What hangs on leases is not copied: it is the node's
 * membership and its place as DC, and it registers anew. Revisions must not go back, for the term of a DC is one.
 */
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from '../../base/index.ts'
import { refuse } from '../../rpc/index.ts'
import {
  createStore,
  discardMember,
  EtcdMember,
  machineClock,
  readTlsFiles,
  type Snapshot,
  type Store,
  StoreUnavailableError,
} from '../../store/index.ts'
import { writeWhole } from '../host/files.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { type ClusterFile, type ClusterNodeEntry, printClusterFile } from '../node-list/cluster-file.ts'
import { allKeys } from '../records/keys.ts'
import { memberSettings } from './member-settings.ts'
import { writeRevocations } from './revocations.ts'
import { clientTls, storeConfig } from './store-config.ts'

export interface Move {
  readonly file: ClusterFile
  readonly own: ClusterNodeEntry
  readonly paths: Paths
  readonly log: Log
  /** The embedded store's revision, about. */
  readonly revision: number
  /** Ends the node's part, its resources run on, and lets go of the embedded store. */
  readonly suspend: () => Promise<void>
}

const startTimeoutMs = 30_000
const endTimeoutMs = 5000
/** Well below what etcd takes in one transaction. */
const keysAtOnce = 64
const writesAtOnce = 64

/** Resolves with the cluster's file as it now stands on disk; the node's part is to be begun again with it, or with the old one after an error. */
export async function moveToEtcd(move: Move): Promise<ClusterFile> {
  const { own, paths, log } = move
  const file: ClusterFile = { ...move.file, store: { kind: 'etcd' } }
  const settings = memberSettings({ file, own, paths, log }, () => file, false)
  const tls = readTlsFiles(clientTls(paths))
  await discardMember({ settings, tls, clock: machineClock, timeoutMs: endTimeoutMs })
  const member = new EtcdMember({ settings, tls })
  const store = createStore(storeConfig(file, own, paths))
  let moved = false
  try {
    writeRevocations(paths, file)
    member.run()
    await answers(store, member)
    // The long part, while the node still does its work.
    await reachRevision(store, move.revision)
    await move.suspend()
    await copyFrom(join(paths.data, 'store'), store)
    writeWhole(paths.clusterFile, printClusterFile(file))
    moved = true
  } finally {
    await store.close()
    if (!moved) await member.stop()
    await member.close()
    if (!moved) await discardMember({ settings, tls, clock: machineClock, timeoutMs: endTimeoutMs })
  }
  setAside(join(paths.data, 'store'))
  log.info('the state of the cluster has moved to etcd', {})
  return file
}

async function answers(store: Store, member: EtcdMember): Promise<void> {
  const end = performance.now() + startTimeoutMs
  for (;;) {
    try {
      await store.list(allKeys)
      return
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error
      const { problem } = member.status()
      if (problem === undefined && performance.now() < end) continue
      throw refuse('etcd-does-not-start', `The cluster keeps its embedded store: ${problem ?? String(error)}`)
    }
  }
}

async function copyFrom(directory: string, store: Store): Promise<void> {
  const embedded = createStore({ kind: 'embedded', directory })
  try {
    const all = await embedded.list(allKeys)
    const lasting = all.entries.filter(({ lease }) => lease === undefined)
    await reachRevision(store, all.revision)
    for (let from = 0; from < lasting.length; from += keysAtOnce) {
      const writes = lasting
        .slice(from, from + keysAtOnce)
        .map(({ key, value }) => ({ kind: 'put', key, value }) as const)
      await store.transaction({ compare: [], writes, timeoutMs: startTimeoutMs })
    }
    assert(sameValues(lasting, (await store.list(allKeys)).entries), 'etcd has what the embedded store had')
  } finally {
    await embedded.close()
  }
}

function sameValues(before: Snapshot['entries'], after: Snapshot['entries']): boolean {
  const values = new Map(after.map(({ key, value }) => [key, Buffer.from(value)]))
  return before.length === after.length && before.every(({ key, value }) => values.get(key)?.equals(value) ?? false)
}

/** Each transaction is one revision, and there is no other way to get ahead. */
async function reachRevision(store: Store, wanted: number): Promise<void> {
  const keys = Array.from({ length: writesAtOnce }, (_, index) => `${allKeys}move/${index}`)
  let revision: number = (await store.list(`${allKeys}move/`)).revision
  while (revision < wanted) {
    const steps = keys.slice(0, wanted - revision)
    const written = await Promise.all(
      steps.map(
        async (key) => await store.transaction({ compare: [], writes: [{ kind: 'put', key, value: nothing }] }),
      ),
    )
    revision = Math.max(...written.map((result) => result.revision))
  }
  await store.transaction({ compare: [], writes: [{ kind: 'delete-prefix', prefix: `${allKeys}move/` }] })
}

const nothing = new Uint8Array()

/** Kept until the next time, for whoever wants it back. */
function setAside(directory: string): void {
  const kept = `${directory}.before-etcd`
  rmSync(kept, { recursive: true, force: true })
  renameSync(directory, kept)
}
