/**
 * The resources as the planning of actions walks them: a tree with parents, one entry for each primitive instance, group,
 * clone and bundle. A bundle's member is a clone of its own here, as the graph names it (`web-bundle-clone`).
 */
import { defined, type NodeName, type ResourceId } from '../../../base/index.ts'
import { type Role, roleRank } from '../../../cib/index.ts'
import type {
  BundleResource,
  CloneResource,
  ClusterStatus,
  GroupResource,
  PrimitiveResource,
  Resource,
} from '../../../status/index.ts'
import type { Assignment, PrimitiveAssignment } from '../../assigned/assignment.ts'

interface PlannedCommon {
  readonly id: ResourceId
  /** A number of its own, by which what is found out about resources is kept. */
  readonly index: number
  readonly parent: PlannedResource | undefined
}

export interface PlannedPrimitive extends PlannedCommon {
  readonly kind: 'primitive'
  readonly resource: PrimitiveResource
  /** The role that it has; an instance of a promotable clone that is just started counts as unpromoted. */
  readonly role: Role
  readonly assigned: PrimitiveAssignment
  /** The resource that this one runs inside of: a virtual machine, a bundle's container. */
  readonly container: PlannedPrimitive | undefined
  /** Part of a bundle: replica number and bundle. */
  readonly replica?: { readonly bundle: PlannedBundle; readonly number: number; readonly as: ReplicaPart }
}

export type ReplicaPart = 'container' | 'ip' | 'remote' | 'child'

export interface PlannedGroup extends PlannedCommon {
  readonly kind: 'group'
  readonly resource: GroupResource
  readonly members: readonly PlannedPrimitive[]
}

export interface PlannedClone extends PlannedCommon {
  readonly kind: 'clone'
  readonly resource: CloneResource
  readonly instances: readonly (PlannedPrimitive | PlannedGroup)[]
  /** Nodes whose instances are left out, being unchanged there. */
  readonly restsOn: ReadonlySet<NodeName>
}

export interface PlannedBundle extends PlannedCommon {
  readonly kind: 'bundle'
  readonly resource: BundleResource
  readonly child: PlannedClone | undefined
  readonly replicas: readonly PlannedReplica[]
}

export interface PlannedReplica {
  readonly number: number
  readonly container: PlannedPrimitive
  readonly ip: PlannedPrimitive | undefined
  readonly remote: PlannedPrimitive | undefined
  readonly child: PlannedPrimitive | undefined
}

export type PlannedResource = PlannedPrimitive | PlannedGroup | PlannedClone | PlannedBundle

/** All resources by id, and the top-level ones in the order of the status, and in that in which they are worked on. */
export interface PlannedTree {
  readonly top: readonly PlannedResource[]
  readonly ordered: readonly PlannedResource[]
  /** All primitives, in the order of the status. */
  readonly primitives: readonly PlannedPrimitive[]
  readonly byId: ReadonlyMap<string, PlannedResource>
  /** How many resources there are; the number of each is below. */
  readonly size: number
}

export function buildPlannedTree(status: ClusterStatus, assignment: Assignment): PlannedTree {
  const byId = new Map<string, PlannedResource>()
  const builder: Builder = { byId, assignment, size: 0, contained: [] }
  const top = status.resources.map((resource) => buildPlanned(builder, resource, undefined))
  for (const rsc of builder.contained) {
    const container = byId.get(rsc.resource.container ?? '')
    if (container?.kind === 'primitive') rsc.container = container
  }
  const primitives = top.flatMap(primitivesOf)
  return { top, ordered: inOrder(top, assignment.order), primitives, byId, size: builder.size }
}

/** Of some clones, the instances that can be left out, by the node that each is on. */
export type LeftOut = ReadonlyMap<PlannedClone, ReadonlyMap<NodeName, PlannedPrimitive | PlannedGroup>>

