/**
 * On the DC: brings the votes in the store to what the list of nodes asks for, one step at a time. Which step is decided in
 * the store's room; here it is written into the list, which each node follows for its own member: one that is given a vote
 * joins by itself, as a learner first. A vote that is taken leaves etcd before the list, or its node would end a voter.
 */
import { assertNever, type NodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { EtcdAdmin, nextMembershipStep, readTlsFiles, type Store, type VoterNode } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { etcdEndpoint, etcdPeerUrl, etcdTls } from '../store/store-config.ts'
import { type ClusterFile, storeHosts } from './cluster-file.ts'
import { joiningVotes } from './joining-votes.ts'
import { changeNodeList, withVote } from './node-list.ts'

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

export class VoteKeeper {
  readonly #ports: VotePorts
  #working = false
  #retry: NodeJS.Timeout | undefined
  #closed = false

  constructor(ports: VotePorts) {
    this.#ports = ports
  }

  /** After every change that may matter. A lost node keeps its vote until it is fenced: it may be running. */
  look(): void {
    if (this.#working || this.#closed || !this.#ports.leads()) return
    const file = this.#ports.file()
    if (file.store.kind !== 'etcd') return
    const step = nextVoteStep(file, this.#ports.stateOf)
    if (step.kind === 'none') return
    this.#working = true
    clearTimeout(this.#retry)
    this.#perform(file, step).then(
      () => this.#done(),
      (error: unknown) => {
        this.#ports.log.warn('a vote could not be changed yet', { ...step, error })
        this.#done()
      },
    )
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#retry)
  }

  /** Looks again in a while, in case the list in use has not changed. */
  #done(): void {
    this.#working = false
    if (!this.#closed) this.#retry = setTimeout(() => this.look(), retryMs)
  }

  async #perform(file: ClusterFile, { kind, node }: Exclude<VoteStep, { kind: 'none' }>): Promise<void> {
    const { log, store } = this.#ports
    log.info('the votes change', { node, to: kind })
    if (kind === 'take') {
      if (await this.#isAwaited(file, node)) return
      await this.#removeFromEtcd(file, node)
    }
    await changeNodeList(store(), file, withVote(node, kind === 'give'))
  }

  /** A witness keeps its vote until the node that makes it needless has copied the store. */
  async #isAwaited(file: ClusterFile, host: NodeName): Promise<boolean> {
    if (host !== file.witness?.name) return false
    const joining = await joiningVotes(file, this.#ports.self, this.#ports.paths)
    return [...(joining ?? [])].some((name) => name !== host)
  }

  async #removeFromEtcd(file: ClusterFile, node: NodeName): Promise<void> {
    const hosts = storeHosts(file)
    const entry = hosts.find(({ name }) => name === node)
    if (!entry) return
    const others = hosts.filter(({ name, votes }) => votes && name !== node)
    const admin = new EtcdAdmin({
      endpoints: others.map(etcdEndpoint),
      tls: readTlsFiles(etcdTls(this.#ports.paths)),
    })
    try {
      await admin.remove(etcdPeerUrl(entry))
    } finally {
      admin.close()
    }
  }
}

/** One that has left in order keeps its vote: it comes back. One that was fenced may not. */
export function voterState(view: ClusterView, node: NodeName, isUp: boolean): VoterNode['state'] {
  if (isUp) return 'up'
  const state = view.nodeStates.get(node)
  const fenced = state?.expected === 'down' && state.attributes?.node_fenced !== undefined
  return fenced && !view.members.has(node) ? 'fenced' : 'silent'
}

export type VoteStep = { readonly kind: 'none' } | { readonly kind: 'give' | 'take'; readonly node: NodeName }

/** By the list, which runs ahead of etcd: a learner counts as the voter that it is about to be. */
export function nextVoteStep(file: ClusterFile, stateOf: VotePorts['stateOf']): VoteStep {
  const hosts = storeHosts(file)
  const nodes = hosts
    .filter(({ leaving }) => !leaving)
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
