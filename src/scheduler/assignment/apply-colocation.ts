/**
 * What a colocation does to its dependent once the primary is assigned (Pacemaker Explained, "Placing Resources Relative to
 * other Resources"). A mandatory one rules out every node where the primary is not, an optional one adds its score where
 * the primary is. Where the dependent is a promotable instance that has its node already, it is about the role and
 * changes the priority for promotion instead.
 */
import { assertNever } from '../../base/index.ts'
import { INFINITY_SCORE, type Role, roleRank, type Score } from '../../cib/index.ts'
import type { Colocation } from '../constraints/colocations.ts'
import {
  type BundleEntry,
  type CloneEntry,
  type Entry,
  type GroupEntry,
  isColocatedGroup,
  topBelowBundle,
} from '../resources/tree.ts'
import { absent, add, scoreAt } from '../scores/score-table.ts'
import { unassignable } from './assign-to-node.ts'
import {
  type AssignmentDraft,
  addPriority,
  assignedNode,
  isAssigned,
  isBlocked,
  membersOf,
  nextRole,
  nowhere,
  tableOf,
} from './assignment-draft.ts'
import { anyAvailable } from './availability.ts'
import { colocationValue, dependsOnHost, nodeNameAttribute } from './node-attribute.ts'
import { compatibleContainer, compatibleInstance } from './pairing.ts'

/**
 * Applies a colocation to a dependent of any kind, against a primary of any kind. Returns what it adds to the dependent's
 * priority for promotion: 0 unless it is about the role.
 */
export function applyColocation(
  draft: AssignmentDraft,
  colocation: Colocation,
  dependent: Entry,
  primary: Entry,
): Score {
  if (dependent.kind !== 'group') return applyToMember(draft, colocation, dependent, primary)
  const [first] = dependent.members
  if (first === undefined) return 0
  if (isColocatedGroup(dependent)) return applyToPart(draft, colocation, first, primary)
  if (colocation.score >= INFINITY_SCORE) return 0
  return sumOver(dependent.members, (member) => applyToPart(draft, colocation, member, primary))
}

/** What it adds for the role counts for the member as for its group. */
function applyToPart(draft: AssignmentDraft, colocation: Colocation, member: Entry, primary: Entry): Score {
  const priority = applyToMember(draft, colocation, member, primary)
  addPriority(draft, member, priority)
  return priority
}

function sumOver<T>(items: readonly T[], priorityOf: (item: T) => Score): Score {
  return items.reduce<Score>((sum, item) => add(sum, priorityOf(item)), 0)
}

function applyToMember(draft: AssignmentDraft, colocation: Colocation, dependent: Entry, primary: Entry): Score {
  const { trail } = draft.notes
  if (!trail.recording) return applyWith(draft, colocation, dependent, primary)
  const before = tableOf(draft, dependent).slice()
  const priority = applyWith(draft, colocation, dependent, primary)
  const source = { kind: 'colocation', constraint: colocation.id, with: primary.id, as: 'dependent' } as const
  trail.noteChange(dependent.index, source, before, tableOf(draft, dependent))
  return priority
}

function applyWith(draft: AssignmentDraft, colocation: Colocation, dependent: Entry, primary: Entry): Score {
  switch (primary.kind) {
    case 'primitive':
      return withPrimitive(draft, colocation, dependent, primary)
    case 'group':
      return withGroup(draft, colocation, dependent, primary)
    case 'clone':
      return withClone(draft, colocation, dependent, primary)
    case 'bundle':
      return withBundle(draft, colocation, dependent, primary)
    default:
      return assertNever(primary)
  }
}

function withPrimitive(draft: AssignmentDraft, colocation: Colocation, dependent: Entry, primary: Entry): Score {
  if (!isAssigned(draft, primary)) return 0
  if (concernsRole(draft, colocation, dependent)) return priorityWith(draft, colocation, dependent, primary)
  if (!isAssigned(draft, dependent) && rolesApply(draft, colocation, dependent, primary))
    changeScores(draft, colocation, dependent, primary)
  return 0
}

/** A colocation by role, of an instance that has its node: only the role is still open. */
function concernsRole(draft: AssignmentDraft, { dependentRole }: Colocation, dependent: Entry): boolean {
  if (roleRank(dependentRole) < roleRank('Unpromoted')) return false
  const instance = roleHolder(draft, dependent)
  const clone = topBelowBundle(instance)
  return clone !== instance && clone.kind === 'clone' && clone.resource.promotable && isAssigned(draft, instance)
}

/** A bundle's container stands for the instance that runs in it. */
function roleHolder({ tree }: AssignmentDraft, entry: Entry): Entry {
  if (entry.parent?.kind !== 'bundle') return entry
  return tree.replicaOf.get(entry.index)?.child ?? entry
}

