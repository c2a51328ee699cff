/**
 * Colocation constraints between pairs of resources: written pairs, resource sets, tags and templates, and what kinds of
 * resources imply (group members, a connection with its container, an address with its container). See "AssignmentDraft
 * Resources Relative to other Resources" and "Colocation Sets" in Pacemaker Explained.
 */
import type { ColocationConstraint, Configuration, ResourceSet, Role, Score } from '../../cib/index.ts'
import { INFINITY_SCORE } from '../../cib/index.ts'
import type { BundleEntry, Entry, GroupEntry, PrimitiveEntry, ResourceTree } from '../resources/tree.ts'
import { containerOf, isColocatedGroup } from '../resources/tree.ts'
import type { RuleHolds } from './locations.ts'
import type { References } from './references.ts'

export interface Colocation {
  readonly id: string
  readonly dependent: Entry
  readonly primary: Entry
  readonly dependentRole: Role | undefined
  readonly primaryRole: Role | undefined
  readonly score: Score
  readonly nodeAttribute: string
  readonly influence: boolean
  /** Written by an administrator rather than implied. */
  readonly explicit: boolean
}

interface Input {
  readonly configuration: Configuration
  readonly tree: ResourceTree
  readonly references: References
  readonly holds: RuleHolds
}

/** In the order in which they come to be known: written ones first. */
export function expandColocations(input: Input): readonly Colocation[] {
  const written = input.configuration.constraints.flatMap((constraint) => {
    if (constraint.kind !== 'colocation') return []
    if (constraint.lifetime !== undefined && !input.holds(constraint.lifetime, {})) return []
    return expandWritten(constraint, input.references)
  })
  return [...written, ...input.tree.top.flatMap((entry) => implied(entry, input.tree))]
}

interface Side {
  readonly id: string
  readonly role: Role | undefined
}

function expandWritten(constraint: ColocationConstraint, references: References): readonly Colocation[] {
  const { between } = constraint
  if (between.by === 'sets') return expandSets(constraint, references.expandSets(between.sets), references)
  const dependentMembers = references.members(between.dependent)
  const primaryMembers = references.members(between.primary)
  if (dependentMembers === undefined && primaryMembers === undefined) {
    return pair(constraint, references, {
      dependent: { id: withInstance(between.dependent, between.dependentInstance), role: between.dependentRole },
      primary: { id: withInstance(between.primary, between.primaryInstance), role: between.primaryRole },
    })
  }
  // Two lists of resources could be paired in many ways, so this means nothing.
  if (dependentMembers !== undefined && primaryMembers !== undefined) return []
  // A tag or a template is a set without an order of its own.
  const asSet = (members: readonly string[], role: Role | undefined): ResourceSet => ({
    id: constraint.id,
    members,
    sequential: false,
    sequentialWritten: false,
    requireAll: true,
    ...(role === undefined ? {} : { role }),
  })
  return expandSets(
    constraint,
    [
      asSet(dependentMembers ?? [between.dependent], between.dependentRole),
      asSet(primaryMembers ?? [between.primary], between.primaryRole),
    ],
    references,
  )
}

const withInstance = (id: string, instance: string | undefined): string =>
  instance === undefined ? id : `${id}:${instance}`

function pair(
  constraint: ColocationConstraint,
  references: References,
  sides: { readonly dependent: Side; readonly primary: Side },
  set: { readonly id: string; readonly score: Score } = constraint,
): readonly Colocation[] {
  const dependent = references.resource(sides.dependent.id)
  const primary = references.resource(sides.primary.id)
  if (dependent === undefined || primary === undefined || set.score === 0) return []
  return [
    {
      id: set.id,
      dependent,
      primary,
      dependentRole: effectiveRole(sides.dependent.role),
      primaryRole: effectiveRole(sides.primary.role),
      score: set.score,
      nodeAttribute: constraint.nodeAttribute ?? '#uname',
      influence: constraint.influence ?? dependent.resource.meta.critical,
      explicit: true,
    },
  ]
}

/** Started is what every active resource is, so it narrows nothing. */
const effectiveRole = (role: Role | undefined): Role | undefined => (role === 'Started' ? undefined : role)

/** Each set is colocated in itself where it is sequential, and the later of two sets is what the earlier is placed with. */
function expandSets(
  constraint: ColocationConstraint,
  sets: readonly ResourceSet[],
  references: References,
): readonly Colocation[] {
  return sets.flatMap((set, index) => {
    const within = expandWithin(constraint, set, references)
    const before = sets[index - 1]
    return before === undefined ? within : [...within, ...expandBetween(constraint, before, set, references)]
  })
}

