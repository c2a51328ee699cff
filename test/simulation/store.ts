/**
 * The replicated store as `src/store/port/store.ts` describes it, in the simulated world: one linear history of revisions, kept by
 * a leader whom a majority of the hosts reaches. Without a leader nothing is read or written and no lease runs out; a new
 * leader gives every lease its whole time again, as etcd does. An answer that gets lost leaves the caller not knowing.
 */
import type { NodeName } from '../../src/base/index.ts'
import type { Network } from './network.ts'
import type { Chance, Timeline } from './timeline.ts'

export interface SimEntry {
  readonly key: string
  readonly value: unknown
  readonly createRevision: number
  readonly modRevision: number
  readonly lease?: string
}

export type SimComparison =
  | { readonly kind: 'absent'; readonly key: string }
  | { readonly kind: 'create-revision'; readonly key: string; readonly equals: number }
  | { readonly kind: 'mod-revision'; readonly key: string; readonly equals: number }

export type SimWrite =
  | { readonly kind: 'put'; readonly key: string; readonly value: unknown; readonly lease?: string }
  | { readonly kind: 'delete'; readonly key: string }
  | { readonly kind: 'delete-prefix'; readonly prefix: string }

export interface SimEvent {
  readonly key: string
  /** Absent: deleted. */
  readonly entry?: SimEntry
}

interface Lease {
  readonly ttlMs: number
  endsAt: number
}

const electionMs = [400, 1000] as const
const callTimeoutMs = 1500
/** Longer than any restart takes: whoever went on alone is back before. */
const restartMs = 3000
/** An eighth of the real one, as the witness's patience is. */
const removedPatienceMs = 625
/** What happened longer ago, up to twice that, nobody can follow. */
const compactedEveryMs = 3000

export class SimStore {
  revision = 1
  /** What happened until then nobody can follow any more. */
  compacted = 0
  /** What has happened since the beginning: the checkers read it. */
  readonly history: { readonly revision: number; readonly events: readonly SimEvent[] }[] = []
  readonly entries = new Map<string, SimEntry>()
  readonly #leases = new Map<string, Lease>()
  readonly #watchers = new Set<() => void>()
  #voters: readonly NodeName[]
  readonly #network: Network
  readonly #timeline: Timeline
  readonly #chance: Chance
  readonly #knownTo: (host: NodeName) => readonly NodeName[] | undefined
  #leader: NodeName | undefined
  #electing = false
  readonly #restarting = new Set<NodeName>()
  #lastLease = 0
  /** Up to which revision each voter has the history; whoever lacks a part of it leads nobody. */
  readonly #has = new Map<NodeName, number>()
  readonly #takenAt = new Map<NodeName, number>()

  /** `knownTo`: the voters that a host knows by its list; undefined where the others admit it no more. */
  constructor(
    { timeline, chance, network }: { readonly timeline: Timeline; readonly chance: Chance; readonly network: Network },
    voters: readonly NodeName[],
    knownTo: (host: NodeName) => readonly NodeName[] | undefined,
  ) {
    this.#knownTo = knownTo
    this.#timeline = timeline
    this.#chance = chance
    this.#network = network
    this.#voters = voters
    this.#tick()
  }

  beginCompacting(): void {
    this.#compact(this.revision)
  }

