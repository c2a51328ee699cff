/** This node's etcd member: started, told of other links, taken out and made alone, each after the other. */
import { setTimeout as delay } from 'node:timers/promises'
import type { NodeName } from '../../base/index.ts'
import {
  createStore,
  discardMember,
  type Entry,
  EtcdAdmin,
  EtcdMember,
  isCompleteMember,
  listensAsConfigured,
  type MemberSettings,
  machineClock,
  peerUrls,
  readTlsFiles,
  restartAlone,
  StoreUnavailableError,
} from '../../store/index.ts'
import { type ClusterFile, storeHosts, type WitnessEntry } from '../node-list/cluster-file.ts'
import { linksOf } from '../node-list/node-links.ts'
import { certifyAddresses } from '../pki/certificates.ts'
import { dropOldTrust } from '../pki/identity.ts'
import { memberSettings, type OwnSetup } from './member-settings.ts'
import { endConnections, mustReadRevocations, writeRevocations } from './revocations.ts'
import { canSpare } from './spare-member.ts'
import { clientTls, etcdEndpoints, etcdPeerUrls, isMemberOf, voterEndpoints } from './store-config.ts'

const endMemberMs = 5000
const startMemberMs = 20_000
const answerWithinMs = 1000
const leaveWithinMs = 10_000
const leavePatienceMs = 5000
const pollMs = 100
/** The list that takes the vote follows within moments. */
const removedPatienceMs = 5000

/**
 * This node's etcd member, which is there while the list of nodes says that the node votes. One that comes to a cluster
 * that exists joins it with the help of the others; whoever takes the vote away has removed the member from the others before.
 */
export class OwnMember {
  readonly #setup: OwnSetup
  #file: ClusterFile
  #member: EtcdMember | undefined
  /** Not before etcd was asked, where the links may ever have changed: an earlier daemon may have died before it told etcd. */
  #urlsAreKnown: boolean
  /** One change at a time: a member is not started while its predecessor is being ended. */
  #turn: Promise<void> = Promise.resolve()
  #rejoin: NodeJS.Timeout | undefined
  /** It has lost its vote, and whether etcd still has it is asked again. */
  #leave: NodeJS.Timeout | undefined
  /** Started with other links, and not heard of since. */
  #awaited: EtcdMember | undefined
  #closed = false

  constructor(setup: OwnSetup) {
    this.#setup = setup
    this.#file = setup.file
    this.#urlsAreKnown = linksOf(setup.own).length === 1 && setup.file.nodesVersion === 0
    this.follow(setup.file)
  }

  trouble(): string | undefined {
    return this.#member?.status().problem
  }

  /** One that waits to leave the voters has its data as well, but is nobody to go on with. */
  isComplete(): boolean {
    return this.#votes() && this.#hasData()
  }

  #hasData(): boolean {
    return isCompleteMember(this.#settings())
  }

