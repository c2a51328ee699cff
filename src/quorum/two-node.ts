/**
 * Two nodes with a vote each and no witness (votequorum's `two_node` with `wait_for_all`). Neither has a majority without the
 * other, so the survivor must make sure that it is the only one: it fences the silent peer, and only once that is confirmed
 * it makes the store its own and goes on. What it runs it keeps meanwhile; it starts nothing, since the store takes no change.
 * Both may try at the same time: the delays of the fence devices decide who comes first.
 *
 * A machine that has just booted has not met its peer: the other may be the one that goes on. It waits for it (`wait_for_all`),
 * or for an administrator's word that it is off.
 *
 * Contract at the edge:
 * - `situation` is fed whenever one of its parts changes, and before everything else.
 * - `fence` is answered with one `fenced` of the same id; it is recorded on this machine's disk before that.
 * - `withdraw`: the peer is heard again. Where its device was told nothing yet, for there is a delay, nothing happens to it, and the `fenced` says so;
 *   otherwise the fencing goes on, and the silence that it causes is no new one.
 * - `go-alone` is answered with one `went-alone`. The word on which it is done must survive a crash of the daemon.
 */
import { assertNever, type MonotonicMs, monotonicMs, type NodeName, type Step } from '../base/index.ts'

/** Why the peer cannot be running anything of the cluster's. */
export type WhyPeerIsOff = 'fenced' | 'left' | 'administrator'

export interface TwoNodeSituation {
  readonly peer: NodeName
  readonly heartbeat: 'heard' | 'restarting' | 'silent'
  /** Which life of its daemon was heard last. */
  readonly incarnation?: number
  /** By the last state that both agreed on it has stopped everything and gone, or was fenced. */
  readonly peerIsDown: boolean
  /** This machine had quorum since it booted. */
  readonly met: boolean
  /** What this node knows of the configuration says that nodes are fenced. */
  readonly fencingEnabled: boolean
  readonly quorate: boolean
}

export type TwoNodeInput =
  /** Without one, this is no cluster of two voters. */
  | { readonly kind: 'situation'; readonly situation?: TwoNodeSituation }
  | { readonly kind: 'fenced'; readonly id: number; readonly succeeded: boolean; readonly message: string }
  /** Somebody who is to be believed says that the peer is off; or a word that was given before this daemon was restarted. */
  | { readonly kind: 'peer-is-off'; readonly word: WhyPeerIsOff }
  | { readonly kind: 'went-alone'; readonly succeeded: boolean; readonly message: string }
  | { readonly kind: 'tick' }

export type TwoNodeEffect =
  | { readonly kind: 'fence'; readonly id: number; readonly target: NodeName }
  | { readonly kind: 'withdraw'; readonly id: number; readonly target: NodeName }
  | { readonly kind: 'go-alone'; readonly without: NodeName; readonly word: WhyPeerIsOff }

export type TwoNodePhase =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'fencing'
      readonly id: number
      readonly incarnation: number | undefined
      readonly withdrawn?: true
    }
  /** That life of it is over, and its last heartbeats are not a second old: its silence is waited for. */
  | { readonly kind: 'fenced-and-heard'; readonly incarnation: number | undefined; readonly retryAt: MonotonicMs }
  /** The list of nodes is about to show that the peer has no vote any more. */
  | { readonly kind: 'went-alone' }
  | { readonly kind: 'fencing-failed'; readonly retryAt: MonotonicMs; readonly message: string }
  /** `lapsed`: meanwhile this was no cluster of two voters, so that the word does not count for another attempt. */
  | { readonly kind: 'going-alone'; readonly word: WhyPeerIsOff; readonly lapsed?: true }
  | {
      readonly kind: 'going-alone-failed'
      readonly word: WhyPeerIsOff
      readonly retryAt: MonotonicMs
      readonly message: string
    }

export interface TwoNodeState {
  readonly situation?: TwoNodeSituation
  readonly phase: TwoNodePhase
  readonly failures: number
  readonly lastId: number
}

