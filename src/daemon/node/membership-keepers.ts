/**
 * What a node keeps in order of the cluster itself: who votes, who is in the list of nodes and by which key, the shares of the authority's key, the
 * witness, and the links of its own member of the store.
 */

import { createPublicKey } from 'node:crypto'
import type { NodeName } from '../../base/index.ts'
import type { VotesEffect, VotesInput } from '../../node/index.ts'
import type { VoterState } from '../../quorum/index.ts'
import { keyOfPublic, type NodePki, type PkiOrder, type TlsIdentity } from '../../rpc/index.ts'
import type { Paths } from '../host/paths.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import { addKey } from '../node-list/node-list.ts'
import { AskForList } from '../peers/ask-for-list.ts'
import { BringList } from '../peers/bring-list.ts'
import type { Peers } from '../peers/peers.ts'
import type { WithAuthority } from '../pki/authority.ts'
import { AuthorityKeeper, keepShare } from '../pki/authority-keeper.ts'
import { AuthorityRotation } from '../pki/authority-rotation.ts'
import { signForWitness } from '../pki/certificates.ts'
import { readIdentity } from '../pki/identity.ts'
import { knownBy, OwnKey } from '../pki/pins.ts'
import { renewBundleIdentities } from '../remote/bundle-containers.ts'
import type { RemovalView } from '../removal/removal-core.ts'
import { RemovalWork } from '../removal/removal-work.ts'
import type { SharedState } from '../shared-state/shared-state.ts'
import type { LocalStore } from '../store/local-store.ts'
import { Relink } from '../votes/relink.ts'
import { VoteDriver } from '../votes/vote-driver.ts'
import { WitnessLink } from '../witness/witness-link.ts'
import type { NodeSources } from './node-sources.ts'

export interface MembershipPorts extends NodeSources {
  readonly node: SharedState
  readonly paths: Paths
  readonly peers: Peers
  readonly identity: () => TlsIdentity
  readonly withAuthority: WithAuthority
  readonly ownPki: { readonly state: () => NodePki; readonly follow: (order: PkiOrder) => Promise<void> }
  readonly isUp: (node: NodeName) => boolean
  readonly lease: () => string | undefined
  readonly voterState: (host: NodeName) => VoterState
  readonly feedVotes: (input: VotesInput) => void
  readonly localStore: () => LocalStore | undefined
  readonly hasLinks: () => boolean
  readonly onNodeList: (listed: ClusterFile) => void
  readonly onStoredList: (listed: ClusterFile) => void
  readonly onRemoved: () => void
  readonly withdrawTokens: (node: NodeName) => Promise<unknown>
  readonly onChange: () => void
}

export class MembershipKeepers {
  readonly authority: AuthorityKeeper
  readonly rotation: AuthorityRotation
  readonly witness: WitnessLink
  readonly #ports: MembershipPorts
  readonly #votes: VoteDriver
  readonly #removals: RemovalWork
  readonly #relink: Relink
  readonly #ownKey: OwnKey
  readonly #askForList: AskForList
  readonly #bringList: BringList

