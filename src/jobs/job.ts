/** The record of a job in the store, `jobs/<id>`: a command on some nodes, which become tasks in the order that is asked for. */
import { type NodeName, nodeName } from '../base/index.ts'
import { isTaskId, type TaskRecord } from './task.ts'

const nodeStates = ['waiting', 'started', 'succeeded', 'failed', 'lost', 'cancelled', 'offline', 'skipped'] as const

/**
 * `started`: it has a task, which may wait for the node itself. `lost`: it may have begun, and nobody knows how it ended. `offline`: it was not begun
 * because the node was away. `skipped`: it was not begun because too many others had failed, or because one node was enough.
 */
export type JobNodeState = (typeof nodeStates)[number]

export interface JobNode {
  readonly node: NodeName
  readonly state: JobNodeState
  readonly task?: string
  readonly exitCode?: number
  readonly signal?: string
  readonly timedOut?: true
  readonly reason?: string
  readonly started?: string
  readonly ended?: string
}

const orders = ['parallel', 'serial', 'once'] as const

export interface JobRecord {
  readonly id: string
  readonly user: string
  /** Where it was asked for. */
  readonly node: NodeName
  /** ISO 8601. */
  readonly created: string
  readonly ended?: string
  readonly argv: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  readonly timeoutMs: number
  readonly maxOutput?: number
  /** Its command is a list of commands, whose results are noted one by one. */
  readonly notes?: true
  /**
   * `parallel`: on as many nodes at a time as `limit` says. `serial`: on that many, and on the next when all of them have ended. `once`: on one
   * node, and on another only if it was not begun there.
   */
  readonly order: (typeof orders)[number]
  readonly limit: number
  /** Once more nodes than this have failed, no others begin. */
  readonly maxFail?: number
  /** Nodes that are away get it when they are back. */
  readonly queue?: true
  readonly lock?: string
  readonly holdsLock?: true
  /** How many tasks it has had. */
  readonly begun: number
  readonly state: 'active' | 'cancelling' | 'done'
  /** In the order in which they begin. */
  readonly nodes: readonly JobNode[]
}

/** The owner of a job's lock. */
export const lockOwner = (id: string): string => `job ${id}`

/** Undefined for what is no job, or one of a newer version. */
export function parseJob(value: unknown): JobRecord | undefined {
  if (!isObject(value)) return undefined
  const { id, user, node, created, argv, timeoutMs, order, limit, begun, state, nodes } = value
  if (typeof id !== 'string' || !isTaskId(id) || typeof user !== 'string' || typeof node !== 'string') return undefined
  if (typeof created !== 'string' || !Array.isArray(argv) || !argv.every((word) => typeof word === 'string'))
    return undefined
  if (typeof timeoutMs !== 'number' || typeof limit !== 'number' || typeof begun !== 'number') return undefined
  if (!orders.some((one) => one === order) || !Array.isArray(nodes) || !nodes.every(isJobNode)) return undefined
  if (state !== 'active' && state !== 'cancelling' && state !== 'done') return undefined
  return value as unknown as JobRecord
}

function isJobNode(value: unknown): boolean {
  if (!isObject(value)) return false
  const { node, state, task } = value
  return (
    typeof node === 'string' &&
    nodeStates.some((one) => one === state) &&
    (task === undefined || (typeof task === 'string' && isTaskId(task)))
  )
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const hasEnded = ({ state }: JobNode): boolean => state !== 'waiting' && state !== 'started'

/** A node's daemon and its machine's boot, as its tasks are claimed with. */
export interface TaskLife {
  readonly incarnation: number
  readonly bootId: string
}

/** The task of a job on a node, claimed already for a `life`. Its id is used once, also where the job goes to a node for the second time. */
export function taskOf(
  job: JobRecord,
  node: NodeName,
  claim?: { readonly life: TaskLife; readonly now: string },
): TaskRecord {
  const { argv, env, stdin, timeoutMs, maxOutput, notes } = job
  return {
    id: `${job.id}.${job.begun + 1}`,
    node: nodeName(node),
    argv,
    ...(env !== undefined && { env }),
    ...(stdin !== undefined && { stdin }),
    timeoutMs,
    ...(maxOutput !== undefined && { maxOutput }),
    ...(notes && { notes }),
    owner: { kind: 'job', name: job.id, user: job.user },
    ...(claim === undefined
      ? { state: 'ready' }
      : { state: 'running', assigned: true, ...claim.life, started: claim.now }),
  }
}
