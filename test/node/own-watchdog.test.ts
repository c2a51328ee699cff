/** When a node arms its watchdog, what it says of it, when it lets the pulse thread feed it, and when it ends itself. */
import { describe, expect, test } from 'vitest'
import { monotonicMs, nodeName } from '../../src/base/index.ts'
import { keys } from '../../src/controller/index.ts'
import type { SbdHeader, SlotMessage } from '../../src/fencing/index.ts'
import {
  diskTroubles,
  type OwnWatchdogEffect,
  type OwnWatchdogInput,
  type SlotAnswer,
  type SlotRequest,
  saidOf,
  watchdogTrouble,
} from '../../src/node/index.ts'
import { DrivenNode, incarnation, self } from './driven-node.ts'

type Kind = OwnWatchdogEffect['kind']

class Watched extends DrivenNode {
  watchdog(input: OwnWatchdogInput): void {
    this.feed({ kind: 'watchdog', input })
  }

  ofWatchdog<K extends Kind>(kind: K): readonly Extract<OwnWatchdogEffect, { kind: K }>[] {
    const effects = this.of('watchdog').map(({ effect }) => effect)
    return effects.filter((effect): effect is Extract<OwnWatchdogEffect, { kind: K }> => effect.kind === kind)
  }

  get phase(): string {
    return this.loop.state.watchdog.phase.kind
  }

  get trouble(): string | undefined {
    return watchdogTrouble(this.loop.state.watchdog)
  }

  /** A member with a watchdog of four seconds. */
  armed(options: Readonly<Record<string, string>> = {}): void {
    this.viewIsThere()
    this.runs({ 'watchdog-device': '/dev/w', ...options })
    this.watchdog({ kind: 'prepared', timeoutMs: 4000 })
    this.watchdog({ kind: 'armed' })
  }
}

const watched = (...made: ConstructorParameters<typeof DrivenNode>): Watched => new Watched(...made)
const header = { watchdogMs: 4000, msgwaitMs: 10_000, loopMs: 1000 }
const disks = { 'watchdog-device': '/dev/w', 'sbd-devices': '/dev/a' }

