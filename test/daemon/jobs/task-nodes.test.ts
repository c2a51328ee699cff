/** When a remote node counts as there for tasks: what `status` shows of it goes ahead, as Pacemaker's does. */
import { expect, test } from 'vitest'
import { nodeName } from '../../../src/base/index.ts'
import type { ClusterView } from '../../../src/controller/index.ts'
import { isTaskNodeComing, isTaskNodeUp } from '../../../src/daemon/jobs/task-nodes.ts'

const r1 = nodeName('r1')
type Operation = Readonly<Record<string, string>>

function view(operations: readonly Operation[], state = 'member'): ClusterView {
  return {
    members: new Map([[nodeName('n1'), { state }]]),
    nodeStates: new Map(),
    operations: new Map(
      operations.map((attributes, at) => [
        `${at}`,
        { node: nodeName('n1'), resource: attributes.of ?? 'r1', attributes },
      ]),
    ),
  } as unknown as ClusterView
}

const begun = { operation: 'start', 'op-status': '-1', 'rc-code': '193' }
const failed = { operation: 'start', 'op-status': '2', 'rc-code': '1' }
const cases: readonly { readonly name: string; readonly view: ClusterView; readonly coming: boolean }[] = [
  { name: 'a start under way', view: view([begun]), coming: true },
  { name: 'a migration that arrives', view: view([{ ...begun, operation: 'migrate_from' }]), coming: true },
  { name: 'a start that is done', view: view([{ ...begun, 'op-status': '0', 'rc-code': '0' }]), coming: false },
  { name: 'a probe under way', view: view([{ ...begun, operation: 'monitor' }]), coming: false },
  { name: 'the start of another resource', view: view([{ ...begun, of: 'web' }]), coming: false },
  { name: 'a start on a node that is lost', view: view([begun], 'joining'), coming: false },
  { name: 'another start after one that has failed', view: view([failed, begun]), coming: false },
  { name: 'nothing', view: view([]), coming: false },
]

for (const { name, view: seen, coming } of cases)
  test(`${name}: the node is ${coming ? '' : 'not '}waited for`, () => {
    expect(isTaskNodeComing(seen, r1)).toBe(coming)
    expect(isTaskNodeUp(seen, r1)).toBe(false)
  })
