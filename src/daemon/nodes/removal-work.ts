/**
 * The removal of a node, as work that stands in the list of nodes (`leaving`) and that the DC carries on, whoever has begun it and whatever became of that
 * command: its vote goes first (vote-keeper.ts), while its own member can still agree to that; then it leaves, its resources first; then it is forgotten.
 * Each step may be done twice, and by two nodes at once.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { assertNever, type NodeName } from '../../base/index.ts'
import {
  addNode as addCibNode,
  describeEditReport,
  type EditResult,
  type NodeStateRecord,
  printXml,
  removeNode as removeCibNode,
  type XmlElement,
} from '../../cib/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { refuse } from '../../rpc/index.ts'
import { saveConfiguration } from '../configuration/configuration-edit.ts'
import type { Log } from '../host/log.ts'
import type { SharedState } from '../node/shared-state.ts'
import { forgetRecords } from '../records/forget-node.ts'
import { toBytes } from '../records/json-value.ts'
import { keys } from '../records/keys.ts'
import { type ClusterFile, type ClusterNodeEntry, storeHosts } from './cluster-file.ts'
import { changeNodeList, type NodeList, ofNodes, revoking } from './node-list.ts'
import type { Peers } from './peers.ts'

const editAttempts = 5
const stopTimeoutMs = 30 * 60_000
const shareTimeoutMs = 5_000
const retryMs = 500

export type RemovalStep = 'vote' | 'share' | 'stop' | 'leave' | 'forget'

/** What decides on the next step. */
export interface RemovalView {
  readonly file: ClusterFile
  readonly view: Pick<ClusterView, 'members' | 'nodeStates'>
  /** Of a node, or of the witness. */
  readonly isUp: (host: NodeName) => boolean
  /** Its share of the authority's key counts still. */
  readonly hasShare: (node: NodeName) => boolean
}

/** The next one, by what the store shows. */
export function removalStep({ file, view, isUp, hasShare }: RemovalView, entry: ClusterNodeEntry): RemovalStep {
  if (file.store.kind === 'etcd' && entry.votes) return 'vote'
  // While the node is there, its share still counts: the others have a new generation first.
  if (isUp(entry.name) && hasShare(entry.name)) return 'share'
  if (view.members.has(entry.name)) return 'stop'
  const state = view.nodeStates.get(entry.name)
  // Out of the membership, and recorded so by the DC: what is deleted before would be written again.
  return state === undefined || (state.expected === 'down' && state.join === 'down') ? 'forget' : 'leave'
}

/** Whether the others are a majority among themselves without that vote, so that a loss right after it is taken stops nobody who could go on. */
export function othersAreMajority(
  file: ClusterFile,
  leaving: NodeName,
  isUp: (host: NodeName) => boolean,
): { readonly holds: boolean; readonly missing: readonly NodeName[] } {
  const others = storeHosts(file).filter(({ name, votes }) => votes && name !== leaving)
  const missing = others.filter(({ name }) => !isUp(name)).map(({ name }) => name)
  return { holds: others.length - missing.length > others.length / 2, missing }
}

/** For `status`: a sentence for each removal that is under way, with what it waits for and the way out. */
export function removalNotes(seen: RemovalView): readonly string[] {
  return seen.file.nodes
    .filter(({ leaving }) => leaving === true)
    .map((entry) => `${entry.name} is being removed: ${whyNotYet(seen, entry)}. ${wayOut(entry.name)}`)
}

export const wayOut = (node: NodeName): string =>
  `The DC continues the removal. To keep the node: \`systole cluster node remove --cancel ${node}\``