describe('a watchdog', () => {
  test('is armed once this node is registered, and told to the others once it runs', () => {
    const node = watched()
    node.viewIsThere()
    node.configured({ 'watchdog-device': '/dev/w', 'watchdog-timeout': '4s' })
    expect(node.ofWatchdog('prepare')).toEqual([])
    node.member('joining')
    expect(node.ofWatchdog('prepare')).toEqual([{ kind: 'prepare', device: '/dev/w', timeoutMs: 4000 }])
    node.watchdog({ kind: 'prepared', timeoutMs: 4000 })
    expect(node.ofWatchdog('arm')).toEqual([{ kind: 'arm', device: '/dev/w', timeoutMs: 4000 }])
    expect(saidOf(node.loop.state)).toEqual({})
    node.watchdog({ kind: 'armed' })
    expect(saidOf(node.loop.state)).toEqual({ watchdogMs: 4000 })
    expect(node.ofWatchdog('changed')).toHaveLength(1)
  })

  test('is nothing to a node whose view was not read, and to another life of it', () => {
    const node = watched()
    node.configured({ 'watchdog-device': '/dev/w' })
    node.member()
    expect(node.ofWatchdog('prepare')).toEqual([])
    const value = {
      node: self,
      id: '1',
      incarnation: incarnation - 1,
      address: 'a',
      daemonVersion: '',
      state: 'member',
    }
    node.store({ kind: 'put', key: keys.member(self), value, createRevision: 6, lease: 'L0' })
    node.viewIsThere()
    expect(node.ofWatchdog('prepare')).toEqual([])
  })

  test('lets a node register again that has one now', () => {
    const node = watched()
    node.armed()
    node.feed({ kind: 'presence', input: { kind: 'written', ok: true } })
    expect(node.of('presence').at(-1)?.effect).toMatchObject({ kind: 'register' })
  })

  test('that cannot be used is tried again only with another setting', () => {
    const node = watched()
    node.viewIsThere()
    node.runs({ 'watchdog-device': '/dev/w' })
    node.watchdog({ kind: 'unusable', why: '/dev/w is not a watchdog device' })
    expect(node.trouble).toBe('/dev/w is not a watchdog device')
    node.quorum(5000)
    expect(node.ofWatchdog('prepare')).toHaveLength(0)
    node.configured({ 'watchdog-device': '/dev/v' })
    expect(node.ofWatchdog('prepare')).toEqual([{ kind: 'prepare', device: '/dev/v' }])
    node.watchdog({ kind: 'prepared', timeoutMs: 1000 })
    node.watchdog({ kind: 'stopped', error: 'EBUSY' })
    expect(node.trouble).toBe('EBUSY')
    node.configured({})
    expect(node.trouble).toBeUndefined()
  })

  test('of a machine with several nodes is not touched', () => {
    const node = watched({ isolated: true })
    node.viewIsThere()
    node.runs({ 'watchdog-device': '/dev/w' })
    expect(node.ofWatchdog('prepare')).toEqual([])
    expect(node.trouble).toContain('SYSTOLE_ROOT')
  })

  test('that is not wanted any more runs on until nobody counts on it', () => {
    const node = watched()
    node.armed()
    const reported = { node: self, id: '1', incarnation, address: 'a', daemonVersion: '', state: 'member', since: 0 }
    node.store({
      kind: 'put',
      key: keys.member(self),
      value: { ...reported, watchdogMs: 4000 },
      createRevision: 5,
      lease: 'L1',
    })
    node.configured({})
    expect(saidOf(node.loop.state)).toEqual({})
    expect(node.ofWatchdog('disarm')).toEqual([])
    node.asked.length = 0
    node.later(1000)
    expect(node.ofWatchdog('permit')).toHaveLength(1)
    node.nodeState({ attributes: { incarnation: String(incarnation), watchdog_ms: '4000' } })
    node.member()
    const { nodeStates } = node.loop.state.view
    expect(nodeStates.has(self)).toBe(true)
    // The record of this node says no more that there is one; the DC counts on it until it has taken note.
    expect(node.ofWatchdog('disarm')).toEqual([])
    node.nodeState()
    expect(node.ofWatchdog('disarm').length).toBeGreaterThan(0)
    node.watchdog({ kind: 'stopped' })
    expect(node.phase).toBe('off')
  })

  test('that is wanted again is told again, and was fed meanwhile', () => {
    const node = watched()
    node.armed()
    const reported = { node: self, id: '1', incarnation, address: 'a', daemonVersion: '', state: 'member', since: 0 }
    node.store({
      kind: 'put',
      key: keys.member(self),
      value: { ...reported, watchdogMs: 4000 },
      createRevision: 5,
      lease: 'L1',
    })
    node.configured({})
    expect(node.phase).toBe('giving-up')
    node.configured({ 'watchdog-device': '/dev/w' })
    expect(node.phase).toBe('armed')
  })
})

describe('the permit to live', () => {
  test('is given from the beginning, four times in the watchdog’s time, under the lease of this life', () => {
    const node = watched()
    node.armed()
    expect(node.ofWatchdog('permit')).toEqual([{ kind: 'permit', permit: { lease: 'L1', at: monotonicMs(node.now) } }])
    node.asked.length = 0
    node.later(4000)
    expect(node.ofWatchdog('permit')).toHaveLength(4)
  })

  test('is not given to a node that is to end, whatever else happens', () => {
    const node = watched()
    node.armed()
    node.watchdog({ kind: 'fenced-through-disks' })
    node.asked.length = 0
    node.later(2000)
    node.configured({ 'watchdog-device': '/dev/w' })
    expect(node.ofWatchdog('permit')).toEqual([])
  })

  test('is not given to a node that is not registered', () => {
    const node = watched()
    node.armed()
    node.asked.length = 0
    node.store({ kind: 'delete', key: keys.member(self) })
    node.later(2000)
    expect(node.ofWatchdog('permit')).toEqual([])
  })

  test.each([
    { option: '0', gives: 1 },
    { option: '10s', gives: 0 },
    { option: '-1', gives: 0 },
  ])(
    'is given $gives times to one of two that keeps its resources without a majority, with fencing-watchdog-timeout=$option',
    ({ option, gives }) => {
      const node = watched({ met: true })
      node.armed({ 'fencing-watchdog-timeout': option })
      node.ofTwo('silent')
      node.store({ kind: 'delete', key: keys.member(self) })
      node.asked.length = 0
      node.later(1000)
      expect(node.ofWatchdog('permit')).toHaveLength(gives)
    },
  )
})