export function rolesApply(draft: AssignmentDraft, colocation: Colocation, dependent: Entry, primary: Entry): boolean {
  return matchesRole(draft, colocation.dependentRole, dependent) && matchesRole(draft, colocation.primaryRole, primary)
}

function matchesRole(draft: AssignmentDraft, role: Role | undefined, entry: Entry): boolean {
  return role === undefined || role === nextRole(draft, roleHolder(draft, entry))
}

/** What cannot be promoted but beside the primary is not promoted elsewhere, nor while the primary is nowhere. */
function priorityWith(draft: AssignmentDraft, colocation: Colocation, dependent: Entry, primary: Entry): Score {
  const { nodeAttribute, dependentRole, score } = colocation
  const [here, there] = [assignedNode(draft, dependent), assignedNode(draft, primary)]
  if (here === nowhere) return 0
  // A primary that is nowhere has no value of an attribute, as a node where nobody has set it.
  const together =
    colocationValue(draft, here, nodeAttribute, dependent) === colocationValue(draft, there, nodeAttribute, primary)
  if (!together) return score >= INFINITY_SCORE && dependentRole === 'Promoted' ? -INFINITY_SCORE : 0
  if (!matchesRole(draft, colocation.primaryRole, primary)) return 0
  // Wanting to be unpromoted beside something is wanting not to be promoted there.
  return dependentRole === 'Unpromoted' ? -score : score
}

function changeScores(draft: AssignmentDraft, colocation: Colocation, dependent: Entry, primary: Entry): void {
  const { score } = colocation
  const there = assignedNode(draft, primary)
  // Keeping away from something that runs nowhere is no effort.
  if (there === nowhere && score < 0) return
  const isTogether = placesTogether(draft, colocation, { dependent, primary, there })
  const table = tableOf(draft, dependent)
  const work = table.slice()
  for (let node = 0; node < work.length; node++) {
    const was = scoreAt(work, node)
    if (was === absent) continue
    if (there === nowhere) work[node] = add(was, -score)
    else if (isTogether(node)) {
      // A mandatory colocation does not make a node better; it rules out the others.
      if (score < INFINITY_SCORE) work[node] = add(was, score)
    } else if (score >= INFINITY_SCORE) work[node] = -INFINITY_SCORE
  }
  // A preference that would leave no node at all is given up.
  if (Math.abs(score) >= INFINITY_SCORE || anyAvailable(draft, work)) table.set(work)
}

interface Together {
  readonly dependent: Entry
  readonly primary: Entry
  /** Where the primary is. */
  readonly there: number
}

/** Whether a node of the dependent counts as the place where the primary is. */
function placesTogether(
  draft: AssignmentDraft,
  { nodeAttribute }: Colocation,
  { dependent, primary, there }: Together,
): (node: number) => boolean {
  if (there === nowhere) return () => false
  const isOnHost = dependsOnHost(dependent) || dependsOnHost(primary)
  // By name and without containers, a place is the node itself.
  if (nodeAttribute === nodeNameAttribute && !isOnHost && draft.tree.replicaOfNode.size === 0)
    return (node) => node === there
  const value = colocationValue(draft, there, nodeAttribute, primary)
  return (node) => colocationValue(draft, node, nodeAttribute, dependent) === value
}

/** Mandatory: all of the group must be there, so its last member counts; optional: its first. */
function withGroup(draft: AssignmentDraft, colocation: Colocation, dependent: Entry, group: GroupEntry): Score {
  if (!isAssigned(draft, group)) return 0
  if (isColocatedGroup(group)) {
    const member = colocation.score >= INFINITY_SCORE ? group.members.at(-1) : group.members[0]
    return member === undefined ? 0 : withPrimitive(draft, colocation, dependent, member)
  }
  if (colocation.score >= INFINITY_SCORE) return 0
  return sumOver(group.members, (member) => withPrimitive(draft, colocation, dependent, member))
}

function withClone(draft: AssignmentDraft, colocation: Colocation, dependent: Entry, clone: CloneEntry): Score {
  if (!isAssigned(draft, clone)) return 0
  if (clone.resource.promotable && colocation.primaryRole !== undefined) {
    if (isAssigned(draft, dependent))
      return colocation.dependentRole === 'Promoted' ? priorityByClone(draft, colocation, dependent, clone) : 0
    withRoleOfClone(draft, colocation, dependent, clone)
    return 0
  }
  if (interleaves(colocation, clone))
    return pairWith(draft, colocation, dependent, compatibleInstance(draft, dependent, clone))
  if (colocation.score >= INFINITY_SCORE) {
    const hosts = new Map<number, number>()
    for (const instance of membersOf(draft, clone)) {
      const node = assignedNode(draft, instance)
      if (node !== nowhere && !isBlocked(draft, instance)) hosts.set(node, 0)
    }
    keepOnly(draft, dependent, hosts)
    return 0
  }
  return sumOver(membersOf(draft, clone), (instance) => applyWith(draft, colocation, dependent, instance))
}

