/** What a node shows the rules for two nodes: that it is one of two, and how it is with the other. */
import { describe, expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { keys } from '../../src/controller/index.ts'
import { heartbeatOf, silentOf } from '../../src/node/index.ts'
import { DrivenNode, self } from './driven-node.ts'

const n2 = nodeName('n2')
const situation = (node: DrivenNode) => node.loop.state.twoNode.situation
const twoVoters = [
  { name: self, votes: true },
  { name: n2, votes: true },
]
const store = { kind: 'etcd' }

describe('one of two', () => {
  test('sees the other, and tells its driver of every change', () => {
    const node = new DrivenNode({ met: true })
    node.configured()
    node.ofTwo('heard')
    expect(situation(node)).toEqual({
      peer: n2,
      heartbeat: 'heard',
      peerIsDown: false,
      met: true,
      fencingEnabled: true,
      quorate: false,
    })
    node.feed({ kind: 'heartbeats', peers: [{ node: n2, state: 'restarting', incarnation: 5 }], agreed: [] })
    expect(situation(node)).toMatchObject({ heartbeat: 'restarting', incarnation: 5 })
    node.quorum()
    expect(situation(node)?.quorate).toBe(true)
    expect(node.of('two-node-situation')).toHaveLength(3)
    node.quorum()
    expect(node.of('two-node-situation')).toHaveLength(3)
  })

  test('takes the other for heard until something is known of it', () => {
    const node = new DrivenNode({ list: { nodes: twoVoters, store } })
    node.feed({ kind: 'copy', isWhole: true })
    expect(situation(node)?.heartbeat).toBe('heard')
  })

  test('knows of no fencing where it knows no configuration', () => {
    const node = new DrivenNode()
    node.ofTwo('silent')
    expect(situation(node)?.fencingEnabled).toBe(false)
    node.configured({ 'fencing-enabled': 'false' })
    expect(situation(node)?.fencingEnabled).toBe(false)
    node.configured()
    expect(situation(node)?.fencingEnabled).toBe(true)
  })

  test('takes the other for down only once it is gone', () => {
    const node = new DrivenNode()
    node.configured()
    node.ofTwo('silent')
    const value = { node: n2, id: '2', incarnation: 1, address: 'b', daemonVersion: '', state: 'leaving', since: 0 }
    const left = { node: n2, id: '2', inCcm: false, crmd: 'offline', join: 'down', expected: 'down' }
    node.store({ kind: 'put', key: keys.member(n2), value, createRevision: 5, lease: 'L2' })
    node.store({ kind: 'put', key: keys.nodeState(n2), value: left, createRevision: 6 })
    expect(situation(node)?.peerIsDown).toBe(false)
    node.store({ kind: 'delete', key: keys.member(n2) })
    expect(situation(node)?.peerIsDown).toBe(true)
  })
})

test.each([
  { what: 'a witness votes', list: { nodes: twoVoters, witness: { name: nodeName('w'), votes: true }, store } },
  {
    what: 'the other has no vote',
    list: {
      nodes: [
        { name: self, votes: true },
        { name: n2, votes: false },
      ],
      store,
    },
  },
  {
    what: 'this node has no vote',
    list: {
      nodes: [
        { name: self, votes: false },
        { name: n2, votes: true },
      ],
      store,
    },
  },
  { what: 'the store is somebody else’s', list: { nodes: twoVoters, store: { kind: 'external' } } },
  { what: 'this node lacks changes', list: { nodes: twoVoters, store }, isWhole: false },
])('there is nothing to see where $what', ({ list, isWhole = true }) => {
  const node = new DrivenNode()
  node.configured()
  node.ofTwo('silent')
  node.feed({ kind: 'copy', isWhole })
  node.feed({ kind: 'list', list })
  expect(situation(node)).toBeUndefined()
  expect(node.of('two-node-situation').at(-1)?.situation).toBeUndefined()
})

test('whoever restarts is not silent', () => {
  const peers = [
    { node: n2, state: 'restarting' },
    { node: nodeName('n3'), state: 'silent' },
  ] as const
  expect(silentOf(peers)).toEqual(['n3'])
  expect(heartbeatOf(peers, nodeName('n4'))).toBe('heard')
})
