import { describe, expect, test } from 'vitest'
import { monotonicMs, nodeName, resourceId } from '../../src/base/index.ts'
import type { FencingLevel } from '../../src/cib/index.ts'
import {
  type DeviceAnswer,
  type FenceDevice,
  type FencingDemand,
  type FencingEffect,
  type FencingInput,
  type FencingState,
  initialFencing,
  nextFencingAt,
  stepFencing,
} from '../../src/fencing/index.ts'
import { describeTrail } from '../../src/fencing/request.ts'

/** A device that fences alpha, its off proven by its status. */
function device(id: string, more: Partial<FenceDevice> = {}): FenceDevice {
  const once = (name: string) => ({ name, attempts: 2 })
  return {
    id: resourceId(id),
    agent: 'fence_test',
    parameters: {},
    priority: 0,
    hosts: { kind: 'listed', names: new Set(['alpha']) },
    plugs: new Map(),
    actions: {
      off: once('off'),
      on: once('on'),
      reboot: once('reboot'),
      status: { name: 'status', attempts: 1 },
      list: once('list'),
      monitor: once('monitor'),
    },
    delayBaseMs: { all: 0, byNode: new Map() },
    delayMaxMs: 0,
    actionLimit: 1,
    canStatus: true,
    canReboot: true,
    splitsReboot: false,
    onTarget: false,
    bannedOn: new Set(),
    ...more,
  }
}

function level(index: number, devices: readonly string[], target = 'alpha'): FencingLevel {
  return { id: `l${index}`, index, devices, target: { by: 'node', node: target } }
}

/** Drives the core; what it does is written down in words, and the last call of each device is remembered. */
class Dc {
  state: FencingState = initialFencing
  now = 0
  autoRecord = true
  /** Which devices have to switch the node on, by the last record. */
  powerOn: readonly string[] = []
  #calls = new Map<string, number>()

  constructor(devices: readonly FenceDevice[], topology: readonly FencingLevel[] = [], concurrent = true) {
    this.give({ kind: 'configured', setup: { devices, topology, concurrent } })
  }

  give(input: FencingInput): readonly string[] {
    const { state, effects } = stepFencing(this.state, input, monotonicMs(this.now))
    this.state = state
    return effects.flatMap((effect) => this.#perform(effect))
  }

  demand(more: Partial<FencingDemand> = {}): readonly string[] {
    return this.give({ kind: 'demanded', ...aDemand(more) })
  }

  answer(id: string, answer: Partial<DeviceAnswer> = {}): readonly string[] {
    const call = this.#calls.get(id) ?? -1
    const whole = { succeeded: true, timedOut: false, output: '', message: 'no route', ...answer }
    return this.give({ kind: 'device-answered', call, answer: whole })
  }

  at(now: number): readonly string[] {
    this.now = now
    return this.give({ kind: 'tick' })
  }

  #perform(effect: FencingEffect): readonly string[] {
    switch (effect.kind) {
      case 'run-device':
        this.#calls.set(effect.device, effect.call)
        return [`${effect.device} ${effect.action} ${effect.target} on ${effect.node}`]
      case 'announce':
        return [`${effect.id} ${effect.target} ${effect.outcome}`]
      default: {
        const { id, outcome, powerOn = [] } = effect.progress
        this.powerOn = powerOn
        const more = this.autoRecord ? this.give({ kind: 'recorded', id, outcome, written: true }) : []
        return [`history ${id} ${outcome}`, ...more]
      }
    }
  }
}

function aDemand(more: Partial<FencingDemand>): { readonly demand: FencingDemand } {
  const demand: FencingDemand = {
    id: 'f1',
    target: nodeName('alpha'),
    attributes: new Map(),
    action: 'off',
    term: 5,
    timeoutMs: 60_000,
    delayMs: 0,
    random: 0.5,
    runners: [nodeName('beta'), nodeName('gamma')],
    reason: 'alpha is silent',
    client: 'controller',
    ...more,
  }
  return { demand }
}

const off = { power: 'off' } as const
const failed = { succeeded: false }

