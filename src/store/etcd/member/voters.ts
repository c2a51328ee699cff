/**
 * Which nodes vote in etcd, and the next single step from the members that there are to those that there should be. Pure.
 * Three of 3 or 4 nodes vote, five of 5 or more; more votes make every write slower and no cluster safer. A step is taken at a
 * time, and computed again from what is then true.
 */
export interface VoterNode {
  readonly name: string
  readonly peerUrl: string
  /** `fenced`: confirmed off. `silent`: nobody knows; it keeps its vote, because it may be running. */
  readonly state: 'up' | 'silent' | 'fenced'
}

export interface EtcdMemberView {
  readonly peerUrl: string
  readonly learner: boolean
}

export type MembershipStep =
  | { readonly kind: 'none' }
  | { readonly kind: 'add-learner'; readonly peerUrl: string }
  | { readonly kind: 'promote'; readonly peerUrl: string }
  | { readonly kind: 'remove'; readonly peerUrl: string }

const maxVoters = 7

export function voterCount(nodes: number, configured?: number): number {
  if (configured !== undefined) return Math.max(1, Math.min(configured, nodes, maxVoters))
  if (nodes <= 2) return nodes
  return nodes < 5 ? 3 : 5
}

export function nextMembershipStep(view: {
  readonly members: readonly EtcdMemberView[]
  readonly nodes: readonly VoterNode[]
  readonly configuredVoters?: number
}): MembershipStep {
  const nodeOf = new Map(view.nodes.map((node) => [node.peerUrl, node]))
  const isUp = (member: EtcdMemberView) => nodeOf.get(member.peerUrl)?.state === 'up'
  const learner = view.members.find((member) => member.learner)
  if (learner !== undefined) return { kind: isUp(learner) ? 'promote' : 'remove', peerUrl: learner.peerUrl }

  const stranger = view.members.find((member) => !nodeOf.has(member.peerUrl))
  if (stranger !== undefined) return { kind: 'remove', peerUrl: stranger.peerUrl }

  const wanted = voterCount(view.nodes.length, view.configuredVoters)
  const spare = view.nodes
    .filter(({ peerUrl, state }) => state === 'up' && !view.members.some((member) => member.peerUrl === peerUrl))
    .sort((a, b) => (a.name < b.name ? -1 : 1))[0]
  const fenced = view.members.filter((member) => nodeOf.get(member.peerUrl)?.state === 'fenced')
  const [gone] = fenced
  // etcd adds nobody while a voter is unreachable, so the lost one leaves before its replacement comes. Without a
  // replacement it leaves only where the rest can then stand one more loss than before: two gone of five, not one of three.
  if (gone !== undefined && (spare !== undefined || shrinkingHelps(view.members.length, fenced.length)))
    return { kind: 'remove', peerUrl: gone.peerUrl }
  if (spare !== undefined && view.members.length < wanted) return { kind: 'add-learner', peerUrl: spare.peerUrl }
  // One too many, after a node left. While one is silent the others may need every vote that they have.
  const last = [...view.members].sort((a, b) => (a.peerUrl < b.peerUrl ? -1 : 1)).at(-1)
  if (last !== undefined && view.members.length > wanted && view.members.every(isUp))
    return { kind: 'remove', peerUrl: last.peerUrl }
  return { kind: 'none' }
}

/** How many more losses the voters stand, before and after the lost ones are taken off the list. */
function shrinkingHelps(voters: number, lost: number): boolean {
  const majority = (count: number) => Math.floor(count / 2) + 1
  const present = voters - lost
  return present - majority(present) > present - majority(voters)
}