/** The same with some of the top-level resources only, and with what is in them but for what is left out. */
export function limitedTo(
  tree: PlannedTree,
  some: ReadonlySet<PlannedResource>,
  leftOut: LeftOut = new Map(),
): PlannedTree {
  const reduced = new Map<PlannedResource, PlannedClone>()
  const copies = new Map<PlannedResource, PlannedResource>()
  for (const [clone, instances] of leftOut) {
    if (instances.size > 0) reduced.set(clone, without(clone, instances, copies))
  }
  const wanted = (rsc: PlannedResource): readonly PlannedResource[] => (some.has(rsc) ? [reduced.get(rsc) ?? rsc] : [])
  const top = tree.top.flatMap(wanted)
  const byId = new Map<string, PlannedResource>()
  if (some.size > 0) {
    for (const [id, rsc] of tree.byId) {
      const outermost = topOf(rsc, { throughBundles: true })
      const kept = reduced.has(outermost) ? copies.get(rsc) : rsc
      if (kept && some.has(outermost)) byId.set(id, kept)
    }
  }
  return { ...tree, top, ordered: tree.ordered.flatMap(wanted), primitives: top.flatMap(primitivesOf), byId }
}

/** A copy, since what is in it names it. */
function without(
  clone: PlannedClone,
  leftOut: ReadonlyMap<NodeName, PlannedPrimitive | PlannedGroup>,
  copies: Map<PlannedResource, PlannedResource>,
): PlannedClone {
  const instances: (PlannedPrimitive | PlannedGroup)[] = []
  const copied: PlannedClone = { ...clone, instances, restsOn: new Set(leftOut.keys()) }
  copies.set(clone, copied)
  const atRest = new Set(leftOut.values())
  for (const instance of clone.instances) {
    if (!atRest.has(instance)) instances.push(copyOf(instance, copied, copies))
  }
  return copied
}

function copyOf(
  instance: PlannedPrimitive | PlannedGroup,
  parent: PlannedResource,
  copies: Map<PlannedResource, PlannedResource>,
): PlannedPrimitive | PlannedGroup {
  if (instance.kind === 'primitive') return noted({ ...instance, parent }, instance, copies)
  const members: PlannedPrimitive[] = []
  const group: PlannedGroup = noted({ ...instance, parent, members }, instance, copies)
  for (const member of instance.members) members.push(noted({ ...member, parent: group }, member, copies))
  return group
}

function noted<Kind extends PlannedResource>(
  copy: Kind,
  original: PlannedResource,
  copies: Map<PlannedResource, PlannedResource>,
): Kind {
  copies.set(original, copy)
  return copy
}

/** By id, of which there may be two: what is left in a history can have the name of something else that is configured. */
function inOrder(top: readonly PlannedResource[], order: readonly ResourceId[]): readonly PlannedResource[] {
  const waiting = new Map<string, PlannedResource[]>()
  for (const rsc of top) {
    const same = waiting.get(rsc.id)
    if (same) same.push(rsc)
    else waiting.set(rsc.id, [rsc])
  }
  return order.flatMap((id) => waiting.get(id)?.shift() ?? [])
}

/** As they are configured, the more important ones first; what is not configured any more comes last. */
export function byPriority(resources: readonly PlannedResource[]): readonly PlannedResource[] {
  const rank = ({ resource }: PlannedResource): number =>
    resource.orphan ? Number.NEGATIVE_INFINITY : resource.meta.priority
  return resources.toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(b) - rank(a)))
}

type Building<T> = { -readonly [Key in keyof T]: T[Key] }

interface Builder {
  readonly byId: Map<string, PlannedResource>
  readonly assignment: Assignment
  size: number
  /** What runs inside of something else, which may be built later. */
  readonly contained: Building<PlannedPrimitive>[]
}

function buildPlanned(builder: Builder, resource: Resource, parent: PlannedResource | undefined): PlannedResource {
  switch (resource.kind) {
    case 'primitive':
      return buildPrimitive(builder, resource, parent)
    case 'group':
      return buildGroup(builder, resource, parent)
    case 'clone':
      return buildClone(builder, resource)
    case 'bundle':
      return buildBundle(builder, resource)
  }
}

