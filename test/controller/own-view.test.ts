import { expect, test } from 'vitest'
import { nodeName, resourceId } from '../../src/base/index.ts'
import { element, type NodeStateRecord, type OperationRecord, readConfiguration } from '../../src/cib/index.ts'
import { type ClusterView, cibOfView, emptyView, observe, viewOfItself } from '../../src/controller/index.ts'

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

test('whoever asks twice for the CIB of one view gets the same, and after a change another', () => {
  const cib = element('cib', {}, [element('configuration')])
  const view: ClusterView = { ...emptyView, configuration: { version: 1, cib, typed: readConfiguration(cib) } }
  const whole = cibOfView(view, true)
  expect(cibOfView(view, true)).toBe(whole)
  expect(cibOfView(view, false)?.attributes['have-quorum']).toBe('0')
  expect(whole?.attributes['have-quorum']).toBe('1')
  const after = observe(view, [], 5).view
  expect(cibOfView(after, true)?.attributes.num_updates).toBe('5')
})
