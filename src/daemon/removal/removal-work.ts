/** Performs what removal-core.ts decides, and what adding a node and keeping one have in common with that. */
import { setTimeout as delay } from 'node:timers/promises'
import { assertNever, type NodeName } from '../../base/index.ts'
import {
  addNode as addCibNode,
  describeEditReport,
  type EditResult,
  parseNodeStateRecord,
  printXml,
  removeNode as removeCibNode,
  type XmlElement,
} from '../../cib/index.ts'
import { refuse } from '../../rpc/index.ts'
import type { Store } from '../../store/index.ts'
import { saveConfiguration } from '../configuration/configuration-edit.ts'
import type { Log } from '../host/log.ts'
import type { ClusterFile, ClusterNodeEntry } from '../node-list/cluster-file.ts'
import { isOutdatedState, offState, staying, withoutNode } from '../node-list/node-changes.ts'
import { changeNodeList, decodeNodeList } from '../node-list/node-list.ts'
import type { Peers } from '../peers/peers.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { keys, nodeListKey } from '../records/keys.ts'
import type { SharedState } from '../shared-state/shared-state.ts'
import { forgetRecords, holdsToForget, recordsToForget } from './forget-node.ts'
import {
  type ForgettingStage,
  forgettingStages,
  isStillGone,
  noRemovals,
  type RemovalEffect,
  type RemovalInput,
  type RemovalView,
  removalCore,
} from './removal-core.ts'

const editAttempts = 5
const stopTimeoutMs = 30 * 60_000

export interface RemovalPorts {
  readonly node: SharedState
  readonly log: Log
  readonly peers: Pick<Peers, 'to'>
  readonly seen: () => RemovalView
  /** Join tokens that were made for it. */
  readonly withdrawTokens: (node: NodeName) => Promise<unknown>
  readonly leads: () => boolean
  /** What became of the list. */
  readonly onChanged: (file: ClusterFile) => void
}

/** On each node; it works on the one that leads. */
export class RemovalWork {
  readonly #ports: RemovalPorts
  #state = noRemovals
  #retry: NodeJS.Timeout | undefined
  #closed = false

  constructor(ports: RemovalPorts) {
    this.#ports = ports
  }

  begin(node: NodeName): void {
    this.#feed({ kind: 'begun', node })
    this.look()
  }

  /** After every change that may matter. */
  look(): void {
    const { node, leads, seen } = this.#ports
    this.#feed({ kind: 'look', seen: seen(), quorate: node.quorate, leads: leads() })
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#retry)
  }

  #feed(input: RemovalInput): void {
    if (this.#closed) return
    const { state, effects } = removalCore(this.#state, input, performance.now())
    this.#state = state
    for (const effect of effects) this.#perform(effect)
    clearTimeout(this.#retry)
    const { lookAt } = this.#state
    if (lookAt !== undefined)
      this.#retry = setTimeout(() => this.look(), Math.max(0, Math.ceil(lookAt - performance.now())))
  }

  #perform({ kind, node }: RemovalEffect): void {
    const { log } = this.#ports
    this.#do(kind, node)
      .catch((error: unknown) => log.warn('a change of the nodes waits', { node, step: kind, error }))
      .finally(() => this.#feed({ kind: 'ended', node }))
  }

  async #do(kind: RemovalEffect['kind'], node: NodeName): Promise<void> {
    switch (kind) {
      case 'stop':
        return await this.#stop(node)
      case 'forget':
        return await this.#forget(node)
      case 'configure':
        return await this.#configure(node)
      case 'clear':
        return await this.#clear(node)
      default:
        assertNever(kind)
    }
  }

  async #configure(node: NodeName): Promise<void> {
    const { log, seen } = this.#ports
    const entry = seen().file.nodes.find(({ name }) => name === node)
    if (entry === undefined) return
    log.warn('the configuration does not name a member: its entry is added', { node })
    await editCib(this.#ports.node, `the entry of the member ${node}`, (cib) =>
      addCibNode(cib, { id: entry.id, name: node }),
    )
  }

  async #clear(removed: NodeName): Promise<void> {
    const { log, node } = this.#ports
    if (await clearLeftRecords(node.store, removed)) log.info('records of a removed node are deleted', { removed })
  }

  async #stop(node: NodeName): Promise<void> {
    this.#ports.log.info('a node that is being removed is stopped', { node })
    await this.#ports.peers.to(node).stopCluster({}, { timeoutMs: stopTimeoutMs })
  }

  async #forget(node: NodeName): Promise<void> {
    this.#ports.log.info('a node that has left is removed', { node })
    for (const stage of forgettingStages)
      if (isStillGone(this.#ports.seen(), node)) await forget(this.#ports, node, stage)
  }
}

