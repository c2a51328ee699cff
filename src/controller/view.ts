/**
 * The replicated state as one node sees it at one revision: a fold over the store's snapshot and events. Every node has one;
 * the controller decides from it, and `cibOfView` (cib-of-view.ts) composes the CIB that the scheduler gets. A view that lags behind is old
 * but never wrong: it is what was true at its revision.
 *
 * A configuration that cannot be read is a bug of whoever wrote it; the parser at the edge hands it over already typed.
 */
import { assertNever, type NodeName, nodeName } from '../base/index.ts'
import {
  type AttributeTraitsRecord,
  type Configuration,
  type NodeStateRecord,
  type OperationRecord,
  parseAttributeTraitsRecord,
  parseNodeStateRecord,
  parseOperationRecord,
  parseShutdownLockRecord,
  parseTicketRecord,
  parseTransientAttributeRecord,
  parseWithheldAttributeRecord,
  readConfiguration,
  type ShutdownLockRecord,
  type TicketRecord,
  type TransientAttributeRecord,
  type WithheldAttributeRecord,
  type XmlElement,
} from '../cib/index.ts'
import { composeHolds, type HoldRecord, parseHold, sameHold } from '../holds/index.ts'
import { type Subject, subjectOf } from './keys.ts'
import { type DiskWatch, parseDiskWatch } from './watchdog.ts'

/** `members/<node>`: written by the node, gone with its lease. */
export interface MemberRecord {
  readonly node: NodeName
  readonly id: string
  /** When its daemon started, in milliseconds since the epoch. */
  readonly incarnation: number
  readonly address: string
  readonly daemonVersion: string
  readonly state: 'joining' | 'member' | 'leaving'
  /** Seconds since the epoch. */
  readonly since: number
  /** The time of the watchdog that it feeds, where it feeds one. */
  readonly watchdogMs?: number
  /** The disks that it reads, where it does: then nobody counts on its watchdog alone. */
  readonly sbd?: DiskWatch
  /** The boot of its machine's kernel. */
  readonly bootId?: string
  /** What is wrong with it and needs a person, a sentence each. */
  readonly troubles?: readonly string[]
  /** Its daemon can read a list of nodes that names a witness. */
  readonly knowsWitness?: boolean
  /** Its daemon obeys times that stand in the list of nodes. */
  readonly knowsPulseTimes?: boolean
  /** Its daemon can read one in which nodes have several links. */
  readonly knowsLinks?: boolean
  /** As the DC it tells the store before it fences through disks. */
  readonly knowsDisks?: boolean
  /** Keeps a share of the authority's key. */
  readonly knowsShares?: boolean
  /** Obeys holds. */
  readonly knowsHolds?: boolean
  readonly knowsPlays?: boolean
  /** As the DC it takes rollouts to remote nodes, and plays playbooks for them. */
  readonly knowsRemoteRollouts?: boolean
  /** As the DC it has remote nodes leave before a command of a rollout boots them. */
  readonly knowsRemoteBoots?: boolean
  /** As the DC it goes on with rollouts over clusters of the fleet. */
  readonly knowsFleetRollouts?: boolean
  /** As the DC it takes back changes of the configuration that nobody confirms. */
  readonly knowsConfirmation?: boolean
}

/** `fencing/disk/<node>`: it is fenced through its disks. */
export interface DiskFencing {
  /** Undefined: any boot of it is meant. */
  readonly bootId?: string
  readonly action: string
}

export interface ReplicatedConfiguration {
  readonly version: number
  /** The `cib` element; its status is ignored. */
  readonly cib: XmlElement
  readonly typed: Configuration
}