  /** As the list has it now. */
  #votes(): boolean {
    return this.#file.nodes.some((node) => node.name === this.#setup.own.name && node.votes)
  }

  follow(file: ClusterFile): void {
    this.#file = file
    this.#turn = this.#turn.then(async () => {
      await this.#certify()
      if (writeRevocations(this.#setup.paths, this.#file)) endConnections(this.#own(), this.#setup.log)
      clearTimeout(this.#leave)
      if (this.#closed) return
      if (this.#votes()) {
        this.#member ??= this.#start()
        return
      }
      if ((this.#member !== undefined || this.#hasData()) && !(await this.#leaveVoters())) {
        this.#member ??= this.#start(false)
        this.#leave = setTimeout(() => this.follow(this.#file), leavePatienceMs)
        return
      }
      await this.#discard()
    })
    this.#turn.catch((error: unknown) => this.#setup.log.error('the etcd member did not follow the list', { error }))
  }

  /**
   * Mostly etcd has it no more. But it may have joined again by a list that was about to change: as a voter whose data is gone it would take the majority
   * from the other of two for good. While it runs, it can still agree to leave: so it runs until it is known to have left.
   */
  async #leaveVoters(): Promise<boolean> {
    const own = this.#own()
    const others = storeHosts(this.#file).filter(({ name, votes }) => votes && name !== own.name)
    if (others.length === 0) return true
    const admin = new EtcdAdmin({ endpoints: etcdEndpoints(others), tls: readTlsFiles(clientTls(this.#setup.paths)) })
    try {
      const members = await admin.members(answerWithinMs)
      if (!members.some(({ peerURLs }) => isMemberOf(own, peerURLs))) return true
      this.#setup.log.warn('etcd still has the member of this node, which has no vote: it is removed')
      await admin.remove(etcdPeerUrls(own), leaveWithinMs)
      return true
    } catch (error) {
      this.#setup.log.warn('it is not known whether etcd still has the member of this node', { error })
      return this.#member?.status().refusal?.kind === 'removed'
    } finally {
      admin.close()
    }
  }

  /** Also a node that does not vote, which may get a vote any time: whoever is to believe it then knows its certificate by all its addresses. */
  async #certify(): Promise<void> {
    try {
      await certifyAddresses(this.#certifying(), this.#own())
    } catch (error) {
      this.#setup.log.error('the certificate does not name the addresses of this node', { error })
    }
  }

  #certifying(): Parameters<typeof certifyAddresses>[0] {
    const { paths, withAuthority } = this.#setup
    return { pki: paths.pki, withAuthority }
  }

  async goAlone(onPointOfNoReturn: () => void): Promise<void> {
    const restarted = this.#turn.then(async () => {
      if (!this.isComplete()) throw new Error('Its store member has not caught up with the others and lacks changes.')
      await this.#member?.close()
      this.#member = undefined
      try {
        const { paths } = this.#setup
        await restartAlone({
          settings: this.#settings(),
          tls: readTlsFiles(clientTls(paths)),
          clock: machineClock,
          timeoutMs: startMemberMs,
          onPointOfNoReturn,
        })
      } finally {
        this.#member = this.#start()
      }
    })
    this.#turn = restarted.catch(() => undefined)
    await restarted
  }

  async isAlone(): Promise<boolean | undefined> {
    const own = this.#own()
    const admin = new EtcdAdmin({ endpoints: etcdEndpoints([own]), tls: readTlsFiles(clientTls(this.#setup.paths)) })
    try {
      const voters = (await admin.members(answerWithinMs)).filter(({ isLearner }) => !isLearner)
      return voters.every(({ peerURLs }) => isMemberOf(own, peerURLs))
    } catch (error) {
      if (error instanceof StoreUnavailableError) return undefined
      throw error
    } finally {
      admin.close()
    }
  }

  async ownEntries(prefix: string): Promise<readonly Entry[]> {
    const tls = clientTls(this.#setup.paths)
    const store = createStore({ kind: 'etcd', endpoints: etcdEndpoints([this.#own()]), tls })
    try {
      return (await store.list(prefix)).entries
    } finally {
      await store.close()
    }
  }

  believe(): void {
    if (this.#member === undefined) dropOldTrust(this.#setup.paths.pki)
  }

  mustRelink(): boolean {
    if (this.#member === undefined || !this.isComplete()) return false
    const settings = this.#settings()
    return !this.#urlsAreKnown || this.#isAwaited() || this.#isOutdated(settings)
  }

  /**
   * First the certificate and what the others know of it; its own start comes last, so that whatever fails before is done again. Nothing that
   * waits for somebody has the turn of `#turn`: when the other of two is gone, this node must not wait to go on alone.
   */
  async relink(hasTurn: () => Promise<boolean>): Promise<void> {
    const { paths } = this.#setup
    const file = this.#file
    // The list may change meanwhile: what etcd is told and what the member is started with must be the same.
    const settings = this.#settings(file.nodesVersion > 0)
    await certifyAddresses(this.#certifying(), this.#own())
    await this.#tellEtcd(file, settings)
    if (this.#isOutdated(settings)) {
      if (!(await canSpare(file, settings.name, readTlsFiles(clientTls(paths)))))
        throw new StoreUnavailableError('Too few of the other store members answer, so this one is not stopped.')
      if (!(await hasTurn()))
        throw new StoreUnavailableError('The store member of another node may be stopped, so this one is not stopped.')
      await this.#startAnew(settings)
    }
    await this.#answers()
    if (!this.#isOutdated(this.#settings())) dropOldTrust(paths.pki)
  }

  #isOutdated(settings: MemberSettings): boolean {
    return !listensAsConfigured(settings) || mustReadRevocations(settings, this.#file)
  }

  async #tellEtcd(file: ClusterFile, settings: MemberSettings): Promise<void> {
    const endpoints = voterEndpoints(file, settings.name as NodeName)
    const admin = new EtcdAdmin({ endpoints, tls: readTlsFiles(clientTls(this.#setup.paths)) })
    try {
      await admin.move(settings.name, peerUrls(settings))
    } finally {
      admin.close()
    }
    this.#urlsAreKnown = true
  }

  async #startAnew(settings: MemberSettings): Promise<void> {
    const before = this.#member
    const started = this.#turn.then(async () => {
      if (before === undefined || this.#member !== before || this.#closed) return
      this.#setup.log.info('the store member restarts with the links of this node')
      await before.stop()
      await before.close()
      this.#member = this.#run(settings)
      this.#awaited = this.#member
    })
    this.#turn = started.catch(() => undefined)
    await started
  }

  /** Until it does, this node keeps its turn: a fault that all have must not take one member after the other. */
  async #answers(): Promise<void> {
    const end = performance.now() + startMemberMs
    while (this.#isAwaited()) {
      if (performance.now() > end)
        throw new StoreUnavailableError('The member of the store does not answer since it was started with its links.')
      await delay(pollMs)
    }
    this.#awaited = undefined
  }

  /** Who has put another member in its place has waited for that one. */
  #isAwaited(): boolean {
    const awaited = this.#awaited
    return awaited !== undefined && awaited === this.#member && !this.#closed && !awaited.status().answers
  }

  /** As the list has it now. */
  #own(): WitnessEntry {
    return storeHosts(this.#file).find(({ name }) => name === this.#setup.own.name) ?? this.#setup.own
  }

  #settings(joins?: boolean): MemberSettings {
    return memberSettings({ ...this.#setup, own: this.#own() }, () => this.#file, joins)
  }

  /**
   * The others have taken this member out. Mostly the list that says so follows; where it goes on to name this node as a voter,
   * the other of two has gone on without it, and gave it a vote again before it was looked at: its data is of no use any more.
   */
  #removed(): void {
    this.#setup.log.info('the other voters have removed this node’s etcd member')
    clearTimeout(this.#rejoin)
    this.#rejoin = setTimeout(() => {
      this.#turn = this.#turn.then(async () => {
        if (this.#closed || this.#member?.status().refusal?.kind !== 'removed') return
        await this.#discard()
        if (this.#votes()) this.#member = this.#start(true)
      })
      this.#turn.catch((error: unknown) => this.#setup.log.error('the etcd member could not join again', { error }))
    }, removedPatienceMs)
  }

  async close(how: 'stop' | 'leave-running'): Promise<void> {
    this.#closed = true
    await this.#turn.catch(() => undefined)
    if (how === 'stop') await this.#member?.stop()
    await this.#member?.close()
    // Last: what was under way may have set one of them.
    clearTimeout(this.#rejoin)
    clearTimeout(this.#leave)
  }

  #start(joins = this.#file.nodesVersion > 0): EtcdMember {
    return this.#run(this.#settings(joins))
  }

  #run(settings: MemberSettings): EtcdMember {
    const { log } = this.#setup
    const member = new EtcdMember({
      settings,
      tls: readTlsFiles(clientTls(this.#setup.paths)),
      events: {
        onReport: (report, refusal) => {
          if (refusal?.kind === 'removed') this.#removed()
          else log.warn('etcd', { report, refusal: refusal?.kind })
        },
      },
    })
    member.run()
    return member
  }

  /** Also what an earlier daemon has left running. */
  async #discard(): Promise<void> {
    await this.#member?.close()
    this.#member = undefined
    await discardMember({ settings: this.#settings(), clock: machineClock, timeoutMs: endMemberMs })
  }
}
