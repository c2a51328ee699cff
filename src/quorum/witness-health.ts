/**
 * What a node makes of the witness's answers. A witness is of use only while its vote counts: one that is silent, or answers and whose
 * member of etcd does not get to the others, loses its vote after a minute, because the rules for two nodes rest as long as it has it. Pure.
 */
import { assertNever } from '../base/index.ts'
import type { VoterState } from './membership-step.ts'

type WitnessState = 'up' | 'silent' | 'stopped'

export interface WitnessAnswered {
  readonly state: WitnessState
  /** By the list of nodes. */
  readonly votes: boolean
  /** Its member has caught up with the others, and is in touch with them. */
  readonly counts: boolean
  /** This node has quorum: else no member has a leader. */
  readonly quorate: boolean
  /** How long it has taken part. */
  readonly startedMs?: number | undefined
}

/** Times in milliseconds of one clock. */
export interface WitnessHealth {
  readonly state: WitnessState
  readonly silentSince: number
  /** It should vote, and its vote has not counted. */
  readonly uselessSince?: number
  /** It was of no use and gave its vote back: it is not asked for it again before then. */
  readonly restsUntil?: number
}

/** A host that boots is back by then, and has copied the store; with two nodes that have no third vote, the rules of two nodes hold again after it. */
const patienceMs = 60_000
/** One that is given its vote costs the rules for two nodes until it is found to be of no use again. */
const restMs = 600_000

export const unheardWitness = (now: number): WitnessHealth => ({ state: 'silent', silentSince: now })

export function afterAnswer(before: WitnessHealth, answered: WitnessAnswered, now: number): WitnessHealth {
  const { state } = answered
  const changed = state === 'up' || before.state === 'up'
  const uselessSince = useless(before, answered, now)
  const restsUntil = rest(before, answered, now)
  return {
    state,
    silentSince: changed ? now : before.silentSince,
    ...(uselessSince === undefined ? {} : { uselessSince }),
    ...(restsUntil === undefined ? {} : { restsUntil }),
  }
}

function useless({ uselessSince }: WitnessHealth, answered: WitnessAnswered, now: number): number | undefined {
  if (!answered.votes || answered.state === 'stopped') return undefined
  if (answered.state === 'silent') return uselessSince
  return answered.counts || !answered.quorate ? undefined : (uselessSince ?? now)
}

/** Whoever has mended what was in its way need not wait: it is started anew. */
function rest(before: WitnessHealth, { votes, startedMs }: WitnessAnswered, now: number): number | undefined {
  if (votes) return undefined
  if (isUseless(before, now)) return now + restMs
  const { restsUntil } = before
  const isStartedSince = startedMs !== undefined && restsUntil !== undefined && now - startedMs > restsUntil - restMs
  return isStartedSince ? undefined : restsUntil
}

const isUseless = ({ uselessSince }: WitnessHealth, now: number): boolean =>
  uselessSince !== undefined && now - uselessSince > patienceMs

/** As the rules for votes see it: it runs nothing, so that being of no use for long is enough. */
export function witnessVoterState(health: WitnessHealth, now: number): VoterState {
  switch (health.state) {
    case 'up':
      if (isUseless(health, now)) return 'fenced'
      return health.restsUntil !== undefined && now < health.restsUntil ? 'silent' : 'up'
    case 'silent':
    case 'stopped':
      return now - health.silentSince > patienceMs ? 'fenced' : 'silent'
    default:
      return assertNever(health.state)
  }
}

/** For people, where it answers and its vote is of no use. */
export function witnessProblem(health: WitnessHealth, now: number): string | undefined {
  if (health.state !== 'up' || witnessVoterState(health, now) === 'up') return undefined
  return `its daemon answers, but its etcd member cannot reach the others, so it gets no vote. Ports 7702 and 7703 must be open in both directions between the witness and each node. It gets its vote back after ${restMs / 60_000} minutes, or at once when it is stopped and started (on it: \`systole qdevice stop net\`, \`systole qdevice start net\`).`
}
