/** What a node stops by its own decision, and when. */
import { describe, expect, test } from 'vitest'
import { monotonicMs, nodeName, resourceId } from '../../src/base/index.ts'
import { ownCopyWillDo } from '../../src/node/start-up.ts'
import { DrivenNode, planOf, stopOfWeb, web } from './driven-node.ts'

const lost = { kind: 'quorum-lost', why: 'not confirmed in time' } as const

function withoutQuorum(node = new DrivenNode()): DrivenNode {
  node.runs()
  node.now += 4000
  node.feed(lost)
  return node
}

describe('without quorum', () => {
  test('a node stops what it runs, as the scheduler says', () => {
    const node = withoutQuorum()
    node.later(50)
    expect(node.of('plan-own-stops')).toEqual([{ kind: 'plan-own-stops', id: 1, stopEverything: false }])
    node.feed({ kind: 'own-stops-planned', id: 1, plan: planOf(stopOfWeb) })
    expect(node.of('stop-own')).toEqual([{ kind: 'stop-own', id: 1, stages: [[stopOfWeb]] }])
  })

  test('nothing of other nodes is touched, and nothing is started', () => {
    const node = withoutQuorum()
    node.later(50)
    const others = [
      { ...stopOfWeb, node: nodeName('n2') },
      { ...stopOfWeb, id: 2, operation: 'start' },
    ]
    node.feed({ kind: 'own-stops-planned', id: 1, plan: planOf(...others) })
    expect(node.of('stop-own')).toEqual([{ kind: 'stop-own', id: 1, stages: [] }])
  })

  test('a moment is waited for, in which the lease may be confirmed after all', () => {
    const node = withoutQuorum()
    node.later(49)
    expect(node.of('plan-own-stops')).toEqual([])
    node.quorum()
    node.later(3000)
    expect(node.of('plan-own-stops')).toEqual([])
  })

  test.each([
    { name: 'comes back for 10 ms', forMs: 10 },
    { name: 'is confirmed too late', forMs: -1 },
  ])('that moment begins anew with every loss: quorum $name', ({ forMs }) => {
    const node = withoutQuorum()
    node.later(20)
    node.quorum(forMs)
    // The loss is told a moment after it.
    node.later(25)
    node.feed(lost)
    node.later(49)
    expect(node.of('plan-own-stops')).toEqual([])
    node.later(1)
    expect(node.of('plan-own-stops')).toHaveLength(1)
    node.later(3000)
    expect(node.of('plan-own-stops')).toHaveLength(1)
  })

  test('nothing waits to be stopped once quorum is back, even where its next loss is told late', () => {
    const node = withoutQuorum()
    node.later(20)
    node.quorum(10)
    node.later(40)
    expect(node.of('plan-own-stops')).toEqual([])
  })

  test('what could not be carried out is planned and tried again, and the same trouble is told once', () => {
    const node = withoutQuorum()
    node.later(50)
    for (let turn = 0; turn < 3; turn++) {
      node.feed({ kind: 'own-stops-planned', id: 1, plan: planOf(stopOfWeb) })
      node.feed({ kind: 'own-stops-not-done', id: 1, message: 'the disk is full' })
      node.later(500)
    }
    expect(node.of('stop-own')).toHaveLength(3)
    expect(node.of('plan-own-stops')).toHaveLength(4)
    expect(node.of('log').flatMap(({ level, message }) => (level === 'error' ? [message] : []))).toEqual([
      'the actions without quorum could not be performed: retrying',
    ])
  })

  test('nothing is stopped where quorum is back before the plan is made', () => {
    const node = withoutQuorum()
    node.later(50)
    node.quorum()
    node.feed({ kind: 'own-stops-planned', id: 1, plan: planOf(stopOfWeb) })
    expect(node.of('stop-own')).toEqual([])
  })

  test('the machine ends with no-quorum-policy=fence', () => {
    const node = withoutQuorum()
    node.later(50)
    node.feed({ kind: 'own-stops-planned', id: 1, plan: { ...planOf(stopOfWeb), noQuorumPolicy: 'fence' } })
    expect(node.kinds.slice(-1)).toEqual(['end-self'])
    expect(node.of('stop-own')).toEqual([])
  })

  test('one of two that is about to make sure that it may go on keeps what it runs', () => {
    const node = new DrivenNode()
    node.runs()
    node.ofTwo('silent')
    node.now += 4000
    node.feed(lost)
    node.later(2000)
    expect(node.of('plan-own-stops')).toEqual([])
  })

  test('a plan that could not be made is asked for again, and the same trouble is told once', () => {
    const node = withoutQuorum()
    node.later(50)
    for (let turn = 0; turn < 4; turn++) {
      node.feed({ kind: 'own-stops-not-planned', id: 1, message: 'the planner is gone' })
      node.later(500)
    }
    expect(node.of('plan-own-stops')).toHaveLength(5)
    expect(node.of('log').filter(({ level }) => level === 'error')).toHaveLength(1)
    node.later(5 * 60_000)
    node.feed({ kind: 'own-stops-not-planned', id: 1, message: 'the planner is gone' })
    expect(node.of('log').filter(({ level }) => level === 'error')).toHaveLength(2)
  })

  test('a node that knows no configuration says so once, and not as a mistake', () => {
    const node = new DrivenNode()
    node.feed(lost)
    for (let turn = 0; turn < 100; turn++) {
      node.later(500)
      node.feed({ kind: 'own-stops-not-planned', id: 1, message: 'there is no configuration' })
    }
    expect(node.of('log').map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'this node has lost quorum'],
      ['info', 'this node has no configuration yet and therefore nothing to stop'],
    ])
  })

  test('whoever left in order has nothing more to stop', () => {
    const node = new DrivenNode()
    node.runs()
    node.now += 4000
    node.feed({ kind: 'quorum-lost', why: 'left' })
    node.later(3000)
    expect(node.of('plan-own-stops')).toEqual([])
  })
})

