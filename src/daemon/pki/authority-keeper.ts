/**
 * That each member has its share of the authority's key, and nobody else one that is of use. The DC splits the key anew, in a new generation,
 * whenever the members have changed, one of them lacks its share, or the key is still whole on some disk (a cluster that was just founded, or
 * that comes from an older version). A generation counts once the store says so, which is after every member has it on its disk; the shares of
 * others are deleted then. So a crash at any moment leaves one whole generation, or the key. With one member left it has the key itself.
 */
import type { NodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { type AuthorityShare, authorityHash, type KeyPair } from '../../rpc/index.ts'
import type { Entry, Store } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import type { ClusterFile, ClusterNodeEntry } from '../node-list/cluster-file.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { authorityKey, keys } from '../records/keys.ts'
import type { WithAuthority } from './authority.ts'
import { belongsTo, newGeneration, readShares, splitKey, thresholdOf, writeShares } from './authority-shares.ts'
import { forgetWholeKey, readIdentity, readWholeKey, writeWholeKey } from './identity.ts'

/** What the store says: this generation counts. */
export interface AuthorityRecord {
  readonly number: number
  readonly generation: string
  readonly threshold: number
  readonly authority: string
  readonly holders: readonly Holder[]
  /** While another authority takes the place of the one before (authority-rotation.ts). */
  readonly rotation?: Rotation
}

export interface Rotation {
  readonly phase: 'trust' | 'certify' | 'distrust'
  /** Certificates, PEM. */
  readonly before: string
  readonly next: string
  /** Remote nodes that are not waited for. */
  readonly without?: readonly string[]
}

/** A name may be used again, and the id of the last node that was added too: until another host has joined by them, nobody holds anything there. */
export interface Holder {
  readonly name: string
  readonly id: string
}

export interface KeeperPorts {
  readonly self: NodeName
  readonly pki: string
  readonly log: Log
  readonly file: () => ClusterFile
  readonly store: () => Store
  readonly view: () => ClusterView
  readonly entry: (key: string) => Entry | undefined
  readonly isUp: (node: NodeName) => boolean
  /** This node leads, and has quorum. */
  readonly leads: () => boolean
  readonly withAuthority: WithAuthority
  /** Of the shares that a member has; the shares themselves leave it only where something is signed. */
  readonly generationsOf: (member: NodeName) => Promise<readonly string[]>
  readonly keep: (member: NodeName, share: AuthorityShare) => Promise<unknown>
  /** Makes another authority: the key of this one is lost. */
  readonly replace: () => Promise<void>
}

const retryMs = 2000
const againMs = 50
/** Whether each member still has its share is asked this often. */
const askEveryMs = 10 * 60_000

export class AuthorityKeeper {
  readonly #ports: KeeperPorts
  #working = false
  /** Something has changed meanwhile. */
  #again = false
  #told = ''
  #timer: NodeJS.Timeout | undefined
  #closed = false
  /** The shares that all members have shown, and until when that is taken for granted: of another generation it says nothing. */
  #complete = { generation: '', until: 0 }

  constructor(ports: KeeperPorts) {
    this.#ports = ports
  }

  /** After every change that may matter. */
  look(): void {
    this.#again = this.#working
    if (this.#closed || this.#working) return
    this.#working = true
    void this.#work()
      .catch((error: unknown) => {
        const why = String(error)
        if (why !== this.#told)
          this.#ports.log.warn('the shares of the authority’s key are not complete yet', { error })
        this.#told = why
        return false
      })
      .then((done) => {
        this.#working = false
        this.#lookIn(this.#again ? againMs : done ? askEveryMs : retryMs)
      })
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  get record(): AuthorityRecord | undefined {
    return recordOf(this.#ports.entry(authorityKey))
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer)
    if (this.#closed) return
    this.#timer = setTimeout(() => this.look(), ms)
    this.#timer.unref()
  }

  /** Whether there is nothing more to do. */
  async #work(): Promise<boolean> {
    const { pki, self, file, leads } = this.#ports
    const { record } = this
    if (record !== undefined) settle({ pki, self, file: file() }, record)
    if (!leads()) return true
    if (record !== undefined && isStranded(record, file())) return await this.#replaceLost()
    const wanted = holdersOf(file(), this.#ports.view())
    // Who comes or goes meanwhile is looked at afterwards.
    if (record?.rotation !== undefined) return true
    if (record !== undefined && sameHolders(record, wanted) && (await this.#allHave(record))) return true
    if (record === undefined && wanted.length < 2) return true
    if (!wanted.every((holder) => this.#canKeep(holder))) return false
    await this.#ports.withAuthority(async (authority) => await this.#split(authority, wanted, record))
    return true
  }

  /** Nothing but another authority can sign any more, and nobody need say so. */
  async #replaceLost(): Promise<boolean> {
    const { log, replace } = this.#ports
    log.warn('too few shares of the authority’s key are left: a new authority replaces it', {})
    await replace()
    return true
  }

  #canKeep({ name }: Holder): boolean {
    const { self, isUp, view } = this.#ports
    return name === self || (isUp(name as NodeName) && view().members.get(name as NodeName)?.knowsShares === true)
  }

  /** Of those that answer: one that is off has what it had. */
  async #allHave(record: AuthorityRecord): Promise<boolean> {
    const { self, pki, generationsOf, isUp } = this.#ports
    if (record.holders.length === 1) return readWholeKey(pki) !== undefined
    if (this.#complete.generation === record.generation && performance.now() < this.#complete.until) return true
    const found = await Promise.all(
      record.holders.map(async ({ name }) => {
        if (name === self) return readShares(pki).some(({ generation }) => generation === record.generation)
        if (!isUp(name as NodeName)) return true
        return await generationsOf(name as NodeName).then(
          (generations) => generations.includes(record.generation),
          () => true,
        )
      }),
    )
    const all = found.every((one) => one)
    if (all) this.#complete = { generation: record.generation, until: performance.now() + askEveryMs }
    return all
  }

  async #split(authority: KeyPair, holders: readonly Holder[], before: AuthorityRecord | undefined): Promise<void> {
    const { self, pki, keep, log } = this.#ports
    const number = (before?.number ?? 0) + 1
    const generation = newGeneration(number)
    const threshold = holders.length === 1 ? 1 : thresholdOf(holders.length)
    if (holders.length === 1) writeWholeKey(pki, authority.key)
    else {
      const shares = await splitKey(authority, { holders: holders.length, generation })
      await Promise.all(
        holders.map(async ({ name }, index) => {
          const share = shares[index]
          if (share === undefined) throw new Error('There are fewer shares than holders.')
          if (name === self) keepShare(pki, share, before?.generation)
          else await keep(name as NodeName, share)
        }),
      )
    }
    const record = { number, generation, threshold, authority: authorityHash(authority.certificate), holders }
    await this.commit(record, before)
    log.info('the authority’s key has new shares', { generation, threshold, holders: holders.map(({ name }) => name) })
  }

  /** By the term of this DC, and only in the place of the record that it was made from: a splitting and a replacement may begin at the same time. */
  async commit(record: AuthorityRecord, madeFrom: AuthorityRecord | undefined): Promise<void> {
    const { store, entry, view } = this.#ports
    const before = entry(authorityKey)
    if (!isSameStage(recordOf(before), madeFrom)) throw new Error('Another node changed it at the same time.')
    const dc = view().dc
    if (dc === undefined) throw new Error('This node is no longer the DC.')
    const { applied } = await store().transaction({
      compare: [
        before === undefined
          ? { kind: 'absent', key: authorityKey }
          : { kind: 'mod-revision', key: authorityKey, equals: before.modRevision },
        { kind: 'create-revision', key: keys.dc, equals: dc.term as never },
      ],
      writes: [{ kind: 'put', key: authorityKey, value: toBytes(record) }],
    })
    if (!applied) throw new Error('Another node changed it at the same time.')
  }
}

/** So few of those who have shares are in the list still that nobody can put the key together any more. */
export const isStranded = ({ holders, threshold }: AuthorityRecord, { nodes }: Pick<ClusterFile, 'nodes'>): boolean => {
  const isThere = (holder: Holder): boolean =>
    nodes.some((node) => node.name === holder.name && node.id === holder.id && hasJoined(node))
  return holders.filter(isThere).length < threshold
}

/** Another host that joins later has no share, and is let in by what is believed then. */
export const hasJoined = ({ keys: known }: Pick<ClusterNodeEntry, 'keys'>): boolean => known?.length !== 0

/** For `status`. */
export function authorityNotes(
  record: AuthorityRecord | undefined,
  file: Pick<ClusterFile, 'nodes'>,
): readonly string[] {
  if (record === undefined) return []
  if (isStranded(record, file))
    return [
      'Too few shares of the authority’s key are left, so hosts cannot join and certificates cannot be renewed. The DC creates a new authority when every host is online. `systole pki rotate` shows what prevents it.',
    ]
  return record.rotation === undefined
    ? []
    : ['The cluster’s authority is being replaced. `systole pki status` shows the progress and the hosts it waits for.']
}

const isSameStage = (one: AuthorityRecord | undefined, other: AuthorityRecord | undefined): boolean =>
  one?.generation === other?.generation && one?.rotation?.phase === other?.rotation?.phase

/** The members that have joined and stay. */
export function holdersOf({ nodes }: ClusterFile, view: ClusterView): readonly Holder[] {
  const isMember = (node: ClusterNodeEntry): boolean =>
    node.keys === undefined ? view.members.has(node.name) || view.nodeStates.has(node.name) : hasJoined(node)
  return nodes.filter((node) => node.leaving !== true && isMember(node)).map(({ name, id }) => ({ name, id }))
}

const holderText = (holders: readonly Holder[]): string =>
  holders
    .map(({ name, id }) => `${id} ${name}`)
    .sort()
    .join('\n')

const sameHolders = (record: AuthorityRecord, wanted: readonly Holder[]): boolean =>
  holderText(record.holders) === holderText(wanted)

export function recordOf(entry: Entry | undefined): AuthorityRecord | undefined {
  const value = entry === undefined ? undefined : fromBytes(entry.value)
  if (typeof value !== 'object' || value === null) return undefined
  const { number, generation, threshold, authority, holders, rotation } = value as Partial<AuthorityRecord>
  if (typeof number !== 'number' || typeof generation !== 'string' || typeof threshold !== 'number') return undefined
  if (typeof authority !== 'string' || !Array.isArray(holders)) return undefined
  return { number, generation, threshold, authority, holders, ...(rotation === undefined ? {} : { rotation }) }
}

/** What this member has beside what counts goes, the whole key among it. Nothing goes while it lacks what counts. */
export function settle(
  { pki, self, file }: { readonly pki: string; readonly self: NodeName; readonly file: Pick<ClusterFile, 'nodes'> },
  record: AuthorityRecord,
): void {
  const own = file.nodes.find(({ name }) => name === self)
  const isHolder = record.holders.some(({ name, id }) => name === self && id === own?.id)
  if (!isHolder || authorityHash(readIdentity(pki).authority) !== record.authority) return
  const shares = readShares(pki)
  if (record.holders.length === 1) {
    const whole = readWholeKey(pki)
    if (whole !== undefined && shares.length > 0 && belongsTo(whole, readIdentity(pki).authority)) writeShares(pki, [])
    return
  }
  const counting = shares.filter(({ generation }) => generation === record.generation)
  if (counting.length === 0) return
  // A later one may be on its way: it is kept.
  const kept = shares.filter(
    ({ generation }) => generation === record.generation || numberOf(generation) > record.number,
  )
  if (kept.length < shares.length) writeShares(pki, kept)
  forgetWholeKey(pki)
}

const numberOf = (generation: string): number => Number(generation.split('-')[0])

const mostAwaited = 3

/** Beside the one that counts, which stays until the store says otherwise. Two DCs that split at the same time take nothing from each other. */
export function keepShare(pki: string, share: AuthorityShare, counting: string | undefined): void {
  const before = readShares(pki)
  const isCounting = ({ generation }: AuthorityShare): boolean => counting === undefined || generation === counting
  const awaited = [...before.filter((one) => !isCounting(one)), share]
  writeShares(pki, [...before.filter(isCounting).slice(-mostAwaited), ...awaited.slice(-mostAwaited)])
}
