/**
 * The resources as the planning of actions walks them: a tree with parents, one unit for each primitive instance, group,
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

interface UnitCommon {
  readonly id: ResourceId
  /** A number of its own, by which what is found out about units is kept. */
  readonly index: number
  readonly parent: Unit | undefined
}

export interface PrimitiveUnit extends UnitCommon {
  readonly kind: 'primitive'
  readonly resource: PrimitiveResource
  /** The role that it has; an instance of a promotable clone that is just started counts as unpromoted. */
  readonly role: Role
  readonly assigned: PrimitiveAssignment
  /** The resource that this one runs inside of: a virtual machine, a bundle's container. */
  readonly container: PrimitiveUnit | undefined
  /** Part of a bundle: replica number and bundle. */
  readonly replica?: { readonly bundle: BundleUnit; readonly number: number; readonly as: ReplicaPart }
}

export type ReplicaPart = 'container' | 'ip' | 'remote' | 'child'

export interface GroupUnit extends UnitCommon {
  readonly kind: 'group'
  readonly resource: GroupResource
  readonly members: readonly PrimitiveUnit[]
}

export interface CloneUnit extends UnitCommon {
  readonly kind: 'clone'
  readonly resource: CloneResource
  readonly instances: readonly (PrimitiveUnit | GroupUnit)[]
  /** Nodes whose instances are left out, being at rest there. */
  readonly restsOn: ReadonlySet<NodeName>
}

export interface BundleUnit extends UnitCommon {
  readonly kind: 'bundle'
  readonly resource: BundleResource
  readonly child: CloneUnit | undefined
  readonly replicas: readonly ReplicaUnit[]
}

export interface ReplicaUnit {
  readonly number: number
  readonly container: PrimitiveUnit
  readonly ip: PrimitiveUnit | undefined
  readonly remote: PrimitiveUnit | undefined
  readonly child: PrimitiveUnit | undefined
}

export type Unit = PrimitiveUnit | GroupUnit | CloneUnit | BundleUnit

/** All units by id, and the top-level ones in the order of the status, and in that in which they are worked on. */
export interface UnitTree {
  readonly top: readonly Unit[]
  readonly ordered: readonly Unit[]
  /** All primitives, in the order of the status. */
  readonly primitives: readonly PrimitiveUnit[]
  readonly byId: ReadonlyMap<string, Unit>
  /** How many units there are; the number of each is below. */
  readonly size: number
}

export function buildUnits(status: ClusterStatus, assignment: Assignment): UnitTree {
  const byId = new Map<string, Unit>()
  const builder: Builder = { byId, assignment, size: 0, contained: [] }
  const top = status.resources.map((resource) => buildUnit(builder, resource, undefined))
  for (const unit of builder.contained) {
    const container = byId.get(unit.resource.container ?? '')
    if (container?.kind === 'primitive') unit.container = container
  }
  const primitives = top.flatMap(primitivesOf)
  return { top, ordered: inOrder(top, assignment.order), primitives, byId, size: builder.size }
}

/** Of some clones, the instances that can be left out, by the node that each is on. */
export type LeftOut = ReadonlyMap<CloneUnit, ReadonlyMap<NodeName, PrimitiveUnit | GroupUnit>>

/** The same with some of the top-level resources only, and with what is in them but for what is left out. */
export function limitedTo(tree: UnitTree, some: ReadonlySet<Unit>, leftOut: LeftOut = new Map()): UnitTree {
  const reduced = new Map<Unit, CloneUnit>()
  const copies = new Map<Unit, Unit>()
  for (const [clone, instances] of leftOut) {
    if (instances.size > 0) reduced.set(clone, without(clone, instances, copies))
  }
  const wanted = (unit: Unit): readonly Unit[] => (some.has(unit) ? [reduced.get(unit) ?? unit] : [])
  const top = tree.top.flatMap(wanted)
  const byId = new Map<string, Unit>()
  if (some.size > 0) {
    for (const [id, unit] of tree.byId) {
      const outermost = topOf(unit, { throughBundles: true })
      const kept = reduced.has(outermost) ? copies.get(unit) : unit
      if (kept && some.has(outermost)) byId.set(id, kept)
    }
  }
  return { ...tree, top, ordered: tree.ordered.flatMap(wanted), primitives: top.flatMap(primitivesOf), byId }
}

/** A copy, since what is in it names it. */
function without(
  clone: CloneUnit,
  leftOut: ReadonlyMap<NodeName, PrimitiveUnit | GroupUnit>,
  copies: Map<Unit, Unit>,
): CloneUnit {
  const instances: (PrimitiveUnit | GroupUnit)[] = []
  const copied: CloneUnit = { ...clone, instances, restsOn: new Set(leftOut.keys()) }
  copies.set(clone, copied)
  const atRest = new Set(leftOut.values())
  for (const instance of clone.instances) {
    if (!atRest.has(instance)) instances.push(copyOf(instance, copied, copies))
  }
  return copied
}

