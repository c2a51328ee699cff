/** What alerts are sent for, and how it is recognised. */
import { type NodeName, nodeName } from '../base/index.ts'
import type { NodeStateRecord, OperationRecord } from '../cib/index.ts'
import { parseTransitionKey } from '../cib/index.ts'
import { exitWord, statusWord } from '../status/index.ts'

/** `at`: milliseconds since the epoch. */
export type AlertEvent = { readonly at: number; readonly node: NodeName } & (
  | { readonly kind: 'node'; readonly nodeId: string; readonly desc: 'member' | 'lost' }
  | { readonly kind: 'fencing'; readonly task: string; readonly rc: number; readonly desc: string }
  | {
      readonly kind: 'resource'
      readonly resource: string
      readonly task: string
      readonly intervalMs: number
      readonly rc: number
      readonly targetRc: number
      /** As in the history: 0 done, 2 timed out. */
      readonly status: number
      readonly desc: string
      readonly execTimeMs: number
    }
  | { readonly kind: 'attribute'; readonly name: string; readonly value: string }
  /** Nothing has happened: an administrator asks whether the alert arrives. */
  | { readonly kind: 'test'; readonly desc: string }
)

/** What does not happen on one node alone: it is noted in the store with what caused it, and the DC of the moment sends it. */
export type OutboxEvent = Extract<AlertEvent, { kind: 'node' | 'fencing' }>

/** What is written of nodes, beside what was known of them. A node that leaves in order is lost to the membership, too. */
export function membershipEvents(
  known: ReadonlyMap<NodeName, NodeStateRecord>,
  written: readonly NodeStateRecord[],
  at: number,
): readonly OutboxEvent[] {
  const last = new Map(written.map((record) => [record.node, record]))
  return [...last.values()].flatMap((record) => {
    const [was, is] = [isMember(known.get(record.node)), isMember(record)]
    if (was === is) return []
    return [{ kind: 'node', at, node: record.node, nodeId: record.id, desc: is ? 'member' : 'lost' } as const]
  })
}

const isMember = (record: NodeStateRecord | undefined): boolean =>
  record !== undefined && record.inCcm !== false && record.crmd === 'online'

export interface EndedFencing {
  readonly id: string
  readonly target: string
  readonly action: string
  /** The node whose device did it, or was to. */
  readonly runner?: string | undefined
  /** Who asked for it. */
  readonly client: string
  readonly succeeded: boolean
  readonly message: string
}

export function fencingEvent(ended: EndedFencing, at: number): OutboxEvent {
  const { id, target, action, runner = '<no-one>', client, succeeded, message } = ended
  const result = succeeded ? 'OK' : `Error occurred${message === '' ? '' : ` (${message})`}`
  return {
    kind: 'fencing',
    at,
    node: nodeName(target),
    task: action,
    rc: succeeded ? 0 : 1,
    desc: `Operation ${action} of ${target} by ${runner} for ${client}: ${result} (ref=${id})`,
  }
}

/**
 * The result that a node records. None for what has only begun, and none for a probe that found what was expected: where nothing runs,
 * a start of the cluster would send one for every resource and node.
 */
export function operationEvent(record: OperationRecord, at: number): AlertEvent | undefined {
  const { attributes, node, resource } = record
  const number = (name: string): number => Number(attributes[name] ?? '0') || 0
  const status = number('op-status')
  if (status < 0) return undefined
  const rc = number('rc-code')
  const targetRc = parseTransitionKey(attributes['transition-key'] ?? '')?.expectedExitCode ?? 0
  const intervalMs = number('interval')
  const task = attributes.operation ?? ''
  if (task === 'monitor' && intervalMs === 0 && status === 0 && rc === targetRc) return undefined
  const desc = status === 0 ? exitWord(rc) : statusWord(String(status))
  const execTimeMs = number('exec-time')
  return { kind: 'resource', at, node, resource, task, intervalMs, rc, targetRc, status, desc, execTimeMs }
}

/** Of the store: undefined for what no version of ours writes. */
export function parseOutboxEvent(value: unknown): OutboxEvent | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const fields = new Map(Object.entries(value))
  const [at, node, desc] = [fields.get('at'), fields.get('node'), fields.get('desc')]
  if (typeof at !== 'number' || typeof node !== 'string' || typeof desc !== 'string') return undefined
  const shared = { at, node: nodeName(node) }
  if (fields.get('kind') === 'node' && (desc === 'member' || desc === 'lost'))
    return { ...shared, kind: 'node', nodeId: String(fields.get('nodeId') ?? node), desc }
  if (fields.get('kind') !== 'fencing') return undefined
  return { ...shared, kind: 'fencing', task: String(fields.get('task')), rc: Number(fields.get('rc')), desc }
}
