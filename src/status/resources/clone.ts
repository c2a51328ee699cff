/**
 * A clone's limits and its instances (Pacemaker Explained, "Clones"). Anonymous clones run at most one instance per node, so
 * that `clone-node-max` above 1 makes a clone unique where nothing else is written. One instance is made even where
 * `clone-max` is 0, for the history of former ones to attach to. Only OCF agents know how to promote: what else is in a promotable
 * clone is as if it were not configured.
 */
import { type CloneDefinition, isTrue, mostInstances, type PrimitiveDefinition, parseScore } from '../../cib/index.ts'
import type { CloneDraft, CollectiveDraft, InstanceDraft } from '../drafts.ts'
import type { ResourceBuilder } from './context.ts'
import { groupFacts, groupInstance } from './group.ts'
import { resolveMeta } from './meta.ts'
import { type Inherited, type InstancePlace, primitiveFacts, primitiveInstance } from './primitive.ts'

/** Init scripts and units run once on a node: nothing tells two instances apart. */
const anonymousClasses: readonly string[] = ['lsb', 'systemd', 'service', 'upstart']

const canBeUnique = ({ child }: CloneDefinition): boolean =>
  !(child.kind === 'group' ? child.members : [child]).some(({ agent }) => anonymousClasses.includes(agent.class))

export function buildClone(
  definition: CloneDefinition,
  builder: ResourceBuilder,
  place: { readonly parent?: CollectiveDraft; readonly bundled?: boolean } = {},
): CloneDraft | undefined {
  const meta = resolveMeta({ sets: definition.meta, inherited: place.parent?.inheritable }, builder.metaSources)
  const limits = limitsOf(definition, meta.raw, builder)
  const inside = limits.promotable ? promotableParts(definition.child) : definition.child
  if (inside === undefined) return undefined
  const instances: InstanceDraft[] = []
  // Instances prefer a little to stay where they are, so that they are not shuffled without need.
  const inheritable = withDefault(meta.raw, 'resource-stickiness', '1')
  const build = instanceBuilder(inside, { meta: inheritable, parameters: definition.parameters ?? [] }, builder)
  const grow = (): InstanceDraft => {
    const instance = { number: instances.length, unique: limits.unique, promotable: limits.promotable }
    const child = build({ parent: clone, instance, bundled: place.bundled ?? false })
    // Beyond clone-max there is no wanted instance.
    if (instances.length >= limits.cloneMax) for (const part of [child, ...membersOf(child)]) part.orphan = true
    instances.push(child)
    return child
  }
  const clone: CloneDraft = {
    kind: 'clone',
    id: definition.id,
    configuredId: definition.id,
    meta,
    orphan: false,
    parent: place.parent,
    inheritable,
    ...limits,
    instances,
    activeOn: new Map(),
    firstFree: 0,
    grow,
  }
  for (let number = 0; number < Math.max(1, limits.cloneMax); number++) grow()
  for (const member of inside.kind === 'group' ? inside.members : [inside]) builder.registerClone(member.id, clone)
  return clone
}

function instanceBuilder(
  inside: CloneDefinition['child'],
  inherited: Inherited,
  builder: ResourceBuilder,
): (place: { parent: CloneDraft; instance: InstancePlace; bundled: boolean }) => InstanceDraft {
  if (inside.kind === 'group') {
    const facts = groupFacts(inside, inherited, builder)
    return ({ parent, instance }) => groupInstance(facts, { parent, instance }, builder)
  }
  const facts = primitiveFacts(inside, inherited, builder)
  return (place) => primitiveInstance(facts, place, builder)
}

function promotableParts(child: CloneDefinition['child']): CloneDefinition['child'] | undefined {
  const canPromote = ({ agent }: PrimitiveDefinition): boolean => agent.class === 'ocf'
  if (child.kind === 'primitive') return canPromote(child) ? child : undefined
  const members = child.members.filter(canPromote)
  return members.length === 0 ? undefined : { ...child, members }
}

const membersOf = (child: InstanceDraft): readonly InstanceDraft[] => (child.kind === 'group' ? child.members : [])

function limitsOf(
  definition: CloneDefinition,
  raw: ReadonlyMap<string, string>,
  builder: ResourceBuilder,
): Pick<
  CloneDraft,
  | 'cloneMax'
  | 'cloneNodeMax'
  | 'cloneMin'
  | 'unique'
  | 'ordered'
  | 'interleave'
  | 'notify'
  | 'promotable'
  | 'promotedMax'
  | 'promotedNodeMax'
> {
  const count = (name: string, otherwise: number): number => {
    const value = parseScore(raw.get(name) ?? '')
    return value === undefined || value < 0 ? otherwise : value
  }
  const flag = (name: string): boolean => isTrue(raw.get(name))
  const wantedPerNode = count('clone-node-max', 1)
  const unique = (raw.has('globally-unique') ? flag('globally-unique') : wantedPerNode > 1) && canBeUnique(definition)
  const promotable = definition.isMasterElement || flag('promotable')
  return {
    // Of a configuration that an older version has let in.
    cloneMax: Math.min(
      count('clone-max', Math.max(1, builder.nodeCount())),
      Math.max(mostInstances, builder.nodeCount()),
    ),
    cloneNodeMax: unique ? wantedPerNode : Math.min(wantedPerNode, 1),
    cloneMin: count('clone-min', 0),
    unique,
    ordered: flag('ordered'),
    interleave: flag('interleave'),
    notify: flag('notify'),
    promotable,
    promotedMax: promotable ? count('promoted-max', 1) : 0,
    promotedNodeMax: promotable ? count('promoted-node-max', 1) : 0,
  }
}

function withDefault(values: ReadonlyMap<string, string>, name: string, value: string): ReadonlyMap<string, string> {
  return values.has(name) ? values : new Map([...values, [name, value]])
}
