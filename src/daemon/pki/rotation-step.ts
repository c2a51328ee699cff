/**
 * What comes next while another authority takes the place of the present one, and who holds that up, by what each host believes and shows: the
 * members, which the DC orders one after the other and itself last; then the witness; and the remote nodes, which follow the member that holds their
 * connection by themselves. Pure.
 */
import { assertNever, type NodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { authorityHash, type HostPki, type NodePki, type PkiOrder } from '../../rpc/index.ts'
import { bundleNodes, connectedNodeNames } from '../../status/index.ts'
import type { Rotation } from './authority-keeper.ts'
import { authoritiesIn } from './identity.ts'

type Belief = Pick<NodePki, 'trusts' | 'certifiedBy' | 'storeTrusts'>

export interface Participant {
  readonly name: string
  readonly kind: 'member' | 'witness' | 'remote'
  /** Undefined: nobody hears it. */
  readonly pki: Belief | undefined
  /** Why it does not follow, as it says itself. */
  readonly problem?: string
}

export interface RotationStep {
  readonly host: Participant
  readonly order: PkiOrder
}

/** An order to a member or the witness, or the next phase; nothing while something is under way. */
export function nextRotationStep(
  rotation: Rotation,
  participants: readonly Participant[],
):
  | { readonly kind: 'wait' }
  | { readonly kind: 'order'; readonly step: RotationStep }
  | { readonly kind: 'phase-done' } {
  const { trust, done } = goalOf(rotation)
  const ordered = participants.filter(({ kind }) => kind !== 'remote')
  // Nobody's connections are cut while another one's are being made anew.
  if (ordered.some(({ pki }) => pki === undefined || (done(pki) && !pki.storeTrusts))) return { kind: 'wait' }
  const behind = ordered.find(({ pki }) => pki !== undefined && !done(pki))
  if (behind !== undefined)
    return { kind: 'order', step: { host: behind, order: { trust, renew: rotation.phase === 'certify' } } }
  return participants.every(({ pki }) => pki !== undefined && done(pki)) ? { kind: 'phase-done' } : { kind: 'wait' }
}

function goalOf({ phase, before, next }: Rotation): {
  readonly trust: readonly string[]
  readonly done: (belief: Belief) => boolean
} {
  // Where the one before was lost while it was new itself, there are two before.
  const known = authoritiesIn(before)
  const trust = { trust: [...known, next], certify: [next, ...known], distrust: [next] }[phase]
  const hashes = trust.map(authorityHash)
  const believes = ({ trusts }: Belief): boolean =>
    phase === 'trust'
      ? hashes.every((hash) => trusts.includes(hash))
      : trusts.length === hashes.length && hashes.every((hash, index) => trusts[index] === hash)
  const shows = ({ certifiedBy }: Belief): boolean => phase === 'trust' || certifiedBy === authorityHash(next)
  return { trust, done: (belief) => believes(belief) && shows(belief) }
}

/** A sentence for each host that is waited for because nobody hears it, or because it cannot follow, with the way out. */
export function whoHoldsItUp(rotation: Rotation, participants: readonly Participant[]): readonly string[] {
  const { done } = goalOf(rotation)
  return participants.flatMap((one) =>
    one.pki === undefined || (one.problem !== undefined && !done(one.pki)) ? [obstacle(one)] : [],
  )
}

export function obstacle({ name, kind, problem }: Participant): string {
  const why = problem ?? 'it is unreachable'
  switch (kind) {
    case 'member':
      return `${name}: ${why}. Start it, or remove it from the cluster: systole cluster node remove ${name}`
    case 'witness':
      return `${name}, the witness: ${why}. Start it, or remove it: systole quorum device remove`
    case 'remote':
      return `${name}, a remote node: ${why}. Start it and its connection, or leave it behind, to join again afterwards: systole pki rotate --without=${name}`
    default:
      return assertNever(kind)
  }
}

/**
 * Remote nodes, guests and the replicas of bundles, by what the members say whose connections these are. A replica without a connection is not
 * waited for: it gets a certificate whenever its container starts.
 */
export function remoteParticipants(
  { configuration, nodeStates }: Pick<ClusterView, 'configuration' | 'nodeStates'>,
  heard: readonly HostPki[],
  without: readonly string[],
): readonly Participant[] {
  if (configuration === undefined) return []
  const { resources } = configuration.typed
  const replicas = new Set(
    resources.flatMap((resource) => (resource.kind === 'bundle' ? bundleNodes(resource).map(({ name }) => name) : [])),
  )
  const isExpected = (name: NodeName): boolean => !replicas.has(name) || nodeStates.get(name)?.inCcm === true
  return connectedNodeNames(configuration.typed).flatMap((name): readonly Participant[] => {
    if (without.includes(name)) return []
    const found = heard.find((host) => host.name === name)
    if (found !== undefined) return [ofHost(found, 'remote')]
    return isExpected(name) ? [{ name, kind: 'remote', pki: undefined, problem: 'no member is connected to it' }] : []
  })
}

export const ofHost = (
  { name, trusts, certifiedBy, storeTrusts, problem }: HostPki,
  kind: 'remote' | 'witness',
): Participant => ({
  name,
  kind,
  // One that could not say what it believes believes something else.
  pki: { trusts, certifiedBy, storeTrusts },
  ...(problem === undefined ? {} : { problem }),
})
