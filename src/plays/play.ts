/**
 * The record of a play in the store, `plays/<id>`: the graph, and how far each step has come on each node. What the steps do stands beside it
 * (`play-parts/<id>/<step>`) and does not change.
 */
import { type NodeName, nodeName } from '../base/index.ts'

const hostStates = ['waiting', 'started', 'succeeded', 'failed', 'lost', 'offline', 'cancelled', 'skipped'] as const

/** As of a job's nodes (jobs/job.ts). `skipped`: one node was enough. */
export type HostState = (typeof hostStates)[number]

export interface PlayHost {
  readonly node: NodeName
  readonly state: HostState
  readonly task?: string
  readonly exitCode?: number
  readonly reason?: string
  readonly started?: string
  readonly ended?: string
  /** Of the last task: the end of what it printed, where it failed. */
  readonly tail?: string
}

export interface PlayStepRecord {
  readonly id: string
  /** By their places in the record. */
  readonly requires: readonly number[]
  readonly once?: true
  readonly reboots?: true
  readonly timeoutMs: number
  readonly hosts: readonly PlayHost[]
}

export const playStates = ['active', 'halted', 'cancelling', 'cancelled', 'done'] as const

export interface PlayRecord {
  readonly id: string
  readonly user: string
  /** Where it was asked for. */
  readonly node: NodeName
  /** What people call it: its files. */
  readonly name: string
  /** ISO 8601. */
  readonly created: string
  readonly ended?: string
  /** Components are done also where they were done before. */
  readonly force?: true
  /** Nodes that are offline are waited for. */
  readonly queue?: true
  /** How many tasks it has had. */
  readonly begun: number
  /** What QUERY has collected: by node, by name. */
  readonly query: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly state: (typeof playStates)[number]
  readonly steps: readonly PlayStepRecord[]
}

export const isOver = ({ state }: Pick<PlayRecord, 'state'>): boolean =>
  state === 'done' || state === 'cancelled' || state === 'halted'

export const isDone = ({ hosts, once }: PlayStepRecord): boolean =>
  once ? hosts.some(({ state }) => state === 'succeeded') : hosts.every(({ state }) => state === 'succeeded')

/** Undefined for what is no play, or one of a newer version. */
export function parsePlay(value: unknown): PlayRecord | undefined {
  if (!isObject(value)) return undefined
  const { id, user, node, name, created, begun, query, state, steps } = value
  if (![id, user, node, name, created].every((one) => typeof one === 'string' && one !== '')) return undefined
  if (typeof begun !== 'number' || !isObject(query) || !playStates.some((one) => one === state)) return undefined
  if (!Array.isArray(steps) || !steps.every((step: unknown) => isStep(step, steps.length))) return undefined
  return value as unknown as PlayRecord
}

function isStep(value: unknown, count: number): boolean {
  if (!isObject(value)) return false
  const { id, requires, timeoutMs, hosts } = value
  return (
    typeof id === 'string' &&
    typeof timeoutMs === 'number' &&
    Array.isArray(requires) &&
    requires.every((at) => Number.isInteger(at) && at >= 0 && at < count) &&
    Array.isArray(hosts) &&
    hosts.every(isHost)
  )
}

const isHost = (value: unknown): boolean =>
  isObject(value) && typeof value.node === 'string' && hostStates.some((one) => one === value.state)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a fresh record is made from. */
export interface FreshPlay extends Pick<PlayRecord, 'id' | 'user' | 'node' | 'name' | 'created' | 'force' | 'queue'> {
  readonly steps: readonly {
    readonly id: string
    readonly requires: readonly string[]
    readonly nodes: readonly string[]
    readonly once?: true
    readonly reboots?: true
    readonly timeoutMs: number
  }[]
}

export function newPlay({ steps, ...play }: FreshPlay): PlayRecord {
  const places = new Map(steps.map(({ id }, at) => [id, at]))
  return {
    ...play,
    begun: 0,
    query: {},
    state: 'active',
    steps: steps.map(({ nodes, requires, ...step }) => ({
      ...step,
      requires: requires.flatMap((id) => places.get(id) ?? []),
      hosts: nodes.map((node) => ({ node: nodeName(node), state: 'waiting' })),
    })),
  }
}