async function forget(ports: RemovalPorts, removed: NodeName, stage: ForgettingStage): Promise<void> {
  const { node, log, peers, seen, withdrawTokens, onChanged } = ports
  switch (stage) {
    case 'configuration':
      await editCib(node, `cluster node remove ${removed}`, (cib) => removeCibNode(cib, { name: removed }))
      return
    case 'records':
      await forgetRecords(node.store, removed)
      return
    case 'tokens':
      await withdrawTokens(removed)
      return
    case 'tell':
      await Promise.resolve()
        .then(async () => await peers.to(removed).forget({}))
        .catch((error: unknown) => log.info('the removed node did not receive the removal', { removed, error }))
      return
    case 'list':
      onChanged(await changeNodeList(node.store, seen().file, withoutNode(removed)))
      return
    default:
      assertNever(stage)
  }
}

/** Of a node that is in no list: whoever adds it again meanwhile writes the list first, and nothing is deleted then. */
async function clearLeftRecords(store: Store, removed: NodeName): Promise<boolean> {
  const entry = await store.get(nodeListKey)
  if (entry === undefined || decodeNodeList(entry).nodes.some(({ name }) => name === removed)) return false
  const { applied } = await store.transaction({
    compare: [
      { kind: 'mod-revision', key: nodeListKey, equals: entry.modRevision },
      { kind: 'absent', key: keys.member(removed) },
    ],
    writes: [...recordsToForget(removed), ...(await holdsToForget(store, removed))],
  })
  return applied
}

/** It stays a node. What was deleted of it already is written again when it takes part. */
export async function cancelRemoval(
  node: SharedState & { readonly file: ClusterFile },
  kept: NodeName,
): Promise<ClusterFile> {
  const entry = node.file.nodes.find(({ name }) => name === kept)
  if (entry?.leaving !== true) throw refuse('not-leaving', `${kept} is not being removed. There is nothing to cancel.`)
  const changed = await changeNodeList(node.store, node.file, staying(kept))
  await recordOff(node, entry, 'its removal was cancelled')
  await editCib(node, `cluster node remove --cancel ${kept}`, (cib) => addCibNode(cib, { id: entry.id, name: kept }))
  return changed
}

export async function editCib(
  node: SharedState,
  command: string,
  edit: (cib: XmlElement) => EditResult,
): Promise<void> {
  for (let attempt = 0; attempt < editAttempts; attempt++) {
    const { configuration } = node.view
    if (!configuration) throw refuse('no-configuration', 'The configuration is not known yet.')
    const edited = edit(configuration.cib)
    if (!edited.ok) {
      // Done before, by an attempt that was interrupted, or by another node.
      if (edited.reports.every(({ code }) => code === 'node-not-found')) return
      throw refuse('not-possible', ...edited.reports.map(describeEditReport))
    }
    if (edited.value.cib === configuration.cib) return
    const xml = printXml(edited.value.cib)
    const pushed = { xml, expectedVersion: configuration.version, user: 'root', command }
    if ((await saveConfiguration(node, pushed)).kind === 'saved') return
    await delay(100)
  }
  throw refuse('conflict', 'Other users changed the configuration several times meanwhile. Try again.')
}

export async function recordOff(
  { store, view }: Pick<SharedState, 'store' | 'view'>,
  entry: Pick<ClusterNodeEntry, 'name' | 'id'>,
  reason: string,
): Promise<void> {
  const key = keys.nodeState(entry.name)
  await store.transaction({
    compare: [{ kind: 'absent', key }],
    writes: [{ kind: 'put', key, value: toBytes(offState(entry, reason, view.dc?.term)) }],
  })
}

/** Of one that is in the list again and was removed before: its earlier state may be there still, with the incarnation of another host. */
export async function recordAdded(node: Pick<SharedState, 'store' | 'view'>, entry: ClusterNodeEntry): Promise<void> {
  const key = keys.nodeState(entry.name)
  const before = await node.store.get(key)
  if (before !== undefined && isOutdatedState(parseNodeStateRecord(fromBytes(before.value)), entry))
    await node.store.transaction({
      compare: [{ kind: 'mod-revision', key, equals: before.modRevision }],
      writes: [{ kind: 'delete', key }],
    })
  await recordOff(node, entry, 'added, has not joined yet')
}
