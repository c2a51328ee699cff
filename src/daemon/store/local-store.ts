/** The store of this node, by cluster.json: its own etcd member, an embedded store that the pulse thread shares, or an outside one. */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { NodeName } from '../../base/index.ts'
import { tlsName } from '../../rpc/index.ts'
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
  type Store,
  StoreUnavailableError,
  serveStore,
} from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { type ClusterFile, storeHosts, type WitnessEntry } from '../node-list/cluster-file.ts'
import { addressesOf, linksOf, presentAddresses } from '../node-list/node-links.ts'
import type { WithAuthority } from '../pki/authority.ts'
import { certifyAddresses } from '../pki/certificates.ts'
import { dropOldTrust } from '../pki/identity.ts'
import { endConnections, mustReadRevocations, revokedFile, writeRevocations } from './revocations.ts'
import { canSpare } from './spare-member.ts'
import {
  clientTls,
  etcdEndpoints,
  etcdPeerUrls,
  etcdTls,
  isMemberOf,
  storeConfig,
  voterEndpoints,
} from './store-config.ts'

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

interface Setup {
  readonly file: ClusterFile
  /** A node, or the witness. */
  readonly own: WitnessEntry
  readonly paths: Paths
  readonly log: Log
}

interface OwnSetup extends Setup {
  readonly withAuthority: WithAuthority
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

/**
 * This node's etcd member, which is there while the list of nodes says that the node votes. One that comes to a cluster
 * that exists joins it with the help of the others; whoever takes the vote away has removed the member from the others before.
 */
class OwnMember {
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

const endMemberMs = 5000
const startMemberMs = 20_000
const answerWithinMs = 1000
const leaveWithinMs = 10_000
const leavePatienceMs = 5000
const pollMs = 100
/** The list that takes the vote follows within moments. */
const removedPatienceMs = 5000

/** Every founder starts with the same list. Whom it can ask for repairs is read when it asks. */
export function memberSettings({ own, paths }: Setup, file: () => ClusterFile, joins = true): MemberSettings {
  const { clusterName } = file()
  const others = () => storeHosts(file()).filter(({ name, votes }) => votes && name !== own.name)
  return {
    name: own.name,
    directory: join(paths.data, 'etcd'),
    addresses: addressesOf(own),
    get listenOn() {
      return presentAddresses(own)
    },
    clientPort: own.ports.etcdClient,
    peerPort: own.ports.etcdPeer,
    // Certificates are checked by the node's name, whatever its address: TLS knows no server names that are addresses.
    serverName: tlsName(own.name),
    tls: { ...etcdTls(paths), revoked: revokedFile(paths) },
    joins,
    founders: storeHosts(file())
      .filter(({ votes }) => votes)
      .flatMap((host) => etcdPeerUrls(host).map((peerUrl) => ({ name: host.name, peerUrl }))),
    token: clusterName,
    get otherEndpoints() {
      return etcdEndpoints(others())
    },
  }
}
