/**
 * Which nodes vote in the store, and the next single step from the members that there are to those that there should be. Pure.
 * Three of 3 or 4 nodes vote, five of 5 or more; more votes make every write slower and no cluster safer. A witness votes
 * while the number of voting nodes is even: two nodes and it are three votes, four are five. Of three nodes it would be a fourth
 * vote, which stands no more losses than three. A step is taken at a time, and computed again from what is then true.
 */
export type VoterState = VoterNode['state']

export interface VoterNode {
  readonly name: string
  /** By which it is known among the members. */
  readonly id: string
  /** `fenced`: confirmed off. `silent`: nobody knows; it keeps its vote, because it may be running. A witness runs nothing, and is `fenced` once it was silent for long. */
  readonly state: 'up' | 'silent' | 'fenced'
  /** It votes and is no node. There is one at most. */
  readonly isWitness?: boolean
}

export interface StoreMember {
  readonly id: string
  readonly learner: boolean
}

export type MembershipStep =
  | { readonly kind: 'none' }
  | { readonly kind: 'add-learner'; readonly id: string }
  | { readonly kind: 'promote'; readonly id: string }
  | { readonly kind: 'remove'; readonly id: string }

const maxVoters = 7

export function voterCount(nodes: number, configured?: number): number {
  if (configured !== undefined) return Math.max(1, Math.min(configured, nodes, maxVoters))
  if (nodes <= 2) return nodes
  return nodes < 5 ? 3 : 5
}

export function nextMembershipStep(view: {
  readonly members: readonly StoreMember[]
  readonly nodes: readonly VoterNode[]
  readonly configuredVoters?: number
}): MembershipStep {
  const nodeOf = new Map(view.nodes.map((node) => [node.id, node]))
  const isUp = (member: StoreMember) => nodeOf.get(member.id)?.state === 'up'
  const learner = view.members.find((member) => member.learner)
  if (learner !== undefined) return { kind: isUp(learner) ? 'promote' : 'remove', id: learner.id }

  const stranger = view.members.find((member) => !nodeOf.has(member.id))
  if (stranger !== undefined) return { kind: 'remove', id: stranger.id }

  const isNode = (member: StoreMember) => nodeOf.get(member.id)?.isWitness !== true
  const nodes = view.nodes.filter(({ isWitness }) => isWitness !== true)
  const witness = view.nodes.find(({ isWitness }) => isWitness === true)
  const wanted = wantedVotes(nodes.length, witness !== undefined, view.configuredVoters)
  const voting = view.members.filter(isNode)
  const spare = nodes
    .filter(({ id, state }) => state === 'up' && !view.members.some((member) => member.id === id))
    .sort((a, b) => (a.name < b.name ? -1 : 1))[0]
  const witnessVotes = view.members.length > voting.length
  const fenced = voting.filter((member) => nodeOf.get(member.id)?.state === 'fenced')
  const [gone] = fenced
  const stepsIn = witness?.state === 'up' && !witnessVotes && voting.length > 1 && voting.length % 2 === 1
  // etcd adds nobody while a voter is unreachable, so the lost one leaves before its replacement comes. Without a
  // replacement it leaves only where the rest can then stand one more loss than before: two gone of five, not one of three.
  if (gone !== undefined && (spare !== undefined || stepsIn || shrinkingHelps(view.members.length, fenced.length)))
    return { kind: 'remove', id: gone.id }
  if (spare !== undefined && voting.length < Math.min(wanted, nodes.length))
    return { kind: 'add-learner', id: spare.id }
  // While one is silent the others may need every vote that they have.
  if (!voting.every(isUp)) return { kind: 'none' }
  // One too many, after a node left.
  const last = [...voting].sort((a, b) => (a.id < b.id ? -1 : 1)).at(-1)
  if (last !== undefined && voting.length > Math.min(wanted, nodes.length)) return { kind: 'remove', id: last.id }
  return witness === undefined ? { kind: 'none' } : witnessStep(witness, { votes: witnessVotes, voting: voting.length })
}

/** All voting nodes are up. One that stays away leaves its vote: two nodes without it have rules of their own. */
function witnessStep(
  { id, state }: VoterNode,
  now: { readonly votes: boolean; readonly voting: number },
): MembershipStep {
  const isOfUse = now.voting % 2 === 0
  if (now.votes) return isOfUse && state !== 'fenced' ? { kind: 'none' } : { kind: 'remove', id }
  return isOfUse && state === 'up' ? { kind: 'add-learner', id } : { kind: 'none' }
}

/** The witness's among them. One node and a witness would be two votes, of which neither may be lost. */
function wantedVotes(nodes: number, hasWitness: boolean, configured: number | undefined): number {
  return voterCount(hasWitness && nodes > 1 ? nodes + 1 : nodes, configured)
}

/** How many more losses the voters stand, before and after the lost ones are taken off the list. */
function shrinkingHelps(voters: number, lost: number): boolean {
  const majority = (count: number) => Math.floor(count / 2) + 1
  const present = voters - lost
  return present - majority(present) > present - majority(voters)
}
