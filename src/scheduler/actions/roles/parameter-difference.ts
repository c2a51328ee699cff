/**
 * Whether a recorded operation ran with other parameters than are configured now, for the node where it ran. What was run
 * is known by its digests only.
 */
import {
  compareDigests,
  type HistoryEntry,
  type NodeStatus,
  type ParameterDifference,
  parametersTask,
} from '../../../status/index.ts'
import { findOperation, operationMeta, timeoutMs } from '../operation.ts'
import { parametersOf } from '../parameters.ts'
import type { Setting } from '../setting.ts'
import type { PrimitiveUnit } from '../unit.ts'

export interface Checked {
  readonly unit: PrimitiveUnit
  readonly node: NodeStatus
}

const comparedOnce = new Set(['monitor', 'start', 'promote', 'migrate_from'])

/** Of operations without an interval, only those count that tell with what the resource runs now. */
export const isCompared = ({ operation, intervalMs }: HistoryEntry): boolean =>
  intervalMs > 0 || comparedOnce.has(operation)

export function parameterDifference(
  setting: Setting,
  { unit, node }: Checked,
  entry: HistoryEntry,
): ParameterDifference {
  const { operation, intervalMs } = entry
  const definition = findOperation(unit.resource, parametersTask(entry), intervalMs)
  const own = definition ? setting.status.operationParameters(definition, node.name) : new Map<string, string>()
  const configured = {
    agent: unit.resource.agent,
    parameters: parametersOf(setting, unit, { node: node.name, own }),
    hasOwnParameters: own.size > 0,
    timeoutMs: () => timeoutMs(operationMeta(setting.status, unit, operation, intervalMs)),
  }
  return compareDigests(entry, configured, setting)
}
