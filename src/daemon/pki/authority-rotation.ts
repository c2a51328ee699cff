/**
 * Another authority in the place of the present one, whose key need not be there for it: all hosts first believe both, then each gets a key and a
 * certificate of the new one, then the old one is believed no more. How far it has come is in the store; whoever is DC takes the next step
 * (rotation-step.ts), one host at a time and itself last, after it has looked how each one is. So it goes on after any crash, and with another DC.
 */
import type { NodeName } from '../../base/index.ts'
import { authorityHash, createAuthority, type HostPki, type NodePki, type PkiOrder, refuse } from '../../rpc/index.ts'
import { connectedNodeNames } from '../../status/index.ts'
import type { Log } from '../host/log.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import {
  type AuthorityRecord,
  hasJoined,
  holdersOf,
  isStranded,
  type KeeperPorts,
  type Rotation,
} from './authority-keeper.ts'
import { newGeneration, splitKey, thresholdOf } from './authority-shares.ts'
import {
  nextRotationStep,
  obstacle,
  ofHost,
  type Participant,
  remoteParticipants,
  whoHoldsItUp,
} from './rotation-step.ts'

export interface RotationPorts extends Pick<KeeperPorts, 'self' | 'log' | 'file' | 'view' | 'leads' | 'isUp' | 'keep'> {
  readonly record: () => AuthorityRecord | undefined
  /** Only in the place of the record that it was made from. */
  readonly commit: (record: AuthorityRecord, madeFrom: AuthorityRecord | undefined) => Promise<void>
  readonly pkiOf: (member: NodeName) => Promise<NodePki>
  readonly bring: (member: NodeName, order: PkiOrder) => Promise<unknown>
  readonly pkiOfWitness: () => Promise<HostPki>
  /** Who should vote does, and none of them copies the store still. */
  readonly votesSettled: () => Promise<boolean>
  readonly bringWitness: (order: PkiOrder) => Promise<unknown>
  /** All show certificates of the next authority: what else was signed by the one before is signed anew. */
  readonly onCertified: () => Promise<void>
  /** What this node believes, PEM: the certificates that are shown now are of one of these. */
  readonly authority: () => string
}

const lookEveryMs = 500

