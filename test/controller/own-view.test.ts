import { expect, test } from 'vitest'
import { nodeName, resourceId } from '../../src/base/index.ts'
import type { NodeStateRecord, OperationRecord } from '../../src/cib/index.ts'
import { type ClusterView, emptyView, viewOfItself } from '../../src/controller/index.ts'

const record = (node: string, resource: string): OperationRecord => ({
  node: nodeName(node),
  resource: resourceId(resource),
  agent: { class: 'ocf', provider: 'sim', type: 'Dummy' },
  recordId: `${resource}_last_0`,
  attributes: { operation: 'start', 'rc-code': '0', 'call-id': '1', interval: '0' },
})

const down: NodeStateRecord = {
  node: nodeName('alpha'),
  id: '7',
  inCcm: false,
  crmd: 'offline',
  join: 'down',
  expected: 'down',
}

test('a node that decides for itself is here and runs what it knows of, whatever the store says', () => {
  const view: ClusterView = {
    ...emptyView,
    nodeStates: new Map([[nodeName('alpha'), down]]),
    operations: new Map([
      ['old', record('alpha', 'old')],
      ['other', record('beta', 'other')],
    ]),
  }
  const own = viewOfItself(view, { node: nodeName('alpha'), operations: [record('alpha', 'web')] })
  expect([...own.operations.values()].map(({ node, resource }) => `${resource} on ${node}`)).toEqual([
    'other on beta',
    'web on alpha',
  ])
  expect(own.nodeStates.get(nodeName('alpha'))).toEqual({
    node: 'alpha',
    id: '7',
    inCcm: true,
    crmd: 'online',
    join: 'member',
    expected: 'member',
  })
})

test('one that was never integrated counts as here as well', () => {
  const own = viewOfItself(emptyView, { node: nodeName('alpha'), operations: [] })
  expect(own.nodeStates.get(nodeName('alpha'))?.join).toBe('member')
})
