/**
 * On the DC: brings the votes in the store to what the list of nodes asks for, one step at a time (`quorum/vote-step.ts`). A step is written into the
 * list, which each node follows for its own member: one that is given a vote joins by itself, as a learner first. A vote that is taken leaves the store
 * before the list. So a member that the list gives no vote has come by mistake, as one that was still joining when it was removed: it is looked for.
 */
import { assertNever, type MonotonicMs, monotonicMs, type NodeName } from '../base/index.ts'
import type { ClusterView } from '../controller/index.ts'
import { isAwaited, nextVoteStep, type VoterState } from '../quorum/index.ts'
import type { OwnVotes, VotesEffect, VotesInput } from './own-votes-state.ts'
import { isQuorate, log, type NodeState, type NodeTurn, turn } from './state.ts'
import { silentOf } from './two-node-situation.ts'

const restMs = 2000
/** After a change of the list, for one that was about to join then. */
const searchSoonMs = 10_000
const searchEveryMs = 60_000

const versionOf = ({ list }: NodeState): number => list.nodesVersion ?? 0

const withVotes = (state: NodeState, votes: OwnVotes): NodeState => ({ ...state, votes })

/** A lost node keeps its vote until it is fenced: it may be running. */
export function advanceVotes(state: NodeState, now: MonotonicMs): NodeTurn {
  const { votes, list } = state
  if (votes.doing !== undefined || !changesVotes(state, now)) return turn(state)
  if (mustSearch(state, now)) {
    const until = monotonicMs(now + (versionOf(state) === votes.searched.nodesVersion ? searchEveryMs : searchSoonMs))
    const searched = { nodesVersion: versionOf(state), until }
    return asked(withVotes(state, { ...votes, searched, doing: { kind: 'search' } }), { kind: 'remove-strangers' })
  }
  if (rests(state, now)) return turn(state)
  const step = nextVoteStep(list, (host) => voterStateOf(state, host))
  if (step.kind === 'none') return turn(state)
  const begun = withVotes(state, { ...votes, doing: { kind: 'change', change: step } })
  const logged = log('info', 'the votes change', { node: step.node, to: step.kind })
  const first: VotesEffect =
    step.kind === 'take' ? { kind: 'ask-joining' } : { kind: 'change-list', host: step.node, votes: true }
  return turn(begun, logged, { kind: 'votes', effect: first })
}

export function takeVotesInput(state: NodeState, input: VotesInput, now: MonotonicMs): NodeTurn {
  const { votes } = state
  if (input.kind === 'witness') return turn(withVotes(state, { ...votes, witness: input.state }))
  const { doing } = votes
  if (doing === undefined) return turn(state)
  const host = doing.kind === 'change' ? doing.change.node : undefined
  switch (input.kind) {
    case 'joining':
      if (host === undefined || isAwaited(input.hosts, host)) return over(state, now)
      return asked(state, { kind: 'remove-member', host })
    case 'removed':
      return host === undefined ? over(state, now) : asked(state, { kind: 'change-list', host, votes: false })
    case 'done':
      return over(state, now)
    case 'failed': {
      const logged = log('warn', 'a vote could not be changed yet', { ...(host && { node: host }), error: input.why })
      const { state: next, effects } = over(state, now)
      return turn(next, logged, ...effects)
    }
    default:
      return assertNever(input)
  }
}

/** Undefined: only an input can change anything. */
export function nextVotesAt(state: NodeState, ticked: MonotonicMs): MonotonicMs | undefined {
  const { votes } = state
  if (votes.doing !== undefined || !changesVotes(state, ticked)) return undefined
  const times = [votes.rests?.until, votes.searched.until].filter((at) => at !== undefined && at > ticked)
  return times.length === 0 ? undefined : monotonicMs(Math.min(...(times as MonotonicMs[])))
}

/** Of a node, or of the witness. */
export function voterStateOf(state: NodeState, host: NodeName): VoterState {
  const { list, view, peers, votes } = state
  if (host === list.witness?.name) return votes.witness ?? 'silent'
  const isUp = view.members.get(host)?.state === 'member' && !silentOf(peers).includes(host)
  return voterState(view, host, isUp)
}

/** One that has left in order keeps its vote: it comes back. One that was fenced may not. */
function voterState(view: ClusterView, node: NodeName, isUp: boolean): VoterState {
  if (isUp) return 'up'
  const state = view.nodeStates.get(node)
  const fenced = state?.expected === 'down' && state.attributes?.node_fenced !== undefined
  return fenced && !view.members.has(node) ? 'fenced' : 'silent'
}

const changesVotes = (state: NodeState, now: MonotonicMs): boolean =>
  state.began && state.list.store.kind === 'etcd' && isQuorate(state, now) && state.view.dc?.node === state.self

function mustSearch(state: NodeState, now: MonotonicMs): boolean {
  const { nodesVersion, until } = state.votes.searched
  return nodesVersion !== versionOf(state) || now >= until
}

function rests(state: NodeState, now: MonotonicMs): boolean {
  const resting = state.votes.rests
  return resting !== undefined && resting.nodesVersion === versionOf(state) && now < resting.until
}

function over(state: NodeState, now: MonotonicMs): NodeTurn {
  const { doing, rests: before, ...rest } = state.votes
  const resting = { nodesVersion: versionOf(state), until: monotonicMs(now + restMs) }
  const kept = doing?.kind === 'search' ? before : resting
  return turn(withVotes(state, { ...rest, ...(kept === undefined ? {} : { rests: kept }) }))
}

function asked(state: NodeState, effect: VotesEffect): NodeTurn {
  return turn(state, { kind: 'votes', effect })
}
