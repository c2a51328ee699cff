/**
 * Who votes by the list of nodes, and which two of them are a cluster of two nodes (votequorum's `two_node`): one of them may go on without the
 * other. While both vote the store itself sees to that.
 */
import type { NodeName } from '../base/index.ts'

export interface ListedHost {
  readonly name: NodeName
  /** Has a member of the store, or is to have one. */
  readonly votes: boolean
  readonly leaving?: true
}

/** Of the list of nodes, as a cluster.json has it, what matters for votes. */
export interface VoterList {
  readonly nodes: readonly ListedHost[]
  /** A host that votes and is no node. */
  readonly witness?: ListedHost
  readonly store: { readonly kind: string }
  /** Grows with every change. */
  readonly nodesVersion?: number
}

/** The other of two nodes whose store is the cluster's own; undefined in every other cluster, such as one with a witness that votes. */
export function otherOfAll<List extends VoterList>(list: List, self: NodeName): List['nodes'][number] | undefined {
  if (list.witness?.votes === true) return undefined
  if (list.store.kind !== 'etcd' || list.nodes.length !== 2 || list.nodes.some(({ leaving }) => leaving))
    return undefined
  return list.nodes.find(({ name }) => name !== self)
}

/**
 * The other of two voters, too, while nodes come or go that have no vote: of three, one that is being removed has given its vote back, or one that was added has none yet.
 * A node without a vote in the list is no voter in etcd, because the list comes first where a vote is given and last where one is taken: so it has no part in any
 * majority, and what holds for two nodes holds for these two.
 */
export function otherOfTwo<List extends VoterList>(list: List, self: NodeName): List['nodes'][number] | undefined {
  if (list.nodes.length <= 2) return otherOfAll(list, self)
  const voters = list.nodes.filter((node) => node.votes)
  const isInChange = list.nodes.every(({ votes, leaving }) => !votes || leaving !== true)
  if (list.store.kind !== 'etcd' || list.witness?.votes === true || voters.length !== 2 || !isInChange) return undefined
  if (!voters.some(({ name }) => name === self)) return undefined
  return voters.find(({ name }) => name !== self)
}

export const hasVote = (list: Pick<VoterList, 'nodes'>, node: string): boolean =>
  list.nodes.some((entry) => entry.name === node && entry.votes)

/** As the controller wants to know it. */
export function votesIn(
  list: VoterList,
  self: NodeName,
): { readonly voters: readonly NodeName[]; readonly otherVoter?: NodeName } {
  const other = otherOfTwo(list, self)
  return {
    voters: [...list.nodes, ...(list.witness === undefined ? [] : [list.witness])].flatMap(({ name, votes }) =>
      votes ? [name] : [],
    ),
    ...(other?.votes === true && hasVote(list, self) ? { otherVoter: other.name } : {}),
  }
}
