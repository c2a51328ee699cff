/** When a node arms its watchdog, what it says of it, when it lets the pulse thread feed it, and when it ends itself. */
import { describe, expect, test } from 'vitest'
import { monotonicMs, nodeName } from '../../src/base/index.ts'
import { keys } from '../../src/controller/index.ts'
import {
  diskMisfit,
  type OwnWatchdogEffect,
  type OwnWatchdogInput,
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
    this.watchdog({ kind: 'begin', hadSlots: false })
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
    node.watchdog({ kind: 'begin', hadSlots: false })
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
    node.watchdog({ kind: 'begin', hadSlots: false })
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
    node.watchdog({ kind: 'begin', hadSlots: false })
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
    node.watchdog({ kind: 'begin', hadSlots: false })
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
  const reading = (message: 'clear' | 'reset' | 'off' | 'test' | 'exit') =>
    ({ kind: 'disk-message', disk: '/dev/a', received: { message, from: 'n2' } }) as const

  function reads(options: ConstructorParameters<typeof DrivenNode>[0] = {}): Watched {
    const node = watched(options)
    node.configured(disks)
    node.watchdog({ kind: 'begin', hadSlots: false })
    expect(node.ofWatchdog('read-disks')).toEqual([{ kind: 'read-disks', paths: ['/dev/a'] }])
    return node
  }

  function feeds(options: ConstructorParameters<typeof DrivenNode>[0] = {}): Watched {
    const node = reads(options)
    node.watchdog({ kind: 'disk-read', disk: '/dev/a', times: header, at: monotonicMs(900) })
    node.watchdog({ kind: 'disks', times: header, reported: [{ path: '/dev/a', uuid: 'u' }] })
    node.watchdog({ kind: 'prepared', timeoutMs: 4000 })
    node.watchdog({ kind: 'armed' })
    return node
  }

  test('arms its watchdog with their time once enough were read, before it is a member', () => {
    const node = reads()
    expect(node.ofWatchdog('prepare')).toEqual([])
    expect(node.trouble).toContain('too few of its disks')
    node.watchdog({ kind: 'disks', times: header, reported: [{ path: '/dev/a', uuid: 'u' }] })
    expect(node.ofWatchdog('prepare')).toEqual([{ kind: 'prepare', device: '/dev/w', timeoutMs: 4000 }])
    expect(node.trouble).toBeUndefined()
  })

  test('hands on what was read before it was armed, and after, and tells of the disks', () => {
    const node = feeds()
    expect(node.ofWatchdog('arm')).toMatchObject([{ disks: { count: 1 } }])
    expect(node.ofWatchdog('disk-read')).toHaveLength(1)
    node.watchdog({ kind: 'disk-read', disk: '/dev/a', times: header, at: monotonicMs(1900) })
    const [first, second] = node.ofWatchdog('disk-read').map(({ until }) => until)
    expect((second ?? 0) - (first ?? 0)).toBe(1000)
    expect(saidOf(node.loop.state)).toEqual({ sbd: { watchdogMs: 4000, disks: [{ path: '/dev/a', uuid: 'u' }] } })
  })

  test('lives by no disk whose times do not fit, and says so', () => {
    const node = feeds()
    const tooShort = { ...header, msgwaitMs: 4000 }
    node.asked.length = 0
    node.watchdog({ kind: 'disk-read', disk: '/dev/a', times: tooShort, at: monotonicMs(1900) })
    expect(node.ofWatchdog('disk-read')).toEqual([])
    expect(diskMisfit(node.loop.state.watchdog, tooShort)).toContain('msgwait')
    expect(diskMisfit(node.loop.state.watchdog, header)).toBeUndefined()
  })

  test('does not arm a watchdog that is too slow for them', () => {
    const node = reads()
    node.watchdog({ kind: 'disks', times: header, reported: [{ path: '/dev/a' }] })
    node.watchdog({ kind: 'prepared', timeoutMs: 60_000 })
    expect(node.phase).toBe('failed')
    expect(node.trouble).toContain('msgwait')
  })

  test.each([
    { of: 'two', other: true, storeKnows: false },
    { of: 'one', other: false, storeKnows: true },
  ])('of $of nodes counts on the store’s word: $storeKnows', ({ other, storeKnows }) => {
    const nodes = [{ name: self, votes: true }, ...(other ? [{ name: nodeName('n2'), votes: true }] : [])]
    const node = feeds({ list: { nodes, store: { kind: 'etcd' } } })
    expect(node.ofWatchdog('permit').map(({ permit }) => permit.storeKnows)).toEqual([storeKnows])
  })

  test.each(['reset', 'off'] as const)('obeys %s', (message) => {
    const node = feeds()
    node.watchdog(reading(message))
    expect(node.of('end-self')).toMatchObject([{ how: message }])
    node.asked.length = 0
    node.watchdog({ kind: 'disk-read', disk: '/dev/a', times: header, at: monotonicMs(1900) })
    expect(node.ofWatchdog('disk-read')).toEqual([])
  })

  test('answers a test, and ends where the store says that it is fenced', () => {
    const node = feeds()
    node.watchdog(reading('test'))
    expect(node.ofWatchdog('answer-test')).toMatchObject([{ disk: '/dev/a' }])
    expect(node.of('end-self')).toEqual([])
    node.watchdog({ kind: 'fenced-through-disks' })
    expect(node.of('end-self')).toMatchObject([{ how: 'reset' }])
  })

  test('stops at exit, and says why', () => {
    const node = feeds()
    node.watchdog(reading('exit'))
    expect(node.phase).toBe('giving-up')
    // Nobody was told of it yet.
    node.quorum(5000)
    expect(node.ofWatchdog('disarm')).toHaveLength(1)
    node.watchdog({ kind: 'stopped' })
    expect(node.trouble).toContain('a message on /dev/a')
    expect(node.ofWatchdog('read-disks').at(-1)).toEqual({ kind: 'read-disks', paths: [] })
  })

  test.each([
    { name: 'this boot', bootId: 'b', hadSlots: true, ends: 1 },
    { name: 'another boot', bootId: 'a', hadSlots: true, ends: 0 },
    { name: 'what it ran before it stopped in order', bootId: 'b', hadSlots: false, ends: 0 },
  ])('ends $ends times by the store’s word for $name', ({ bootId, hadSlots, ends }) => {
    const node = watched({ bootId: 'b' })
    node.configured(disks)
    node.store({ kind: 'put', key: keys.diskFencing(self), value: { bootId, action: 'reboot' }, createRevision: 3 })
    node.watchdog({ kind: 'begin', hadSlots })
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
