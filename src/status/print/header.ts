/** The lines above a status: whether resources are managed, and how many are disabled or blocked. */
import type { ClusterStatus } from '../cluster-status.ts'
import { isDisabled } from './resource-state.ts'

/** Each ends with a newline; empty where there is nothing to say. */
export function printSummaryHeader(status: ClusterStatus): string {
  const { disabled, blocked, total } = countInstances(status)
  const lines = [
    ...(status.options.maintenanceMode
      ? [
          '',
          '              *** Resource management is DISABLED ***',
          '  The cluster will not attempt to start, stop or recover services',
          '',
        ]
      : []),
    ...(disabled > 0 || blocked > 0
      ? [
          `${disabled} of ${total} resource instances DISABLED and ${blocked} BLOCKED from further action due to failure`,
          '',
        ]
      : []),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

function countInstances({ primitivesById }: ClusterStatus): {
  readonly total: number
  readonly disabled: number
  readonly blocked: number
} {
  const counted = [...primitivesById.values()].filter(({ orphan, state }) => !orphan || state.active.length > 0)
  return {
    total: counted.length,
    disabled: counted.filter(({ meta, instance }) => isDisabled(meta, instance?.promotable ?? false)).length,
    blocked: counted.filter(({ state }) => state.blocked).length,
  }
}
