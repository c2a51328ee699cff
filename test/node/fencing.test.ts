/** Fencing as a node does it: who comes first, what counts as a reset, and what earlier DCs have left switched off. */
import { describe, expect, test } from 'vitest'
import { monotonicMs, nodeName } from '../../src/base/index.ts'
import { type ControllerEffect, keys } from '../../src/controller/index.ts'
import { initialNode, NodeLoop, nodeStep, nodeTimings, type RecordedFencing } from '../../src/node/index.ts'
import { DrivenNode, incarnation, self } from './driven-node.ts'

const n2 = nodeName('n2')
const device = (name = 'f', action = '') =>
  `<primitive id="${name}" class="stonith" type="fence_x"><instance_attributes id="${name}-i"><nvpair id="${name}-l" name="pcmk_host_list" value="n2"/>${action}</instance_attributes></primitive>`

const request = (
  more: Partial<Extract<ControllerEffect, { kind: 'fence' }>> = {},
): Extract<ControllerEffect, { kind: 'fence' }> => ({
  kind: 'fence',
  id: '1',
  term: 5,
  target: n2,
  action: 'reboot',
  incarnation: 3,
  timeoutMs: 20_000,
  delayMs: 0,
  reason: 'it is silent',
  ...more,
})

/** A DC of term 5 that knows n2, which is gone. */
function dc(options: Readonly<Record<string, string>> = {}, resources = device()): DrivenNode {
  const node = new DrivenNode()
  node.runs()
  node.configured(options, resources)
  leads(node, 5)
  knows(node)
  node.asked.length = 0
  return node
}

function leads(node: DrivenNode, term: number): void {
  node.store({ kind: 'put', key: keys.dc, value: { node: self }, createRevision: term, lease: 'L1' })
}

function knows(node: DrivenNode, attributes: Readonly<Record<string, string>> = {}): void {
  const known = { incarnation: '3', boot_id: 'b1', ...attributes }
  const value = {
    node: n2,
    id: '2',
    inCcm: false,
    crmd: 'offline',
    join: 'down',
    expected: 'member',
    attributes: known,
  }
  node.store({ kind: 'put', key: keys.nodeState(n2), value, createRevision: 7 })
}

function comes(node: DrivenNode, life: number, bootId: string): void {
  const record = { node: n2, id: '2', incarnation: life, address: 'a', daemonVersion: '', state: 'member', since: 0 }
  node.store({
    kind: 'put',
    key: keys.member(n2),
    value: { ...record, bootId },
    createRevision: life,
    lease: `L${life}`,
  })
}

const goes = (node: DrivenNode): void => node.store({ kind: 'delete', key: keys.member(n2) })

function written(node: DrivenNode, isWritten = true): void {
  const last = node.ofFencing('record').at(-1)
  if (last === undefined) throw new Error('nothing is recorded')
  const { by, progress } = last
  node.fencing({ kind: 'recorded', by, id: progress.id, outcome: progress.outcome, written: isWritten })
}

function answers(node: DrivenNode, succeeded: boolean): void {
  const last = node.ofFencing('run-device').at(-1)
  if (last === undefined) throw new Error('no device is run')
  const answer = { succeeded, timedOut: false, output: '', message: succeeded ? '' : 'it does not answer' }
  node.fencing({ kind: 'device-answered', by: last.by, call: last.call, answer })
}

const records = (node: DrivenNode) =>
  node.ofFencing('record').map(({ by, ifAway, progress }) => [by, progress.outcome, ifAway])

test('a device is told once the fencing is recorded, and the result is told once that is', () => {
  const node = dc()
  node.fencing({ kind: 'fence', request: request(), random: 0 })
  expect(node.ofFencing('run-device')).toEqual([])
  written(node)
  expect(node.ofFencing('run-device')).toMatchObject([{ by: 'dc', device: 'f', node: self, term: 5, target: n2 }])
  answers(node, true)
  expect(node.ofFencing('announce')).toEqual([])
  written(node)
  expect(node.ofFencing('announce')).toMatchObject([
    { result: { id: '1', outcome: 'succeeded' }, asked: { action: 'reboot', incarnation: 3, byAdministrator: false } },
  ])
  expect(records(node)).toEqual([
    ['dc', 'pending', false],
    ['dc', 'succeeded', false],
  ])
})