describe('a daemon that begins without quorum', () => {
  test('waits for as long as a lease would have lasted, then stops what an earlier daemon has left running', () => {
    const node = new DrivenNode({ met: true })
    node.configured()
    node.feed({ kind: 'began' })
    node.later(4499)
    expect(node.of('plan-own-stops')).toEqual([])
    node.later(1)
    expect(node.of('plan-own-stops')).toHaveLength(1)
  })

  test('leaves that alone after a boot: nothing of an earlier daemon runs', () => {
    const node = new DrivenNode({ met: false })
    node.configured()
    node.feed({ kind: 'began' })
    node.later(20_000)
    expect(node.of('plan-own-stops')).toEqual([])
  })

  test('stops what it finds where it had quorum before it had read the store', () => {
    const node = new DrivenNode({ met: false })
    node.configured()
    node.quorum(1000)
    node.later(1000)
    node.feed(lost)
    node.later(50)
    node.feed({ kind: 'own-stops-planned', id: 1, plan: planOf() })
    node.feed({ kind: 'own-stops-ended', id: 1, failed: [], mayRun: [] })
    expect(ownCopyWillDo({ ...node.loop.state, leaving: true }, monotonicMs(node.now))).toBe(true)
    node.feed({ kind: 'began' })
    node.later(5000)
    expect(node.of('plan-own-stops')).toHaveLength(2)
  })

  test('tells its executor that it has no quorum, and when it has some', () => {
    const node = new DrivenNode()
    node.configured()
    node.feed({ kind: 'began' })
    node.quorum()
    node.now += 4000
    node.feed(lost)
    expect(node.of('executor-quorum').map(({ quorate }) => quorate)).toEqual([false, true, false])
  })
})