/** Instances pair up one to one where the dependent clone asks for it and both run equally many on a node. */
function interleaves({ dependent }: Colocation, clone: CloneEntry): boolean {
  return (
    dependent.kind === 'clone' &&
    dependent.resource.interleave &&
    dependent.resource.cloneNodeMax === clone.resource.cloneNodeMax
  )
}

function pairWith(draft: AssignmentDraft, colocation: Colocation, dependent: Entry, partner: Entry | undefined): Score {
  if (partner !== undefined) return applyColocation(draft, colocation, dependent, partner)
  if (colocation.score >= INFINITY_SCORE) unassignable(draft, dependent)
  return 0
}

/** Only instances that will have the wanted role count; mandatory ones pass on their own score for the node. */
function withRoleOfClone(draft: AssignmentDraft, colocation: Colocation, dependent: Entry, clone: CloneEntry): void {
  const hosts = new Map<number, number>()
  for (const instance of membersOf(draft, clone)) {
    const node = assignedNode(draft, instance)
    if (node === nowhere || nextRole(draft, instance) !== colocation.primaryRole) continue
    if (colocation.score < INFINITY_SCORE)
      addWhereEqual(draft, colocation, dependent, colocationValue(draft, node, colocation.nodeAttribute, clone))
    const holder = instance.kind === 'primitive' ? instance : instance.members[0]
    if (!hosts.has(node)) hosts.set(node, holder === undefined ? 0 : (draft.placement.score[holder.index] ?? 0))
  }
  const bothPromoted = colocation.dependentRole === 'Promoted' && colocation.primaryRole === 'Promoted'
  if (colocation.score >= INFINITY_SCORE && !bothPromoted) keepOnly(draft, dependent, hosts)
}

function addWhereEqual(
  draft: AssignmentDraft,
  { score, nodeAttribute }: Colocation,
  dependent: Entry,
  value: ReturnType<typeof colocationValue>,
): void {
  const table = tableOf(draft, dependent)
  for (let node = 0; node < table.length; node++) {
    const was = scoreAt(table, node)
    if (was !== absent && colocationValue(draft, node, nodeAttribute, dependent) === value)
      table[node] = add(was, score)
  }
}

function priorityByClone(draft: AssignmentDraft, colocation: Colocation, dependent: Entry, clone: CloneEntry): Score {
  const { nodeAttribute, primaryRole } = colocation
  const here = colocationValue(draft, assignedNode(draft, dependent), nodeAttribute, dependent)
  const isPartner = (instance: Entry): boolean => {
    const there = assignedNode(draft, instance)
    if (there === nowhere || isBlocked(draft, instance) || nextRole(draft, instance) !== primaryRole) return false
    return colocationValue(draft, there, nodeAttribute, clone) === here
  }
  if (membersOf(draft, clone).some(isPartner)) return colocation.score
  return colocation.score >= INFINITY_SCORE ? -INFINITY_SCORE : 0
}

/** Rules out every node that is not among the hosts, and adds the host's own score where it is. */
function keepOnly(draft: AssignmentDraft, dependent: Entry, hosts: ReadonlyMap<number, number>): void {
  const table = tableOf(draft, dependent)
  for (let node = 0; node < table.length; node++) {
    const was = scoreAt(table, node)
    if (was === absent) continue
    const score = hosts.get(node)
    table[node] = score === undefined ? -INFINITY_SCORE : add(was, score)
  }
}

function withBundle(draft: AssignmentDraft, colocation: Colocation, dependent: Entry, bundle: BundleEntry): Score {
  if (!isAssigned(draft, bundle)) return 0
  if (colocation.dependent.kind === 'clone' || colocation.dependent.kind === 'bundle')
    return pairWith(draft, colocation, dependent, compatibleContainer(draft, dependent, bundle))
  if (colocation.score < INFINITY_SCORE)
    return sumOver(bundle.replicas, ({ container }) => withPrimitive(draft, colocation, dependent, container))
  const hosts = new Map<number, number>()
  for (const { container, child } of bundle.replicas) {
    const node = assignedNode(draft, container)
    if (node === nowhere || isBlocked(draft, container)) continue
    if (colocation.primaryRole === 'Promoted' && (child === undefined || nextRole(draft, child) !== 'Promoted'))
      continue
    hosts.set(node, 0)
  }
  keepOnly(draft, dependent, hosts)
  return 0
}
