import { expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { endTerm, withdrawWhoIsBack } from '../../src/controller/heard-again.ts'
import {
  type ControllerState,
  controllerStep,
  defaultControllerTimings,
  emptyView,
  initialController,
} from '../../src/controller/index.ts'

const [alpha, beta] = [nodeName('alpha'), nodeName('beta')]

/** alpha is the DC and has beta fenced, which is lost. */
function state(of: {
  readonly here: boolean
  readonly silent?: boolean
  readonly join?: 'member' | 'down'
}): ControllerState {
  const initial = initialController(alpha, defaultControllerTimings)
  const { here, silent = false, join = 'down' } = of
  const member = {
    node: beta,
    id: '2',
    incarnation: 1,
    address: '',
    daemonVersion: '',
    state: 'joining',
    since: 0,
  } as const
  const crmd = join === 'member' ? 'online' : 'offline'
  const nodeState = { node: beta, id: '2', inCcm: join === 'member', crmd, join, expected: 'member' } as const
  return {
    ...initial,
    silent: new Map(silent ? [[beta, 0]] : []),
    view: {
      ...emptyView,
      members: new Map(here ? [[beta, member]] : []),
      nodeStates: new Map([[beta, nodeState]]),
    },
    dcState: {
      term: 7,
      writes: new Map(),
      mustSee: 0,
      walks: [],
      fencing: new Map([[beta, { id: '7-1', failures: 0, retryAt: 0, message: '' }]]),
      waits: new Map(),
      waitingFor: [],
      owing: new Map(),
      unresponsive: new Map(),
      fencedForAnswers: new Map(),
      neededVoters: new Map(),
      recheckAt: 0,
      computedVersion: 0,
      computedHolds: 0,
      computingHolds: 0,
      computingVersion: 0,
      computingRevision: 0,
      blocked: [],
      awaited: [],
      publishAt: 0,
    },
  }
}

test('the fencing of a lost node that is here again is taken back, once', () => {
  const first = withdrawWhoIsBack(state({ here: true }))
  expect(first.effects).toEqual([{ kind: 'withdraw-fencing', id: '7-1', node: beta }])
  expect(withdrawWhoIsBack(first.state).effects).toEqual([])
})

test.each([
  ['has no lease yet', { here: false }],
  ['is silent', { here: true, silent: true }],
  ['was never lost: it is fenced for a failure', { here: true, join: 'member' }],
] as const)('that of one that %s is not', (_what, of) => {
  expect(withdrawWhoIsBack(state(of)).effects).toEqual([])
})

test('that of one that owes a result is not, although it is heard', () => {
  const before = state({ here: true })
  const { dcState } = before
  if (dcState === undefined) throw new Error('alpha is the DC')
  const owing = {
    ...before,
    dcState: { ...dcState, unresponsive: new Map([[beta, { why: 'it owes', incarnation: 1 }]]) },
  }
  expect(withdrawWhoIsBack(owing).effects).toEqual([])
})

test('a DC that leads no more gives up every fencing of which no device was told, whoever is heard', () => {
  const ended = endTerm(state({ here: false }))
  expect(ended.effects).toEqual([{ kind: 'withdraw-fencing', id: '7-1', node: beta }])
  expect(ended.state.dcState).toBeUndefined()
  expect(endTerm(ended.state).effects).toEqual([])
})

test('one that has lost quorum does so at once', () => {
  const { effects } = controllerStep(state({ here: false }), { kind: 'tick' }, 1)
  expect(effects).toEqual([{ kind: 'withdraw-fencing', id: '7-1', node: beta }])
})
