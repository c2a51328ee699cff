/**
 * What happened in the cluster, one event each, as the store tells it to every node: each node derives the same events, in the order of the store's revisions. So the journals of
 * several nodes are put together by revision, not by clock, and a node that was away has the others'. Quorum alone is a node's own.
 */
import { operationEvent } from '../alerts/index.ts'
import type { NodeStateRecord, OperationRecord } from '../cib/index.ts'
import type { Change, ClusterView, TransitionRecord, WalkReport } from '../controller/index.ts'

export type Happening =
  /** Which resources were active where when a node began to write: later events are read from there. */
  | {
      readonly kind: 'begun'
      readonly active: Readonly<Record<string, readonly string[]>>
      readonly nodes: readonly string[]
    }
  /** `left`: stopped in order, or fenced; `lost`: nobody expected it. */
  | { readonly kind: 'node'; readonly node: string; readonly became: 'member' | 'left' | 'lost' }
  | { readonly kind: 'dc'; readonly node: string }
  | { readonly kind: 'quorum'; readonly node: string; readonly quorate: boolean }
  | { readonly kind: 'configuration'; readonly version: number }
  | {
      readonly kind: 'fencing'
      readonly id: string
      readonly target: string
      readonly action: string
      readonly outcome: string
      readonly client?: string
      readonly runner?: string
      readonly message?: string
    }
  | {
      readonly kind: 'operation'
      readonly node: string
      readonly resource: string
      readonly operation: string
      readonly intervalMs: number
      readonly rc: number
      readonly expected: number
      /** As in the history: 0 done, 2 timed out. */
      readonly status: number
      readonly execMs: number
      /** In words: `ok`, `error`, `Timed Out`. */
      readonly result: string
      /** The agent's own reason. */
      readonly reason?: string
      /** Of a fence device, which serves nobody. */
      readonly device?: true
    }
  /** Only the DC that walked it writes it down; it belongs to no incident. */
  | ({ readonly kind: 'transition' } & WalkReport)
  /** What the DC has begun to do, as it publishes it; a transition that is over within a moment is not published. */
  | {
      readonly kind: 'decision'
      readonly number: number
      readonly doing: readonly string[]
      /** Why it cannot go on. */
      readonly blocked?: readonly string[]
    }
  /** Somebody changed something through the HTTPS API of the node that wrote it down. */
  | {
      readonly kind: 'call'
      readonly call: string
      readonly user: string
      readonly from: string
      /** The subject of the certificate that he has shown. */
      readonly certificate?: string
      /** The command line's, where it changed the configuration. */
      readonly command?: string
    }

export interface JournalEvent {
  /** Of the store. */
  readonly revision: number
  /** Milliseconds since the epoch, by the clock of the node that wrote it down. */
  readonly at: number
  readonly by: string
  readonly what: Happening
}

/** What is remembered between changes. */
export interface JournalState {
  /** Undefined until everything was seen once. */
  readonly members: ReadonlySet<string> | undefined
  /** How each fencing stood: more is written to its record later. */
  readonly outcomes: ReadonlyMap<string, string>
  readonly version: number
  /** The number of the last decision and whether it was blocked. */
  readonly decision: string
}

export const nothingSeen: JournalState = { members: undefined, outcomes: new Map(), version: 0, decision: '' }

export interface FencingSeen {
  readonly id: string
  readonly target: string
  readonly action: string
  readonly outcome: string
  readonly executedBy?: string
  readonly client?: string
  readonly message?: string
}

export interface StoreNews {
  readonly view: ClusterView
  readonly changes: readonly Change[]
  readonly fencing: readonly FencingSeen[]
}

/** Beyond that a text says no more. */
const longestText = 500
const mostOutcomes = 1000
const mostBlocked = 20

export function happenings(
  state: JournalState,
  { view, changes, fencing }: StoreNews,
): { readonly state: JournalState; readonly events: readonly Happening[] } {
  const version = view.configuration?.version ?? 0
  const { members } = state
  const { decision, events: decided } = decisionIn(view, state.decision)
  const outcomes = new Map(
    [...state.outcomes, ...fencing.map(({ id, outcome }) => [id, outcome] as const)].slice(-mostOutcomes),
  )
  if (members === undefined) {
    const now = membersIn(view)
    return {
      state: { members: now, outcomes, version, decision },
      events: [{ kind: 'begun', active: activeIn(view), nodes: [...now] }],
    }
  }
  const known = new Set(members)
  const events = [
    ...changes.flatMap((change) => fromChange(change, { view, known, was: state.version })),
    ...fencing.filter(({ id, outcome }) => state.outcomes.get(id) !== outcome).map(fenced),
    ...decided,
  ]
  // The records of one result tell the same.
  const once = new Map(events.map((event) => [JSON.stringify(event), event] as const))
  return { state: { members: known, outcomes, version, decision }, events: [...once.values()] }
}

/** What the DC has published of its transition (`TransitionRecord`). */
function decisionIn(
  { transition }: ClusterView,
  before: string,
): { readonly decision: string; readonly events: readonly Happening[] } {
  const { number, state, pending, blockedBy } = (transition ?? {}) as Partial<TransitionRecord>
  const isBlocked = state === 'blocked'
  if (number === undefined || !(isBlocked || (state === 'running' && pending?.length)))
    return { decision: before, events: [] }
  const decision = `${number} ${isBlocked}`
  if (decision === before) return { decision, events: [] }
  const doing = (pending ?? []).map((text) => text.slice(0, longestText))
  const blocked = (blockedBy ?? []).slice(0, mostBlocked).map((text) => text.slice(0, longestText))
  return { decision, events: [{ kind: 'decision', number, doing, ...(isBlocked && { blocked }) }] }
}

