/**
 * Whether a cluster node is online, pending, shutting down or must be fenced, from what its `node_state` says (Pacemaker
 * Explained, "Node States"). `in_ccm` and `crmd` are booleans in old CIBs, and since 2.1.7 the moments from which they hold.
 *
 * With fencing, the first row that fits decides:
 *
 * | state | verdict |
 * | --- | --- |
 * | it asked to shut down | online while its controller answers |
 * | membership unknown | fence: never seen |
 * | join refused | fence |
 * | somebody asked for its termination, and nothing of it is left | offline: that was done |
 * | somebody asks for its termination | fence |
 * | not expected, and not here | offline |
 * | not expected, in the membership without a controller for longer than node-pending-timeout | fence |
 * | not expected, but coming up | pending |
 * | expected, not in the membership | fence: lost |
 * | expected, no controller | fence |
 * | joined | online |
 * | joining | pending |
 * | anything else | fence |
 */
import { parseBoolean } from '../../cib/index.ts'

export interface MembershipInput {
  /** Attributes of the `node_state` element. */
  readonly state: Readonly<Record<string, string>>
  readonly attributes: ReadonlyMap<string, string>
  readonly fencingEnabled: boolean
  readonly pendingTimeoutMs: number
  readonly now: number
}

export interface Membership {
  readonly online: boolean
  readonly pending: boolean
  readonly shutdown: boolean
  readonly fence?: { readonly reason: string; readonly lost: boolean }
  /** When a pending node will have been pending for too long. */
  readonly changesAt?: number
}

export function membershipOf(input: MembershipInput): Membership {
  const facts = factsOf(input)
  const verdict = input.fencingEnabled ? withFencing(facts, input) : withoutFencing(facts)
  return { online: false, pending: false, shutdown: facts.shutdown, ...verdict }
}

interface Facts {
  /** Seconds since the epoch from when it is in the membership, 1 for "true", 0 for not, undefined for unknown. */
  readonly memberSince: number | undefined
  readonly controllerSince: number
  readonly join: string
  readonly expected: boolean
  readonly shutdown: boolean
  readonly terminate: boolean
}

function factsOf({ state, attributes }: MembershipInput): Facts {
  const shutdown = Number.parseInt(attributes.get('shutdown') ?? state.shutdown ?? '0', 10)
  return {
    memberSince: memberSince(state.in_ccm),
    controllerSince: controllerSince(state.crmd),
    join: state.join ?? 'down',
    expected: state.expected === 'member',
    shutdown: shutdown > 0,
    terminate: isTermination(attributes.get('terminate')),
  }
}

function memberSince(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const flag = parseBoolean(text)
  if (flag !== undefined) return flag ? 1 : 0
  const since = Number.parseInt(text, 10)
  return Number.isNaN(since) ? 0 : since
}

function controllerSince(text: string | undefined): number {
  if (text === undefined || text === 'offline') return 0
  if (text === 'online') return 1
  const since = Number.parseInt(text, 10)
  return Number.isNaN(since) ? 0 : since
}

/** True, or the moment of the request. */
function isTermination(text: string | undefined): boolean {
  if (text === undefined) return false
  return parseBoolean(text) ?? Number.parseInt(text, 10) > 0
}

type Verdict = Partial<Membership>

const fence = (reason: string, lost = false): Verdict => ({ fence: { reason, lost } })

function withFencing(facts: Facts, input: MembershipInput): Verdict {
  const { memberSince: member, controllerSince: controller, join } = facts
  if (facts.shutdown) return { online: controller > 0 }
  if (member === undefined) return fence('peer has not been seen by the cluster')
  const online = member > 0
  if (join === 'banned') return { online, ...fence('peer failed Pacemaker membership criteria') }
  if (facts.terminate) {
    const isGone = !online && controller <= 0 && join === 'down'
    return isGone ? {} : { online, ...fence('fencing was requested') }
  }
  if (!facts.expected) return comingUp(facts, member, input)
  if (!online) return fence('peer is no longer part of the cluster', true)
  if (controller <= 0) return { online, ...fence('peer process is no longer available') }
  if (join === 'member') return { online }
  if (join === 'pending' || join === 'down') return { online, pending: true }
  return { online, ...fence('peer was in an unknown state') }
}

function comingUp(facts: Facts, member: number, { pendingTimeoutMs, now }: MembershipInput): Verdict {
  const online = member > 0
  const controls = facts.controllerSince > 0
  if (!online && !controls) return {}
  const changesAt = member + Math.ceil(pendingTimeoutMs / 1000)
  const waits = pendingTimeoutMs > 0 && member > 1 && !controls
  if (waits && now >= changesAt) return { online, ...fence('peer pending timed out on joining the process group') }
  return { online, pending: true, ...(waits ? { changesAt } : {}) }
}

/** Nothing can be done about a lost node. One that is here without its controller is wrong, and shown so. */
function withoutFencing(facts: Facts): Verdict {
  if (facts.memberSince === undefined || facts.memberSince <= 0) return {}
  if (facts.controllerSince <= 0) return facts.expected ? fence('peer is unexpectedly down') : {}
  return facts.join === 'member' ? { online: true } : {}
}