describe('a node that leaves without the others', () => {
  /** Without quorum for longer than it waits for that. */
  function leaving(node: DrivenNode): DrivenNode {
    node.feed({ kind: 'leave' })
    node.later(2100)
    return node
  }

  test('stops everything, whatever no-quorum-policy says, and goes', () => {
    const node = leaving(withoutQuorum())
    const plan = node.of('plan-own-stops').find(({ stopEverything }) => stopEverything)
    expect(plan).toBeDefined()
    const id = plan?.id ?? 0
    node.feed({ kind: 'own-stops-planned', id, plan: { ...planOf(stopOfWeb), noQuorumPolicy: 'fence' } })
    expect(node.of('stop-own')).toMatchObject([{ id }])
    expect(node.of('depart')).toEqual([])
    node.feed({ kind: 'own-stops-ended', id, failed: [], mayRun: [] })
    expect(node.of('depart')).toEqual([{ kind: 'depart', disarm: true }])
  })

  test('asks again for everything to be stopped where that could not be computed', () => {
    const node = leaving(withoutQuorum())
    const id = node.of('plan-own-stops').find(({ stopEverything }) => stopEverything)?.id ?? 0
    node.feed({ kind: 'own-stops-not-planned', id, message: 'the planner is gone' })
    node.later(500)
    const asked = node.of('plan-own-stops').filter((plan) => plan.id === id)
    expect(asked.map(({ stopEverything }) => stopEverything)).toEqual([true, true])
  })

  test('is reset by its watchdog where it has left something running', () => {
    const node = leaving(withoutQuorum())
    const id = node.of('plan-own-stops').find(({ stopEverything }) => stopEverything)?.id ?? 0
    node.feed({ kind: 'own-stops-planned', id, plan: planOf(stopOfWeb) })
    node.feed({ kind: 'own-stops-ended', id, failed: [web], mayRun: [web] })
    expect(node.of('depart')).toEqual([{ kind: 'depart', disarm: false }])
  })

  test('is not reset for what is unmanaged', () => {
    const node = leaving(withoutQuorum())
    const id = node.of('plan-own-stops').find(({ stopEverything }) => stopEverything)?.id ?? 0
    node.feed({ kind: 'own-stops-planned', id, plan: { ...planOf(), unmanaged: [web] } })
    node.feed({ kind: 'own-stops-ended', id, failed: [], mayRun: [web] })
    expect(node.of('depart')).toMatchObject([{ disarm: true }])
  })

  test('goes with what it runs after shutdown-escalation, and is reset', () => {
    const node = new DrivenNode()
    node.runs({ 'shutdown-escalation': '10s' })
    node.quorum(60_000)
    node.feed({ kind: 'leave' })
    node.later(9999)
    expect(node.of('depart')).toEqual([])
    node.later(1)
    expect(node.of('depart')).toEqual([{ kind: 'depart', lease: 'L1', disarm: false }])
    expect(node.of('log').map(({ message }) => message)).toContain(
      'the shutdown did not finish within shutdown-escalation: this node leaves with its resources running',
    )
  })

  test('waits without fencing: nobody could make sure that it has ended', () => {
    const node = new DrivenNode()
    node.runs({ 'shutdown-escalation': '10s', 'fencing-enabled': 'false' })
    node.quorum(60_000)
    node.feed({ kind: 'leave' })
    node.later(30_000)
    expect(node.of('depart')).toEqual([])
  })

  test('waits for the store to be read where this boot had quorum before, and says so where it cannot be', () => {
    const early = new DrivenNode({ met: true })
    early.feed({ kind: 'leave' })
    early.later(2100)
    expect(early.of('depart')).toEqual([])
    early.later(8000)
    expect(early.of('depart')).toHaveLength(1)
    expect(early.of('log').map(({ message }) => message)).toContain(
      'this node could not read the store yet: resources left running by an earlier daemon keep running',
    )
    const late = new DrivenNode({ met: true })
    late.feed({ kind: 'leave' })
    late.later(2100)
    late.configured()
    late.feed({ kind: 'began' })
    expect(late.of('plan-own-stops').map(({ stopEverything }) => stopEverything)).toEqual([true])
  })

  test('goes at once where nothing of this boot can be running', () => {
    const node = new DrivenNode({ met: false })
    node.feed({ kind: 'leave' })
    node.later(2100)
    expect(node.of('depart')).toHaveLength(1)
  })

  test('forgets what was left running once it had quorum again', () => {
    const node = withoutQuorum()
    node.later(50)
    node.feed({ kind: 'own-stops-planned', id: 1, plan: planOf(stopOfWeb) })
    node.feed({ kind: 'own-stops-ended', id: 1, failed: [web], mayRun: [web] })
    node.quorum(60_000)
    node.feed({ kind: 'leave' })
    node.feed({
      kind: 'command',
      id: 1,
      highestTerm: 1,
      command: {
        term: 1,
        plannedFrom: 1,
        transitionKey: '',
        timeoutMs: 0,
        action: {
          kind: 'cluster',
          id: 1,
          inputs: [],
          attributes: {},
          priority: 0,
          operation: 'do_shutdown',
          key: '',
          downed: [],
        },
      },
    })
    expect(node.of('depart')).toMatchObject([{ disarm: true }])
  })
})

describe('a node that the cluster counts as down although it lives', () => {
  const down = { join: 'down', expected: 'down', inCcm: false, crmd: 'offline' }

  test('stops everything and comes back as somebody new', () => {
    const node = new DrivenNode()
    node.runs()
    node.nodeState(down)
    const id = node.of('plan-own-stops').find(({ stopEverything }) => stopEverything)?.id ?? 0
    node.feed({ kind: 'own-stops-planned', id, plan: planOf(stopOfWeb) })
    expect(node.of('restart')).toEqual([])
    node.feed({ kind: 'own-stops-ended', id, failed: [], mayRun: [] })
    expect(node.of('restart')).toHaveLength(1)
  })

  test('ends its machine with fencing-reaction=panic, where it counts as fenced', () => {
    const node = new DrivenNode()
    node.runs({ 'fencing-reaction': 'panic' })
    node.nodeState({ ...down, attributes: { incarnation: '7', node_fenced: '1' } })
    expect(node.kinds).toContain('end-self')
    expect(node.of('plan-own-stops')).toEqual([])
  })
})

test('what may run is told by the executor, and a resource of another name is no other', () => {
  const node = withoutQuorum()
  node.later(50)
  node.feed({ kind: 'own-stops-planned', id: 1, plan: { ...planOf(), unmanaged: [resourceId('web')] } })
  node.feed({ kind: 'own-stops-ended', id: 1, failed: [], mayRun: [resourceId('web:0'), resourceId('db')] })
  expect(node.loop.state.ownStops.leftRunning).toEqual(['db'])
  expect(node.loop.state.quorateUntil).toBeLessThanOrEqual(monotonicMs(node.now))
})
