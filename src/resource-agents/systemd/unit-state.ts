/**
 * What the state of a unit means for an operation. The states are systemd's (org.freedesktop.systemd1(5), "Properties" of a
 * unit), the answers those of OCF: a unit has no exit code of its own. Decided from what is there, never from which signal came.
 */
import type { AgentOutcome } from '../outcome.ts'
import { ocfExitCodes } from '../outcome.ts'

export interface UnitState {
  /** `loaded`, `not-found`, `masked`, `bad-setting`, `error`. */
  readonly load: string
  /** `active`, `reloading`, `refreshing`, `inactive`, `failed`, `activating`, `deactivating`, `maintenance`. */
  readonly active: string
  /** Finer, and of the kind of unit: `running`, `exited`, `auto-restart`. */
  readonly sub: string
  /** Whether a job (a start, a stop) is queued or runs. */
  readonly busy: boolean
  /** Of a service, how it last ended: `success`, `exit-code`, `timeout`, `oom-kill`. */
  readonly result?: string
  /** False where a `Condition…=` of the unit kept the last start from doing anything. */
  readonly conditionsMet: boolean
}

/** What an operation is over with, before the time that it took is known. `changing`: it is not over. */
export type UnitVerdict =
  | { readonly kind: 'changing' }
  | ({ readonly kind: 'over' } & Pick<AgentOutcome, 'status' | 'exitCode' | 'exitReason'>)

const changing: UnitVerdict = { kind: 'changing' }

/** Whether the unit can be run at all; undefined where it can. */
export function unusable(unit: string, state: UnitState): UnitVerdict | undefined {
  if (state.load === 'not-found')
    return over('not-installed', ocfExitCodes.notInstalled, `There is no unit ${unit} on this node.`)
  if (state.load === 'loaded') return undefined
  // A unit that can no longer be loaded may still run what it started.
  if (isRunning(state)) return undefined
  return over('error', ocfExitCodes.error, `systemd cannot use ${unit}: it is ${state.load}.`)
}

export function afterStart(unit: string, state: UnitState): UnitVerdict {
  if (state.busy || isChanging(state)) return changing
  if (isRunning(state)) return over('done', ocfExitCodes.ok)
  if (!state.conditionsMet)
    return over('done', ocfExitCodes.error, `${unit} was not started: one of its conditions is not met.`)
  return over('done', ocfExitCodes.error, `${unit} did not stay active: ${describeState(state)}.`)
}

export function afterStop(unit: string, state: UnitState): UnitVerdict {
  if (state.busy || isChanging(state)) return changing
  if (isRunning(state)) return over('done', ocfExitCodes.error, `${unit} did not stop: ${describeState(state)}.`)
  return over('done', ocfExitCodes.ok)
}

/** A unit on its way is waited for: what it will be is not known yet. */
export function monitored(unit: string, state: UnitState): UnitVerdict {
  if (isChanging(state)) return changing
  if (isRunning(state)) return over('done', ocfExitCodes.ok)
  return state.active === 'failed'
    ? over('done', ocfExitCodes.notRunning, `${unit} has failed: ${describeState(state)}.`)
    : over('done', ocfExitCodes.notRunning)
}

export function isRunning({ active }: Pick<UnitState, 'active'>): boolean {
  return active === 'active' || active === 'reloading' || active === 'refreshing'
}

function isChanging({ active }: UnitState): boolean {
  return active === 'activating' || active === 'deactivating' || active === 'maintenance'
}

function describeState({ active, sub, result }: UnitState): string {
  const how = result === undefined || result === 'success' ? '' : `, result ${result}`
  return `it is ${active} (${sub}${how})`
}

function over(status: AgentOutcome['status'], exitCode: number, exitReason?: string): UnitVerdict {
  return { kind: 'over', status, exitCode, ...(exitReason === undefined ? {} : { exitReason }) }
}
