/**
 * Whether a recorded operation ran with other parameters than are configured now, for the node where it ran. What was run
 * is known by its digests only.
 */
import type { OperationDefinition } from '../../../cib/index.ts'
import {
  compareDigests,
  type HistoryEntry,
  hasRules,
  type NodeStatus,
  type ParameterDifference,
  parametersTask,
  recordedDigests,
} from '../../../status/index.ts'
import { findOperation, operationMeta, timeoutMs } from '../draft/operation.ts'
import { parametersOf } from '../draft/parameters.ts'
import type { PlannedPrimitive } from '../draft/planned-resource.ts'
import type { Setting } from '../draft/setting.ts'

export interface Checked {
  readonly rsc: PlannedPrimitive
  readonly node: NodeStatus
}

const comparedOnce = new Set(['monitor', 'start', 'promote', 'migrate_from'])

/** Of operations without an interval, only those count that tell with what the resource runs now. */
export const isCompared = ({ operation, intervalMs }: HistoryEntry): boolean =>
  intervalMs > 0 || comparedOnce.has(operation)

export function parameterDifference(setting: Setting, checked: Checked, entry: HistoryEntry): ParameterDifference {
  const { rsc, node } = checked
  const definition = findOperation(rsc.resource, parametersTask(entry), entry.intervalMs)
  const parameters = rsc.resource.parametersOn(node.name)
  if (parameters.get('addr') === '#uname' || hasRules(definition?.parameters ?? []))
    return compared(setting, checked, entry, definition)
  const known = setting.differences.get(parameters) ?? new Map<string, ParameterDifference>()
  setting.differences.set(parameters, known)
  const run = `${entry.operation} ${entry.intervalMs} ${recordedDigests(entry)}`
  const before = known.get(run)
  if (before !== undefined) return before
  const difference = compared(setting, checked, entry, definition)
  known.set(run, difference)
  return difference
}

function compared(
  setting: Setting,
  { rsc, node }: Checked,
  entry: HistoryEntry,
  definition: OperationDefinition | undefined,
): ParameterDifference {
  const own = definition ? setting.status.operationParameters(definition, node.name) : new Map<string, string>()
  const configured = {
    agent: rsc.resource.agent,
    parameters: parametersOf(setting, rsc, { node: node.name, own }),
    hasOwnParameters: own.size > 0,
    timeoutMs: () => timeoutMs(operationMeta(setting.status, rsc, entry.operation, entry.intervalMs)),
  }
  return compareDigests(entry, configured, setting)
}
