import { expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { emptyView } from '../../src/controller/index.ts'
import { reconcileNodeStates } from '../../src/controller/node-states.ts'

const beta = nodeName('beta')

test('a node that is lost while it wishes to leave is unclean: nobody has told it that it may go', () => {
  const state = { node: beta, id: '2', inCcm: true, crmd: 'online', join: 'member', expected: 'member' } as const
  const outcome = reconcileNodeStates({
    view: { ...emptyView, nodeStates: new Map([[beta, state]]) },
    self: nodeName('alpha'),
    term: 7,
    now: 1000,
    lost: new Map(),
    silent: new Set([beta]),
    beingFenced: new Set(),
    fencingEnabled: true,
    waits: new Map(),
    lossWaitMs: 10_000,
    registrationMs: 5000,
  })
  expect(outcome.edits).toEqual([
    { kind: 'put-node-state', record: expect.objectContaining({ inCcm: false, expected: 'member' }) },
    { kind: 'delete-attribute', node: beta, set: '', name: 'shutdown' },
  ])
})