export interface ClusterView {
  readonly revision: number
  /** With the holds that are in force: what decides. */
  readonly configuration?: ReplicatedConfiguration
  /** As it is stored: what a change is made to. */
  readonly stored?: ReplicatedConfiguration
  readonly holds: ReadonlyMap<string, HoldRecord>
  /** A revision at which the holds were what they are here, no earlier than their last change. */
  readonly holdsRevision: number
  readonly members: ReadonlyMap<NodeName, MemberRecord & { readonly lease?: string }>
  readonly dc?: { readonly node: NodeName; readonly term: number; readonly lease?: string }
  readonly nodeStates: ReadonlyMap<NodeName, NodeStateRecord>
  /** By key, as the attributes are. */
  readonly operations: ReadonlyMap<string, OperationRecord>
  readonly attributes: ReadonlyMap<string, TransientAttributeRecord>
  /** Not in the CIB: private, or waiting for their dampening. */
  readonly withheld: ReadonlyMap<string, WithheldAttributeRecord>
  readonly attributeTraits: ReadonlyMap<string, AttributeTraitsRecord>
  /** By key. */
  readonly shutdownLocks: ReadonlyMap<string, ShutdownLockRecord>
  readonly tickets: ReadonlyMap<string, TicketRecord>
  /** Which incarnation of a node has announced that its daemon restarts in place. */
  readonly restarts: ReadonlyMap<NodeName, number>
  /** Nodes that somebody who is to be believed has declared to be off. */
  readonly confirmedDown: ReadonlyMap<NodeName, Confirmation>
  /** Which incarnation of a node is asked to let its watchdog end it. */
  readonly selfFencing: ReadonlyMap<NodeName, number>
  /** Nodes that are fenced through their disks, or were. */
  readonly diskFencing: ReadonlyMap<NodeName, DiskFencing>
  /** What the DC has published of its transition, as it stands there. */
  readonly transition?: unknown
}

/** `fencing/confirmed/<node>`. */
export interface Confirmation {
  /** Why it is believed, where it is not an administrator's word. */
  readonly reason?: string
  /** Seconds since the epoch, where it was fenced. */
  readonly fencedAt?: number
}

/** One key of the store as an event or a snapshot shows it. */
export type Observation =
  | {
      readonly kind: 'put'
      readonly key: string
      /** Parsed JSON; for the configuration a `ReplicatedConfiguration` in `configuration` instead. */
      readonly value: unknown
      readonly configuration?: ReplicatedConfiguration
      readonly createRevision: number
      readonly lease?: string
    }
  | { readonly kind: 'delete'; readonly key: string }

/** What changed with an observation, with both values, so that nobody needs to compare whole views. */
export type Change =
  | { readonly kind: 'configuration' }
  | { readonly kind: 'dc' }
  /** `rejoined`: under another lease than before, so that it was without quorum in between. */
  | { readonly kind: 'member'; readonly node: NodeName; readonly rejoined: boolean }
  | { readonly kind: 'node-state'; readonly node: NodeName; readonly after?: NodeStateRecord }
  | {
      readonly kind: 'operation'
      readonly key: string
      readonly node: NodeName
      readonly before?: OperationRecord
      readonly after?: OperationRecord
    }
  | {
      readonly kind: 'attribute'
      readonly key: string
      readonly node: NodeName
      readonly name: string
      readonly before?: string
      readonly after?: string
    }
  | { readonly kind: 'shutdown-lock' }
  | { readonly kind: 'ticket' }
  | { readonly kind: 'restart'; readonly node: NodeName }
  | { readonly kind: 'confirmed-down'; readonly node: NodeName; readonly confirmed: boolean }
  /** A record that no version of ours writes: it is left out of the view. */
  | { readonly kind: 'unreadable'; readonly key: string }

export const emptyView: ClusterView = {
  revision: 0,
  holds: new Map(),
  holdsRevision: 0,
  members: new Map(),
  nodeStates: new Map(),
  operations: new Map(),
  attributes: new Map(),
  withheld: new Map(),
  attributeTraits: new Map(),
  shutdownLocks: new Map(),
  tickets: new Map(),
  restarts: new Map(),
  confirmedDown: new Map(),
  selfFencing: new Map(),
  diskFencing: new Map(),
}

