/**
 * This host as the witness of a cluster: it runs a voting member of the cluster's etcd, and nothing else. It calls nobody but the other
 * members of etcd; what it must know, nodes tell it (`follow`). Where none calls and its vote does not count, it asks them whether it is the witness still.
 *
 * A member that has its data is started at once: after a power cut the nodes may need its vote. One that would have to join anew, because
 * it has no data or the others have taken it out, waits for the word of a node with quorum: a host that is the witness no more would
 * else make itself a voter that no list knows of. One that was just taken out waits some seconds as well: the list that says so follows,
 * and until then the nodes go on to say what the old one says.
 */

import { X509Certificate } from 'node:crypto'
import { assertNever } from '../../base/index.ts'
import {
  authorityHash,
  type HostPki,
  type PkiOrder,
  refuse,
  type WitnessAnswer,
  type WitnessHost as WitnessHostState,
} from '../../rpc/index.ts'
import {
  believesAsConfigured,
  discardMember,
  EtcdMember,
  isCompleteMember,
  machineClock,
  readTlsFiles,
} from '../../store/index.ts'
import { writeWhole } from '../host/files.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { isEnabled, markStarted, markStopped, takesPart } from '../host/takes-part.ts'
import { type ClusterFile, printClusterFile, type WitnessEntry } from '../node-list/cluster-file.ts'
import { newerFile } from '../node-list/node-list.ts'
import { isBelieved, type Said } from '../node-list/others-say.ts'
import { RemovalReports } from '../node-list/removal-reports.ts'
import { dropOldTrust, readIdentity, writeTrust } from '../pki/identity.ts'
import { beliefOf, mostAuthorities } from '../pki/own-pki.ts'
import { listInStore, placeIn } from '../removal/removal.ts'
import { memberSettings } from '../store/member-settings.ts'
import { endConnections, writeRevocations } from '../store/revocations.ts'
import { clientTls } from '../store/store-config.ts'
import { type AskPace, AskPlace } from './ask-place.ts'
import { WitnessRenewal } from './witness-renewal.ts'

export interface WitnessHostPorts {
  readonly paths: Paths
  readonly log: Log
  /** As its own list names it. */
  readonly own: WitnessEntry
  /** The list names this host no more. */
  readonly removed: () => void
  readonly onList: (listed: ClusterFile) => void
  /** There is another certificate on the disk. */
  readonly renewed: () => void
  /** When it asks nodes that do not call. */
  readonly pace: AskPace
}

const endMemberMs = 5000
/** etcd elects another leader where this member was it, and then the list is written. */
const removedPatienceMs = 5000
const takenOut =
  'The nodes have removed its store member. It joins again when a node requests it; to leave the cluster instead: `systole qdevice destroy net` ends it.'

const notListed =
  'The nodes have removed its store member and no longer list this host as their witness. To leave the cluster here as well: `systole qdevice destroy net`.'

/** A rotation waits for the witness that the nodes list: one that does not know their authority was removed before it. */
const otherAuthority =
  'The nodes show certificates of an authority that this host does not know, so it believes nobody and nobody calls it. Most likely the cluster removed this witness while it was away, and then replaced its authority (`systole pki rotate`). If `systole quorum device status` on a node does not name this host, run `systole qdevice destroy net --force` here.'

export class WitnessHost {
  readonly #ports: WitnessHostPorts
  #file: ClusterFile
  #member: EtcdMember | undefined
  /** A node with quorum has told, since this daemon began, that this host is the witness. */
  #told = false
  /** By `performance.now`, when it began to take part. */
  #startedAt = performance.now()
  /** By `performance.now`, when the member found that it was taken out. */
  #removedAt: number | undefined
  readonly #renewal: WitnessRenewal
  readonly #removal = new RemovalReports()
  readonly #otherAuthority = new RemovalReports()
  readonly #askPlace: AskPlace
  /** By `performance.now`. */
  #calledAt = performance.now()
  /** One change at a time: a member is not started while its predecessor is being ended. */
  #turn: Promise<void> = Promise.resolve()

