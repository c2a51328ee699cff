/**
 * After the store has become this node's own: what the others know nothing of is written into it. The lost nodes' leases end, they
 * count as off on the word that was given, and have no votes any more, so that their data is discarded when they are back.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { NodeName } from '../../base/index.ts'
import type { FencingRecord } from '../../fencing/index.ts'
import type { WhyPeerIsOff } from '../../quorum/index.ts'
import { type Entry, isStoreFailure, type Store, unchanged, type Write } from '../../store/index.ts'
import { recordWrites } from '../fencing/fencing-records.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import { changeNodeList } from '../node-list/node-list.ts'
import { incarnationIn } from '../records/confirm-fencing.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { keys } from '../records/keys.ts'

export interface OnlyVoter {
  readonly store: Store
  readonly file: ClusterFile
  /** With the life of each that is known to be over; undefined where this node has known nothing since its boot, `none` where whoever is there is somebody new. */
  readonly lost: ReadonlyMap<NodeName, number | 'none' | undefined>
  readonly word: WhyPeerIsOff
  readonly records: readonly FencingRecord[]
}

const attempts = 50
const retryMs = 200

/** Every step may be done twice. Returns the list of nodes as it has become. */
export async function becomeOnlyVoter(become: OnlyVoter): Promise<ClusterFile> {
  const { store, file, lost, word } = become
  if (word !== 'left')
    for (const [node, known] of lost) {
      const incarnation = known ?? (await insist(async () => incarnationIn(await store.get(keys.member(node)))))
      await insist(async () => await declareOff(become, node, incarnation))
    }
  return await insist(
    async () =>
      await changeNodeList(store, file, ({ nodes, witness, ...rest }) => ({
        ...rest,
        nodes: nodes.map((entry) => (lost.has(entry.name) ? { ...entry, votes: false } : entry)),
        // It is in nobody's cluster now; where it is there, it gets its vote again.
        ...(witness === undefined ? {} : { witness: { ...witness, votes: false } }),
      })),
  )
}

/** Whoever left in order needs no word: the store knows it. And whoever is back already, as somebody new, is not off any more. */
async function declareOff(become: OnlyVoter, lost: NodeName, incarnation: unknown): Promise<void> {
  const { store, word, records } = become
  const [member, dc] = await Promise.all([store.get(keys.member(lost)), store.get(keys.dc)])
  if (member && incarnationIn(member) !== incarnation) return
  const proof = records.findLast(({ target, outcome }) => target === lost && outcome === 'succeeded')
  const now = Date.now()
  const confirmed = {
    node: lost,
    time: new Date(now).toISOString(),
    fencedAt: Math.floor(now / 1000),
    ...(word === 'fenced' ? { reason: `fenced: ${proof?.message ?? 'by the survivor of two'}` } : {}),
  }
  const writes: Write[] = [
    ...recordWrites(records),
    { kind: 'delete', key: keys.member(lost) },
    { kind: 'put', key: keys.fencingConfirmed(lost), value: toBytes(confirmed) },
  ]
  if (dc && leads(dc, lost)) writes.push({ kind: 'delete', key: keys.dc })
  const { applied } = await store.transaction({ compare: [unchanged(keys.member(lost), member)], writes })
  if (!applied) return await declareOff(become, lost, incarnation)
  if (member?.lease !== undefined) await store.revokeLease(member.lease)
}

function leads(dc: Entry, node: NodeName): boolean {
  const value = fromBytes(dc.value)
  return typeof value === 'object' && value !== null && 'node' in value && value.node === node
}

/** The store has just been started. */
async function insist<T>(act: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act()
    } catch (error) {
      if (!isStoreFailure(error) || attempt >= attempts) throw error
      await delay(retryMs)
    }
  }
}