describe('a node that is asked to end', () => {
  const asked = (of: number) =>
    ({ kind: 'put', key: keys.selfFencing(self), value: { incarnation: of }, createRevision: 9 }) as const

  test('ends, and permits nothing any more', () => {
    const node = watched()
    node.armed()
    node.asked.length = 0
    node.store(asked(incarnation))
    expect(node.of('end-self')).toMatchObject([{ how: 'reset', why: /fences this node by its watchdog/ }])
    node.later(3000)
    node.quorum(5000)
    expect(node.ofWatchdog('permit')).toEqual([])
    expect(node.of('end-self')).toHaveLength(1)
  })

  test('does not, where an earlier life was meant', () => {
    const node = watched()
    node.armed()
    node.store(asked(incarnation - 1))
    expect(node.of('end-self')).toEqual([])
  })
})

describe('a node that leaves', () => {
  test('goes once its watchdog is stopped, and arms no other', () => {
    const node = watched()
    node.armed()
    node.feed({ kind: 'leave' })
    node.asked.length = 0
    node.feed({ kind: 'command', id: 1, highestTerm: 1, command: shutdownOf(1) })
    expect(node.ofWatchdog('disarm')).toHaveLength(1)
    expect(node.of('depart')).toEqual([])
    node.watchdog({ kind: 'stopped' })
    expect(node.of('depart')).toEqual([{ kind: 'depart', lease: 'L1', disarm: true }])
    expect(node.ofWatchdog('prepare')).toEqual([])
  })

  test('that was asked to end does not wait for it', () => {
    const node = watched()
    node.armed()
    node.store({ kind: 'put', key: keys.selfFencing(self), value: { incarnation }, createRevision: 9 })
    node.feed({ kind: 'leave' })
    node.feed({ kind: 'command', id: 1, highestTerm: 1, command: shutdownOf(1) })
    expect(node.ofWatchdog('disarm')).toEqual([])
    expect(node.of('depart')).toHaveLength(1)
  })
})