/** What is configured comes first and keeps its name. */
function register(byId: Map<string, PlannedResource>, rsc: PlannedResource): void {
  if (!byId.has(rsc.id)) byId.set(rsc.id, rsc)
}

function common(builder: Builder, id: ResourceId, parent: PlannedResource | undefined): PlannedCommon {
  const index = builder.size
  builder.size++
  return { id, index, parent }
}

function buildPrimitive(
  builder: Builder,
  resource: PrimitiveResource,
  parent: PlannedResource | undefined,
  replica?: PlannedPrimitive['replica'],
): PlannedPrimitive {
  const rsc: Building<PlannedPrimitive> = {
    ...common(builder, resource.id, parent),
    kind: 'primitive',
    resource,
    role: roleIn(parent, resource),
    assigned: defined(builder.assignment.primitives.get(resource.id), `the assignment of ${resource.id}`),
    container: undefined,
    ...(replica && { replica }),
  }
  register(builder.byId, rsc)
  if (resource.container !== undefined) builder.contained.push(rsc)
  return rsc
}

/** An instance of a promotable clone that is started is unpromoted, unless another member of it has a role already. */
function roleIn(parent: PlannedResource | undefined, { state: { role } }: PrimitiveResource): Role {
  if (role !== 'Started') return role
  const isGroup = parent?.kind === 'group'
  const clone = isGroup ? parent.parent : parent
  if (clone?.kind !== 'clone' || !clone.resource.promotable) return role
  const roles = isGroup ? parent.resource.members.map((member) => member.state.role) : [role]
  return highest(roles) === 'Started' ? 'Unpromoted' : role
}

function buildGroup(builder: Builder, resource: GroupResource, parent: PlannedResource | undefined): PlannedGroup {
  const members: PlannedPrimitive[] = []
  const rsc: PlannedGroup = { ...common(builder, resource.id, parent), kind: 'group', resource, members }
  register(builder.byId, rsc)
  for (const member of resource.members) members.push(buildPrimitive(builder, member, rsc))
  return rsc
}

function buildClone(builder: Builder, resource: CloneResource): PlannedClone {
  const instances: (PlannedPrimitive | PlannedGroup)[] = []
  const rsc = clone(builder, resource, { parent: undefined, instances })
  register(builder.byId, rsc)
  for (const instance of resource.instances) {
    instances.push(
      instance.kind === 'group' ? buildGroup(builder, instance, rsc) : buildPrimitive(builder, instance, rsc),
    )
  }
  return rsc
}

function buildBundle(builder: Builder, resource: BundleResource): PlannedBundle {
  const replicas: PlannedReplica[] = []
  const instances: PlannedPrimitive[] = []
  const children: PlannedPrimitive[] = []
  // The bundle and its implied clone name each other, so the clone is put in once both exist.
  const rsc: Building<PlannedBundle> = {
    ...common(builder, resource.id, undefined),
    kind: 'bundle',
    resource,
    child: undefined,
    replicas,
  }
  if (resource.clone) {
    rsc.child = clone(builder, resource.clone, { parent: rsc, instances })
    register(builder.byId, rsc.child)
  }
  register(builder.byId, rsc)
  for (const replica of resource.replicas) {
    const part = (as: ReplicaPart): PlannedPrimitive['replica'] => ({ bundle: rsc, number: replica.number, as })
    const container = buildPrimitive(builder, replica.container, rsc, part('container'))
    const ip = replica.ip && buildPrimitive(builder, replica.ip, rsc, part('ip'))
    const remote = replica.remote && buildPrimitive(builder, replica.remote, rsc, part('remote'))
    const child = replica.child && buildPrimitive(builder, replica.child, rsc.child, part('child'))
    if (child) children.push(child)
    replicas.push({ number: replica.number, container, ip, remote, child })
  }
  // In a bundle the order of promotion stays, so that what is promoted first comes first.
  const order = rsc.child && builder.assignment.collectives.get(rsc.child.id)?.members
  const rankOf = ({ id }: PlannedPrimitive): number => order?.indexOf(id) ?? 0
  instances.push(...children.toSorted((a, b) => rankOf(a) - rankOf(b)))
  return rsc
}