test('a delay is over when it is, for the DC', () => {
  // Nothing else wakes the node at that moment.
  const node = dc()
  node.fencing({ kind: 'fence', request: request({ delayMs: 733 }), random: 0 })
  written(node)
  node.later(732)
  expect(node.ofFencing('run-device')).toEqual([])
  node.later(1)
  expect(node.ofFencing('run-device')).toHaveLength(1)
})

test('a DC of a later term is not forestalled: no device is told for the earlier one', () => {
  const node = dc()
  node.fencing({ kind: 'fence', request: request(), random: 0 })
  node.store({ kind: 'put', key: keys.dc, value: { node: n2 }, createRevision: 9, lease: 'L2' })
  written(node)
  expect(node.ofFencing('run-device')).toEqual([])
  expect(node.ofFencing('record').at(-1)?.progress.message).toContain('The term has ended')
})

describe('what the controller asks for', () => {
  const passed = (forMs: number): readonly string[] => {
    const timings = nodeTimings({ leaseTtlMs: 5000, leaseMarginMs: 500, stopTimeMs: 5000, restartGraceMs: 5000 })
    const state = initialNode(
      { self, incarnation, list: { nodes: [], store: { kind: 'etcd' } }, met: true, timings },
      monotonicMs(0),
    )
    const kinds: string[] = []
    const loop = new NodeLoop(
      { ...state, quorateUntil: monotonicMs(forMs) },
      { now: () => monotonicMs(10), perform: () => undefined, random: () => 0.25, wakeAt: () => undefined },
      (before, input, now) => {
        if (input.kind === 'fencing')
          kinds.push(`${input.input.kind} ${'random' in input.input ? input.input.random : ''}`)
        if (input.kind !== 'began') return nodeStep(before, input, now)
        const withdraw = { kind: 'withdraw-fencing', id: '1', node: n2 } as const
        return { state: before, effects: [request(), withdraw].map((effect) => ({ kind: 'controller', effect })) }
      },
    )
    loop.feed({ kind: 'began' })
    return kinds
  }

  test('is passed on to the fencing of this node, in order', () => {
    expect(passed(20)).toEqual(['fence 0.25', 'withdraw '])
  })

  test('is not without quorum, but what is taken back', () => {
    expect(passed(10)).toEqual(['withdraw '])
  })
})

test('devices are run by this node first, then by the others that are heard', () => {
  const node = dc({}, device('f', '<nvpair id="f-r" name="pcmk_off_retries" value="1"/>'))
  for (const [name, life] of [
    ['n4', 4],
    ['n3', 5],
    ['n5', 6],
  ] as const) {
    const value = {
      node: name,
      id: name,
      incarnation: life,
      address: 'a',
      daemonVersion: '',
      state: 'member',
      since: 0,
    }
    node.store({ kind: 'put', key: keys.member(nodeName(name)), value, createRevision: life, lease: name })
  }
  node.feed({ kind: 'heartbeats', peers: [{ node: nodeName('n5'), state: 'silent' }], agreed: [] })
  node.fencing({ kind: 'fence', request: request(), random: 0 })
  expect(node.loop.state.fencing.dc.requests[0]?.runners).toEqual(['n1', 'n3', 'n4'])
})

