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
  /** Of clone instances. */
  readonly instance?: { readonly number: number; readonly unique: boolean; readonly promotable: boolean }
  /** Parameters that the group or clone around it gives, weaker than its own. */
  readonly inheritedParameters?: readonly NvSet[]
  readonly implicit?: boolean
  readonly bundled?: boolean
}

export function buildPrimitive(
  definition: PrimitiveDefinition,
  place: PrimitivePlace,
  builder: ResourceBuilder,
): PrimitiveDraft {
  const { agent } = definition
  const isConnection = agent.class === 'ocf' && agent.provider === 'pacemaker' && agent.type === 'remote'
  const meta = resolveMeta(
    { sets: definition.meta, inherited: place.parent?.inheritable, agent, isConnection },
    builder.metaSources,
  )
  const draft: PrimitiveDraft = {
    kind: 'primitive',
    id: instanceId(definition.id, place.instance?.number),
    configuredId: definition.id,
    agent,
    meta,
    orphan: false,
    parent: place.parent,
    promotable: place.instance?.promotable ?? false,
    parameters: [...(place.inheritedParameters ?? []), ...definition.parameters],
    operations: definition.operations,
    utilization: utilizationOf(definition.utilization, builder),
    implicit: place.implicit ?? false,
    bundled: place.bundled ?? false,
    state: emptyState(meta, builder.metaSources.options.maintenanceMode),
    ...(place.instance === undefined ? {} : { instance: place.instance }),
    ...(isConnection ? connectionFacts(definition, builder) : {}),
  }
  return builder.register(draft)
}

export function instanceId(id: ResourceId, number: number | undefined): ResourceId {
  return number === undefined ? id : resourceId(`${id}:${number}`)
}

function connectionFacts(
  definition: PrimitiveDefinition,
  builder: ResourceBuilder,
): Pick<PrimitiveDraft, 'connectionOf' | 'reconnectIntervalMs'> {
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
