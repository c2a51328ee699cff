/**
 * What the core of this node decides of votes (`node/own-votes.ts`), on etcd and on the list of nodes: whose vote does not count yet, a member is
 * removed, the list is changed.
 */
import { assertNever, type NodeName } from '../../base/index.ts'
import type { VotesEffect, VotesInput } from '../../node/index.ts'
import { nextVoteStep, type VoterState } from '../../quorum/index.ts'
import { EtcdAdmin, type EtcdMemberEntry, readTlsFiles, type Store } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { type ClusterFile, storeHosts } from '../node-list/cluster-file.ts'
import { changeNodeList, newestList, withVote } from '../node-list/node-list.ts'
import { clientTls, etcdEndpoints, etcdPeerUrls, isMemberOf, voterEndpoints } from '../store/store-config.ts'
import { joiningVotes } from './joining-votes.ts'

export interface VotePorts {
  readonly self: NodeName
  readonly paths: Paths
  readonly log: Log
  readonly file: () => ClusterFile
  readonly store: () => Store
  /** Of a node, or of the witness, as the core sees it. */
  readonly stateOf: (host: NodeName) => VoterState
  readonly feed: (input: VotesInput) => void
}

const searchWithinMs = 1000

export class VoteDriver {
  readonly #ports: VotePorts

  constructor(ports: VotePorts) {
    this.#ports = ports
  }

  perform(effect: VotesEffect): void {
    this.#answer(effect).then(this.#ports.feed, (error: unknown) =>
      this.#ports.feed({ kind: 'failed', why: error instanceof Error ? error.message : String(error) }),
    )
  }

  /** Who should vote does, and has copied the store: one of them may be missing for a moment. */
  async isSettled(): Promise<boolean> {
    const { file, self, paths, stateOf } = this.#ports
    const list = file()
    if (list.store.kind !== 'etcd') return true
    if (nextVoteStep(list, stateOf).kind !== 'none') return false
    return (await joiningVotes(list, self, paths))?.size === 0
  }

  async #answer(effect: VotesEffect): Promise<VotesInput> {
    const { self, paths, file, store } = this.#ports
    switch (effect.kind) {
      case 'remove-strangers':
        await this.#removeStrangers(file())
        return { kind: 'done' }
      case 'ask-joining':
        return { kind: 'joining', hosts: [...((await joiningVotes(file(), self, paths)) ?? [])] }
      case 'remove-member':
        await this.#removeFromEtcd(file(), effect.host)
        return { kind: 'removed' }
      case 'change-list':
        await changeNodeList(store(), file(), withVote(effect.host, effect.votes))
        return { kind: 'done' }
      default:
        return assertNever(effect)
    }
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

/** Members that no host with a vote explains, by its name or its address: one that has not started has no name. */
export function strangers(file: ClusterFile, members: readonly EtcdMemberEntry[]): readonly EtcdMemberEntry[] {
  const voters = storeHosts(file).filter(({ votes }) => votes)
  const isKnown = ({ name, peerURLs }: EtcdMemberEntry): boolean =>
    voters.some((voter) => voter.name === name || isMemberOf(voter, peerURLs))
  return members.filter((member) => !isKnown(member))
}
