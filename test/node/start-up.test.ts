/** How a node begins, and how its copy of the store is kept. */
import { describe, expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { keys } from '../../src/controller/index.ts'
import {
  changesToListed,
  type StartUpInput,
  type StoreCopyInput,
  startUpTrouble,
  waitsForPeer,
} from '../../src/node/index.ts'
import { hasNeverJoined, judgeMeeting, meetsFirst, neverJoined, type VoterList } from '../../src/quorum/index.ts'
import { DrivenNode, self } from './driven-node.ts'

const peer = nodeName('n2')
const listOf = (votes: string, nodesVersion = 1): VoterList => ({
  nodes: votes
    .split(' ')
    .filter((host) => !host.startsWith('w'))
    .map((host) => ({ name: nodeName(host.replace('-', '')), votes: !host.endsWith('-') })),
  ...(votes.includes('w') ? { witness: { name: nodeName('w'), votes: !votes.includes('w-') } } : {}),
  store: { kind: 'etcd' },
  nodesVersion,
})

class Starting extends DrivenNode {
  input(input: StartUpInput): void {
    this.feed({ kind: 'start-up', input })
  }

  copy(input: StoreCopyInput): void {
    this.feed({ kind: 'store-copy', input })
  }

  take(): readonly string[] {
    const taken = this.ofStartUp()
    this.asked.length = 0
    return taken
  }
}

const begun = (options: ConstructorParameters<typeof DrivenNode>[0] = {}): Starting => {
  const node = new Starting(options)
  node.starts()
  return node
}

describe('whom a node meets first', () => {
  test.each([
    { name: 'nobody, as the only node', list: 'n1', met: false, meets: undefined },
    { name: 'nobody of two that both vote', list: 'n1 n2', met: false, meets: undefined },
    { name: 'the other, of two of which it alone votes', list: 'n1 n2-', met: false, meets: 'peer' },
    { name: 'nobody, where it had quorum in this boot', list: 'n1 n2-', met: true, meets: undefined },
    { name: 'nobody, where it has no vote', list: 'n1- n2', met: false, meets: undefined },
    { name: 'the other, where it was about to go on alone', list: 'n1 n2', met: false, going: true, meets: 'peer' },
    { name: 'the other, where that took its vote meanwhile', list: 'n1- n2', met: false, going: true, meets: 'peer' },
    { name: 'the others, of three', list: 'n1 n2 n3', met: false, meets: 'others' },
    { name: 'the others, of two with a witness', list: 'n1 n2 w', met: false, meets: 'others' },
    { name: 'the other, where the witness has no vote', list: 'n1 n2- w-', met: false, meets: 'peer' },
    { name: 'nobody of three, where it had quorum in this boot', list: 'n1 n2 n3', met: true, meets: undefined },
    { name: 'what it began, of three', list: 'n1 n2 n3', met: true, going: true, meets: 'end-going-alone' },
  ])('$name', ({ list, met, going, meets }) => {
    const before = { list: listOf(list), self, met, ...(going === true ? { wasGoingAlone: true as const } : {}) }
    expect(meetsFirst(before)?.kind).toBe(meets)
  })

  test('nobody where the etcd is somebody else’s', () => {
    const list = { ...listOf('n1 n2 n3'), store: { kind: 'external' } }
    expect(meetsFirst({ list, self, met: false })).toBeUndefined()
  })
})

describe('what a node makes of the other', () => {
  test.each([
    { name: 'which gives it a vote', list: 'n1 n2', version: 9, quorate: true, verdict: 'go-on' },
    { name: 'which has quorum without it', list: 'n1- n2', version: 1, quorate: true, verdict: 'give-way' },
    { name: 'whose list is newer', list: 'n1- n2', version: 6, quorate: false, verdict: 'give-way' },
    { name: 'whose list is older', list: 'n1- n2', version: 4, quorate: false, verdict: 'go-on' },
    { name: 'whose list is as new', list: 'n1- n2', version: 5, quorate: false, verdict: 'wait' },
  ])('$name: $verdict', ({ list, version, quorate, verdict }) => {
    expect(judgeMeeting({ self, list: listOf('n1 n2-', 5) }, { list: listOf(list, version), quorate })).toBe(verdict)
  })

  test('that was added and never came is waited for by nobody', () => {
    const state = { node: peer, id: '2', inCcm: false, crmd: 'offline', join: 'down', expected: 'down' } as const
    expect(neverJoined({ ...state, attributes: {} })).toBe(true)
    expect(neverJoined({ ...state, attributes: { incarnation: '3' } })).toBe(false)
    expect(neverJoined({ ...state, expected: 'member' })).toBe(false)
    expect(neverJoined(undefined)).toBe(false)
    expect(hasNeverJoined({ ...state, attributes: {} })).toBe(true)
  })

  test('of which the store has only the place in the list is waited for by nobody, where the store answers', () => {
    expect(hasNeverJoined('absent')).toBe(true)
    expect(hasNeverJoined('unknown')).toBe(false)
  })
})

describe('a node that was left as the only voter and has booted', () => {
  const waiting = (): Starting => begun({ list: listOf('n1 n2-', 5) })
  const answered = (list: string, version: number, quorate = false): StartUpInput => ({
    kind: 'peer-answered',
    answer: { list: listOf(list, version), quorate },
  })

  test('asks the other, and does nothing else', () => {
    const node = waiting()
    expect(node.take()).toEqual(['ask-peer'])
    expect(waitsForPeer(node.loop.state)).toBe(true)
    node.later(60_000)
    expect(node.take()).toEqual([])
  })

  test('takes part once the other gives it a vote', () => {
    const node = waiting()
    node.take()
    node.input(answered('n1 n2', 6))
    expect(node.take()).toEqual(['release', 'list'])
    expect(waitsForPeer(node.loop.state)).toBe(false)
  })

  test('gives way to the other that goes on without it', () => {
    const node = waiting()
    node.take()
    node.input(answered('n1- n2', 5, true))
    expect(node.take()).toEqual(['give-way'])
    node.later(60_000)
    expect(node.take()).toEqual([])
  })

  test('asks again and again, and looks whether the other was ever here', () => {
    const node = waiting()
    node.take()
    node.input({ kind: 'peer-answered' })
    expect(node.take()).toEqual(['look-up-peer'])
    node.input({ kind: 'peer-looked-up', neverJoined: false })
    node.later(499)
    expect(node.take()).toEqual([])
    node.later(1)
    expect(node.take()).toEqual(['ask-peer'])
    node.input({ kind: 'peer-answered' })
    node.input({ kind: 'peer-looked-up', neverJoined: true })
    expect(node.take()).toEqual(['look-up-peer', 'release', 'list'])
  })

  test('declares the other off when an administrator confirms that, and takes part after that', () => {
    const node = waiting()
    node.take()
    node.feed({ kind: 'two-node', input: { kind: 'peer-is-off', word: 'administrator' } })
    expect(node.take()).toEqual(['declare-off'])
    node.input(answered('n1- n2', 9, true))
    expect(node.take()).toEqual([])
    node.input({ kind: 'declared-off' })
    expect(node.take()).toEqual(['release', 'list'])
  })

  test('takes part at once where the other still votes: the rules for two nodes go on', () => {
    const node = begun({ list: listOf('n1 n2', 5), wasGoingAlone: true })
    expect(node.take()).toEqual(['ask-peer'])
    node.feed({ kind: 'two-node', input: { kind: 'peer-is-off', word: 'administrator' } })
    expect(node.take()).toEqual(['release', 'list'])
  })

  test('waits on when somebody else says that the other is off', () => {
    const node = waiting()
    node.take()
    node.feed({ kind: 'two-node', input: { kind: 'peer-is-off', word: 'fenced' } })
    expect(node.take()).toEqual([])
  })
})

describe('a node of three that has booted', () => {
  test('takes part when the others have answered', () => {
    const node = begun({ list: listOf('n1 n2 n3') })
    expect(node.take()).toEqual(['ask-others'])
    node.input({ kind: 'others-answered' })
    expect(node.take()).toEqual(['release', 'list'])
  })

  test('waits for those that are off no longer than a moment', () => {
    const node = begun({ list: listOf('n1 n2 n3') })
    node.take()
    node.later(1499)
    expect(node.take()).toEqual([])
    node.later(1)
    expect(node.take()).toEqual(['release', 'list'])
    node.input({ kind: 'others-answered' })
    expect(node.take()).toEqual([])
  })

  test('ends first what an earlier daemon has begun', () => {
    const node = begun({ list: listOf('n1 n2 n3'), met: true, wasGoingAlone: true })
    node.later(60_000)
    expect(node.take()).toEqual(['end-going-alone'])
    node.input({ kind: 'going-alone-ended' })
    expect(node.take()).toEqual(['release', 'list'])
  })
})

describe('the first listing of the store', () => {
  test.each([
    { name: 'of two nodes, one that had quorum in this boot', met: true, list: 'n1 n2', afterMs: 0, will: true },
    { name: 'one that has just booted', met: false, list: 'n1 n2', afterMs: 9000, will: false },
    { name: 'one of three, while quorum may come', met: true, list: 'n1 n2 n3', afterMs: 4499, will: false },
    { name: 'one of three, later', met: true, list: 'n1 n2 n3', afterMs: 4500, will: true },
  ])('may be old, or not: $name', ({ met, list, afterMs, will }) => {
    const node = new Starting({ met, list: listOf(list) })
    node.now += afterMs
    node.starts()
    node.input({ kind: 'others-answered' })
    const listings = node.of('store-copy').map(({ effect }) => effect)
    expect(listings).toEqual([{ kind: 'list', mayBeOld: will }])
  })

  test('may be old for a node that leaves, and not for one that has quorum', () => {
    const leaving = new Starting({ met: true })
    leaving.feed({ kind: 'leave' })
    leaving.starts()
    expect(leaving.of('store-copy')[0]?.effect).toEqual({ kind: 'list', mayBeOld: true })
    const quorate = new Starting({ met: true, list: listOf('n1 n2') })
    quorate.quorum()
    quorate.starts()
    expect(quorate.of('store-copy')[0]?.effect).toEqual({ kind: 'list', mayBeOld: false })
  })

  test('is tried again after a moment, and the trouble is known until it is there', () => {
    const node = begun()
    node.take()
    node.copy({ kind: 'not-listed', why: 'no majority' })
    expect(startUpTrouble(node.loop.state)).toBe('no majority')
    node.later(99)
    expect(node.take()).toEqual([])
    node.later(1)
    expect(node.take()).toEqual(['list'])
    node.copy({ kind: 'listed', revision: 7 })
    expect(startUpTrouble(node.loop.state)).toBeUndefined()
    const effects = node.asked.flatMap((effect) => (effect.kind === 'store-copy' ? [effect.effect] : []))
    expect(effects).toEqual([{ kind: 'follow', after: 7 }])
  })
})

describe('a copy of the store that fell behind', () => {
  const following = (): Starting => {
    const node = begun({ met: true, list: listOf('n1 n2') })
    node.copy({ kind: 'listed', revision: 7 })
    node.take()
    return node
  }

  test('is listed again at once, and not from an old one', () => {
    const node = following()
    node.copy({ kind: 'lost' })
    expect(node.of('store-copy')[0]?.effect).toEqual({ kind: 'list', mayBeOld: false })
    node.take()
    node.copy({ kind: 'not-listed', why: 'no majority' })
    node.later(249)
    expect(node.take()).toEqual([])
    node.later(1)
    expect(node.of('store-copy')[0]?.effect).toEqual({ kind: 'list', mayBeOld: false })
    node.take()
    node.copy({ kind: 'listed', revision: 90 })
    expect(node.of('store-copy')[0]?.effect).toEqual({ kind: 'follow', after: 90 })
  })

  test('is listed once, whatever is said of it', () => {
    const node = following()
    node.copy({ kind: 'lost' })
    node.copy({ kind: 'lost' })
    expect(node.take()).toEqual(['list'])
  })

  test('loses what is not there any more', () => {
    const entry = (key: string, modRevision: number) => ({ key, modRevision })
    const known = new Map([entry('a', 1), entry('b', 2), entry('c', 3)].map((one) => [one.key, one] as const))
    expect(changesToListed(known, [entry('a', 1), entry('b', 9), entry('d', 8)])).toEqual([
      { key: 'b', entry: entry('b', 9) },
      { key: 'd', entry: entry('d', 8) },
      { key: 'c' },
    ])
  })
})

describe('what an earlier life has left in the store', () => {
  const prepared = (node: Starting) => {
    node.starts()
    node.copy({ kind: 'listed', revision: 11 })
    return node.of('start-up').flatMap(({ effect }) => (effect.kind === 'prepare' ? [effect] : []))
  }
  const put = (node: Starting, key: string, value: unknown): void =>
    node.store({ kind: 'put', key, value, createRevision: 3 })
  const shutdown = keys.attribute(self, '', 'shutdown')

  test('is deleted before anything is started: its request to leave, and its own fencing', () => {
    const node = new Starting()
    node.configured()
    put(node, shutdown, { node: self, set: '', name: 'shutdown', value: '1' })
    put(node, keys.attribute(peer, '', 'shutdown'), { node: peer, set: '', name: 'shutdown', value: '1' })
    put(node, keys.selfFencing(self), { incarnation: 3 })
    expect(prepared(node)).toEqual([{ kind: 'prepare', stale: [shutdown, keys.selfFencing(self)], configure: false }])
    node.take()
    node.input({ kind: 'not-prepared', why: 'no answer' })
    expect(startUpTrouble(node.loop.state)).toBe('no answer')
    node.later(100)
    expect(node.take()).toEqual(['prepare'])
    node.input({ kind: 'prepared' })
    expect(node.take()).toEqual(['start-parts'])
  })

  test.each([
    { name: 'of another boot', meant: 'b1', hasSlots: true, isOver: true },
    { name: 'of this boot, which has ended in order what it ran', meant: 'b2', hasSlots: false, isOver: true },
    { name: 'of this boot', meant: 'b2', hasSlots: true, isOver: false },
  ])('is the fencing through disks $name: over: $isOver', ({ meant, hasSlots, isOver }) => {
    const node = new Starting({ bootId: 'b2', ...(hasSlots ? { slotsOfBoot: [] } : {}) })
    node.configured()
    put(node, keys.diskFencing(self), { bootId: meant, action: 'reboot' })
    expect(prepared(node)[0]?.stale).toEqual(isOver ? [keys.diskFencing(self)] : [])
  })

  test('is nothing in a new cluster: its first configuration is written', () => {
    expect(prepared(new Starting())).toEqual([{ kind: 'prepare', stale: [], configure: true }])
  })
})