function copyOf(instance: PrimitiveUnit | GroupUnit, parent: Unit, copies: Map<Unit, Unit>): PrimitiveUnit | GroupUnit {
  if (instance.kind === 'primitive') return noted({ ...instance, parent }, instance, copies)
  const members: PrimitiveUnit[] = []
  const group: GroupUnit = noted({ ...instance, parent, members }, instance, copies)
  for (const member of instance.members) members.push(noted({ ...member, parent: group }, member, copies))
  return group
}

function noted<Kind extends Unit>(copy: Kind, original: Unit, copies: Map<Unit, Unit>): Kind {
  copies.set(original, copy)
  return copy
}

/** By id, of which there may be two: what is left in a history can have the name of something else that is configured. */
function inOrder(top: readonly Unit[], order: readonly ResourceId[]): readonly Unit[] {
  const waiting = new Map<string, Unit[]>()
  for (const unit of top) {
    const same = waiting.get(unit.id)
    if (same) same.push(unit)
    else waiting.set(unit.id, [unit])
  }
  return order.flatMap((id) => waiting.get(id)?.shift() ?? [])
}

/** As they are configured, the more important ones first; what is not configured any more comes last. */
export function byPriority(units: readonly Unit[]): readonly Unit[] {
  const rank = ({ resource }: Unit): number => (resource.orphan ? Number.NEGATIVE_INFINITY : resource.meta.priority)
  return units.toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(b) - rank(a)))
}

type Building<T> = { -readonly [Key in keyof T]: T[Key] }

interface Builder {
  readonly byId: Map<string, Unit>
  readonly assignment: Assignment
  size: number
  /** What runs inside of something else, which may be built later. */
  readonly contained: Building<PrimitiveUnit>[]
}

