/** An operation and its result, as crm_simulate's `-i` and `-F` write them: `web_monitor_10000@alpha=7`. */
import { parseDurationMs } from '../../base/index.ts'

export interface OperationSpec {
  /** The resource as its history calls it: an instance of an anonymous clone has the name of the primitive. */
  readonly resource: string
  readonly operation: string
  readonly intervalMs: number
  readonly node: string
  readonly exitCode: number
}

/** Names of resources may have underscores; of the operations only the two halves of a migration do. */
const form = /^(.+?)_(migrate_to|migrate_from|[a-z][a-z-]*)_(\d+[a-z]*)@([^@=]+)=(\d+)$/

/** Undefined for what is none. The interval is in milliseconds where it has no unit, as in the keys of the history. */
export function parseOperationSpec(text: string): OperationSpec | undefined {
  const [, resource, operation, interval = '', node, exitCode] = form.exec(text) ?? []
  const intervalMs = /^\d+$/.test(interval) ? Number(interval) : parseDurationMs(interval)
  if (resource === undefined || operation === undefined || node === undefined || intervalMs === undefined)
    return undefined
  return { resource, operation, intervalMs, node, exitCode: Number(exitCode) }
}

export function formatOperationSpec({ resource, operation, intervalMs, node, exitCode }: OperationSpec): string {
  return `${resource}_${operation}_${intervalMs}@${node}=${exitCode}`
}