function fromChange(
  change: Change,
  { view, known, was }: { readonly view: ClusterView; readonly known: Set<string>; readonly was: number },
): readonly Happening[] {
  switch (change.kind) {
    case 'configuration': {
      const version = view.configuration?.version ?? 0
      return version === was ? [] : [{ kind: 'configuration', version }]
    }
    case 'dc':
      return view.dc === undefined ? [] : [{ kind: 'dc', node: view.dc.node }]
    case 'node-state':
      return memberOf(change.node, change.after, known)
    case 'operation':
      return change.after === undefined || isSame(change.before, change.after) ? [] : operationOf(change.after)
    default:
      return []
  }
}

function memberOf(node: string, record: NodeStateRecord | undefined, known: Set<string>): readonly Happening[] {
  const is = isMember(record)
  if (is === known.has(node)) return []
  if (is) known.add(node)
  else known.delete(node)
  const became = is ? 'member' : record?.expected === 'member' ? 'lost' : 'left'
  return [{ kind: 'node', node, became }]
}

const isMember = (record: NodeStateRecord | undefined): boolean =>
  record !== undefined && record.inCcm !== false && record.crmd === 'online'

const membersIn = ({ nodeStates }: ClusterView): ReadonlySet<string> =>
  new Set([...nodeStates].flatMap(([node, record]) => (isMember(record) ? [node] : [])))

const isSame = (a: OperationRecord | undefined, b: OperationRecord): boolean =>
  a?.attributes['call-id'] === b.attributes['call-id'] &&
  a?.attributes['transition-magic'] === b.attributes['transition-magic']

function operationOf(record: OperationRecord): readonly Happening[] {
  const event = operationEvent(record, 0)
  if (event?.kind !== 'resource') return []
  const { node, resource, task, intervalMs, rc, targetRc, status, desc, execTimeMs } = event
  const reason = record.attributes['exit-reason'] ?? ''
  return [
    {
      kind: 'operation',
      node,
      resource,
      operation: task,
      intervalMs,
      rc,
      expected: targetRc,
      status,
      execMs: execTimeMs,
      result: desc,
      ...(reason !== '' && { reason: reason.slice(0, longestText) }),
      ...(record.agent.class === 'stonith' && { device: true as const }),
    },
  ]
}

function fenced({ id, target, action, outcome, executedBy, client, message }: FencingSeen): Happening {
  return {
    kind: 'fencing',
    id,
    target,
    action,
    outcome,
    ...(client !== undefined && { client }),
    ...(executedBy !== undefined && { runner: executedBy }),
    ...(message !== undefined && message !== '' && { message: message.slice(0, longestText) }),
  }
}

/** By the last result of each resource on each node. */
function activeIn({ operations }: ClusterView): Readonly<Record<string, readonly string[]>> {
  const last = new Map<string, OperationRecord>()
  for (const record of operations.values()) {
    if (record.agent.class === 'stonith') continue
    const key = `${record.resource} ${record.node}`
    if (callOf(record) >= callOf(last.get(key))) last.set(key, record)
  }
  const active = new Map<string, string[]>()
  for (const { resource, node, attributes } of last.values())
    if (isActiveAfter(attributes.operation ?? '', Number(attributes['rc-code'])))
      active.set(resource, [...(active.get(resource) ?? []), node].sort())
  return Object.fromEntries(active)
}

const callOf = (record: OperationRecord | undefined): number => Number(record?.attributes['call-id'] ?? -1)

const [ok, notRunning, promoted] = [0, 7, 8]
const [degraded, degradedPromoted] = [190, 191]

/** It serves, with something that an administrator must look at: a failure, but nothing is away. */
export const isDegraded = (rc: number): boolean => rc === degraded || rc === degradedPromoted

/** Whether a resource is there after an operation that ended so. */
export function isActiveAfter(operation: string, rc: number): boolean {
  if (operation === 'stop' || operation === 'migrate_to') return rc !== ok
  return operation === 'monitor' ? rc !== notRunning : rc === ok || rc === promoted
}

/** A line of a journal. Undefined for what no version up to this one writes. */
export function parseJournalLine(line: string): JournalEvent | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { revision, at, by, what } = value as Readonly<Record<string, unknown>>
  if (typeof revision !== 'number' || typeof at !== 'number' || typeof by !== 'string') return undefined
  if (typeof what !== 'object' || what === null || !('kind' in what)) return undefined
  return kinds.has(String(what.kind)) ? { revision, at, by, what: what as Happening } : undefined
}

const kinds: ReadonlySet<string> = new Set([
  'begun',
  'node',
  'dc',
  'quorum',
  'configuration',
  'fencing',
  'operation',
  'transition',
  'decision',
  'call',
] satisfies readonly Happening['kind'][])

/** What each node knows of itself alone. */
const ownKinds: ReadonlySet<string> = new Set([
  'begun',
  'quorum',
  'transition',
  'call',
] satisfies readonly Happening['kind'][])

/** Of several nodes, one journal after the other: each event once, as the first that has it tells it, by revision. */
export function mergeJournals(events: readonly JournalEvent[]): readonly JournalEvent[] {
  const found = new Map<string, JournalEvent>()
  for (const event of events) {
    const own = ownKinds.has(event.what.kind) ? event.by : ''
    const identity = `${event.revision} ${own} ${JSON.stringify(event.what)}`
    if (!found.has(identity)) found.set(identity, event)
  }
  return [...found.values()].sort((a, b) => a.revision - b.revision || a.at - b.at)
}