  constructor(file: ClusterFile, ports: WitnessHostPorts) {
    this.#file = file
    this.#ports = ports
    this.#renewal = new WitnessRenewal(ports.paths.pki)
    this.#askPlace = new AskPlace({
      file: () => this.#file,
      identity: () => readIdentity(ports.paths.pki),
      isLonely: () => this.isLonely,
      onWord: (node, removed) => this.#removal.take(node, removed),
      onOtherAuthority: (node, shown) => this.#takeAuthority(node, shown),
    })
  }

  /** No node that it knows has called for a while, and its vote does not count. */
  get isLonely(): boolean {
    return performance.now() - this.#calledAt > this.#ports.pace.afterMs && !this.state().counts
  }

  get file(): ClusterFile {
    return this.#file
  }

  get votes(): boolean {
    return this.#file.witness?.votes === true
  }

  state(): WitnessHostState {
    const { own, paths } = this.#ports
    const { clusterName, nodes } = this.#file
    const status = this.#member?.status()
    const isListed = !this.#removal.agreed(nodes.map(({ name }) => name))
    const isOut = status?.refusal?.kind === 'removed' || !isListed
    const problem = this.#whyAlone(isListed) ?? (isOut ? takenOut : status?.problem)
    return {
      clusterName,
      name: own.name,
      address: own.address,
      started: takesPart(paths),
      enabled: isEnabled(paths),
      // Its list may be the one before: nobody counts on a member that is out.
      votes: this.votes && !isOut,
      counts: status?.answers === true && isCompleteMember(this.#settings()),
      nodes: nodes.map(({ name, address }) => ({ name, address })),
      ...(problem === undefined ? {} : { problem }),
    }
  }

  /** Until `end`, or `forget`. */
  begin(): void {
    this.#askPlace.begin(this.#ports.pace)
  }

  async start(): Promise<void> {
    markStarted(this.#ports.paths)
    this.#startedAt = performance.now()
    await this.#bringMember()
  }

  /** Its vote is missing until it is started again. */
  async stop(): Promise<void> {
    markStopped(this.#ports.paths)
    await this.#next(async () => {
      await this.#member?.stop()
      await this.#member?.close()
      this.#member = undefined
    })
  }

  /** The daemon ends: etcd votes on. */
  async end(): Promise<void> {
    this.#askPlace.end()
    await this.#turn.catch(() => undefined)
    await this.#member?.close()
  }

  /** The member's data goes as well. */
  async forget(): Promise<void> {
    this.#askPlace.end()
    markStopped(this.#ports.paths)
    await this.#next(async () => await this.#discard())
  }

  /** The list of nodes as a node knows it. */
  async follow(listed: ClusterFile, quorate: boolean, from: string): Promise<WitnessAnswer> {
    const { own, paths, log, removed } = this.#ports
    this.#calledAt = performance.now()
    this.#otherAuthority.take(from, false)
    const newer = newerFile(this.#file, listed)
    const isOut = newer !== undefined && newer.witness?.name !== own.name
    this.#removal.take(from, isOut)
    if (isOut) {
      const others = this.#file.nodes.map(({ name }) => name)
      if (this.#removal.agreed(others)) removed()
      else this.forgetIfRemoved().catch((error: unknown) => log.info('the store cannot be looked into', { error }))
    } else {
      if (newer) {
        log.info('the list of nodes has changed', { version: newer.nodesVersion })
        writeWhole(paths.witnessFile, printClusterFile(newer))
        this.#file = newer
        this.#revoke()
        this.#ports.onList(newer)
      }
      this.#told ||= quorate
      this.#bringMember(quorate).catch((error: unknown) => log.error('the etcd member did not follow', { error }))
    }
    const { started, counts, problem } = this.state()
    const publicKey = await this.#renewal.wanted()
    return {
      json: printClusterFile(this.#file),
      started,
      counts,
      ...(started ? { startedMs: performance.now() - this.#startedAt } : {}),
      knowsLinks: true,
      knowsPulseTimes: true,
      ...(problem === undefined ? {} : { problem }),
      ...(publicKey === undefined ? {} : { publicKey }),
    }
  }

  /** Where the list in the store has this host leaving, or no more; whatever one node says is only a reason to look there. */
  async forgetIfRemoved(): Promise<boolean> {
    const place = placeIn(await this.#listInStore(), this.#ports.own.name)
    if (place !== 'removed' && place !== 'leaving') return false
    this.#ports.removed()
    return true
  }

  /** A caller that is not known yet may be in a newer list. False: it cannot be read. */
  async lookIntoStore(): Promise<boolean> {
    const listed = await this.#listInStore()
    if (listed !== undefined) this.#takeList(listed)
    return listed !== undefined
  }

  /** Whether this call has this host change something that a node which was removed must not change: its list, or its member of the store. */
  isChangedBy(listed: ClusterFile, quorate: boolean): boolean {
    const mayJoin = quorate && this.votes && takesPart(this.#ports.paths) && this.#memberNow().kind !== 'runs'
    return mayJoin || newerFile(this.#file, listed) !== undefined
  }

  /** What speaks against a node that it knows: the store where it can be read, and else the other nodes, whose newer lists it takes where they are believed. */
  async askOthers(): Promise<readonly Said[]> {
    if (this.state().counts && (await this.lookIntoStore())) return []
    const own = this.#file
    const { said, late } = await this.#askPlace.lists()
    // Who calls comes again after two seconds.
    if (late.length > 0)
      throw refuse(
        'asks-others',
        `The witness ${this.#ports.own.name} cannot read the store and waits for the node list of ${late.join(', ')} before it obeys another node. Try again in some seconds.`,
      )
    for (const { node, file } of said) {
      const keys = own.nodes.find(({ name }) => name === node)?.keys
      if (isBelieved(own, { name: node, keys }, said)) this.#takeList(file)
    }
    return said
  }

  #takeList(listed: ClusterFile): void {
    const newer = newerFile(this.#file, listed)
    if (newer === undefined || newer.witness?.name !== this.#ports.own.name) return
    writeWhole(this.#ports.paths.witnessFile, printClusterFile(newer))
    this.#file = newer
    this.#revoke()
  }

  async #listInStore(): Promise<ClusterFile | undefined> {
    const { own, paths } = this.#ports
    return await listInStore({ file: this.#file, self: own.name, paths, store: undefined })
  }

  /** From the DC, while the authority is replaced; without authorities it is only asked how this host is. */
  async followAuthority({ trust, renew }: PkiOrder): Promise<HostPki> {
    const { own, paths, log, renewed } = this.#ports
    if (trust.length > mostAuthorities)
      throw refuse('bad-order', `At most ${mostAuthorities} authorities can be trusted.`)
    const before = readIdentity(paths.pki)
    const authority = trust.map((one) => `${new X509Certificate(one).toString().trim()}\n`).join('')
    if (trust.length > 0 && authority !== before.authority) {
      if (beliefOf({ ...before, authority }).certifiedBy === '')
        throw refuse('bad-order', 'None of these authorities signed the certificate of this witness.')
      writeTrust(paths.pki, authority)
      log.info('this witness believes other authorities from now on', { authorities: trust.length })
      renewed()
    }
    const [signer] = trust
    const belief = beliefOf(readIdentity(paths.pki))
    if (renew && signer !== undefined && belief.certifiedBy !== authorityHash(signer)) this.#renewal.ask()
    if (trust.length > 0)
      this.#bringMember().catch((error: unknown) => log.error('the etcd member did not follow', { error }))
    const publicKey = await this.#renewal.wanted()
    return {
      name: own.name,
      ...belief,
      storeTrusts: !this.votes || (this.#memberBelieves() && this.state().counts),
      ...(publicKey === undefined ? {} : { publicKey }),
    }
  }

  /** It was started with the authorities that count: etcd reads them only then. */
  #memberBelieves(): boolean {
    return this.#member !== undefined && believesAsConfigured(this.#settings())
  }

  /** What serves with the old one must begin anew. */
  async renew(certificate: string): Promise<void> {
    await this.#renewal.take(certificate)
    this.#ports.log.info('the certificate was renewed', {})
    this.#ports.renewed()
  }

  /** What runs is brought to what the list says. */
  async #bringMember(mayJoin = false): Promise<void> {
    await this.#next(async () => {
      if (!takesPart(this.#ports.paths)) return
      const step = memberStep({
        votes: this.votes,
        mayJoin,
        hasData: isCompleteMember(this.#settings()),
        member: this.#memberNow(),
      })
      if (step === 'discard' || step === 'join') await this.#discard()
      if (step === 'run' || step === 'join') this.#run()
      if (step === 'none' && this.#member !== undefined && !this.#memberBelieves()) await this.#runAnew(this.#member)
      // Nothing reads what was believed before.
      if (this.#member === undefined) dropOldTrust(this.#ports.paths.pki)
    })
  }

  async #runAnew(before: EtcdMember): Promise<void> {
    this.#ports.log.info('the store member restarts with other authorities', {})
    await before.stop()
    await before.close()
    this.#run()
    dropOldTrust(this.#ports.paths.pki)
  }

  #whyAlone(isListed: boolean): string | undefined {
    if (!isListed) return notListed
    return this.#believesNobody() ? otherAuthority : undefined
  }

  #believesNobody(): boolean {
    return this.#otherAuthority.agreed(this.#file.nodes.map(({ name }) => name))
  }

  #takeAuthority(node: string, shown: boolean): void {
    const before = this.#believesNobody()
    this.#otherAuthority.take(node, shown)
    if (!before && this.#believesNobody()) this.#ports.log.warn(otherAuthority, {})
  }

  #revoke(): void {
    const { paths, own, log } = this.#ports
    if (writeRevocations(paths, this.#file)) endConnections(own, log)
  }

  #memberNow(): MemberNow {
    if (!this.#member) return { kind: 'none' }
    if (this.#removedAt !== undefined) return { kind: 'removed', forMs: performance.now() - this.#removedAt }
    return { kind: this.#member.status().phase === 'given-up' ? 'given-up' : 'runs' }
  }

  #run(): void {
    const { log, paths } = this.#ports
    writeRevocations(paths, this.#file)
    this.#removedAt = undefined
    this.#member = new EtcdMember({
      settings: this.#settings(),
      tls: readTlsFiles(clientTls(paths)),
      events: {
        onReport: (report, refusal) => {
          log.warn('etcd', { report, refusal: refusal?.kind })
          if (refusal?.kind === 'removed') this.#removedAt = performance.now()
        },
      },
    })
    this.#member.run()
  }

  /** Also what an earlier daemon has left running. */
  async #discard(): Promise<void> {
    await this.#member?.close()
    this.#member = undefined
    await discardMember({ settings: this.#settings(), clock: machineClock, timeoutMs: endMemberMs })
  }

  #settings(): ReturnType<typeof memberSettings> {
    const { own, paths, log } = this.#ports
    const settings = memberSettings({ file: this.#file, own, paths, log }, () => this.#file)
    const isTold = () => this.#told
    const others = () => settings.otherEndpoints
    return {
      ...settings,
      get otherEndpoints() {
        return isTold() ? others() : []
      },
    }
  }

  async #next(act: () => Promise<void> | void): Promise<void> {
    const done = this.#turn.then(act)
    this.#turn = done.catch(() => undefined)
    await done
  }
}

export type MemberNow =
  /** `given-up`: its data is of no use. */
  { readonly kind: 'none' | 'runs' | 'given-up' } | { readonly kind: 'removed'; readonly forMs: number }

/** What is done with the member of etcd. `mayJoin`: a node with quorum says that this host is the witness. */
export function memberStep(now: {
  readonly votes: boolean
  readonly mayJoin: boolean
  readonly hasData: boolean
  readonly member: MemberNow
}): 'none' | 'discard' | 'run' | 'join' {
  if (!now.votes) return 'discard'
  const { member } = now
  const join = now.mayJoin ? 'join' : 'none'
  switch (member.kind) {
    case 'none':
      return now.hasData ? 'run' : join
    case 'runs':
      return 'none'
    case 'given-up':
      return join
    case 'removed':
      return member.forMs < removedPatienceMs ? 'none' : join
    default:
      return assertNever(member)
  }
}