describe('a reset by a watchdog', () => {
  const byWatchdog = (isHere: boolean): DrivenNode => {
    const node = dc({ 'fencing-watchdog-timeout': '10s' }, '')
    if (isHere) comes(node, 3, 'b1')
    knows(node, { watchdog_ms: '5000', watchdog_timeout: '5000' })
    node.asked.length = 0
    return node
  }
  const begun = (isHere: boolean): DrivenNode => {
    const node = byWatchdog(isHere)
    node.fencing({ kind: 'fence', request: request(), random: 0 })
    written(node)
    return node
  }
  /** A lease, its margin and the time of the option. */
  const waitMs = 5000 + 500 + 10_000

  const stays = (node: DrivenNode, ms: number): void => {
    for (let left = ms; left > 0; left -= 1000) {
      node.quorum(4000)
      node.later(Math.min(1000, left))
    }
  }

  test('is waited for, and counts only where it is recorded while the node is away', () => {
    const node = begun(false)
    stays(node, waitMs - 1)
    expect(records(node)).toEqual([['dc', 'pending', false]])
    stays(node, 1)
    expect(records(node).at(-1)).toEqual(['dc', 'succeeded', true])
    expect(node.ofFencing('announce')).toEqual([])
    written(node)
    expect(node.ofFencing('announce')).toMatchObject([{ result: { outcome: 'succeeded' } }])
  })

  test('that was refused is recorded as a failure before that is told', () => {
    const node = begun(false)
    stays(node, waitMs)
    written(node, false)
    expect(records(node).at(-1)).toEqual(['dc', 'failed', false])
    expect(node.ofFencing('record').at(-1)?.progress.message).toBe('n2 came back before its reset was certain')
    expect(node.ofFencing('announce')).toEqual([])
    written(node)
    expect(node.ofFencing('announce')).toMatchObject([{ result: { outcome: 'failed' } }])
  })

  test('of a node that is here begins with the word to end itself, and its lease', () => {
    const node = begun(true)
    expect(node.ofFencing('ask-to-end')).toMatchObject([{ target: n2, incarnation: 3, term: 5 }])
    const call = node.ofFencing('ask-to-end')[0]?.call ?? 0
    stays(node, waitMs)
    node.fencing({ kind: 'asked-to-end', call })
    stays(node, waitMs)
    expect(records(node)).toEqual([['dc', 'pending', false]])
    goes(node)
    stays(node, waitMs)
    expect(records(node).at(-1)).toEqual(['dc', 'succeeded', true])
  })

  test('fails where that word could not be given', () => {
    const node = begun(true)
    const call = node.ofFencing('ask-to-end')[0]?.call ?? 0
    node.fencing({ kind: 'asked-to-end', call, refused: 'the term is over' })
    expect(node.ofFencing('record').at(-1)?.progress).toMatchObject({ outcome: 'failed' })
    expect(node.ofFencing('record').at(-1)?.progress.message).toContain('the term is over')
  })

  test('is proven by another boot, also where the node is here when that is recorded', () => {
    const node = begun(false)
    comes(node, 9, 'b2')
    expect(records(node).at(-1)).toEqual(['dc', 'succeeded', false])
  })

  test('is not proven where it came back in the same boot, or came and went', () => {
    const back = begun(false)
    comes(back, 9, 'b1')
    expect(records(back).at(-1)).toEqual(['dc', 'failed', false])
    const again = begun(false)
    comes(again, 3, 'b1')
    goes(again)
    expect(records(again).at(-1)).toEqual(['dc', 'failed', false])
  })

  test('is not proven where it came and went between two looks', () => {
    const node = begun(false)
    const record = { node: n2, id: '2', incarnation: 9, address: 'a', daemonVersion: '', state: 'member', since: 0 }
    const value = { ...record, bootId: 'b1' } as const
    node.store(
      { kind: 'put', key: keys.member(n2), value, createRevision: 9, lease: 'L9' },
      { kind: 'delete', key: keys.member(n2) },
    )
    stays(node, waitMs)
    expect(records(node).at(-1)).toEqual(['dc', 'failed', false])
  })

  test('is not waited for without quorum, or under another term', () => {
    const node = begun(false)
    node.later(4000)
    node.feed({ kind: 'quorum-lost', why: 'not confirmed in time' })
    expect(records(node).at(-1)).toEqual(['dc', 'failed', false])
    const other = begun(false)
    leads(other, 8)
    expect(records(other).at(-1)).toEqual(['dc', 'failed', false])
  })

  test('is nothing that the survivor of two counts on, and nobody does without the option', () => {
    const node = byWatchdog(false)
    expect(node.loop.state.fencing.dc.setup.devices.map(({ id }) => id)).toEqual(['watchdog'])
    expect(node.loop.state.fencing.alone.setup.devices).toEqual([])
    node.configured({ 'fencing-watchdog-timeout': '0' })
    expect(node.loop.state.fencing.dc.setup.devices).toEqual([])
  })
})