type TwoNodeStep = Step<TwoNodeState, TwoNodeEffect>

const aloneRetryMs = 1000
/** Whoever is heard after that lives, whatever its device says. */
const lastHeartbeatsMs = 10_000
const fencingRetryMs = 1000
const mostFencingRetryMs = 10_000

export const initialTwoNode: TwoNodeState = { phase: { kind: 'idle' }, failures: 0, lastId: 0 }

export function twoNodeStep(state: TwoNodeState, input: TwoNodeInput, now: MonotonicMs): TwoNodeStep {
  return act(takeInput(state, input, now), now)
}

export function nextTwoNodeAt({ phase }: TwoNodeState): MonotonicMs | undefined {
  return 'retryAt' in phase ? phase.retryAt : undefined
}

/** Whether this node keeps what it runs although it has no quorum: it is about to make sure that it may. */
export function keepsResources({ situation, phase }: TwoNodeState): boolean {
  if (phase.kind === 'going-alone' || phase.kind === 'going-alone-failed') return true
  return situation?.met === true && situation.fencingEnabled
}

/** For people, where there is something to say. */
export function describeTwoNode({ situation, phase }: TwoNodeState): string | undefined {
  if (situation === undefined) return undefined
  const { peer, quorate, met, fencingEnabled, heartbeat } = situation
  switch (phase.kind) {
    case 'fencing':
      return `${peer} is unreachable. This node keeps its resources and continues alone once ${peer} is fenced.`
    case 'fenced-and-heard':
      return `${peer} was fenced. This node continues alone once ${peer} is silent.`
    case 'fencing-failed':
      return `${peer} is unreachable and could not be fenced (${phase.message}). Nothing is recovered until fencing succeeds, or \`systole stonith confirm ${peer}\`.`
    case 'going-alone':
      return `${peer} is off. This node takes over the store and continues alone.`
    case 'going-alone-failed':
      return `${peer} is off, but this node could not take over the store yet: ${phase.message}`
    case 'idle':
    case 'went-alone':
      break
    default:
      return assertNever(phase)
  }
  if (quorate || heartbeat !== 'silent') return undefined
  if (!met)
    return `This node waits for ${peer}, which may be running. Start it, or run \`systole quorum unblock\` if it is off.`
  if (!fencingEnabled)
    return `${peer} is unreachable and fencing is disabled, so neither node may continue alone. Run \`systole quorum unblock\` if ${peer} is off.`
  return undefined
}

function takeInput(state: TwoNodeState, input: TwoNodeInput, now: MonotonicMs): TwoNodeState {
  const { phase } = state
  switch (input.kind) {
    case 'situation':
      return input.situation === undefined ? withoutSituation(state) : { ...state, situation: input.situation }
    case 'fenced':
      if (phase.kind !== 'fencing' || phase.id !== input.id) return state
      if (input.succeeded) return afterFencing(state, phase.incarnation, now)
      return phase.withdrawn ? idle(state) : fencingFailed(state, input.message, now)
    case 'peer-is-off':
      return phase.kind === 'going-alone' || state.situation === undefined ? state : wishAlone(state, input.word, now)
    case 'went-alone': {
      if (phase.kind !== 'going-alone') return state
      if (phase.lapsed) return idle(state)
      if (input.succeeded) return { ...state, phase: { kind: 'went-alone' }, failures: 0 }
      const retryAt = monotonicMs(now + aloneRetryMs)
      return { ...state, phase: { kind: 'going-alone-failed', word: phase.word, retryAt, message: input.message } }
    }
    case 'tick':
      return state
    default:
      return assertNever(input)
  }
}

/** A word about the peer is about the cluster as it was: others may have a majority meanwhile. What is under way cannot be called back. */
function withoutSituation({ situation: _before, ...rest }: TwoNodeState): TwoNodeState {
  const { phase } = rest
  return phase.kind === 'going-alone' ? { ...rest, phase: { ...phase, lapsed: true } } : idle(rest)
}