describe('a node is fenced', () => {
  test('when its device has switched it off and its status says so', () => {
    const dc = new Dc([device('ipmi')])
    expect(dc.demand()).toEqual(['history f1 pending', 'ipmi off alpha on beta'])
    expect(dc.answer('ipmi')).toEqual(['ipmi status alpha on beta'])
    expect(dc.answer('ipmi', off)).toEqual(['history f1 succeeded', 'f1 alpha succeeded'])
  })

  test('by the word of an agent that knows no status', () => {
    const dc = new Dc([device('pdu', { canStatus: false })])
    dc.demand()
    expect(dc.answer('pdu')).toEqual(['history f1 succeeded', 'f1 alpha succeeded'])
  })

  test('no device is asked before the history says that it will be', () => {
    const dc = new Dc([device('ipmi')])
    dc.autoRecord = false
    expect(dc.demand()).toEqual(['history f1 pending'])
    const written = { kind: 'recorded', id: 'f1', outcome: 'pending', written: true } as const
    expect(dc.give(written)).toEqual(['ipmi off alpha on beta'])
  })

  test('no device is asked when the history refuses the term', () => {
    const dc = new Dc([device('ipmi')])
    dc.autoRecord = false
    dc.demand()
    const refused = { kind: 'recorded', id: 'f1', outcome: 'pending', written: false } as const
    expect(dc.give(refused)).toEqual(['f1 alpha failed'])
  })

  test('nobody is told before the result is in the history', () => {
    const dc = new Dc([device('pdu', { canStatus: false })])
    dc.demand()
    dc.autoRecord = false
    expect(dc.answer('pdu')).toEqual(['history f1 succeeded'])
    const written = { kind: 'recorded', id: 'f1', outcome: 'succeeded', written: true } as const
    expect(dc.give(written)).toEqual(['f1 alpha succeeded'])
  })
})

describe('what is not proven is a failure', () => {
  test('a status that says on is asked about on another node once more, then it failed', () => {
    const dc = new Dc([device('ipmi')])
    dc.demand()
    dc.answer('ipmi')
    expect(dc.answer('ipmi', { power: 'on' })).toEqual(['ipmi off alpha on gamma'])
    dc.answer('ipmi')
    expect(dc.answer('ipmi', { power: 'on' })).toEqual(['history f1 failed', 'f1 alpha failed'])
  })

  test('a status that cannot be read is no proof', () => {
    const dc = new Dc([device('ipmi')])
    dc.demand()
    dc.answer('ipmi')
    expect(dc.answer('ipmi', failed)).toEqual(['ipmi off alpha on gamma'])
  })

  test('a device that fails is tried again on the next node, and then no more', () => {
    const dc = new Dc([device('ipmi')])
    dc.demand()
    expect(dc.answer('ipmi', failed)).toEqual(['ipmi off alpha on gamma'])
    expect(dc.answer('ipmi', failed)).toEqual(['history f1 failed', 'f1 alpha failed'])
  })

  test('a device that does not answer in time is not tried again', () => {
    const dc = new Dc([device('ipmi')])
    dc.demand()
    expect(dc.answer('ipmi', { succeeded: false, timedOut: true })).toEqual(['history f1 failed', 'f1 alpha failed'])
  })

  test('without any device for the node', () => {
    const dc = new Dc([device('ipmi', { hosts: { kind: 'listed', names: new Set(['beta']) } })])
    expect(dc.demand()).toEqual(['history f1 pending', 'history f1 failed', 'f1 alpha failed'])
  })

  test('an old term', () => {
    const dc = new Dc([device('ipmi')])
    dc.demand()
    expect(dc.demand({ id: 'f2', term: 4 })).toEqual(['f2 alpha failed'])
  })
})