describe('of the DC and the survivor of two', () => {
  const finds = (node: DrivenNode, heartbeat: 'silent' | 'heard'): void => node.ofTwo(heartbeat)
  /** As the survivor plans it. */
  const planned = (node: DrivenNode, delayMs = 0): void => {
    const attempt = node.ofFencing('plan-peer')[0]?.attempt ?? 0
    node.fencing({ kind: 'peer-planned', attempt, action: 'reboot', delayMs, random: 0 })
  }
  /** The survivor's device is at work. */
  const alone = (): DrivenNode => {
    const node = dc()
    finds(node, 'silent')
    planned(node)
    return node
  }

  test('one has a device at work at a time: the other waits in line', () => {
    const node = alone()
    written(node)
    expect(node.ofFencing('run-device')).toMatchObject([{ by: 'alone', node: self }])
    node.fencing({ kind: 'fence', request: request(), random: 0 })
    expect(records(node)).toEqual([['alone', 'pending', false]])
    answers(node, true)
    expect(records(node).slice(1)).toEqual([
      ['alone', 'succeeded', false],
      ['dc', 'pending', false],
    ])
  })

  test('who waits in line is taken back without a word to any device', () => {
    const node = alone()
    written(node)
    node.fencing({ kind: 'fence', request: request(), random: 0 })
    node.fencing({ kind: 'withdraw', id: '1' })
    expect(node.ofFencing('announce')).toMatchObject([{ result: { id: '1', outcome: 'failed', withdrawn: true } }])
    answers(node, true)
    expect(records(node).filter(([by]) => by === 'dc')).toEqual([])
  })

  test('nobody waits for a device that never answers', () => {
    const node = alone()
    written(node)
    node.fencing({ kind: 'fence', request: request(), random: 0 })
    node.later(20 * 60_000 - 1)
    expect(records(node).filter(([by]) => by === 'dc')).toEqual([])
    node.later(1)
    expect(records(node).filter(([by]) => by === 'dc')).toHaveLength(1)
  })

  test('the delay of the survivor is over when it is', () => {
    const node = dc()
    finds(node, 'silent')
    planned(node, 733)
    written(node)
    node.later(732)
    expect(node.ofFencing('run-device')).toEqual([])
    node.later(1)
    expect(node.ofFencing('run-device')).toMatchObject([{ by: 'alone' }])
  })

  test('the survivor goes on alone once its fencing is written down', () => {
    const node = alone()
    written(node)
    answers(node, true)
    expect(node.of('two-node')).toEqual([])
    written(node)
    expect(node.of('two-node')).toMatchObject([{ effect: { kind: 'go-alone', without: n2, word: 'fenced' } }])
    expect(node.ofFencing('announce')).toEqual([])
  })

  test('the other is not fenced where it is heard before it is known how', () => {
    const node = dc()
    finds(node, 'silent')
    finds(node, 'heard')
    planned(node)
    expect(node.ofFencing('record')).toEqual([])
    expect(node.loop.state.twoNode.phase.kind).toBe('idle')
  })

  test('it is not fenced either where it is heard during the delay', () => {
    const node = dc()
    finds(node, 'silent')
    planned(node, 2000)
    written(node)
    finds(node, 'heard')
    node.later(3000)
    expect(node.ofFencing('run-device')).toEqual([])
    expect(records(node).at(-1)).toEqual(['alone', 'failed', false])
  })
})

