/** What if an operation had ended so: its result in the history of the node that it is about, with its fail count. */
import type { ResourceId } from '../../base/index.ts'
import { childElement, childElements, element, type XmlElement } from '../../cib/index.ts'
import type { ClusterStatus, NodeStatus, PrimitiveResource } from '../../status/index.ts'
import { type CountedFailure, describeCounting, isCounted, withChild, withFailureCounted } from './count-failure.ts'
import { newHistory, withOperation } from './operation-record.ts'
import { formatOperationSpec, type OperationSpec } from './operation-spec.ts'
import { withNodeState } from './suppose-nodes.ts'
import type { Supposed } from './supposed.ts'

/** The resource that a specification means; its history may call an instance otherwise. */
export function primitiveMeant({ primitivesById }: ClusterStatus, name: string): PrimitiveResource | undefined {
  const exact = primitivesById.get(name as ResourceId)
  if (exact !== undefined) return exact
  return [...primitivesById.values()].find(
    ({ configuredId, instance }) => configuredId === name && instance?.unique !== true,
  )
}

/** The resource and the node must be there: `questionMistakes` sees to it. */
export function supposeOperation(cib: XmlElement, status: ClusterStatus, spec: OperationSpec): Supposed {
  const resource = primitiveMeant(status, spec.resource)
  const node = status.nodes.find(({ name }) => name === spec.node)
  const said = `Injecting ${formatOperationSpec(spec)} into the configuration`
  if (resource === undefined || node === undefined) return { cib, lines: [said] }
  const facts = {
    ...spec,
    name: spec.resource,
    now: status.now,
    startFailureIsFatal: status.options.startFailureIsFatal,
  }
  const counts = isCounted(spec) && spec.exitCode !== expectedOf(resource, spec)
  const after = withNodeState(cib, node, (state) => {
    const counted = counts ? withFailureCounted(state, facts) : state
    return withResult(counted, resource, { ...facts, expectedExitCode: expectedOf(resource, spec) })
  })
  const on = { cib: after, node: node.name, nodeId: stateId(node) }
  return { cib: after, lines: [said, ...(counts ? describeCounting(facts, on) : [])] }
}

const stateId = ({ id, kind, name }: NodeStatus): string => (kind === 'member' ? id : name)

/** What the recurring operation is expected to say by now, as 8 of a promoted instance; a probe may say what it finds. */
function expectedOf({ state }: PrimitiveResource, { operation, intervalMs, node, exitCode }: OperationSpec): number {
  if (operation === 'monitor' && intervalMs === 0 && [0, 7, 8].includes(exitCode)) return exitCode
  const history = [...state.history].find(([name]) => name === node)?.[1] ?? []
  const same = history.findLast((entry) => entry.operation === operation && entry.intervalMs === intervalMs)
  return same?.expectedExitCode ?? 0
}

function withResult(
  state: XmlElement,
  resource: PrimitiveResource,
  { name, expectedExitCode, now, ...spec }: OperationSpec & CountedFailure & Expected,
): XmlElement {
  const lrm = childElement(state, 'lrm') ?? element('lrm', { id: state.attributes.id ?? '' })
  const resources = childElement(lrm, 'lrm_resources') ?? element('lrm_resources')
  const known = childElements(resources, 'lrm_resource').find(({ attributes }) => attributes.id === name)
  const history = withOperation(known ?? newHistory(name, resource.agent), {
    name,
    operation: spec.operation,
    intervalMs: spec.intervalMs,
    node: spec.node,
    exitCode: spec.exitCode,
    expectedExitCode,
    ...(spec.exitCode !== expectedExitCode && { exitReason: 'Simulated action result' }),
    now,
  })
  const children = known
    ? resources.children.map((child) => (child === known ? history : child))
    : [...resources.children, history]
  return withChild(state, withChild(lrm, { ...resources, children }))
}

interface Expected {
  readonly expectedExitCode: number
}
