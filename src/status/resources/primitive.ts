/** A primitive instance before its history is read: its meta-attributes resolved, managed or not by configuration. */
import { parseDurationMs, type ResourceId, resourceId } from '../../base/index.ts'
import type { NvSet, PrimitiveDefinition } from '../../cib/index.ts'
import type { ResourceMeta } from '../cluster-status.ts'
import type { CollectiveDraft, PrimitiveDraft, StateDraft } from '../drafts.ts'
import { addNvSets } from '../rules/index.ts'
import type { ResourceBuilder } from './context.ts'
import { resolveMeta } from './meta.ts'

export interface PrimitivePlace {
  readonly parent?: CollectiveDraft
  readonly instance?: InstancePlace
  readonly implicit?: boolean
  readonly bundled?: boolean
}

/** Of clone instances. */
export interface InstancePlace {
  readonly number: number
  readonly unique: boolean
  readonly promotable: boolean
}

/** What is around a primitive and gives it what it does not say itself. */
export interface Inherited {
  readonly meta?: ReadonlyMap<string, string> | undefined
  /** Parameters of the group or clone, weaker than its own. */
  readonly parameters?: readonly NvSet[]
}

/** What all instances of a primitive have in common, resolved once for all of them. */
export type PrimitiveFacts = Pick<
  PrimitiveDraft,
  'configuredId' | 'agent' | 'meta' | 'parameters' | 'operations' | 'utilization'
> &
  ConnectionFacts

export function buildPrimitive(
  definition: PrimitiveDefinition,
  place: Omit<PrimitivePlace, 'instance'>,
  builder: ResourceBuilder,
): PrimitiveDraft {
  return primitiveInstance(primitiveFacts(definition, { meta: place.parent?.inheritable }, builder), place, builder)
}

export function primitiveFacts(
  definition: PrimitiveDefinition,
  inherited: Inherited,
  builder: ResourceBuilder,
): PrimitiveFacts {
  const { agent } = definition
  const isConnection = agent.class === 'ocf' && agent.provider === 'pacemaker' && agent.type === 'remote'
  return {
    configuredId: definition.id,
    agent,
    meta: resolveMeta({ sets: definition.meta, inherited: inherited.meta, agent, isConnection }, builder.metaSources),
    parameters: [...(inherited.parameters ?? []), ...definition.parameters],
    operations: definition.operations,
    utilization: utilizationOf(definition.utilization, builder),
    ...(isConnection ? connectionFacts(definition, builder) : {}),
  }
}

export function primitiveInstance(
  facts: PrimitiveFacts,
  { parent, instance, implicit = false, bundled = false }: PrimitivePlace,
  builder: ResourceBuilder,
): PrimitiveDraft {
  return builder.register({
    kind: 'primitive',
    id: instanceId(facts.configuredId, instance?.number),
    ...facts,
    orphan: false,
    parent,
    promotable: instance?.promotable ?? false,
    implicit,
    bundled,
    state: emptyState(facts.meta, builder.metaSources.options.maintenanceMode),
    ...(instance === undefined ? {} : { instance }),
  })
}

export function instanceId(id: ResourceId, number: number | undefined): ResourceId {
  return number === undefined ? id : resourceId(`${id}:${number}`)
}

type ConnectionFacts = Pick<PrimitiveDraft, 'connectionOf' | 'reconnectIntervalMs'>

function connectionFacts(definition: PrimitiveDefinition, builder: ResourceBuilder): ConnectionFacts {
  const parameters = new Map<string, string>()
  addNvSets(parameters, definition.parameters, { zone: builder.metaSources.zone })
  const reconnectIntervalMs = parseDurationMs(parameters.get('reconnect_interval') ?? '') ?? 0
  return {
    connectionOf: builder.nodeOfConnection(definition.id),
    ...(reconnectIntervalMs > 0 ? { reconnectIntervalMs } : {}),
  }
}

export function emptyState(meta: ResourceMeta, maintenanceMode: boolean): StateDraft {
  const maintenance = maintenanceMode || meta.maintenance
  return {
    role: undefined,
    active: new Map(),
    knownOn: new Set(),
    managed: meta.managed && !maintenance,
    maintenance,
    failed: false,
    blocked: false,
    mustStop: false,
    failureIgnored: false,
    heldOn: [],
    migratable: true,
    multiplyActive: false,
    bans: [],
    danglingMigrations: [],
    failCounts: new Map(),
    otherAgents: new Map(),
    history: new Map(),
    namesakes: new Map(),
    clearFailCountOn: [],
    expiredRecurring: [],
    demoteOn: [],
    recoverOn: [],
  }
}

function utilizationOf(sets: readonly NvSet[], builder: ResourceBuilder): ReadonlyMap<string, number> {
  const values = new Map<string, string>()
  addNvSets(values, sets, { zone: builder.metaSources.zone })
  return numbersOf(values)
}

/** Whole numbers by name; a value that is none counts as 0. */
export function numbersOf(values: ReadonlyMap<string, string>): Map<string, number> {
  return new Map([...values].map(([name, value]) => [name, Number.parseInt(value, 10) || 0] as const))
}
