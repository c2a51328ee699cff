/**
 * Which vote is given or taken next, by the list of nodes, which runs ahead of the store: a learner counts as the voter that it is about to be.
 * A vote that is given is in the list before it is in the store; one that is taken leaves the store before the list, or its node would end a voter.
 */
import { assertNever, type NodeName } from '../base/index.ts'
import { nextMembershipStep, type VoterNode, type VoterState } from './membership-step.ts'
import type { ListedHost, VoterList } from './voters.ts'

export type VoteStep = { readonly kind: 'none' } | VoteChange

export interface VoteChange {
  readonly kind: 'give' | 'take'
  readonly node: NodeName
}

type StateOf = (host: NodeName) => VoterState

export function nextVoteStep(list: VoterList, stateOf: StateOf): VoteStep {
  const hosts = hostsOf(list)
  const nodes = hosts
    .filter((host) => host.leaving !== true || keepsVote(list, host, stateOf))
    .map(({ name }): VoterNode => ({ name, id: name, state: stateOf(name), isWitness: name === list.witness?.name }))
  const voters = hosts.filter(({ votes }) => votes)
  const step = nextMembershipStep({ nodes, members: voters.map(({ name }) => ({ id: name, learner: false })) })
  if (step.kind === 'none' || step.kind === 'promote') return { kind: 'none' }
  const entry = hosts.find(({ name }) => name === step.id)
  if (!entry) return { kind: 'none' }
  switch (step.kind) {
    case 'add-learner':
      return { kind: 'give', node: entry.name }
    case 'remove':
      return { kind: 'take', node: entry.name }
    default:
      return assertNever(step)
  }
}

/** One that leaves does not give up its vote while the others without it would be no majority: a node may have been lost since its removal began. */
const keepsVote = (list: VoterList, host: ListedHost, stateOf: StateOf): boolean =>
  host.votes && !othersAreMajority(list, host.name, (other) => stateOf(other) === 'up').holds

/** Whether the others are a majority among themselves without that vote, so that a loss right after it is taken stops nobody who could go on. */
export function othersAreMajority(
  list: VoterList,
  leaving: NodeName,
  isUp: (host: NodeName) => boolean,
): { readonly holds: boolean; readonly missing: readonly NodeName[] } {
  const others = hostsOf(list).filter(({ name, votes }) => votes && name !== leaving)
  const missing = others.filter(({ name }) => !isUp(name)).map(({ name }) => name)
  return { holds: others.length - missing.length > others.length / 2, missing }
}

/**
 * While another, which the list has given a vote, still copies the store: the list counts it, the store does not. Without the vote that is to go, a majority of
 * the store could be fewer than the list says, and a loss right then would stop those whom neither a majority nor the rules for two would let go on.
 */
export const isAwaited = (joining: readonly string[], host: NodeName): boolean => joining.some((name) => name !== host)

export const hostsOf = ({ nodes, witness }: Pick<VoterList, 'nodes' | 'witness'>): readonly ListedHost[] =>
  witness === undefined ? nodes : [...nodes, witness]
