import { describe, expect, test } from 'vitest'
import { monotonicMs } from '../../src/base/index.ts'
import {
  type DiskTimes,
  diskPatienceMs,
  disksToRead,
  initialWatchdog,
  type WatchdogInput,
  watchdogStep,
} from '../../src/quorum/index.ts'

const times: readonly { readonly name: string; readonly times: DiskTimes; readonly patienceMs: number | undefined }[] =
  [
    {
      name: 'what sbd writes by itself leaves a reading good for 4 s',
      times: { watchdogMs: 5000, msgwaitMs: 10_000, loopMs: 1000 },
      patienceMs: 4000,
    },
    {
      name: 'a message that counts before the watchdog has reset the node lets no time fit',
      times: { watchdogMs: 10_000, msgwaitMs: 10_000, loopMs: 1000 },
      patienceMs: undefined,
    },
    {
      name: 'two readings must fit',
      times: { watchdogMs: 5000, msgwaitMs: 7000, loopMs: 1000 },
      patienceMs: undefined,
    },
    {
      name: 'two feedings must fit',
      times: { watchdogMs: 20_000, msgwaitMs: 25_000, loopMs: 1000 },
      patienceMs: undefined,
    },
  ]
for (const { name, times: given, patienceMs } of times) test(name, () => expect(diskPatienceMs(given)).toBe(patienceMs))

test('whoever fences writes to more than half of the disks, and one of those is always read', () => {
  for (const count of [1, 2, 3]) {
    const written = Math.floor(count / 2) + 1
    expect(disksToRead(count) + written).toBeGreaterThan(count)
  }
  expect([1, 2, 3].map(disksToRead)).toEqual([1, 1, 2])
})

/** A device of 5 s, which is fed each second; a reading is good for 4 s. */
class Node {
  state = initialWatchdog()
  now = 0

  constructor(count: number) {
    this.feed({ kind: 'armed', timeoutMs: 5000, disks: { count, patienceMs: 4000 } })
  }

  feed(input: WatchdogInput): readonly string[] {
    const { state, effects } = watchdogStep(this.state, input, monotonicMs(this.now))
    this.state = state
    return effects.map((effect) => (effect.kind === 'starving' ? effect.why : effect.kind))
  }

  /** A reading that was begun then. */
  read(disk: string, at = this.now): void {
    this.feed({ kind: 'disk-read', disk, until: monotonicMs(at + 4000) })
  }

  storeSaysNo(at = this.now): void {
    this.feed({ kind: 'store-read', at: monotonicMs(at) })
  }

  at(now: number, word: { readonly storeKnows?: boolean } | 'hangs' = { storeKnows: true }): readonly string[] {
    this.now = now
    const permit = word === 'hangs' ? [] : this.feed({ kind: 'permit', permit: { ...word, at: monotonicMs(now) } })
    return [...permit, ...this.feed({ kind: 'tick' })]
  }
}

const blind = 'its disks cannot be read, and the store does not confirm that it is not being fenced'

describe('a node that reads disks', () => {
  test('needs no quorum while it reads them', () => {
    const node = new Node(1)
    node.read('a')
    expect([node.at(1000), node.at(2000, {})]).toEqual([['feed'], ['feed']])
  })

  test('asks the store in time when they are late, and lives on its word', () => {
    const node = new Node(1)
    node.read('a')
    expect([node.at(1000), node.at(2000)]).toEqual([['feed'], ['feed']])
    expect(node.at(3000)).toEqual(['feed', 'ask-store'])
    node.storeSaysNo()
    expect([node.at(4000), node.at(5000), node.at(6000)]).toEqual(Array(3).fill(['feed', 'ask-store']))
    expect(node.at(7000)).toEqual([blind, 'ask-store'])
    node.read('a')
    expect(node.at(8000)).toEqual(['feed'])
  })

  test('is fed no later than its patience after the beginning of its last reading, however late that ends', () => {
    const node = new Node(1)
    node.now = 900
    node.read('a', -2900)
    expect(node.at(1099)).toEqual(['feed', 'ask-store'])
    expect(node.at(2100)).toEqual([blind, 'ask-store'])
  })

  test('lives on one of two, and on two of three', () => {
    const [two, three] = [new Node(2), new Node(3)]
    two.read('a')
    three.read('a')
    expect([two.at(1000), three.at(1000)]).toEqual([['feed'], [blind, 'ask-store']])
    three.read('c')
    expect(three.at(2000)).toEqual(['feed'])
    // The later of the two that count is not enough once the earlier is too old.
    expect(three.at(3000)).toEqual(['feed', 'ask-store'])
    three.now = 3500
    three.read('c')
    expect(three.at(4000)).toEqual([blind, 'ask-store'])
  })

  test('does not live on the store where the other of two nodes may fence it without', () => {
    const node = new Node(1)
    node.storeSaysNo()
    expect(node.at(1000, {})).toEqual([
      'its disks cannot be read, and it may be fenced through them without a record in the store',
    ])
  })

  test('is reset when its main thread hangs, whatever its disks say', () => {
    const node = new Node(1)
    node.read('a')
    node.at(1000)
    node.read('a', 3400)
    expect(node.at(3600, 'hangs')).toEqual(['the main thread hangs, or this node must stop'])
  })

  test('forgets what it has read when the watchdog is armed anew', () => {
    const node = new Node(1)
    node.read('a')
    node.feed({ kind: 'armed', timeoutMs: 5000, disks: { count: 1, patienceMs: 4000 } })
    expect(node.at(1000)).toEqual([blind, 'ask-store'])
  })
})

test('readings without disks change nothing', () => {
  const state = initialWatchdog()
  const read: WatchdogInput = { kind: 'disk-read', disk: 'a', until: monotonicMs(4000) }
  expect(watchdogStep(state, read, monotonicMs(0))).toEqual({ state, effects: [] })
})