describe('an administrator', () => {
  const asked = {
    kind: 'fence-for-administrator',
    term: 5,
    target: n2,
    client: 'administrator',
    random: 0,
  } as const
  const actionOf = (node: DrivenNode) => node.ofFencing('record').at(-1)?.progress.action

  test('who wants a node off has it stay off, whoever fences it next', () => {
    const node = dc()
    node.fencing({ ...asked, id: 'a', action: 'off' })
    written(node)
    answers(node, true)
    written(node)
    expect(node.ofFencing('announce')).toMatchObject([
      { asked: { byAdministrator: true, action: 'off', incarnation: 3 } },
    ])
    node.fencing({ kind: 'fence', request: request(), random: 0 })
    expect(actionOf(node)).toBe('off')
  })

  test('says how long a device may take and how long it waits, or the cluster does', () => {
    const demandOf = (more: { readonly timeoutMs?: number; readonly delayMs?: number }) => {
      const node = dc({ 'fencing-timeout': '33s' })
      node.fencing({ ...asked, id: 'a', action: 'off', ...more })
      return node.loop.state.fencing.dc.requests[0]
    }
    expect(demandOf({})).toMatchObject({ timeoutMs: 33_000, delayMs: 0, client: 'administrator' })
    expect(demandOf({ timeoutMs: 7000, delayMs: 2000 })).toMatchObject({ timeoutMs: 7000, delayMs: 2000 })
  })

  test('whose fencing failed, or who wants it on again, does not', () => {
    const node = dc()
    node.fencing({ ...asked, id: 'a', action: 'off' })
    written(node, false)
    node.fencing({ kind: 'fence', request: request(), random: 0 })
    expect(actionOf(node)).toBe('reboot')
    const other = dc()
    other.fencing({ ...asked, id: 'a', action: 'off' })
    other.fencing({ ...asked, id: 'b', action: 'on' })
    written(other)
    other.fencing({
      kind: 'device-answered',
      by: 'dc',
      call: 1,
      answer: { succeeded: true, timedOut: false, output: '', message: '' },
    })
    expect(other.loop.state.fencing.wantedOff.size).toBe(0)
  })

  test('whose node is off although that could not be recorded has it stay off', () => {
    const node = dc()
    node.fencing({ ...asked, id: 'a', action: 'off' })
    written(node)
    answers(node, true)
    written(node, false)
    expect(node.ofFencing('announce')).toMatchObject([{ result: { outcome: 'failed', isOff: true } }])
    node.fencing({ kind: 'fence', request: request(), random: 0 })
    expect(actionOf(node)).toBe('off')
  })

  test('no more once the node is here as somebody new', () => {
    const node = dc()
    node.fencing({ ...asked, id: 'a', action: 'off' })
    written(node)
    answers(node, true)
    written(node)
    comes(node, 9, 'b2')
    goes(node)
    node.fencing({ kind: 'fence', request: request(), random: 0 })
    expect(actionOf(node)).toBe('reboot')
  })
})