describe('which device', () => {
  test('without a topology: every one that can, the highest priority first', () => {
    const dc = new Dc([
      device('pdu'),
      device('ipmi', { priority: 10 }),
      device('other', { hosts: { kind: 'listed', names: new Set() } }),
    ])
    expect(dc.demand()).toContain('ipmi off alpha on beta')
    dc.answer('ipmi', failed)
    expect(dc.answer('ipmi', failed)).toEqual(['pdu off alpha on beta'])
  })

  test('with a topology: the levels in order, all devices of a level', () => {
    const dc = new Dc(
      [device('ipmi'), device('pdu-a'), device('pdu-b')],
      [level(2, ['pdu-a', 'pdu-b']), level(1, ['ipmi'])],
    )
    expect(dc.demand()).toContain('ipmi off alpha on beta')
    dc.answer('ipmi', failed)
    expect(dc.answer('ipmi', failed)).toEqual(['pdu-a off alpha on beta'])
    dc.answer('pdu-a')
    expect(dc.answer('pdu-a', off)).toEqual(['pdu-b off alpha on beta'])
    dc.answer('pdu-b')
    expect(dc.answer('pdu-b', off)).toContain('f1 alpha succeeded')
  })

  test('levels of a node with the same index are one level', () => {
    const dc = new Dc([device('ipmi'), device('pdu')], [level(1, ['ipmi']), level(1, ['pdu'])])
    expect(dc.demand()).toContain('ipmi off alpha on beta')
    dc.answer('ipmi')
    expect(dc.answer('ipmi', off)).toEqual(['pdu off alpha on beta'])
  })

  test('a level with a device that is not there fails whole', () => {
    const dc = new Dc([device('ipmi'), device('pdu')], [level(1, ['pdu', 'gone']), level(2, ['ipmi'])])
    expect(dc.demand()).toEqual(['history f1 pending', 'ipmi off alpha on beta'])
  })

  test.each([
    { name: 'a pattern', target: { by: 'pattern', pattern: '^al.*a$' } as const },
    { name: 'an attribute', target: { by: 'attribute', name: 'rack', value: '7' } as const },
  ])('a topology can choose nodes by $name', ({ target }) => {
    const dc = new Dc([device('ipmi'), device('pdu')], [{ id: 'l', index: 1, devices: ['pdu'], target }])
    expect(dc.demand({ attributes: new Map([['rack', '7']]) })).toContain('pdu off alpha on beta')
  })

  test('a device that must be asked whom it knows is asked once', () => {
    const dc = new Dc([device('vm', { hosts: { kind: 'ask-list' } })])
    expect(dc.demand()).toContain('vm list alpha on beta')
    expect(dc.answer('vm', { output: 'alpha,uuid-1\nbeta,uuid-2\n' })).toEqual(['vm off alpha on beta'])
    dc.answer('vm')
    dc.answer('vm', off)
    expect(dc.demand({ id: 'f2', target: nodeName('beta'), runners: [nodeName('gamma')] })).toContain(
      'vm off beta on gamma',
    )
  })

  test('one that does not know the node is not used', () => {
    const dc = new Dc([device('vm', { hosts: { kind: 'ask-list' } })])
    dc.demand()
    expect(dc.answer('vm', { output: 'delta\n' })).toEqual(['history f1 failed', 'f1 alpha failed'])
  })

  test('one that answers for the status of the node can fence it', () => {
    const dc = new Dc([device('old', { hosts: { kind: 'ask-status' } })])
    expect(dc.demand()).toContain('old status alpha on beta')
    expect(dc.answer('old', { power: 'on' })).toEqual(['old off alpha on beta'])
  })

  test('a node that must not use it does not, nor the target while there is another', () => {
    const dc = new Dc([device('ipmi', { bannedOn: new Set([nodeName('beta')]) })])
    const runners = ['alpha', 'beta', 'gamma'].map(nodeName)
    expect(dc.demand({ runners })).toContain('ipmi off alpha on gamma')
  })

  test('a node alone fences itself', () => {
    expect(new Dc([device('ipmi')]).demand({ runners: [nodeName('alpha')] })).toContain('ipmi off alpha on alpha')
  })

  test('unfencing is done by the target', () => {
    const dc = new Dc([device('scsi', { onTarget: true })])
    expect(dc.demand({ action: 'on', runners: ['beta', 'alpha'].map(nodeName) })).toContain('scsi on alpha on alpha')
  })
})