export interface Observed {
  readonly view: ClusterView
  readonly changes: readonly Change[]
}

/** Events of the store, in order; a whole snapshot is observed on `emptyView`. */
export function observe(view: ClusterView, observations: readonly Observation[], revision: number): Observed {
  const draft: Draft = {
    ...view,
    revision,
    holds: copyIf(view.holds, observations, 'holds/'),
    holdsRevision: view.revision === 0 ? revision : view.holdsRevision,
    members: new Map(view.members),
    nodeStates: new Map(view.nodeStates),
    shutdownLocks: new Map(view.shutdownLocks),
    tickets: new Map(view.tickets),
    restarts: new Map(view.restarts),
    confirmedDown: new Map(view.confirmedDown),
    selfFencing: new Map(view.selfFencing),
    diskFencing: new Map(view.diskFencing),
    // The large maps are copied only when they change.
    operations: copyIf(view.operations, observations, 'history/'),
    attributes: copyIf(view.attributes, observations, 'attributes/'),
    withheld: copyIf(view.withheld, observations, 'attributes-withheld/'),
    attributeTraits: copyIf(view.attributeTraits, observations, 'attribute-traits/'),
  }
  const changes = observations.flatMap((observation) => {
    const subject = subjectOf(observation.key)
    return subject === undefined ? [] : observeOne(draft, observation, subject)
  })
  if (changes.some(({ kind }) => kind === 'configuration')) composeConfiguration(draft)
  return { view: draft, changes }
}

/** Holds change neither the version nor the epoch: what is stored stays what it is. */
function composeConfiguration(draft: Draft): void {
  const { stored, holds } = draft
  if (stored === undefined) return
  const cib = composeHolds(stored.cib, [...holds.values()])
  draft.configuration = cib === stored.cib ? stored : { ...stored, cib, typed: readConfiguration(cib) }
}

interface Draft extends ClusterView {
  configuration?: ReplicatedConfiguration
  stored?: ReplicatedConfiguration
  holds: Map<string, HoldRecord>
  holdsRevision: number
  members: Map<NodeName, MemberRecord & { readonly lease?: string }>
  dc?: { readonly node: NodeName; readonly term: number; readonly lease?: string }
  nodeStates: Map<NodeName, NodeStateRecord>
  operations: Map<string, OperationRecord>
  attributes: Map<string, TransientAttributeRecord>
  withheld: Map<string, WithheldAttributeRecord>
  attributeTraits: Map<string, AttributeTraitsRecord>
  shutdownLocks: Map<string, ShutdownLockRecord>
  tickets: Map<string, TicketRecord>
  restarts: Map<NodeName, number>
  confirmedDown: Map<NodeName, Confirmation>
  selfFencing: Map<NodeName, number>
  diskFencing: Map<NodeName, DiskFencing>
  transition?: unknown
}

function copyIf<Value>(
  map: ReadonlyMap<string, Value>,
  observations: readonly Observation[],
  folder: string,
): Map<string, Value> {
  const changed = observations.some(({ key }) => key.includes(`/${folder}`))
  // Not changed: nobody writes to it through the draft.
  return changed || !(map instanceof Map) ? new Map(map) : map
}

const writtenBy = (observation: Observation): unknown => (observation.kind === 'put' ? observation.value : undefined)

function observeOperation(draft: Draft, observation: Observation, node: NodeName): readonly Change[] {
  const { key } = observation
  const value = writtenBy(observation)
  const after = parseOperationRecord(value)
  if (value !== undefined && after === undefined) return [{ kind: 'unreadable', key }]
  const before = put(draft.operations, key, after)
  return [{ kind: 'operation', key, node, ...defined({ before, after }) }]
}