const idle = (state: TwoNodeState): TwoNodeState => ({ ...state, phase: { kind: 'idle' }, failures: 0 })

/** The life that was fenced is over. Another that is heard has booted since, and is decided about anew. */
function afterFencing(state: TwoNodeState, incarnation: number | undefined, now: MonotonicMs): TwoNodeState {
  const { situation } = state
  if (situation?.heartbeat !== 'heard' || situation.incarnation !== incarnation) return wishAlone(state, 'fenced', now)
  return { ...state, phase: { kind: 'fenced-and-heard', incarnation, retryAt: monotonicMs(now + lastHeartbeatsMs) } }
}

/** Done by `act`, which looks first whether the peer is back. */
function wishAlone(state: TwoNodeState, word: WhyPeerIsOff, now: MonotonicMs): TwoNodeState {
  return { ...state, phase: { kind: 'going-alone-failed', word, retryAt: now, message: 'it has not been tried' } }
}

function fencingFailed(state: TwoNodeState, message: string, now: MonotonicMs): TwoNodeState {
  const failures = state.failures + 1
  const retryAt = monotonicMs(now + Math.min(mostFencingRetryMs, fencingRetryMs * failures))
  return { ...state, failures, phase: { kind: 'fencing-failed', retryAt, message } }
}

function act(state: TwoNodeState, now: MonotonicMs): TwoNodeStep {
  const { situation, phase } = state
  if (situation === undefined) return { state, effects: [] }
  switch (phase.kind) {
    case 'fencing':
      if (situation.heartbeat !== 'heard' || phase.withdrawn) return { state, effects: [] }
      return {
        state: { ...state, phase: { ...phase, withdrawn: true } },
        effects: [{ kind: 'withdraw', id: phase.id, target: situation.peer }],
      }
    case 'going-alone':
      return { state, effects: [] }
    case 'went-alone':
      // The silence that was answered is no new one.
      return { state: situation.heartbeat === 'heard' ? idle(state) : state, effects: [] }
    case 'fenced-and-heard':
      if (situation.incarnation !== phase.incarnation) return { state: idle(state), effects: [] }
      if (situation.heartbeat !== 'heard') return goAlone(state, situation, 'fenced')
      return { state: now < phase.retryAt ? state : idle(state), effects: [] }
    case 'going-alone-failed':
      // A peer that was fenced may be up again before this node came to anything: then there are two once more.
      if (situation.heartbeat === 'heard') return { state: idle(state), effects: [] }
      return now < phase.retryAt ? { state, effects: [] } : goAlone(state, situation, phase.word)
    case 'idle':
    case 'fencing-failed':
      return decide(state, situation, now)
    default:
      return assertNever(phase)
  }
}

function decide(state: TwoNodeState, situation: TwoNodeSituation, now: MonotonicMs): TwoNodeStep {
  const { heartbeat, peer, peerIsDown, met, fencingEnabled } = situation
  if (heartbeat === 'heard') return { state: idle(state), effects: [] }
  // Whoever was down when both last agreed cannot have begun anything since: that takes this node's vote.
  if (peerIsDown && met) return goAlone(state, situation, 'left')
  if (heartbeat !== 'silent' || !met || !fencingEnabled) return { state, effects: [] }
  if (state.phase.kind === 'fencing-failed' && now < state.phase.retryAt) return { state, effects: [] }
  const id = state.lastId + 1
  return {
    state: { ...state, lastId: id, phase: { kind: 'fencing', id, incarnation: situation.incarnation } },
    effects: [{ kind: 'fence', id, target: peer }],
  }
}

function goAlone(state: TwoNodeState, situation: TwoNodeSituation, word: WhyPeerIsOff): TwoNodeStep {
  return {
    state: { ...state, phase: { kind: 'going-alone', word } },
    effects: [{ kind: 'go-alone', without: situation.peer, word }],
  }
}