describe('reboot', () => {
  test('by a device that can is its own affair', () => {
    const dc = new Dc([device('cloud')])
    expect(dc.demand({ action: 'reboot' })).toContain('cloud reboot alpha on beta')
    expect(dc.answer('cloud')).toContain('f1 alpha succeeded')
  })

  test('of an agent that does off and on is told as soon as off is proven; on follows', () => {
    const dc = new Dc([device('ipmi', { splitsReboot: true })])
    expect(dc.demand({ action: 'reboot' })).toContain('ipmi off alpha on beta')
    dc.answer('ipmi')
    expect(dc.answer('ipmi', off)).toEqual(['history f1 succeeded', 'f1 alpha succeeded', 'ipmi on alpha on beta'])
    expect(dc.answer('ipmi')).toEqual(['history f1 succeeded'])
    expect(dc.state.requests).toEqual([])
  })

  test('by two power supplies is both off, then both on', () => {
    const dc = new Dc([device('a'), device('b')], [level(1, ['a', 'b'])])
    dc.demand({ action: 'reboot' })
    dc.answer('a')
    expect(dc.answer('a', off)).toEqual(['b off alpha on beta'])
    dc.answer('b')
    expect(dc.answer('b', off)).toContain('a on alpha on beta')
    expect(dc.answer('a')).toEqual(['history f1 succeeded', 'b on alpha on beta'])
    expect(dc.powerOn).toEqual(['b'])
    expect(dc.answer('b')).toEqual(['history f1 succeeded'])
    expect(dc.powerOn).toEqual([])
  })

  test('a power supply that does not come on again is in the history, and the node is fenced all the same', () => {
    const dc = new Dc([device('ipmi', { splitsReboot: true })])
    dc.demand({ action: 'reboot' })
    dc.answer('ipmi')
    dc.answer('ipmi', off)
    expect(dc.answer('ipmi', failed)).toEqual(['ipmi on alpha on gamma'])
    expect(dc.answer('ipmi', failed)).toEqual(['history f1 succeeded'])
  })

  test('a node that is to be fenced again is not powered on', () => {
    const dc = new Dc([device('ipmi', { splitsReboot: true })])
    dc.demand({ action: 'reboot' })
    dc.answer('ipmi')
    dc.answer('ipmi', off)
    dc.demand({ id: 'f2', action: 'off' })
    expect(dc.answer('ipmi', failed)).toEqual(['ipmi off alpha on beta'])
    dc.answer('ipmi')
    dc.answer('ipmi', off)
    expect(dc.state.requests).toEqual([])
  })
})

/** Switched off by a reboot, which is recorded or not. */
function switchedOff({ recorded }: { readonly recorded: boolean }): Dc {
  const dc = new Dc([device('ipmi', { splitsReboot: true })])
  dc.demand({ action: 'reboot' })
  dc.answer('ipmi')
  dc.autoRecord = recorded
  dc.answer('ipmi', off)
  return dc
}

describe('whoever was switched off for a reboot is switched on', () => {
  test('also where the result could not be recorded', () => {
    const dc = switchedOff({ recorded: false })
    const refused = { kind: 'recorded', id: 'f1', outcome: 'succeeded', written: false } as const
    expect(dc.give(refused)).toEqual(['f1 alpha failed', 'ipmi on alpha on beta'])
    // What is not in the history as done is not written there afterwards.
    expect(dc.answer('ipmi')).toEqual([])
    expect(dc.state.requests).toEqual([])
  })

  test('also by a device of an earlier level, which could not tell that it had switched it off', () => {
    const dc = new Dc([device('ipmi', { splitsReboot: true }), device('pdu')], [level(1, ['ipmi']), level(2, ['pdu'])])
    dc.demand({ action: 'reboot' })
    dc.answer('ipmi')
    // Its status cannot be read.
    let next: readonly string[] = []
    for (let asked = 0; asked < 10 && !next.includes('pdu reboot alpha on beta'); asked++)
      next = dc.answer('ipmi', { succeeded: !next.some((done) => done.startsWith('ipmi status')) })
    expect(next).toEqual(['pdu reboot alpha on beta'])
    expect(dc.answer('pdu')).toEqual(['history f1 succeeded', 'f1 alpha succeeded', 'ipmi on alpha on beta'])
  })

  test('the history names the devices that must do it until they have', () => {
    const dc = switchedOff({ recorded: true })
    expect(dc.powerOn).toEqual(['ipmi'])
    expect(dc.answer('ipmi')).toEqual(['history f1 succeeded'])
    expect(dc.powerOn).toEqual([])
  })

  test('again and again where its device fails, with pauses', () => {
    const dc = switchedOff({ recorded: true })
    dc.answer('ipmi', failed)
    expect(dc.answer('ipmi', failed)).toEqual(['history f1 succeeded'])
    expect(dc.powerOn).toEqual(['ipmi'])
    expect(nextFencingAt(dc.state)).toBe(5000)
    expect(dc.at(4999)).toEqual([])
    expect(dc.at(5000)).toEqual(['ipmi on alpha on beta'])
    dc.answer('ipmi', failed)
    expect(dc.answer('ipmi', failed)).toEqual([])
    expect(nextFencingAt(dc.state)).toBe(15_000)
    dc.at(15_000)
    expect(dc.answer('ipmi')).toEqual(['history f1 succeeded'])
  })

  test('also where a fencing that came after it did nothing', () => {
    const dc = switchedOff({ recorded: true })
    dc.answer('ipmi', failed)
    dc.autoRecord = false
    expect(dc.demand({ id: 'f2', action: 'reboot' })).toEqual(['history f2 pending'])
    expect(dc.answer('ipmi', failed)).toEqual(['history f1 succeeded'])
    expect(dc.at(5000)).toEqual([])
    const refused = { kind: 'recorded', id: 'f2', outcome: 'pending', written: false } as const
    expect(dc.give(refused)).toEqual(['f2 alpha failed', 'ipmi on alpha on beta'])
  })

  test('by the next DC, which finds it in the history', () => {
    const dc = new Dc([device('ipmi', { splitsReboot: true })])
    const { demand } = aDemand({ action: 'reboot', term: 6 })
    expect(dc.give({ kind: 'left-off', demand, devices: ['ipmi'], result: 'reboot by ipmi' })).toEqual([
      'ipmi on alpha on beta',
    ])
    expect(dc.answer('ipmi')).toEqual(['history f1 succeeded'])
  })

  test('unless it runs again, or a person works on it', () => {
    for (const input of [
      { kind: 'left-as-it-is', target: nodeName('alpha') },
      { kind: 'confirmed', target: nodeName('alpha') },
    ] as const) {
      const dc = switchedOff({ recorded: true })
      dc.answer('ipmi', failed)
      dc.answer('ipmi', failed)
      expect(dc.give(input)).toEqual(['history f1 succeeded'])
      expect(dc.powerOn).toEqual([])
      expect(dc.at(5000)).toEqual([])
    }
  })

  test('but not where somebody wants it off: a reboot that is asked for meanwhile is satisfied by that', () => {
    const dc = new Dc([device('ipmi', { splitsReboot: true })])
    dc.demand({ action: 'off' })
    expect(dc.demand({ id: 'f2', action: 'reboot' })).toEqual([])
    dc.answer('ipmi')
    expect(dc.answer('ipmi', off)).toEqual(['history f1 succeeded', 'f1 alpha succeeded', 'f2 alpha succeeded'])
  })
})