function observeAttribute(
  draft: Draft,
  observation: Observation,
  { node, name }: Extract<Subject, { kind: 'attribute' }>,
): readonly Change[] {
  const { key } = observation
  const value = writtenBy(observation)
  const after = parseTransientAttributeRecord(value)
  if (value !== undefined && after === undefined) return [{ kind: 'unreadable', key }]
  const before = put(draft.attributes, key, after)
  const values = defined({ before: before?.value, after: after?.value })
  return [{ kind: 'attribute', key, node, name, ...values }]
}

function observeHold(draft: Draft, observation: Observation, id: string): readonly Change[] {
  const value = writtenBy(observation)
  const after = parseHold(value)
  const before = put(draft.holds, id, after)
  if (value !== undefined && after === undefined) return [{ kind: 'unreadable', key: observation.key }]
  if (sameHold(before, after)) return []
  draft.holdsRevision = draft.revision
  return [{ kind: 'configuration' }]
}

function observeOne(draft: Draft, observation: Observation, subject: Subject): readonly Change[] {
  const { key } = observation
  const value = writtenBy(observation)
  switch (subject.kind) {
    case 'configuration':
      if (observation.kind === 'put' && observation.configuration) draft.stored = observation.configuration
      return [{ kind: 'configuration' }]
    case 'dc':
      return observeDc(draft, observation)
    case 'member':
      return observeMember(draft, observation, subject.node)
    case 'node-state': {
      const after = parseNodeStateRecord(value)
      if (value !== undefined && after === undefined) return [{ kind: 'unreadable', key }]
      put(draft.nodeStates, subject.node, after)
      return [{ kind: 'node-state', node: subject.node, ...(after === undefined ? {} : { after }) }]
    }
    case 'history':
      return observeOperation(draft, observation, subject.node)
    case 'attribute':
      return observeAttribute(draft, observation, subject)
    case 'withheld-attribute':
      put(draft.withheld, key, parseWithheldAttributeRecord(value))
      return []
    case 'attribute-traits':
      put(draft.attributeTraits, subject.name, parseAttributeTraitsRecord(value))
      return []
    case 'shutdown-lock':
      put(draft.shutdownLocks, key, parseShutdownLockRecord(value))
      return [{ kind: 'shutdown-lock' }]
    case 'hold':
      return observeHold(draft, observation, subject.id)
    case 'restart':
      put(draft.restarts, subject.node, numberOf(value, 'incarnation'))
      return [{ kind: 'restart', node: subject.node }]
    case 'ticket':
      put(draft.tickets, subject.id, parseTicketRecord(value))
      return [{ kind: 'ticket' }]
    case 'fencing-confirmed': {
      const confirmed = observation.kind === 'put'
      if (confirmed) draft.confirmedDown.set(subject.node, confirmationOf(value))
      else draft.confirmedDown.delete(subject.node)
      return [{ kind: 'confirmed-down', node: subject.node, confirmed }]
    }
    case 'self-fencing':
      put(draft.selfFencing, subject.node, numberOf(value, 'incarnation'))
      return []
    case 'disk-fencing':
      put(draft.diskFencing, subject.node, observation.kind === 'put' ? diskFencingOf(value) : undefined)
      return []
    case 'transition':
      draft.transition = value
      return []
    case 'fencing-history':
      return []
    default:
      return assertNever(subject)
  }
}

/** One without an action was written by an earlier version. */
function diskFencingOf(value: unknown): DiskFencing {
  return { action: textOf(value, 'action') ?? 'reboot', ...defined({ bootId: textOf(value, 'bootId') }) }
}

function confirmationOf(value: unknown): Confirmation {
  return defined({ reason: textOf(value, 'reason'), fencedAt: numberOf(value, 'fencedAt') })
}

function observeDc(draft: Draft, observation: Observation): readonly Change[] {
  delete draft.dc
  if (observation.kind === 'delete') return [{ kind: 'dc' }]
  const node = textOf(observation.value, 'node')
  if (node === undefined) return [{ kind: 'unreadable', key: observation.key }]
  draft.dc = { node: nodeName(node), term: observation.createRevision, ...defined({ lease: observation.lease }) }
  return [{ kind: 'dc' }]
}