function clone(
  builder: Builder,
  resource: CloneResource,
  around: Pick<PlannedClone, 'instances'> & { readonly parent: PlannedBundle | undefined },
): PlannedClone {
  const own = common(builder, resource.id, around.parent)
  return { ...own, kind: 'clone', resource, instances: around.instances, restsOn: nowhere }
}

const nowhere: ReadonlySet<NodeName> = new Set()

/** The resources directly below: members, instances, or everything that a bundle is made of. */
export function below(rsc: PlannedResource): readonly PlannedResource[] {
  switch (rsc.kind) {
    case 'primitive':
      return []
    case 'group':
      return rsc.members
    case 'clone':
      return rsc.instances
    case 'bundle':
      return [
        ...rsc.replicas.flatMap(({ ip, container, remote }) => [ip, container, remote].filter((part) => !!part)),
        ...(rsc.child ? [rsc.child] : []),
      ]
  }
}

/** Every primitive at or below a resource. */
export function primitivesOf(rsc: PlannedResource): readonly PlannedPrimitive[] {
  return rsc.kind === 'primitive' ? [rsc] : below(rsc).flatMap(primitivesOf)
}

/** The outermost resource around this one; a bundle only where asked for, since what is in it has a life of its own. */
export function topOf(
  rsc: PlannedResource,
  options: { readonly throughBundles: boolean } = { throughBundles: false },
): PlannedResource {
  let top = rsc
  while (top.parent && (options.throughBundles || top.parent.kind !== 'bundle')) top = top.parent
  return top
}

export function isWithin(rsc: PlannedResource | undefined, ancestor: PlannedResource): boolean {
  for (let above = rsc?.parent; above; above = above.parent) if (above === ancestor) return true
  return false
}

/** Clones and bundles: their parts are copies of each other. */
export const isReplicated = (rsc: PlannedResource | undefined): rsc is PlannedClone | PlannedBundle =>
  rsc?.kind === 'clone' || rsc?.kind === 'bundle'

export const isInClone = (rsc: PlannedResource): boolean => {
  const top = topOf(rsc)
  return top.kind === 'clone'
}

/** The parts that do something: what is promoted in a bundle is not its containers but what runs in them. */
export const partsDoing = (
  rsc: PlannedClone | PlannedBundle,
  task: string,
): readonly (PlannedPrimitive | PlannedGroup)[] =>
  rsc.kind === 'bundle' && rsc.child && (task === 'promote' || task === 'demote')
    ? rsc.child.instances
    : replicasOf(rsc)

/** The parts of a clone or bundle that are matched with those of another: instances, or containers. */
export const replicasOf = (rsc: PlannedClone | PlannedBundle): readonly (PlannedPrimitive | PlannedGroup)[] =>
  rsc.kind === 'clone' ? rsc.instances : rsc.replicas.map(({ container }) => container)

/** The highest role that any primitive of the resource has now. */
export function currentRole(rsc: PlannedResource): Role {
  return highest(primitivesOf(rsc).map(({ role }) => role))
}

function highest(roles: readonly Role[]): Role {
  let best: Role = 'Stopped'
  for (const role of roles) if (roleRank(role) > roleRank(best)) best = role
  return best
}

export const isBundled = (rsc: PlannedResource): boolean => {
  for (let above = rsc.parent; above; above = above.parent) if (above.kind === 'bundle') return true
  return false
}

export const isFenceDevice = (rsc: PlannedPrimitive): boolean => rsc.resource.agent.class === 'stonith'

export const isActive = (rsc: PlannedPrimitive): boolean => rsc.resource.state.active.length > 0
