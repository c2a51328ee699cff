/** What is recorded of a remote node's resources. A hostile one may say that it runs what it was asked to look for, and no more than that. */
import type { NodeName } from '../../base/index.ts'
import type { OperationRecord } from '../../cib/index.ts'

/** Instances of clones are known by their resource. */
export const withoutInstance = (resource: string): string => resource.replace(/:\d+$/, '')

/** The primitives that run on a node, or are about to. */
export function runningThere(records: Iterable<OperationRecord>, node: NodeName): ReadonlySet<string> {
  const stops = new Map<string, number>()
  const active = new Map<string, number>()
  for (const { node: where, resource, attributes } of records) {
    if (where !== node) continue
    const id = Number(attributes['call-id'] ?? 0) || 0
    const into = isStop(attributes) ? stops : showsActive(attributes) ? active : undefined
    into?.set(resource, Math.max(id, into.get(resource) ?? 0))
  }
  const running = [...active].filter(([resource, id]) => (stops.get(resource) ?? -1) <= id)
  return new Set(running.map(([resource]) => withoutInstance(resource)))
}

type Attributes = OperationRecord['attributes']

const isStop = (attributes: Attributes): boolean => attributes.operation === 'stop' && attributes['rc-code'] === '0'

/** Done, or under way; a stop that has not succeeded still runs the agent there. */
function showsActive(attributes: Attributes): boolean {
  const { operation, 'rc-code': exitCode, 'op-status': status } = attributes
  if (status === '-1') return operation !== 'monitor' || attributes.interval !== '0'
  return operation === 'stop' ? exitCode !== '0' : exitCode === '0' || exitCode === '8'
}

/** Nodes where a resource has a history. */
export function nodesWith(records: Iterable<OperationRecord>, resource: string): ReadonlySet<NodeName> {
  const nodes = new Set<NodeName>()
  for (const record of records) if (withoutInstance(record.resource) === resource) nodes.add(record.node)
  return nodes
}