describe('delays', () => {
  test('base, chance and priority add up before the first device', () => {
    const delays = { delayBaseMs: { all: 1000, byNode: new Map() }, delayMaxMs: 3000 }
    const dc = new Dc([device('ipmi', delays)])
    expect(dc.demand({ delayMs: 500 })).toEqual(['history f1 pending'])
    expect(nextFencingAt(dc.state)).toBe(2500)
    expect(dc.at(2499)).toEqual([])
    expect(dc.at(2500)).toEqual(['ipmi off alpha on beta'])
  })

  for (const delay of ['2', '2s', '2.0'])
    test(`the device’s own parameter of that name is one more, and is waited for here (${delay})`, () => {
      const dc = new Dc([device('ipmi', { parameters: { delay } })])
      dc.demand()
      expect(dc.at(1999)).toEqual([])
      expect(dc.at(2000)).toEqual(['ipmi off alpha on beta'])
    })

  test('who is heard again before the end of one is not fenced: the device is told nothing', () => {
    const slow = { delayBaseMs: { all: 5000, byNode: new Map<string, number>() } }
    const dc = new Dc([device('ipmi', slow)])
    dc.demand()
    const said = dc.give({ kind: 'withdrawn', id: 'f1' })
    expect(said.join(' ')).toMatch(/history f1 failed/)
    expect(dc.at(5000)).toEqual([])
    expect(dc.state.requests).toEqual([])
    expect(dc.state.finished).toMatchObject([{ id: 'f1', outcome: 'failed', withdrawn: true }])
  })

  test('what the device was told goes on when the node is heard again, and is not repeated when it fails', () => {
    const dc = new Dc([device('ipmi')])
    expect(dc.demand()).toContain('ipmi off alpha on beta')
    expect(dc.give({ kind: 'withdrawn', id: 'f1' })).toEqual([])
    expect(dc.answer('ipmi', failed).join(' ')).toMatch(/history f1 failed/)
    const other = new Dc([device('ipmi')])
    other.demand()
    other.give({ kind: 'withdrawn', id: 'f1' })
    expect(other.answer('ipmi').concat(other.answer('ipmi', off)).join(' ')).toMatch(/history f1 succeeded/)
  })

  test('what somebody else has asked for as well is not taken back', () => {
    const slow = { delayBaseMs: { all: 5000, byNode: new Map<string, number>() } }
    const dc = new Dc([device('ipmi', slow)])
    dc.demand()
    dc.demand({ id: 'f2' })
    expect(dc.give({ kind: 'withdrawn', id: 'f1' })).toEqual([])
    expect(dc.at(5000)).toEqual(['ipmi off alpha on beta'])
  })

  test('a base delay can be one node’s', () => {
    const byNode = new Map([['beta', 5000]])
    const dc = new Dc([device('ipmi', { delayBaseMs: { all: 0, byNode } })])
    expect(dc.demand()).toContain('ipmi off alpha on beta')
  })

  test('switching on and later levels are not delayed', () => {
    const slow = { delayBaseMs: { all: 1000, byNode: new Map<string, number>() } }
    expect(new Dc([device('ipmi', slow)]).demand({ action: 'on' })).toContain('ipmi on alpha on beta')
    const dc = new Dc([device('first'), device('second', slow)], [level(1, ['first']), level(2, ['second'])])
    dc.demand()
    expect(dc.answer('first', { succeeded: false, timedOut: true })).toEqual(['second off alpha on beta'])
  })
})

