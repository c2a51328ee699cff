/** "Failed Resource Actions", in words, or with --show-detail field by field. */
import type { FailedOperation } from '../../status/index.ts'
import { describeExit } from '../exit-codes.ts'
import { failedEntry, failureTime, type MonitorFacts, taskOf } from './facts.ts'
import { statusWord } from './outcome-words.ts'
import { ctime } from './times.ts'

export function failureLine(facts: MonitorFacts, failure: FailedOperation): string {
  const entry = failedEntry(facts, failure)
  const id = recordedId(entry?.attributes.operation_key ?? failure.key)
  const interval = failure.intervalMs === 0 ? '' : `${readableInterval(failure.intervalMs)}-interval `
  const { exitReason } = failure
  const could =
    failure.status === '0'
      ? `returned '${describeExit(failure.exitCode)}'${exitReason === '' ? '' : ` (${exitReason})`}`
      : `could not be executed (${[statusWord(failure.status), ...(exitReason === '' ? [] : [exitReason])].join(': ')})`
  const at = failure.lastChange === undefined ? '' : ` at ${ctime(failure.lastChange)}`
  const took = Number(entry?.attributes['exec-time'] ?? 0)
  const after = took === 0 ? '' : ` after ${readableInterval(took)}`
  return `* ${id} ${interval}${taskOf(failure)} on ${failure.node} ${could}${at}${after}`
}

export function failureDetails(facts: MonitorFacts, failure: FailedOperation): string {
  const attributes = failedEntry(facts, failure)?.attributes ?? {}
  const at = failureTime(failure) === undefined ? undefined : ctime(failure.lastChange ?? 0)
  const times =
    at === undefined
      ? ''
      : `, last-rc-change='${at}', queued=${attributes['queue-time'] ?? 0}ms, exec=${attributes['exec-time'] ?? 0}ms`
  const key = attributes.operation_key ?? failure.key
  const reason = attributes['exit-reason'] ?? ''
  return `* ${key} on ${failure.node} '${describeExit(failure.exitCode)}' (${failure.exitCode}): call=${attributes['call-id'] ?? ''}, status='${statusWord(failure.status)}'${reason === '' ? '' : `, exitreason='${reason}'`}${times}`
}

/** The resource as the history names it, with the number of its instance where that is written: of `web:1_monitor_10000` it is `web:1`. */
const recordedId = (key: string): string => key.replace(/_(?:migrate_to|migrate_from|[^_]*)_\d+$/, '')

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** `10s`, `60s`, `1m30s`, `15.023s`, `1000ms`: a unit is used for what is more than one of it. */
export function readableInterval(ms: number): string {
  let left = ms
  const parts: string[] = []
  for (const [size, unit] of [
    [day, 'd'],
    [hour, 'h'],
    [minute, 'm'],
  ] as const) {
    if (left <= size) continue
    parts.push(`${Math.floor(left / size)}${unit}`)
    left %= size
  }
  if (left > second) {
    const rest = left % second
    parts.push(`${Math.floor(left / second)}${rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`}s`)
  } else if (left > 0) parts.push(`${left}ms`)
  return parts.length === 0 ? '0s' : parts.join('')
}