export function whyNotYet(seen: RemovalView, entry: ClusterNodeEntry): string {
  const step = removalStep(seen, entry)
  switch (step) {
    case 'vote': {
      const { holds, missing } = othersAreMajority(seen.file, entry.name, seen.isUp)
      return holds ? 'its vote is being removed' : `its vote is needed until ${missing.join(' and ')} can be reached`
    }
    case 'share':
      return 'the others get new shares of the authority’s key first'
    case 'stop':
      return 'its resources stop or move first'
    case 'leave':
      return seen.isUp(entry.name) ? 'it is leaving' : 'it is lost and must be fenced or confirmed to be off'
    case 'forget':
      return 'its records are being deleted'
    default:
      return assertNever(step)
  }
}

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
  /** Of these the next step is under way. */
  readonly #working = new Set<NodeName>()
  readonly #begunHere = new Set<NodeName>()
  readonly #sharesSince = new Map<NodeName, number>()
  #retry: NodeJS.Timeout | undefined
  #closed = false

  constructor(ports: RemovalPorts) {
    this.#ports = ports
  }

  /** By a command on this node, which works on it as well: the DC may be of a version that does not. */
  begin(node: NodeName): void {
    this.#begunHere.add(node)
    this.look()
  }

  /** After every change that may matter. */
  look(): void {
    const { node, leads, seen } = this.#ports
    if (this.#closed) return
    const { nodes } = seen().file
    if (!node.quorate) {
      // Nothing else may change once quorum is back: the last node of a cluster hears of nobody.
      if (nodes.some(({ leaving }) => leaving === true)) this.#lookSoon()
      return
    }
    for (const entry of nodes) {
      if (entry.leaving !== true) {
        this.#begunHere.delete(entry.name)
        this.#sharesSince.delete(entry.name)
      } else if (!this.#working.has(entry.name) && (leads() || this.#begunHere.has(entry.name))) this.#work(entry)
    }
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#retry)
  }

  #work(entry: ClusterNodeEntry): void {
    const { log, seen } = this.#ports
    const step = removalStep(seen(), entry)
    if (step === 'vote' || step === 'leave') return
    this.#working.add(entry.name)
    const done = step === 'forget' ? forgetNode(this.#ports, entry.name) : this.#stop(entry.name, step)
    done
      .catch((error: unknown) => log.warn('the removal of a node waits', { node: entry.name, step, error }))
      .finally(() => {
        this.#working.delete(entry.name)
        if (!this.#closed) this.#lookSoon()
      })
  }

  #lookSoon(): void {
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => this.look(), retryMs)
  }

  /** Of more than two nodes the others can replace the share later as well; where one alone is left, it could sign nothing any more. */
  async #stop(node: NodeName, step: 'share' | 'stop'): Promise<void> {
    if (step === 'share') {
      const since = this.#sharesSince.get(node) ?? performance.now()
      this.#sharesSince.set(node, since)
      if (this.#ports.seen().file.nodes.length <= 2 || performance.now() - since < shareTimeoutMs) return
    }
    this.#sharesSince.delete(node)
    this.#ports.log.info('a node that is being removed is stopped', { node })
    await this.#ports.peers.to(node).stopCluster({}, { timeoutMs: stopTimeoutMs })
  }
}

async function forgetNode(ports: RemovalPorts, removed: NodeName): Promise<void> {
  const { node, log, peers, seen, withdrawTokens, onChanged } = ports
  log.info('a node that has left is removed', { node: removed })
  await editCib(node, `cluster node remove ${removed}`, (cib) => removeCibNode(cib, { name: removed }))
  await forgetRecords(node.store, removed)
  await withdrawTokens(removed)
  // While it can read in the store that it is leaving. One that is off finds that nobody knows it any more when it is back.
  await Promise.resolve()
    .then(async () => await peers.to(removed).forget({}))
    .catch((error: unknown) => log.info('the removed node did not receive the removal', { removed, error }))
  const isIt = ({ name, leaving }: ClusterNodeEntry): boolean => name === removed && leaving === true
  const without = (list: NodeList): NodeList =>
    revoking({ ...list, nodes: list.nodes.filter((entry) => !isIt(entry)) }, list.nodes.filter(isIt))
  onChanged(await changeNodeList(node.store, seen().file, without))
}

export const marked = (node: NodeName): ((list: NodeList) => NodeList) =>
  ofNodes((nodes) => nodes.map((entry) => (entry.name === node ? { ...entry, leaving: true } : entry)))

/** It stays a node. What was deleted of it already is written again when it takes part. */
export async function cancelRemoval(
  node: SharedState & { readonly file: ClusterFile },
  kept: NodeName,
): Promise<ClusterFile> {
  const entry = node.file.nodes.find(({ name }) => name === kept)
  if (entry?.leaving !== true) throw refuse('not-leaving', `${kept} is not being removed. There is nothing to cancel.`)
  const staying = ofNodes((nodes) =>
    nodes.map((one) => {
      const { leaving: _not, ...rest } = one
      return one.name === kept ? rest : one
    }),
  )
  const changed = await changeNodeList(node.store, node.file, staying)
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

/** A node that is listed and was never seen would be fenced at once: it might be running anything. */
export async function recordOff(
  { store, view }: Pick<SharedState, 'store' | 'view'>,
  { name, id }: Pick<ClusterNodeEntry, 'name' | 'id'>,
  reason: string,
): Promise<void> {
  const off: NodeStateRecord = {
    node: name,
    id,
    inCcm: false,
    crmd: 'offline',
    join: 'down',
    expected: 'down',
    reason,
    ...(view.dc === undefined ? {} : { term: view.dc.term }),
  }
  await store.transaction({
    compare: [{ kind: 'absent', key: keys.nodeState(name) }],
    writes: [{ kind: 'put', key: keys.nodeState(name), value: toBytes(off) }],
  })
}