describe('several at a time', () => {
  const both = { hosts: { kind: 'all' } as const }

  test('a device does one thing at a time unless told otherwise', () => {
    const dc = new Dc([device('ipmi', { ...both, canStatus: false })])
    dc.demand()
    expect(dc.demand({ id: 'f2', target: nodeName('gamma') })).toEqual(['history f2 pending'])
    expect(dc.answer('ipmi')).toContain('ipmi off gamma on beta')
  })

  test('without concurrent-fencing one node waits for the other', () => {
    const parallel = { ...both, canStatus: false, actionLimit: Number.POSITIVE_INFINITY }
    expect(new Dc([device('ipmi', parallel)]).demand()).toContain('ipmi off alpha on beta')
    const dc = new Dc([device('ipmi', parallel)], [], false)
    dc.demand()
    expect(dc.demand({ id: 'f2', target: nodeName('gamma') })).toEqual(['history f2 pending'])
    expect(dc.answer('ipmi')).toContain('ipmi off gamma on beta')
  })

  test('the same demand twice is one action with two answers', () => {
    const dc = new Dc([device('pdu', { canStatus: false })])
    dc.demand()
    expect(dc.demand({ id: 'f2' })).toEqual([])
    expect(dc.demand()).toEqual([])
    expect(dc.answer('pdu')).toEqual(['history f1 succeeded', 'f1 alpha succeeded', 'f2 alpha succeeded'])
    expect(dc.demand()).toEqual(['f1 alpha succeeded'])
  })

  test('another action on the same node comes after the first', () => {
    // Also where the device may do several things at once.
    const dc = new Dc([device('pdu', { canStatus: false, actionLimit: Number.POSITIVE_INFINITY })])
    dc.demand({ action: 'reboot' })
    expect(dc.demand({ id: 'f2', action: 'off' })).toEqual(['history f2 pending'])
    expect(dc.answer('pdu')).toEqual(['history f1 succeeded', 'f1 alpha succeeded', 'pdu off alpha on beta'])
  })
})

test('an administrator’s word ends the waiting, and a late answer changes nothing', () => {
  const dc = new Dc([device('ipmi')])
  dc.demand()
  const word = { kind: 'confirmed', target: nodeName('alpha') } as const
  expect(dc.give(word)).toEqual(['history f1 succeeded', 'f1 alpha succeeded'])
  expect(dc.answer('ipmi', failed)).toEqual([])
  expect(dc.give(word)).toEqual([])
})

test('a device that is taken away while it works cannot prove anything', () => {
  const dc = new Dc([device('ipmi')])
  dc.demand()
  dc.give({ kind: 'configured', setup: { devices: [], topology: [], concurrent: true } })
  expect(dc.answer('ipmi')).toEqual(['history f1 failed', 'f1 alpha failed'])
})

test('what a device answered to several nodes in the same way is told once', () => {
  const attempt = { device: 'ipmi', text: 'off failed: no route' }
  expect(
    describeTrail([
      { ...attempt, runner: 'beta' },
      'pdu cannot fence alpha.',
      { ...attempt, runner: 'gamma' },
      { ...attempt, runner: 'beta', text: 'off failed: refused' },
    ]),
  ).toBe('ipmi on beta, gamma: off failed: no route; pdu cannot fence alpha.; ipmi on beta: off failed: refused')
})
