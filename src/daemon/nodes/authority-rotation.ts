/**
 * Another authority in the place of the present one, whose key need not be there for it: all members first believe both, then each gets a key and a
 * certificate of the new one, then the old one is believed no more. How far it has come is in the store; whoever is DC takes the next step, one
 * member at a time and itself last, after it has looked how each one is. So it goes on after any crash, and with another DC.
 */
import type { NodeName } from '../../base/index.ts'
import { authorityHash, createAuthority, type NodePki, type PkiOrder, refuse } from '../../rpc/index.ts'
import type { Log } from '../host/log.ts'
import { type AuthorityRecord, type Holder, holdersOf, type KeeperPorts, type Rotation } from './authority-keeper.ts'
import { newGeneration, splitKey, thresholdOf } from './authority-shares.ts'
import type { ClusterFile, ClusterNodeEntry } from './cluster-file.ts'

export interface RotationStep {
  readonly member: string
  readonly order: PkiOrder
}

/** What is to be done next, by how the members are: an order to one of them, or the next phase; nothing while something is under way. */
export function nextRotationStep(
  { phase, before, next }: Rotation,
  members: readonly { readonly name: string; readonly pki: NodePki | undefined }[],
):
  | { readonly kind: 'wait' }
  | { readonly kind: 'order'; readonly step: RotationStep }
  | { readonly kind: 'phase-done' } {
  const trusted = { trust: [before, next], certify: [next, before], distrust: [next] }[phase]
  const hashes = trusted.map(authorityHash)
  const believes = ({ trusts }: NodePki): boolean =>
    phase === 'trust'
      ? hashes.every((hash) => trusts.includes(hash))
      : trusts.length === hashes.length && hashes.every((hash, index) => trusts[index] === hash)
  const shows = ({ certifiedBy }: NodePki): boolean => phase === 'trust' || certifiedBy === authorityHash(next)
  const done = (pki: NodePki): boolean => believes(pki) && shows(pki)
  // Nobody's connections are cut while another one's are being made anew.
  if (members.some(({ pki }) => pki === undefined || (done(pki) && !pki.storeTrusts))) return { kind: 'wait' }
  const behind = members.find(({ pki }) => pki !== undefined && !done(pki))
  if (behind === undefined) return { kind: 'phase-done' }
  return { kind: 'order', step: { member: behind.name, order: { trust: [...trusted], renew: phase === 'certify' } } }
}

export interface RotationPorts extends Pick<KeeperPorts, 'self' | 'log' | 'file' | 'view' | 'leads' | 'isUp' | 'keep'> {
  readonly record: () => AuthorityRecord | undefined
  /** Only in the place of the record that it was made from. */
  readonly commit: (record: AuthorityRecord, madeFrom: AuthorityRecord | undefined) => Promise<void>
  readonly pkiOf: (member: NodeName) => Promise<NodePki>
  readonly bring: (member: NodeName, order: PkiOrder) => Promise<unknown>
  /** The certificate of the authority that has signed this node's. */
  readonly authority: () => string
  /** Hosts that have a certificate and are no members. */
  readonly otherHosts: () => readonly string[]
}

const lookEveryMs = 500

export class AuthorityRotation {
  readonly #ports: RotationPorts
  #timer: NodeJS.Timeout | undefined
  #working = false
  #closed = false

  constructor(ports: RotationPorts) {
    this.#ports = ports
  }

  look(): void {
    const { leads, record, log } = this.#ports
    if (this.#closed || this.#working || !leads() || record()?.rotation === undefined) return
    this.#working = true
    void this.#work()
      .catch((error: unknown) => logTrouble(log, error))
      .then(() => {
        this.#working = false
        clearTimeout(this.#timer)
        if (this.#closed) return
        this.#timer = setTimeout(() => this.look(), lookEveryMs)
        this.#timer.unref()
      })
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  /** Answers when the store says that it has begun. */
  async begin(): Promise<void> {
    const { file, view, self, record, commit, keep, isUp, authority, log, otherHosts } = this.#ports
    const before = record()
    const holders = holdersOf(file(), view())
    if (before?.rotation !== undefined && !isStranded(before, holders))
      throw refuse('is-rotating', 'The authority is being replaced already: systole pki status.')
    const silent = missing(
      file(),
      (node) => node === self || (isUp(node) && view().members.get(node)?.knowsShares === true),
    )
    if (silent.length > 0)
      throw refuse(
        'not-all-there',
        `Every member must be there for it, and know how (upgraded): ${silent.join(', ')} is not. Start it, or remove it from the cluster.`,
      )
    const others = otherHosts()
    if (others.length > 0)
      throw refuse(
        'other-hosts',
        `${others.join(', ')} would lose the cluster: a witness and remote nodes cannot follow a new authority yet. Take them out first, and let them join again afterwards.`,
      )
    const next = await createAuthority(file().clusterName)
    const number = (before?.number ?? 0) + 1
    const generation = newGeneration(number)
    // One member keeps both halves until it believes the new authority.
    const shares = await splitKey(next, { holders: Math.max(2, holders.length), generation })
    await Promise.all(shares.map(async (share, index) => await keep((holders[index]?.name ?? self) as NodeName, share)))
    const begun = {
      number,
      generation,
      threshold: holders.length === 1 ? 1 : thresholdOf(holders.length),
      authority: authorityHash(next.certificate),
      holders,
      rotation: { phase: 'trust', before: authority(), next: next.certificate },
    } as const
    await commit(begun, before)
    log.info('the authority is being replaced', { generation })
  }

  async #work(): Promise<void> {
    const { self, file, pkiOf, bring, record, commit, log } = this.#ports
    const current = record()
    if (current?.rotation === undefined) return
    const names = file().nodes.flatMap((node) => (hasJoined(node) ? [node.name] : []))
    const ordered = [...names.filter((name) => name !== self), ...names.filter((name) => name === self)]
    const members = await Promise.all(
      ordered.map(async (name) => ({ name, pki: await pkiOf(name).catch(() => undefined) })),
    )
    const step = nextRotationStep(current.rotation, members)
    if (step.kind === 'order') {
      log.info('a member follows the authority', { member: step.step.member, phase: current.rotation.phase })
      await bring(step.step.member as NodeName, step.step.order)
    } else if (step.kind === 'phase-done') await commit(afterPhase(current, current.rotation), current)
  }
}

const logTrouble = (log: Log, error: unknown): void =>
  log.warn('the authority could not be replaced further yet', { error })

function afterPhase({ rotation: _done, ...record }: AuthorityRecord, rotation: Rotation): AuthorityRecord {
  switch (rotation.phase) {
    case 'trust':
      return { ...record, rotation: { ...rotation, phase: 'certify' } }
    case 'certify':
      return { ...record, rotation: { ...rotation, phase: 'distrust' } }
    default:
      return record
  }
}

/** The other of two was lost for good meanwhile, and with it half of the next authority's key: the one that is left begins with another one. */
const isStranded = (record: AuthorityRecord, holders: readonly Holder[]): boolean =>
  holders.length === 1 && record.threshold > 1

const missing = ({ nodes }: Pick<ClusterFile, 'nodes'>, isThere: (node: NodeName) => boolean): readonly string[] =>
  nodes.flatMap((node) => (isThere(node.name) || !hasJoined(node) ? [] : [node.name]))

/** Whoever joins later is let in by what is believed then. */
const hasJoined = ({ keys }: Pick<ClusterNodeEntry, 'keys'>): boolean => keys?.length !== 0