  constructor(ports: MembershipPorts) {
    this.#ports = ports
    const { identity, localStore } = ports
    this.witness = openWitness(ports)
    this.#votes = new VoteDriver({ ...ports, stateOf: ports.voterState, feed: ports.feedVotes })
    this.authority = this.#openAuthority()
    this.rotation = this.#openRotation()
    this.#relink = new Relink({
      ...ports,
      lease: () => (ports.quorate() ? ports.lease() : undefined),
      mustRelink: () => localStore()?.mustRelink() ?? false,
      relink: async (hasTurn) => await localStore()?.relink(hasTurn),
      mayChange: ports.hasLinks,
    })
    this.#removals = new RemovalWork({ ...ports, seen: () => this.removals, onChanged: ports.onStoredList })
    this.#ownKey = new OwnKey({ ...ports, known: knownBy(identity().certificate) })
    this.#bringList = new BringList(ports)
    this.#askForList = new AskForList(ports)
  }

  /** By which the removal of nodes goes on. */
  get removals(): RemovalView {
    const { file, view, isUp } = this.#ports
    const { holders = [] } = this.authority.record ?? {}
    return {
      file: file(),
      view: view(),
      isUp: (host) => isUp(host) || this.witness.hears(host),
      hasShare: (node) => holders.some(({ name }) => name === node),
    }
  }

  /** No node that it knows brings this one into the cluster. */
  get findsNobody(): boolean {
    return this.#askForList.findsNobody
  }

  begin(): void {
    this.#askForList.begin()
    this.#bringList.begin()
    this.witness.begin()
  }

  beginRemoval(node: NodeName): void {
    this.#removals.begin(node)
  }

  quorumGained(): void {
    this.#askForList.end()
    this.#relink.look()
    this.#ownKey.look()
  }

  quorumLost(): void {
    this.#askForList.begin()
  }

  listChanged(): void {
    this.witness.look()
    this.#relink.look()
    this.#ownKey.look()
  }

  useIdentity(identity: TlsIdentity, isAnotherCertificate: boolean): void {
    if (isAnotherCertificate) this.witness.renew()
    this.#ownKey.use(knownBy(identity.certificate))
  }

  /** As the core has decided it. */
  changeVotes(effect: VotesEffect): void {
    this.#votes.perform(effect)
  }

  /** The member of the store is to believe something else. */
  lookForRelink(): void {
    this.#relink.look()
  }

  look(): void {
    this.#removals.look()
    this.authority.look()
    this.rotation.look()
  }

  close(): void {
    this.#askForList.end()
    this.#bringList.end()
    this.witness.end()
    this.#removals.close()
    this.authority.close()
    this.rotation.close()
    this.#relink.close()
    this.#ownKey.close()
  }

  #openAuthority(): AuthorityKeeper {
    const { paths, peers } = this.#ports
    return new AuthorityKeeper({
      ...this.#ports,
      pki: paths.pki,
      generationsOf: async (member) => (await peers.to(member).getPki({})).shares,
      keep: async (member, share) => await peers.to(member).keepAuthorityShare(share),
      replace: async () => await this.rotation.begin(),
    })
  }

  #openRotation(): AuthorityRotation {
    const { self, ownPki, paths, peers, view, store, withAuthority } = this.#ports
    const isOwn = (member: NodeName): boolean => member === self
    return new AuthorityRotation({
      ...this.#ports,
      record: () => this.authority.record,
      commit: async (record, madeFrom) => await this.authority.commit(record, madeFrom),
      keep: async (member, share) => {
        if (isOwn(member)) keepShare(paths.pki, share, this.authority.record?.generation)
        else await peers.to(member).keepAuthorityShare(share)
      },
      pkiOf: async (member) =>
        isOwn(member) ? ownPki.state() : await peers.to(member).getPki({}, { timeoutMs: 2000 }),
      bring: async (member, order) =>
        isOwn(member) ? await ownPki.follow(order) : await peers.to(member).bringPki(order, { timeoutMs: 15_000 }),
      votesSettled: async () => await this.#votes.isSettled(),
      pkiOfWitness: async () => await this.witness.pki(),
      bringWitness: async (order) => await this.witness.bringPki(order),
      onCertified: async () => await renewBundleIdentities({ view, store, withAuthority }),
      authority: () => readIdentity(paths.pki).authority,
    })
  }
}

function openWitness(ports: MembershipPorts): WitnessLink {
  const { store, file, withAuthority } = ports
  return new WitnessLink({
    ...ports,
    sign: async (witness, publicKey) => {
      const { certificate } = await signForWitness(withAuthority, witness, publicKey)
      // Whoever removes the witness revokes what the list knows it by.
      await addKey(store(), file(), { name: witness.name, known: { key: keyOfPublic(createPublicKey(publicKey)) } })
      return certificate
    },
  })
}