function buildUnit(builder: Builder, resource: Resource, parent: Unit | undefined): Unit {
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
function register(byId: Map<string, Unit>, unit: Unit): void {
  if (!byId.has(unit.id)) byId.set(unit.id, unit)
}

function common(builder: Builder, id: ResourceId, parent: Unit | undefined): UnitCommon {
  const index = builder.size
  builder.size++
  return { id, index, parent }
}

function buildPrimitive(
  builder: Builder,
  resource: PrimitiveResource,
  parent: Unit | undefined,
  replica?: PrimitiveUnit['replica'],
): PrimitiveUnit {
  const unit: Building<PrimitiveUnit> = {
    ...common(builder, resource.id, parent),
    kind: 'primitive',
    resource,
    role: roleIn(parent, resource),
    assigned: defined(builder.assignment.primitives.get(resource.id), `the assignment of ${resource.id}`),
    container: undefined,
    ...(replica && { replica }),
  }
  register(builder.byId, unit)
  if (resource.container !== undefined) builder.contained.push(unit)
  return unit
}

/** An instance of a promotable clone that is started is unpromoted, unless another member of it has a role already. */
function roleIn(parent: Unit | undefined, { state: { role } }: PrimitiveResource): Role {
  if (role !== 'Started') return role
  const isGroup = parent?.kind === 'group'
  const clone = isGroup ? parent.parent : parent
  if (clone?.kind !== 'clone' || !clone.resource.promotable) return role
  const roles = isGroup ? parent.resource.members.map((member) => member.state.role) : [role]
  return highest(roles) === 'Started' ? 'Unpromoted' : role
}

function buildGroup(builder: Builder, resource: GroupResource, parent: Unit | undefined): GroupUnit {
  const members: PrimitiveUnit[] = []
  const unit: GroupUnit = { ...common(builder, resource.id, parent), kind: 'group', resource, members }
  register(builder.byId, unit)
  for (const member of resource.members) members.push(buildPrimitive(builder, member, unit))
  return unit
}

function buildClone(builder: Builder, resource: CloneResource): CloneUnit {
  const instances: (PrimitiveUnit | GroupUnit)[] = []
  const unit = cloneUnit(builder, resource, { parent: undefined, instances })
  register(builder.byId, unit)
  for (const instance of resource.instances) {
    instances.push(
      instance.kind === 'group' ? buildGroup(builder, instance, unit) : buildPrimitive(builder, instance, unit),
    )
  }
  return unit
}

function buildBundle(builder: Builder, resource: BundleResource): BundleUnit {
  const replicas: ReplicaUnit[] = []
  const instances: PrimitiveUnit[] = []
  const children: PrimitiveUnit[] = []
  // The bundle and its implied clone name each other, so the clone is put in once both exist.
  const unit: Building<BundleUnit> = {
    ...common(builder, resource.id, undefined),
    kind: 'bundle',
    resource,
    child: undefined,
    replicas,
  }
  if (resource.clone) {
    unit.child = cloneUnit(builder, resource.clone, { parent: unit, instances })
    register(builder.byId, unit.child)
  }
  register(builder.byId, unit)
  for (const replica of resource.replicas) {
    const part = (as: ReplicaPart): PrimitiveUnit['replica'] => ({ bundle: unit, number: replica.number, as })
    const container = buildPrimitive(builder, replica.container, unit, part('container'))
    const ip = replica.ip && buildPrimitive(builder, replica.ip, unit, part('ip'))
    const remote = replica.remote && buildPrimitive(builder, replica.remote, unit, part('remote'))
    const child = replica.child && buildPrimitive(builder, replica.child, unit.child, part('child'))
    if (child) children.push(child)
    replicas.push({ number: replica.number, container, ip, remote, child })
  }
  // In a bundle the order of promotion stays, so that what is promoted first comes first.
  const order = unit.child && builder.assignment.collectives.get(unit.child.id)?.members
  const rankOf = ({ id }: PrimitiveUnit): number => order?.indexOf(id) ?? 0
  instances.push(...children.toSorted((a, b) => rankOf(a) - rankOf(b)))
  return unit
}

function cloneUnit(
  builder: Builder,
  resource: CloneResource,
  around: Pick<CloneUnit, 'instances'> & { readonly parent: BundleUnit | undefined },
): CloneUnit {
  const own = common(builder, resource.id, around.parent)
  return { ...own, kind: 'clone', resource, instances: around.instances, restsOn: nowhere }
}

const nowhere: ReadonlySet<NodeName> = new Set()

/** The units directly below: members, instances, or everything that a bundle is made of. */
export function below(unit: Unit): readonly Unit[] {
  switch (unit.kind) {
    case 'primitive':
      return []
    case 'group':
      return unit.members
    case 'clone':
      return unit.instances
    case 'bundle':
      return [
        ...unit.replicas.flatMap(({ ip, container, remote }) => [ip, container, remote].filter((part) => !!part)),
        ...(unit.child ? [unit.child] : []),
      ]
  }
}

/** Every primitive at or below a unit. */
export function primitivesOf(unit: Unit): readonly PrimitiveUnit[] {
  return unit.kind === 'primitive' ? [unit] : below(unit).flatMap(primitivesOf)
}

/** The outermost unit around this one; a bundle only where asked for, since what is in it has a life of its own. */
export function topOf(unit: Unit, options: { readonly throughBundles: boolean } = { throughBundles: false }): Unit {
  let top = unit
  while (top.parent && (options.throughBundles || top.parent.kind !== 'bundle')) top = top.parent
  return top
}

export function isWithin(unit: Unit | undefined, ancestor: Unit): boolean {
  for (let above = unit?.parent; above; above = above.parent) if (above === ancestor) return true
  return false
}

/** Clones and bundles: their parts are copies of each other. */
export const isReplicated = (unit: Unit | undefined): unit is CloneUnit | BundleUnit =>
  unit?.kind === 'clone' || unit?.kind === 'bundle'

export const isInClone = (unit: Unit): boolean => {
  const top = topOf(unit)
  return top.kind === 'clone'
}

/** The parts that do something: what is promoted in a bundle is not its containers but what runs in them. */
export const partsDoing = (unit: CloneUnit | BundleUnit, task: string): readonly (PrimitiveUnit | GroupUnit)[] =>
  unit.kind === 'bundle' && unit.child && (task === 'promote' || task === 'demote')
    ? unit.child.instances
    : replicasOf(unit)

/** The parts of a clone or bundle that are matched with those of another: instances, or containers. */
export const replicasOf = (unit: CloneUnit | BundleUnit): readonly (PrimitiveUnit | GroupUnit)[] =>
  unit.kind === 'clone' ? unit.instances : unit.replicas.map(({ container }) => container)

/** The highest role that any primitive of the unit has now. */
export function currentRole(unit: Unit): Role {
  return highest(primitivesOf(unit).map(({ role }) => role))
}

function highest(roles: readonly Role[]): Role {
  let best: Role = 'Stopped'
  for (const role of roles) if (roleRank(role) > roleRank(best)) best = role
  return best
}

export const isBundled = (unit: Unit): boolean => {
  for (let above = unit.parent; above; above = above.parent) if (above.kind === 'bundle') return true
  return false
}

export const isFenceDevice = (unit: PrimitiveUnit): boolean => unit.resource.agent.class === 'stonith'

export const isActive = (unit: PrimitiveUnit): boolean => unit.resource.state.active.length > 0
