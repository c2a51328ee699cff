/**
 * The attributes of an operation (Pacemaker Explained, "Resource Operations"): first what its `op` element says, then the
 * element's meta-attributes, then, for probes without a timeout of their own, the timeout of the monitor that runs most
 * often, then `op_defaults` under their rules.
 */
import { parseDurationMs } from '../../base/index.ts'
import { type Agent, type NvSet, type OperationDefinition, parseBoolean } from '../../cib/index.ts'
import { addNvSets, type TimeZone } from '../rules/index.ts'

export interface OperationOwner {
  readonly agent: Agent
  readonly operations: readonly OperationDefinition[]
}

export interface OperationSources {
  readonly operationDefaults: readonly NvSet[]
  readonly zone: TimeZone
}

export function operationMeta(
  owner: OperationOwner,
  operation: {
    readonly name: string
    readonly intervalMs: number
    readonly definition?: OperationDefinition | undefined
  },
  sources: OperationSources,
): ReadonlyMap<string, string> {
  const { name, intervalMs } = operation
  const definition = operation.definition ?? findOperation(owner.operations, name, intervalMs)
  const values = new Map<string, string>(Object.entries(definition?.attributes ?? {}))
  const context = { zone: sources.zone, agent: owner.agent, operation: { name, intervalMs } }
  addNvSets(values, definition?.meta ?? [], context)
  if (name === 'monitor' && intervalMs === 0) addProbeTimeout(values, owner)
  addNvSets(values, sources.operationDefaults, context)
  if (name === 'stop' && meaninglessForStop.has(values.get('on-fail') ?? '')) values.delete('on-fail')
  return values
}

/** A stop that fails can be answered by fencing, blocking or ignoring it. */
const meaninglessForStop = new Set(['standby', 'demote', 'stop'])

/** Of an operation with these attributes; 20 seconds where none is written. */
export function timeoutMs(meta: ReadonlyMap<string, string>): number {
  return parseDurationMs(meta.get('timeout') ?? '') ?? 20_000
}

function addProbeTimeout(values: Map<string, string>, owner: OperationOwner): void {
  const timeout = mostFrequentMonitor(owner.operations)?.attributes.timeout
  if (!values.has('timeout') && timeout !== undefined) values.set('timeout', timeout)
}

function mostFrequentMonitor(operations: readonly OperationDefinition[]): OperationDefinition | undefined {
  return operations
    .filter((operation) => operation.name === 'monitor' && operation.intervalMs > 0 && isEnabled(operation))
    .reduce<OperationDefinition | undefined>(
      (best, operation) => (best === undefined || operation.intervalMs < best.intervalMs ? operation : best),
      undefined,
    )
}

export const isEnabled = ({ attributes }: OperationDefinition): boolean => parseBoolean(attributes.enabled) ?? true

/** The `op` element of a name and interval; a disabled one counts as well. */
export function findOperation(
  operations: readonly OperationDefinition[],
  name: string,
  intervalMs: number,
): OperationDefinition | undefined {
  return operations.find((operation) => operation.name === name && operation.intervalMs === intervalMs)
}