function observeMember(draft: Draft, observation: Observation, node: NodeName): readonly Change[] {
  if (observation.kind === 'delete') {
    draft.members.delete(node)
    return [{ kind: 'member', node, rejoined: false }]
  }
  const record = parseMemberRecord(observation.value)
  if (record === undefined) return [{ kind: 'unreadable', key: observation.key }]
  const rejoined = draft.members.get(node)?.lease !== observation.lease
  draft.members.set(node, { ...record, ...defined({ lease: observation.lease }) })
  return [{ kind: 'member', node, rejoined }]
}

export function parseMemberRecord(value: unknown): MemberRecord | undefined {
  const node = textOf(value, 'node')
  const state = (['joining', 'member', 'leaving'] as const).find((word) => word === textOf(value, 'state'))
  const incarnation = numberOf(value, 'incarnation')
  if (node === undefined || state === undefined || incarnation === undefined) return undefined
  return {
    node: nodeName(node),
    id: textOf(value, 'id') ?? node,
    incarnation,
    address: textOf(value, 'address') ?? node,
    daemonVersion: textOf(value, 'daemonVersion') ?? '',
    state,
    since: numberOf(value, 'since') ?? 0,
    ...defined({
      watchdogMs: numberOf(value, 'watchdogMs'),
      sbd: parseDiskWatch(fieldOf(value, 'sbd')),
      bootId: textOf(value, 'bootId'),
      troubles: textsOf(value, 'troubles'),
    }),
    ...(fieldOf(value, 'knowsWitness') === true ? { knowsWitness: true } : {}),
    ...(fieldOf(value, 'knowsPulseTimes') === true ? { knowsPulseTimes: true } : {}),
    ...(fieldOf(value, 'knowsLinks') === true ? { knowsLinks: true } : {}),
    ...(fieldOf(value, 'knowsDisks') === true ? { knowsDisks: true } : {}),
    ...(fieldOf(value, 'knowsShares') === true ? { knowsShares: true } : {}),
    ...(fieldOf(value, 'knowsHolds') === true ? { knowsHolds: true } : {}),
    ...(fieldOf(value, 'knowsPlays') === true ? { knowsPlays: true } : {}),
    ...(fieldOf(value, 'knowsRemoteRollouts') === true ? { knowsRemoteRollouts: true } : {}),
    ...(fieldOf(value, 'knowsRemoteBoots') === true ? { knowsRemoteBoots: true } : {}),
    ...(fieldOf(value, 'knowsFleetRollouts') === true ? { knowsFleetRollouts: true } : {}),
    ...(fieldOf(value, 'knowsConfirmation') === true ? { knowsConfirmation: true } : {}),
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined
}

function textOf(value: unknown, name: string): string | undefined {
  const field = fieldOf(value, name)
  return typeof field === 'string' ? field : undefined
}

/** Undefined unless it is a list of texts. */
function textsOf(value: unknown, name: string): readonly string[] | undefined {
  const list = fieldOf(value, name)
  return Array.isArray(list) && list.every((text) => typeof text === 'string') ? list : undefined
}

function numberOf(value: unknown, name: string): number | undefined {
  const field = fieldOf(value, name)
  return typeof field === 'number' ? field : undefined
}

/** Puts, or deletes where there is no value; returns what was there. */
function put<Key, Value>(map: Map<Key, Value>, key: Key, value: Value | undefined): Value | undefined {
  const before = map.get(key)
  if (value === undefined) map.delete(key)
  else map.set(key, value)
  return before
}

type Defined<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

/** The fields that have a value: `exactOptionalPropertyTypes` tells an absent one from one that is undefined. */
function defined<Fields extends Readonly<Record<string, unknown>>>(fields: Fields): Defined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Defined<Fields>
}
