/**
 * The operations of one resource on this node: one at a time, in the order in which they came, recurring ones in between.
 * Functions from one line to the next; `queue.ts` knows about terms, quorum and the rest of the node.
 */
import type { MonotonicMs } from '../base/index.ts'
import { monotonicMs } from '../base/index.ts'
import type { OperationStatus } from '../cib/index.ts'
import { changesResource, keyText, type Operation, recurringName } from './operation.ts'

export interface Line {
  /** An agent that a former daemon started and that has not ended: nothing begins beside it. */
  readonly leftAgent: boolean
  readonly current?: Current
  readonly waiting: readonly Waiting[]
  /** By name. */
  readonly recurring: ReadonlyMap<string, Recurring>
  /** Keys of the last operations that ended: an action that is sent again is not done again. */
  readonly done: readonly string[]
}

export interface Waiting {
  readonly callId: number
  readonly operation: Operation
  readonly queuedAt: MonotonicMs
}

export interface Current extends Waiting {
  /** `announcing`: not begun, its pending record is being written. `withdrawn`: it will not begin when that is done. */
  readonly phase: 'announcing' | 'withdrawn' | 'running'
  readonly queueTimeMs: number
}

export interface Recurring {
  readonly callId: number
  readonly operation: Operation
  readonly nextAt: MonotonicMs
  /** What was last reported; only another result is news. */
  readonly reported?: { readonly status: OperationStatus; readonly exitCode: number }
}

export const emptyLine: Line = { leftAgent: false, waiting: [], recurring: new Map(), done: [] }

const rememberedKeys = 16

/** Whether this very action has come before. */
export function knowsKey(line: Line, key: string): boolean {
  return (
    line.done.includes(key) ||
    (line.current !== undefined && keyText(line.current.operation) === key) ||
    line.waiting.some(({ operation }) => keyText(operation) === key) ||
    [...line.recurring.values()].some(({ operation }) => keyText(operation) === key)
  )
}

/** A one-off operation gets in line; one that changes the resource ends its recurring operations. */
export function enqueue(line: Line, waiting: Waiting): Line {
  const flushed = changesResource(waiting.operation) ? withoutRecurring(line) : line
  return { ...flushed, waiting: [...flushed.waiting, waiting] }
}

export function addRecurring(line: Line, recurring: Recurring): Line {
  return { ...line, recurring: new Map(line.recurring).set(recurringName(recurring.operation), recurring) }
}

export function cancelRecurring(line: Line, name: string): Line {
  const recurring = new Map(line.recurring)
  recurring.delete(name)
  return { ...line, recurring }
}

export function withoutRecurring(line: Line): Line {
  return line.recurring.size === 0 ? line : { ...line, recurring: new Map() }
}

/** What should begin now, if the line is free: the next in line, else the recurring operation that is most overdue. */
export function nextToRun(line: Line, now: MonotonicMs): Waiting | undefined {
  if (line.leftAgent || line.current !== undefined) return undefined
  const first = line.waiting[0]
  if (first) return first
  const due = [...line.recurring.values()].filter(({ nextAt }) => nextAt <= now)
  const most = due.reduce<Recurring | undefined>(
    (best, candidate) => (best === undefined || candidate.nextAt < best.nextAt ? candidate : best),
    undefined,
  )
  return most && { callId: most.callId, operation: most.operation, queuedAt: most.nextAt }
}

export function begin(line: Line, { phase, ...waiting }: Waiting & Pick<Current, 'phase'>, now: MonotonicMs): Line {
  const current: Current = { ...waiting, phase, queueTimeMs: Math.round(now - waiting.queuedAt) }
  return { ...line, current, waiting: line.waiting.filter(({ callId }) => callId !== waiting.callId) }
}

/** The current operation was never begun: when it is asked for again, it is a new one. */
export function dropCurrent(line: Line): Line {
  const { current: _dropped, ...rest } = line
  return rest
}

/** The current operation is over. Recurring ones keep their key, for they go on. */
export function finishCurrent(line: Line): Line {
  const { current, ...rest } = line
  if (current === undefined || current.operation.intervalMs > 0) return rest
  return { ...rest, done: [...rest.done, keyText(current.operation)].slice(-rememberedKeys) }
}

/** The next run counts from the end of this one. */
export function reschedule(recurring: Recurring, now: MonotonicMs): Recurring {
  return { ...recurring, nextAt: monotonicMs(now + recurring.operation.intervalMs) }
}

/** Its recurring operations are due now: something has happened that they would find out later. */
export function hurry(line: Line, now: MonotonicMs): Line {
  const recurring = new Map(
    [...line.recurring].map(([name, each]) => [name, { ...each, nextAt: monotonicMs(Math.min(each.nextAt, now)) }]),
  )
  return { ...line, recurring }
}