  /** Whether that host reaches a leader which has a majority, itself or through one other host. */
  serves(node: NodeName): boolean {
    const leader = this.#leader
    if (leader === undefined || !this.#hasMajority(leader)) return false
    const known = this.#knownTo(node)
    if (known === undefined) return false
    if (known.includes(leader) && this.#network.connects(node, leader)) return true
    return this.#voters.some(
      (via) => known.includes(via) && this.#network.connects(node, via) && this.#network.connects(via, leader),
    )
  }

  get voters(): readonly NodeName[] {
    return this.#voters
  }

  /** That voter's member is being restarted: it votes for nobody meanwhile. */
  restart(node: NodeName): void {
    this.#restarting.add(node)
    this.#timeline.after(restartMs, () => this.#restarting.delete(node))
  }

  /** Whose vote was taken a moment ago joins not again at once: the list of nodes may be about to say the same. */
  mayJoin(host: NodeName): boolean {
    return this.#timeline.now - (this.#takenAt.get(host) ?? Number.NEGATIVE_INFINITY) > removedPatienceMs
  }

  /** As etcd has it: refused where too few of the others are there to be a majority among themselves. */
  takeVote(host: NodeName): 'done' | 'refused' {
    const rest = this.#voters.filter((voter) => voter !== host)
    if (rest.length === this.#voters.length) return 'done'
    const leader = this.#leader
    const there = rest.filter((voter) => leader !== undefined && this.#network.connects(leader, voter))
    return there.length * 2 > rest.length ? this.vote(rest) : 'refused'
  }

  /** Whoever gets a vote has copied the store. */
  vote(voters: readonly NodeName[]): 'done' {
    for (const voter of this.#voters) if (!voters.includes(voter)) this.#takenAt.set(voter, this.#timeline.now)
    for (const voter of voters) if (!this.#voters.includes(voter)) this.#has.set(voter, this.revision)
    this.#voters = voters
    for (const voter of voters) this.#restarting.delete(voter)
    return 'done'
  }

  /** What that voter's own member has, without asking anybody. */
  copyOf(node: NodeName): { readonly revision: number; readonly entries: readonly SimEntry[] } {
    const revision = this.#has.get(node) ?? 0
    const entries = new Map<string, SimEntry>()
    for (const past of this.history)
      for (const { key, entry } of past.revision <= revision ? past.events : [])
        if (entry === undefined) entries.delete(key)
        else entries.set(key, entry)
    return { revision, entries: [...entries.values()] }
  }

  #spread(leader: NodeName): void {
    for (const voter of this.#voters)
      if (!this.#restarting.has(voter) && this.#network.connects(leader, voter)) this.#has.set(voter, this.revision)
  }

  /** Tells that something was written; the result ends it. */
  onWrite(notify: () => void): () => void {
    this.#watchers.add(notify)
    return () => this.#watchers.delete(notify)
  }

  /** The history after a revision, in order. */
  eventsAfter(revision: number): readonly { readonly revision: number; readonly events: readonly SimEvent[] }[] {
    let from = this.history.length
    while (from > 0 && (this.history[from - 1]?.revision ?? 0) > revision) from--
    return this.history.slice(from)
  }

  /** Runs the operation where the majority is; `undefined` means that no answer came and it may have happened. */
  call<Answer>(node: NodeName, operation: () => Answer, answer: (result: Answer | undefined) => void): void {
    const giveUp = () => this.#timeline.after(callTimeoutMs, () => answer(undefined))
    this.#timeline.after(this.#network.delayMs(), () => {
      if (!this.serves(node)) return giveUp()
      const result = operation()
      this.#timeline.after(this.#network.delayMs(), () => {
        if (!this.serves(node) || this.#chance.happens(this.#network.loss / 4)) giveUp()
        else answer(result)
      })
    })
  }

  transaction(
    compare: readonly SimComparison[],
    writes: readonly SimWrite[],
  ): { readonly applied: boolean; readonly revision: number } {
    const holds = compare.every((comparison) => this.#holds(comparison))
    const leased = writes.every(
      (write) => write.kind !== 'put' || write.lease === undefined || this.isAlive(write.lease),
    )
    if (holds && leased) this.#write(writes)
    return { applied: holds && leased, revision: this.revision }
  }

  grant(ttlMs: number): string {
    const lease = `lease-${++this.#lastLease}`
    this.#leases.set(lease, { ttlMs, endsAt: this.#timeline.now + ttlMs })
    return lease
  }

  renew(lease: string): number | 'lost' {
    const held = this.#leases.get(lease)
    if (held === undefined) return 'lost'
    held.endsAt = this.#timeline.now + held.ttlMs
    return held.ttlMs
  }

  /** Whether it was still there. */
  revoke(lease: string): boolean {
    if (!this.#leases.delete(lease)) return false
    const keys = [...this.entries.values()].filter((entry) => entry.lease === lease).map(({ key }) => key)
    this.#write(keys.map((key) => ({ kind: 'delete', key })))
    return true
  }

  isAlive(lease: string): boolean {
    return this.#leases.has(lease)
  }

  #holds(comparison: SimComparison): boolean {
    const entry = this.entries.get(comparison.key)
    switch (comparison.kind) {
      case 'absent':
        return entry === undefined
      case 'create-revision':
        return entry?.createRevision === comparison.equals
      case 'mod-revision':
        return entry?.modRevision === comparison.equals
    }
  }

  #write(writes: readonly SimWrite[]): void {
    const revision = this.revision + 1
    const events: SimEvent[] = []
    for (const write of writes) {
      if (write.kind === 'put') {
        const createRevision = this.entries.get(write.key)?.createRevision ?? revision
        const { key, value, lease } = write
        const entry = { key, value, createRevision, modRevision: revision, ...(lease === undefined ? {} : { lease }) }
        this.entries.set(key, entry)
        events.push({ key, entry })
      } else for (const key of this.#keysOf(write)) if (this.entries.delete(key)) events.push({ key })
    }
    if (events.length === 0) return
    this.revision = revision
    this.history.push({ revision, events })
    // What the world itself writes while nobody leads is everywhere: otherwise nobody could lead any more.
    const leader = this.#leader
    if (leader === undefined || !this.#hasMajority(leader))
      for (const voter of this.#voters) this.#has.set(voter, revision)
    else this.#spread(leader)
    for (const notify of this.#watchers) notify()
  }

  #keysOf(write: Exclude<SimWrite, { kind: 'put' }>): readonly string[] {
    if (write.kind === 'delete') return [write.key]
    return [...this.entries.keys()].filter((key) => key.startsWith(write.prefix)).sort()
  }

  #tick(): void {
    const { now } = this.#timeline
    if (this.#leader !== undefined && !this.#hasMajority(this.#leader)) this.#leader = undefined
    if (this.#leader === undefined) this.#elect()
    else this.#spread(this.#leader)
    if (this.#leader !== undefined)
      for (const [lease, { endsAt }] of [...this.#leases]) if (endsAt <= now) this.revoke(lease)
    this.#timeline.after(40, () => this.#tick())
  }

  #compact(until: number): void {
    this.compacted = until
    const { revision } = this
    this.#timeline.after(compactedEveryMs, () => this.#compact(revision))
  }

  #elect(): void {
    if (this.#electing) return
    this.#electing = true
    this.#timeline.after(this.#chance.between(...electionMs), () => {
      this.#electing = false
      this.#leader = this.#chance.pick(
        this.#voters.filter((voter) => this.#hasMajority(voter) && this.#has.get(voter) === this.revision),
      )
      if (this.#leader === undefined) return
      for (const lease of this.#leases.values()) lease.endsAt = this.#timeline.now + lease.ttlMs
    })
  }

  #hasMajority(leader: NodeName): boolean {
    if (!this.#voters.includes(leader)) return false
    const there = this.#voters.filter((voter) => !this.#restarting.has(voter))
    const reached = there.filter((voter) => this.#network.connects(leader, voter)).length
    return reached > this.#voters.length / 2
  }
}
