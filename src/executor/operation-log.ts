/** What the log tells of operations: what did not end as expected, and of a recurring one only what is news. */
import type { ResourceId } from '../base/index.ts'
import { type AgentOutcome, ocfExitCodes } from '../resource-agents/index.ts'
import type { Operation } from './operation.ts'

export interface ExecutorLog {
  debug(message: string, fields: Readonly<Record<string, unknown>>): void
  info(message: string, fields: Readonly<Record<string, unknown>>): void
  warn(message: string, fields: Readonly<Record<string, unknown>>): void
  error(message: string, fields: Readonly<Record<string, unknown>>): void
}

/** Characters of an agent's output in the log. */
const loggedOutput = 2000

export class OperationLog {
  readonly #log: ExecutorLog
  /** Of recurring operations, by resource and by operation with interval: the unexpected result that the log has. */
  readonly #troubles = new Map<ResourceId, Map<string, string>>()

  constructor(log: ExecutorLog) {
    this.#log = log
  }

  /** Whether it is news: each operation that is not repeated, and of one that is, another trouble than before. */
  ended(operation: Operation, outcome: AgentOutcome): boolean {
    const { status, exitCode, exitReason, output, execTimeMs } = outcome
    const { resource, operation: name, intervalMs } = operation
    const fields = { resource, operation: name, status, exitCode, ...(exitReason !== undefined && { exitReason }) }
    const isExpected = status === 'done' && exitCode === operation.key.expectedExitCode
    if (!this.#isNews(operation, isExpected ? undefined : `${status} ${exitCode} ${exitReason ?? ''}`)) {
      this.#log.debug('an operation has ended', { ...fields, execTimeMs })
      return intervalMs === 0
    }
    // A probe asks what is there: finding something is no trouble.
    const isProbe = name === 'monitor' && intervalMs === 0 && status === 'done'
    const told = isProbe && saysItsState(exitCode) ? fields : { ...fields, output: output.slice(-loggedOutput) }
    if (isProbe) this.#log.info('a probe found something', told)
    else this.#log.warn('an operation did not end as expected', told)
    return true
  }

  /** A service that stays degraded, or whose failures are ignored, tells the same trouble at each monitor until something else is done with it. */
  #isNews({ resource, operation, intervalMs }: Operation, trouble: string | undefined): boolean {
    const known = this.#troubles.get(resource) ?? new Map<string, string>()
    if (intervalMs === 0) {
      this.#troubles.delete(resource)
      return trouble !== undefined
    }
    const series = `${operation} ${intervalMs}`
    const before = known.get(series)
    if (trouble === undefined) known.delete(series)
    else known.set(series, trouble)
    this.#troubles.set(resource, known)
    return trouble !== undefined && trouble !== before
  }
}

/** Of a monitor: needs no further word. Anything else is a failure, whose cause is in what the agent printed. */
function saysItsState(exitCode: number): boolean {
  const { ok, notRunning, runningPromoted } = ocfExitCodes
  return exitCode === ok || exitCode === notRunning || exitCode === runningPromoted
}