describe('a node that reads disks', () => {
  const reset = { message: 'reset', from: 'n2' } as const

  /** A disk that answers at once, unless it hangs. */
  class Disk {
    header: SbdHeader = { sectorSize: 512, slots: 4, allocateMs: 2000, uuid: 'u', ...header }
    names: (string | undefined)[] = [undefined]
    received: SlotMessage = { message: 'clear', from: '' }
    hangs = false

    answer(request: SlotRequest): SlotAnswer {
      switch (request.kind) {
        case 'read-header':
          return { kind: 'header', header: this.header }
        case 'read-names':
          return { kind: 'names', names: this.names }
        case 'take':
          this.names[request.slot] = self
          return { kind: 'done' }
        case 'read-name':
          return { kind: 'name', name: this.names[request.slot] }
        case 'read-message':
          return { kind: 'message', received: this.received }
        case 'clear':
          this.received = { message: 'clear', from: self }
          return { kind: 'done' }
        case 'note':
          return { kind: 'done' }
      }
    }
  }

  function reads(options: ConstructorParameters<typeof DrivenNode>[0] = {}, disk = new Disk()): [Watched, Disk] {
    const node = watched(options)
    node.meanwhile = (effect) => {
      if (effect.kind !== 'watchdog' || effect.effect.kind !== 'disk' || disk.hangs) return
      const { call, request, disk: path } = effect.effect
      node.watchdog({ kind: 'disk-answered', disk: path, call, answer: disk.answer(request) })
    }
    node.configured(disks)
    node.viewIsThere()
    expect(node.ofWatchdog('read-disks')).toEqual([{ kind: 'read-disks', paths: ['/dev/a'] }])
    return [node, disk]
  }

  function feeds(options: ConstructorParameters<typeof DrivenNode>[0] = {}): [Watched, Disk] {
    const [node, disk] = reads(options)
    node.later(disk.header.allocateMs)
    node.watchdog({ kind: 'prepared', timeoutMs: 4000 })
    node.watchdog({ kind: 'armed' })
    return [node, disk]
  }

  test('arms its watchdog with their time once enough were read, before it is a member', () => {
    const [node, disk] = reads()
    expect(node.ofWatchdog('prepare')).toEqual([])
    expect(node.trouble).toContain('too few of its disks')
    node.later(disk.header.allocateMs)
    expect(node.ofWatchdog('prepare')).toEqual([{ kind: 'prepare', device: '/dev/w', timeoutMs: 4000 }])
    expect(node.trouble).toBeUndefined()
  })

  test('takes part once they were read, and without them after eight seconds', () => {
    const [node] = feeds()
    expect(node.ofStartUp()).toContain('start-parts')
    const [late, disk] = reads()
    disk.hangs = true
    late.later(7999)
    expect(late.ofStartUp()).not.toContain('start-parts')
    late.later(1)
    expect(late.ofStartUp()).toContain('start-parts')
  })

  test('hands on what was read before it was armed, and after, and tells of the disks', () => {
    const [node] = feeds()
    expect(node.ofWatchdog('arm')).toMatchObject([{ disks: { count: 1 } }])
    expect(node.ofWatchdog('disk-read')).toHaveLength(1)
    node.later(1000)
    const [first, second] = node.ofWatchdog('disk-read').map(({ until }) => until)
    expect((second ?? 0) - (first ?? 0)).toBe(1000)
    expect(saidOf(node.loop.state)).toEqual({ sbd: { watchdogMs: 4000, disks: [{ path: '/dev/a', uuid: 'u' }] } })
  })

  test('says which disk does not answer', () => {
    const [node, disk] = feeds()
    disk.hangs = true
    node.later(4000)
    expect(diskTroubles(node.loop.state.watchdog, monotonicMs(node.now))).toEqual([])
    node.later(4000)
    expect(diskTroubles(node.loop.state.watchdog, monotonicMs(node.now))).toEqual(['/dev/a has not answered for 7 s'])
  })

  test('takes no slot on a disk whose times do not fit, and says so', () => {
    const disk = new Disk()
    disk.header = { ...disk.header, msgwaitMs: 4000 }
    const [node] = reads({}, disk)
    node.later(5000)
    expect(disk.names).toEqual([undefined])
    expect(node.ofWatchdog('disk-read')).toEqual([])
    expect(diskTroubles(node.loop.state.watchdog, monotonicMs(node.now))).toMatchObject([
      expect.stringContaining('msgwait'),
    ])
  })

  test('does not arm a watchdog that is too slow for them', () => {
    const [node, disk] = reads()
    node.later(disk.header.allocateMs)
    node.watchdog({ kind: 'prepared', timeoutMs: 60_000 })
    expect(node.phase).toBe('failed')
    expect(node.trouble).toContain('msgwait')
  })

  test.each([
    { of: 'two', other: true, storeKnows: false },
    { of: 'one', other: false, storeKnows: true },
  ])('of $of nodes counts on the store’s word: $storeKnows', ({ other, storeKnows }) => {
    const nodes = [{ name: self, votes: true }, ...(other ? [{ name: nodeName('n2'), votes: true }] : [])]
    const [node] = feeds({ list: { nodes, store: { kind: 'etcd' } }, met: true })
    expect(node.ofWatchdog('permit').map(({ permit }) => permit.storeKnows)).toEqual([storeKnows])
  })

  test.each(['reset', 'off'] as const)('obeys %s, which stays on the disk', (message) => {
    const [node, disk] = feeds()
    disk.received = { message, from: 'n2' }
    node.asked.length = 0
    node.later(1000)
    expect(node.of('end-self')).toMatchObject([{ how: message }])
    expect(disk.received).toEqual({ message, from: 'n2' })
    node.later(4000)
    expect(node.ofWatchdog('disk-read')).toEqual([])
  })

  test('answers a test, and ends where the store says that it is fenced', () => {
    const [node, disk] = feeds()
    disk.received = { message: 'test', from: 'n2' }
    node.later(1000)
    expect(disk.received.message).toBe('clear')
    expect(node.ofWatchdog('ask-fenced')).toHaveLength(1)
    expect(node.of('end-self')).toEqual([])
    node.watchdog({ kind: 'fenced-through-disks' })
    expect(node.of('end-self')).toMatchObject([{ how: 'reset' }])
  })

  test('clears no message that came after a test', () => {
    const [node, disk] = feeds()
    disk.received = { message: 'test', from: 'n2' }
    const { meanwhile } = node
    let read = 0
    node.meanwhile = (effect) => {
      meanwhile(effect)
      if (effect.kind !== 'watchdog' || effect.effect.kind !== 'disk') return
      if (effect.effect.request.kind === 'read-message' && ++read === 1) disk.received = reset
    }
    node.later(1000)
    expect([disk.received, node.ofWatchdog('ask-fenced')]).toEqual([reset, []])
  })

  test('stops at exit, and says why', () => {
    const [node, disk] = feeds()
    disk.received = { message: 'exit', from: 'n2' }
    node.later(1000)
    expect(node.phase).toBe('giving-up')
    // Nobody was told of it yet.
    node.quorum(5000)
    expect(node.ofWatchdog('disarm').length).toBeGreaterThan(0)
    node.watchdog({ kind: 'stopped' })
    expect(node.trouble).toContain('a message on /dev/a')
    expect(node.ofWatchdog('read-disks').at(-1)).toEqual({ kind: 'read-disks', paths: [] })
  })

  describe('and finds a message there when it begins', () => {
    const found = (slotsOfBoot: readonly string[] | undefined, isArmed = false): [Watched, Disk] => {
      const disk = new Disk()
      disk.names = [self]
      disk.received = reset
      disk.hangs = isArmed
      const [node] = reads(slotsOfBoot === undefined ? {} : { slotsOfBoot }, disk)
      return [node, disk]
    }

    test('obeys it on a disk that this boot has had', () => {
      const [node, disk] = found(['u'])
      expect(node.of('end-self')).toMatchObject([{ how: 'reset' }])
      expect(disk.received).toEqual(reset)
    })

    test('clears it on another, and trusts it at once', () => {
      const [node, disk] = found(undefined)
      expect(node.of('end-self')).toEqual([])
      expect(disk.received.message).toBe('clear')
      expect(node.ofWatchdog('prepare')).toHaveLength(1)
    })

    test('trusts one only after the msgwait where this node is counted on already', () => {
      const [node, disk] = feeds()
      disk.header = { ...disk.header, uuid: 'v' }
      disk.received = reset
      node.asked.length = 0
      node.later(1000 + disk.header.msgwaitMs - 1)
      expect([node.of('end-self'), node.ofWatchdog('disk-read')]).toEqual([[], []])
      node.later(1000)
      expect(node.ofWatchdog('disk-read')).toHaveLength(1)
    })

    test('has no slot where it cannot be noted that this boot has had one', () => {
      const disk = new Disk()
      disk.names = [self]
      const answer = disk.answer.bind(disk)
      disk.answer = (request) => (request.kind === 'note' ? { kind: 'failed', why: 'ENOSPC' } : answer(request))
      const [node] = reads({}, disk)
      expect(node.ofWatchdog('prepare')).toEqual([])
      expect(diskTroubles(node.loop.state.watchdog, monotonicMs(node.now))).toEqual(['/dev/a cannot be used: ENOSPC'])
    })
  })

  test('takes another slot where another node has taken the same one', () => {
    const [node, disk] = reads()
    disk.names = ['n2', undefined]
    node.later(2 * disk.header.allocateMs)
    expect(disk.names).toEqual(['n2', self])
    expect(node.ofWatchdog('prepare')).toHaveLength(1)
  })

  test.each([
    { name: 'this boot', bootId: 'b', hadSlots: true, ends: 1 },
    { name: 'another boot', bootId: 'a', hadSlots: true, ends: 0 },
    { name: 'what it ran before it stopped in order', bootId: 'b', hadSlots: false, ends: 0 },
  ])('ends $ends times by the store’s word for $name', ({ bootId, hadSlots, ends }) => {
    const node = watched({ bootId: 'b', ...(hadSlots ? { slotsOfBoot: [] } : {}) })
    node.configured(disks)
    node.store({ kind: 'put', key: keys.diskFencing(self), value: { bootId, action: 'reboot' }, createRevision: 3 })
    node.viewIsThere()
    expect(node.of('end-self')).toHaveLength(ends)
  })
})

function shutdownOf(term: number) {
  const action = {
    kind: 'cluster',
    id: 1,
    inputs: [],
    attributes: {},
    priority: 0,
    operation: 'do_shutdown',
    key: 'do_shutdown-n1',
    node: self,
    downed: [],
  } as const
  return { term, plannedFrom: 1, transitionKey: '1:1:0:u', timeoutMs: 1000, action }
}