/** Positive: each member with the one before it (or the other way round, if `listed`). Negative: each apart from all before it. */
function expandWithin(
  constraint: ColocationConstraint,
  set: ResourceSet,
  references: References,
): readonly Colocation[] {
  const named = { id: set.id, score: set.score ?? constraint.score }
  if (!set.sequential || named.score === 0) return []
  const side = (id: string): Side => ({ id, role: set.role })
  const members = set.members.slice(0, references.untilUnknown(set.members).length)
  return members.flatMap((id, index) => {
    const others = members.slice(named.score > 0 ? Math.max(0, index - 1) : 0, index)
    const listed = named.score > 0 && set.ordering === 'listed'
    return others.flatMap((other) =>
      listed
        ? pair(constraint, references, { dependent: side(other), primary: side(id) }, named)
        : pair(constraint, references, { dependent: side(id), primary: side(other) }, named),
    )
  })
}

/** A sequential set is represented by its end: the first member depends, the last is depended on. */
function expandBetween(
  constraint: ColocationConstraint,
  dependents: ResourceSet,
  primaries: ResourceSet,
  references: References,
): readonly Colocation[] {
  const from = dependents.sequential ? dependents.members.slice(0, 1) : dependents.members
  const to = primaries.sequential ? primaries.members.slice(-1) : primaries.members
  return from.flatMap((dependent) =>
    to.flatMap((primary) =>
      pair(constraint, references, {
        dependent: { id: dependent, role: dependents.role },
        primary: { id: primary, role: primaries.role },
      }),
    ),
  )
}

function implied(entry: Entry, tree: ResourceTree): readonly Colocation[] {
  switch (entry.kind) {
    case 'primitive':
      return entry.parent === undefined ? withContainer(entry, tree) : []
    case 'group':
      return [...entry.members.flatMap((member) => withContainer(member, tree)), ...withinGroup(entry)]
    case 'clone':
      return entry.members.flatMap((member) =>
        member.kind === 'primitive' ? withContainer(member, tree) : implied(member, tree),
      )
    case 'bundle':
      return withinBundle(entry, tree)
  }
}

function withinGroup(group: GroupEntry): readonly Colocation[] {
  if (!isColocatedGroup(group)) return []
  return group.members.flatMap((member, index) => {
    const before = group.members[index - 1]
    return before === undefined
      ? []
      : [
          {
            ...impliedPair('#group-members', member, before, INFINITY_SCORE),
            influence: member.resource.meta.critical,
          },
        ]
  })
}

function withinBundle(bundle: BundleEntry, tree: ResourceTree): readonly Colocation[] {
  return bundle.replicas.flatMap((replica) => [
    ...(replica.ip === undefined
      ? []
      : [impliedPair('#ip-with-container', replica.ip, replica.container, INFINITY_SCORE)]),
    ...(replica.remote === undefined ? [] : withContainer(replica.remote, tree)),
  ])
}

/**
 * A bundle's connection may run elsewhere than its container, which may itself be on a remote node, so that is only
 * preferred. A guest node's connection runs where its container does; so does what was put into a container that is no node.
 */
function withContainer(entry: PrimitiveEntry, tree: ResourceTree): readonly Colocation[] {
  if (!entry.resource.state.managed) return []
  const container = containerOf(tree, entry)
  if (container === undefined || nodeOfContainer(entry, container, tree) !== undefined) return []
  const score = tree.replicaOf.has(entry.index) ? 10_000 : INFINITY_SCORE
  return [impliedPair('#resource-with-container', entry, container, score)]
}

/** The guest or remote node that a container is for a resource that was put into it by the `container` meta-attribute. */
export function nodeOfContainer(entry: PrimitiveEntry, container: Entry, tree: ResourceTree): number | undefined {
  if (entry.resource.connectionOf !== undefined) return undefined
  for (const [node, connection] of tree.connectionOfNode)
    if (connection === container || containerOf(tree, connection) === container) return node
  return undefined
}

function impliedPair(id: string, dependent: Entry, primary: Entry, score: Score): Colocation {
  return {
    id,
    dependent,
    primary,
    dependentRole: undefined,
    primaryRole: undefined,
    score,
    nodeAttribute: '#uname',
    influence: true,
    explicit: false,
  }
}