describe('a node that an earlier DC has left switched off', () => {
  const left: RecordedFencing = {
    id: 'old',
    target: 'n2',
    action: 'reboot',
    outcome: 'succeeded',
    begun: '2026-01-01T00:00:00Z',
    message: 'by f',
    powerOn: ['f'],
  }
  const fencedState = (node: DrivenNode): void => {
    const value = { node: n2, id: '2', inCcm: false, crmd: 'offline', join: 'down', expected: 'down' }
    const attributes = { incarnation: '3', node_fenced: '1' }
    node.store({ kind: 'put', key: keys.nodeState(n2), value: { ...value, attributes }, createRevision: 7 })
  }
  const follower = (): DrivenNode => {
    const node = new DrivenNode()
    node.runs()
    node.configured({}, device())
    fencedState(node)
    node.asked.length = 0
    return node
  }

  test('is switched on once the view shows that this node is the DC', () => {
    const node = follower()
    node.fencing({ kind: 'history', term: 5, records: [left] })
    expect(node.ofFencing('run-device')).toEqual([])
    leads(node, 5)
    expect(node.ofFencing('run-device')).toMatchObject([{ by: 'dc', device: 'f', action: 'on', target: n2, term: 5 }])
    answers(node, true)
    expect(node.ofFencing('record').at(-1)?.progress).toMatchObject({
      id: 'old',
      outcome: 'succeeded',
      isFollowUp: true,
    })
    node.member()
    expect(node.ofFencing('run-device')).toHaveLength(1)
  })

  test.each([
    { name: 'under another term', term: 6, waitMs: 0, quorate: true },
    { name: 'without quorum', term: 5, waitMs: 0, quorate: false },
    { name: 'ten seconds later', term: 5, waitMs: 10_000, quorate: true },
  ])('is not $name', ({ term, waitMs, quorate }) => {
    const node = follower()
    node.fencing({ kind: 'history', term: 5, records: [left] })
    node.now += waitMs
    node.quorum(quorate ? 4000 : -1)
    leads(node, term)
    expect(node.ofFencing('run-device')).toEqual([])
  })

  test('is left as it is once it is here as somebody new, and not for the life that was fenced', () => {
    const failing = (life: number): DrivenNode => {
      const node = follower()
      leads(node, 5)
      node.fencing({ kind: 'history', term: 5, records: [left] })
      answers(node, false)
      comes(node, life, 'b2')
      return node
    }
    expect(failing(3).loop.state.fencing.dc.requests).toHaveLength(1)
    expect(failing(9).loop.state.fencing.dc.requests).toEqual([])
  })

  test('is switched on by the survivor of two whose daemon ended before it could', () => {
    const node = new DrivenNode()
    node.configured({}, device())
    expect(node.ofFencing('read-recorded-alone')).toHaveLength(1)
    const off = { ...left, id: 'off', target: 'n3', action: 'off' }
    node.fencing({ kind: 'recorded-alone', records: [left, off] })
    expect(node.ofFencing('run-device')).toMatchObject([{ by: 'alone', device: 'f', action: 'on', target: n2 }])
    node.configured({ 'cluster-delay': '50s' }, device())
    expect(node.ofFencing('read-recorded-alone')).toHaveLength(1)
  })

  test('is not where it was to be off, and no more once it is here as somebody new, also by that survivor', () => {
    const node = new DrivenNode()
    node.configured({}, device())
    node.feed({ kind: 'began' })
    fencedState(node)
    node.fencing({ kind: 'recorded-alone', records: [{ ...left, action: 'off' }] })
    expect(node.ofFencing('run-device')).toEqual([])
    node.fencing({ kind: 'recorded-alone', records: [left] })
    expect(node.ofFencing('run-device')).toHaveLength(1)
    answers(node, false)
    expect(node.loop.state.fencing.alone.requests).toHaveLength(1)
    comes(node, 9, 'b2')
    expect(node.loop.state.fencing.alone.requests).toEqual([])
  })
})

test('the devices are those of the configuration, and are given on only where it has changed', () => {
  const node = dc()
  knows(node)
  expect(node.ofFencing('use-devices')).toEqual([])
  node.configured({}, device() + device('g'))
  expect(node.ofFencing('use-devices').map(({ devices }) => devices.map(({ id }) => id))).toEqual([['f', 'g']])
  node.fencing({ kind: 'agents', metadata: new Map() })
  expect(node.ofFencing('use-devices')).toHaveLength(2)
})

describe('a node that somebody else vouches for', () => {
  const confirm = (node: DrivenNode, more: Readonly<Record<string, unknown>>): void =>
    node.store({
      kind: 'put',
      key: keys.fencingConfirmed(n2),
      value: { node: n2, fencedAt: 1, ...more },
      createRevision: 9,
    })

  test.each([
    {
      name: 'the survivor of two',
      more: { reason: 'fenced: by f' },
      says: 'The survivor of the two nodes has fenced n2.',
    },
    { name: 'an administrator', more: {}, says: 'An administrator has confirmed that n2 is off.' },
  ])('is fenced by the word of $name', ({ more, says }) => {
    const node = dc()
    node.fencing({ kind: 'fence', request: request(), random: 0 })
    confirm(node, more)
    expect(node.ofFencing('record').at(-1)?.progress).toMatchObject({ outcome: 'succeeded', message: says })
  })

  test('is not where that word is taken back', () => {
    const node = dc()
    confirm(node, {})
    node.fencing({ kind: 'fence', request: request(), random: 0 })
    node.store({ kind: 'delete', key: keys.fencingConfirmed(n2) })
    expect(records(node)).toEqual([['dc', 'pending', false]])
  })
})
