import { expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { emptyView, keys, observe } from '../../src/controller/index.ts'
import { reconcileNodeStates } from '../../src/controller/node-states.ts'

const beta = nodeName('beta')
const state = {
  node: beta,
  id: '2',
  inCcm: true,
  crmd: 'online',
  join: 'member',
  expected: 'member',
  attributes: { incarnation: '5' },
} as const

const outcome = (restarts: ReadonlyMap<typeof beta, number>, silent: readonly (typeof beta)[] = []) =>
  reconcileNodeStates({
    view: { ...emptyView, nodeStates: new Map([[beta, state]]), restarts },
    self: nodeName('alpha'),
    term: 7,
    now: 1000,
    lost: new Map(),
    silent: new Set(silent),
    beingFenced: new Set(),
    fencingEnabled: true,
    waits: new Map(),
    lossWaitMs: 10_000,
    registrationMs: 5000,
  })

test('a node whose lease has run out while its daemon restarts has a minute where it has announced that, and the grace otherwise', () => {
  expect(outcome(new Map()).waits.get(beta)).toBe(6000)
  expect(outcome(new Map([[beta, 5]])).waits.get(beta)).toBe(61_000)
  // The word of an earlier life.
  expect(outcome(new Map([[beta, 4]])).waits.get(beta)).toBe(6000)
})

test('one that is silent is lost, whatever it has announced', () => {
  expect(outcome(new Map([[beta, 5]]), [beta]).edits[0]).toMatchObject({ record: { inCcm: false } })
})

test('an announcement is read from the store, and taken back', () => {
  const put = { kind: 'put', key: keys.restart(beta), value: { incarnation: 5 }, createRevision: 3 } as const
  const { view, changes } = observe(emptyView, [put], 3)
  expect(view.restarts.get(beta)).toBe(5)
  expect(changes).toEqual([{ kind: 'restart', node: beta }])
  expect(observe(view, [{ kind: 'delete', key: keys.restart(beta) }], 4).view.restarts.size).toBe(0)
})