interface Gathered {
  readonly participants: readonly Participant[]
  /** Members of versions that have nobody follow but members. */
  readonly notUpgraded: readonly string[]
}

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

  /** A sentence for each host that holds it up, with the way out. */
  async heldUpBy(): Promise<readonly string[]> {
    const rotation = this.#ports.record()?.rotation
    return rotation === undefined
      ? []
      : whoHoldsItUp(rotation, (await this.#gather(rotation.without ?? [])).participants)
  }

  /** Answers when the store says that it has begun. `without`: remote nodes that are not waited for, also of one that has begun before. */
  async begin(without: readonly string[] = []): Promise<void> {
    const { file, record, commit } = this.#ports
    const before = record()
    this.#refuseUnlessRemote(without)
    if (before?.rotation !== undefined && !isStranded(before, file())) {
      if (without.length === 0)
        throw refuse('is-rotating', "The authority is already being replaced. See 'systole pki status'.")
      const left = [...new Set([...(before.rotation.without ?? []), ...without])]
      await commit({ ...before, rotation: { ...before.rotation, without: left } }, before)
      return
    }
    await this.#refuseUnlessAllThere(without)
    await this.#make(before, without)
  }

  async #make(before: AuthorityRecord | undefined, without: readonly string[]): Promise<void> {
    const { file, view, self, commit, keep, authority, log } = this.#ports
    const holders = holdersOf(file(), view())
    const next = await createAuthority(file().clusterName)
    const number = (before?.number ?? 0) + 1
    const generation = newGeneration(number)
    // One member keeps both halves until it believes the new authority.
    const shares = await splitKey(next, { holders: Math.max(2, holders.length), generation })
    await Promise.all(shares.map(async (share, index) => await keep((holders[index]?.name ?? self) as NodeName, share)))
    const rotation: Rotation = {
      phase: 'trust',
      before: authority(),
      next: next.certificate,
      ...(without.length === 0 ? {} : { without }),
    }
    const begun = {
      number,
      generation,
      threshold: holders.length === 1 ? 1 : thresholdOf(holders.length),
      authority: authorityHash(next.certificate),
      holders,
      rotation,
    }
    await commit(begun, before)
    log.info('the authority is being replaced', { generation })
  }

  #refuseUnlessRemote(without: readonly string[]): void {
    const { configuration } = this.#ports.view()
    const remote: readonly string[] = configuration === undefined ? [] : connectedNodeNames(configuration.typed)
    const other = without.find((name) => !remote.includes(name))
    if (other !== undefined)
      throw refuse(
        'not-remote',
        `${other} is not a remote node, and only remote nodes can be left behind. Remove a member with 'systole cluster node remove ${other}', a witness with 'systole quorum device remove'.`,
      )
  }

  async #refuseUnlessAllThere(without: readonly string[]): Promise<void> {
    const { file, self, isUp, view } = this.#ports
    const isThere = (node: NodeName): boolean =>
      node === self || (isUp(node) && view().members.get(node)?.knowsShares === true)
    const silent = missing(file(), isThere)
    if (silent.length > 0)
      throw refuse(
        'not-all-there',
        `Every member must be online and upgraded for this, but ${silent.join(', ')} ${silent.length === 1 ? 'is not. Start or upgrade it, or remove it' : 'are not. Start or upgrade them, or remove them'} from the cluster.`,
      )
    const { participants, notUpgraded } = await this.#gather(without)
    const others = participants.filter(({ kind }) => kind !== 'member')
    if (others.length > 0 && notUpgraded.length > 0)
      throw refuse(
        'not-upgraded',
        `The version of Systole on ${notUpgraded.join(', ')} cannot move remote nodes or a witness to another authority. Upgrade ${notUpgraded.length === 1 ? 'it' : 'them'} first.`,
      )
    const away = others.filter(({ pki, problem }) => pki === undefined || problem !== undefined)
    if (away.length > 0)
      throw refuse(
        'not-all-there',
        'Every host with a certificate must be online to get another one:',
        ...away.map(obstacle),
      )
  }

  async #work(): Promise<void> {
    const { record, commit, log, onCertified } = this.#ports
    const current = record()
    if (current?.rotation === undefined) return
    const { participants } = await this.#gather(current.rotation.without ?? [])
    const next = nextRotationStep(current.rotation, participants)
    if (next.kind === 'order') {
      const { host, order } = next.step
      // A host that follows is away for a moment: that must not be the one too many.
      if (this.#away().length > 0 || !(await this.#ports.votesSettled())) return
      log.info('a host follows the authority', { host: host.name, phase: current.rotation.phase })
      await this.#bring(host, order)
    } else if (next.kind === 'phase-done') {
      if (current.rotation.phase === 'certify') await onCertified()
      await commit(afterPhase(current, current.rotation), current)
      log.info('all hosts have followed the authority', { phase: current.rotation.phase })
    }
  }

  /** Members that others may take for lost now. */
  #away(): readonly string[] {
    const { file, self, isUp } = this.#ports
    return missing(file(), (node) => node === self || isUp(node))
  }

  async #bring({ name, kind }: Participant, order: PkiOrder): Promise<void> {
    const { bring, bringWitness } = this.#ports
    if (kind === 'witness') await bringWitness(order)
    else await bring(name as NodeName, order)
  }

  /** Members, this one last; then the witness, which this node signs for; then the others. */
  async #gather(without: readonly string[]): Promise<Gathered> {
    const { self, file, view, pkiOf, pkiOfWitness } = this.#ports
    const names = file().nodes.flatMap((node) => (hasJoined(node) ? [node.name] : []))
    const ordered = [...names.filter((name) => name !== self), ...names.filter((name) => name === self)]
    const found = await Promise.all(
      ordered.map(async (name) => ({ name, pki: await pkiOf(name).catch(() => undefined) })),
    )
    const { witness } = file()
    const votes: readonly Participant[] =
      witness === undefined || !hasJoined(witness)
        ? []
        : [
            await pkiOfWitness().then(
              (pki) => ofHost(pki, 'witness'),
              (error: unknown) => ({ name: witness.name, kind: 'witness', pki: undefined, problem: reasonOf(error) }),
            ),
          ]
    const heard = found.flatMap(({ pki }) => pki?.hosts ?? [])
    return {
      participants: [
        ...found.map(({ name, pki }) => ({ name, kind: 'member', pki }) as const),
        ...votes,
        ...remoteParticipants(view(), heard, without),
      ],
      notUpgraded: found.flatMap(({ name, pki }) => (pki !== undefined && !pki.bringsHosts ? [name] : [])),
    }
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')

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

const missing = ({ nodes }: Pick<ClusterFile, 'nodes'>, isThere: (node: NodeName) => boolean): readonly string[] =>
  nodes.flatMap((node) => (isThere(node.name) || !hasJoined(node) ? [] : [node.name]))
