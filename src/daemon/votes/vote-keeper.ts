/**
 * On the DC: brings the votes in the store to what the list of nodes asks for, one step at a time. Which step is decided in
 * the store's room; here it is written into the list, which each node follows for its own member: one that is given a vote
 * joins by itself, as a learner first. A vote that is taken leaves etcd before the list, or its node would end a voter. So a member that
 * the list gives no vote has come by mistake, as one that was still joining when it was taken out: it is removed.
 */
import { assertNever, type NodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import {
  EtcdAdmin,
  type EtcdMemberEntry,
  nextMembershipStep,
  readTlsFiles,
  type Store,
  type VoterNode,
} from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { type ClusterFile, storeHosts, type WitnessEntry } from '../node-list/cluster-file.ts'
import { changeNodeList, newestList, withVote } from '../node-list/node-list.ts'
import { othersAreMajority } from '../removal/removal-core.ts'
import {
  clientTls,
  etcdEndpoints,
  etcdPeerUrl,
  etcdPeerUrls,
  isMemberOf,
  voterEndpoints,
} from '../store/store-config.ts'
import { joiningVotes } from './joining-votes.ts'

export interface VotePorts {
  readonly self: NodeName
  readonly paths: Paths
  readonly log: Log
  readonly file: () => ClusterFile
  readonly store: () => Store
  /** This node leads, and has quorum. */
  readonly leads: () => boolean
  /** Of a node, or of the witness. */
  readonly stateOf: (host: NodeName) => VoterNode['state']
}

const retryMs = 2000
/** After a change of the list, for one that was about to join then. */
const searchSoonMs = 10_000
const searchEveryMs = 60_000
const searchWithinMs = 1000

export class VoteKeeper {
  readonly #ports: VotePorts
  #working = false
  #retry: NodeJS.Timeout | undefined
  #closed = false
  /** When strangers among etcd's members are looked for again, unless the list has changed. */
  #searched = { nodesVersion: -1, again: 0 }

  constructor(ports: VotePorts) {
    this.#ports = ports
  }

  /** After every change that may matter. A lost node keeps its vote until it is fenced: it may be running. */
  look(): void {
    if (this.#working || this.#closed || !this.#ports.leads()) return
    const file = this.#ports.file()
    if (file.store.kind !== 'etcd') return
    const step = nextVoteStep(file, this.#ports.stateOf)
    if (this.#mustSearch(file)) this.#work(this.#removeStrangers(file), {}, 0)
    else if (step.kind === 'none') this.#lookIn(this.#searched.again - performance.now())
    else this.#work(this.#perform(file, step), step, retryMs)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#retry)
  }

  /** Who should vote does, and has copied the store: one of them may be missing for a moment. */
  async isSettled(): Promise<boolean> {
    const { file, self, paths, stateOf } = this.#ports
    const list = file()
    if (list.store.kind !== 'etcd') return true
    if (nextVoteStep(list, stateOf).kind !== 'none') return false
    return (await joiningVotes(list, self, paths))?.size === 0
  }

  /** Looks again in a while, in case the list in use has not changed. */
  #work(work: Promise<void>, about: Partial<VoteStep>, againMs: number): void {
    this.#working = true
    work
      .catch((error: unknown) => this.#ports.log.warn('a vote could not be changed yet', { ...about, error }))
      .finally(() => {
        this.#working = false
        this.#lookIn(againMs)
      })
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#retry)
    if (!this.#closed) this.#retry = setTimeout(() => this.look(), ms)
  }

  #mustSearch({ nodesVersion }: ClusterFile): boolean {
    const isNew = nodesVersion !== this.#searched.nodesVersion
    const now = performance.now()
    if (!isNew && now < this.#searched.again) return false
    this.#searched = { nodesVersion, again: now + (isNew ? searchSoonMs : searchEveryMs) }
    return true
  }

  /** The list is read after the members: whoever is among them by right was in it before. */
  async #removeStrangers(file: ClusterFile): Promise<void> {
    const { self, paths, log, store } = this.#ports
    const admin = new EtcdAdmin({ endpoints: voterEndpoints(file, self), tls: readTlsFiles(clientTls(paths)) })
    try {
      const members = await admin.members(searchWithinMs)
      for (const stranger of strangers(await newestList(store(), file), members)) {
        log.warn('etcd has a member that the list of nodes gives no vote: it is removed', { stranger })
        await admin.removeMember(stranger.ID)
      }
    } finally {
      admin.close()
    }
  }

  async #perform(file: ClusterFile, { kind, node }: Exclude<VoteStep, { kind: 'none' }>): Promise<void> {
    const { log, store } = this.#ports
    log.info('the votes change', { node, to: kind })
    if (kind === 'take') {
      const { self, paths } = this.#ports
      if (isAwaited([...((await joiningVotes(file, self, paths)) ?? [])], node)) return
      await this.#removeFromEtcd(file, node)
    }
    await changeNodeList(store(), file, withVote(node, kind === 'give'))
  }

  async #removeFromEtcd(file: ClusterFile, node: NodeName): Promise<void> {
    const hosts = storeHosts(file)
    const entry = hosts.find(({ name }) => name === node)
    if (!entry) return
    const others = hosts.filter(({ name, votes }) => votes && name !== node)
    const admin = new EtcdAdmin({
      endpoints: etcdEndpoints(others),
      tls: readTlsFiles(clientTls(this.#ports.paths)),
    })
    try {
      await admin.remove(etcdPeerUrls(entry))
    } finally {
      admin.close()
    }
  }
}

/**
 * While another, which the list has given a vote, still copies the store: the list counts it, etcd does not. Without the vote that is to go, a majority of
 * etcd could be fewer than the list says, and a loss right then would stop those whom neither a majority nor the rules for two would let go on.
 */
export const isAwaited = (joining: readonly string[], host: NodeName): boolean => joining.some((name) => name !== host)

/** Members that no host with a vote explains, by its name or its address: one that has not started has no name. */
export function strangers(file: ClusterFile, members: readonly EtcdMemberEntry[]): readonly EtcdMemberEntry[] {
  const voters = storeHosts(file).filter(({ votes }) => votes)
  const isKnown = ({ name, peerURLs }: EtcdMemberEntry): boolean =>
    voters.some((voter) => voter.name === name || isMemberOf(voter, peerURLs))
  return members.filter((member) => !isKnown(member))
}

/** One that has left in order keeps its vote: it comes back. One that was fenced may not. */
export function voterState(view: ClusterView, node: NodeName, isUp: boolean): VoterNode['state'] {
  if (isUp) return 'up'
  const state = view.nodeStates.get(node)
  const fenced = state?.expected === 'down' && state.attributes?.node_fenced !== undefined
  return fenced && !view.members.has(node) ? 'fenced' : 'silent'
}

export type VoteStep = { readonly kind: 'none' } | { readonly kind: 'give' | 'take'; readonly node: NodeName }

/** One that leaves does not give up its vote while the others without it would be no majority: a node may have been lost since its removal began. */
function keepsVote(file: ClusterFile, host: WitnessEntry, stateOf: VotePorts['stateOf']): boolean {
  return host.votes && !othersAreMajority(file, host.name, (other) => stateOf(other) === 'up').holds
}

/** By the list, which runs ahead of etcd: a learner counts as the voter that it is about to be. */
export function nextVoteStep(file: ClusterFile, stateOf: VotePorts['stateOf']): VoteStep {
  const hosts = storeHosts(file)
  const nodes = hosts
    .filter((host) => !host.leaving || keepsVote(file, host, stateOf))
    .map(
      (host): VoterNode => ({
        name: host.name,
        peerUrl: etcdPeerUrl(host),
        state: stateOf(host.name),
        isWitness: host === file.witness,
      }),
    )
  const voters = hosts.filter(({ votes }) => votes)
  const step = nextMembershipStep({
    nodes,
    members: voters.map((node) => ({ peerUrl: etcdPeerUrl(node), learner: false })),
  })
  if (step.kind === 'none' || step.kind === 'promote') return { kind: 'none' }
  const entry = hosts.find((host) => etcdPeerUrl(host) === step.peerUrl)
  if (!entry) return { kind: 'none' }
  switch (step.kind) {
    case 'add-learner':
      return { kind: 'give', node: entry.name }
    case 'remove':
      return { kind: 'take', node: entry.name }
    default:
      return assertNever(step)
  }
}
