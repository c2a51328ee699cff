/**
 * The view from which a node decides for itself, without anybody to ask or to tell: it is here, whatever is recorded of it, and what it
 * has done and found it knows better than the store, whose copy may be old and whose history of it may have been deleted.
 */
import type { NodeName } from '../base/index.ts'
import type { NodeStateRecord, OperationRecord } from '../cib/index.ts'
import { keys } from './keys.ts'
import { configuredId } from './node-states.ts'
import type { ClusterView } from './view.ts'

export interface OwnKnowledge {
  readonly node: NodeName
  /** All records of its own operations. */
  readonly operations: readonly OperationRecord[]
}

export function viewOfItself(view: ClusterView, { node, operations }: OwnKnowledge): ClusterView {
  const recorded = view.nodeStates.get(node)
  const here: NodeStateRecord = {
    id: configuredId(view, node),
    ...recorded,
    node,
    inCcm: true,
    crmd: 'online',
    join: 'member',
    expected: 'member',
  }
  const others = [...view.operations].filter(([, record]) => record.node !== node)
  const own = operations.map((record) => [keys.history(node, record.resource, record.recordId), record] as const)
  return {
    ...view,
    nodeStates: new Map(view.nodeStates).set(node, here),
    operations: new Map([...others, ...own]),
  }
}
