import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type NodeName, nodeName } from '../../src/base/index.ts'
import type { Daemon } from '../../src/daemon/lifecycle/daemon.ts'
import {
  type ClusterFile,
  defaultTimings,
  type PulseTimes,
  parseClusterFile,
  printClusterFile,
  type WitnessEntry,
} from '../../src/daemon/node-list/cluster-file.ts'
import { lostVotes } from '../../src/daemon/node-list/node-changes.ts'
import {
  addKey,
  changeNodeList,
  decodeNodeList,
  keepOnlyKey,
  newerFile,
  revoking,
  withKey,
  withVote,
} from '../../src/daemon/node-list/node-list.ts'
import {
  exchangeTimes,
  nodesThatCannotFollow,
  type PulseHands,
  pulseTimes,
  setToken,
  tolerated,
} from '../../src/daemon/node-list-changes/pulse-times.ts'
import { nodeListKey } from '../../src/daemon/records/keys.ts'
import { nextVoteStep } from '../../src/quorum/index.ts'
import { serialOf } from '../../src/rpc/index.ts'
import { EmbeddedStore } from '../../src/store/index.ts'

/** `a` votes, `a-` does not, `a>` is leaving. */
function file(names: string): ClusterFile {
  const nodes = names.split(' ').map((word) => {
    const name = word.replace(/[->]/g, '')
    return { name, votes: !word.includes('-'), ...(word.includes('>') ? { leaving: true } : {}) }
  })
  const parsed = parseClusterFile(JSON.stringify({ clusterName: 'x', nodes, timings: { tokenMs: 5000 } }))
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.reports))
  return parsed.value
}

const allBut = (down: string) => (node: string) => !down.split(' ').includes(node)

/** `a` is silent, `a!` was fenced. */
const statesOf = (down: string) => (node: string) => {
  if (down.split(' ').includes(`${node}!`)) return 'fenced'
  return allBut(down)(node) ? 'up' : 'silent'
}

/** All times that some node may obey now: those that were written since all are known to have the same. */
class PossibleTimes implements PulseHands {
  readonly contradictions: string[] = []
  #possible: readonly PulseTimes[]
  readonly #late: readonly number[]
  #handedOut = 0

  constructor(possible: readonly PulseTimes[], late: readonly number[]) {
    this.#possible = possible
    this.#late = late
  }

  get written(): PulseTimes | undefined {
    return this.#possible.at(-1)
  }

  readonly put = async (_from: PulseTimes, to: PulseTimes): Promise<void> => {
    this.#possible = [...this.#possible, to]
    for (const sender of this.#possible)
      for (const listener of this.#possible)
        if (sender.heartbeatIntervalMs * 2 > listener.tokenMs)
          this.contradictions.push(`sends every ${sender.heartbeatIntervalMs} ms, heard with ${listener.tokenMs} ms`)
  }

  readonly handOut = async (from: PulseTimes, to: PulseTimes): Promise<readonly NodeName[]> => {
    await this.put(from, to)
    this.#handedOut += 1
    if (this.#late.includes(this.#handedOut)) return [nodeName('c')]
    this.#possible = [to]
    return []
  }
}

const steps: readonly { readonly name: string; readonly list: string; readonly down: string; readonly step: string }[] =
  [
    { name: 'three of three vote', list: 'a b c', down: '', step: 'none' },
    { name: 'a fourth gets no vote', list: 'a b c d-', down: '', step: 'none' },
    { name: 'a fifth brings two votes, one after the other', list: 'a b c d- e-', down: '', step: 'give d' },
    { name: 'one that is not there gets none', list: 'a b c d- e-', down: 'd', step: 'give e' },
    { name: 'a voter that is silent keeps its vote', list: 'a b c d-', down: 'c', step: 'none' },
    { name: 'one that was fenced loses it where another can take it', list: 'a b c d-', down: 'c!', step: 'take c' },
    { name: 'which the other then does', list: 'a b c- d-', down: 'c!', step: 'give d' },
    { name: 'a fenced voter without a replacement stays one of three', list: 'a b c', down: 'c!', step: 'none' },
    { name: 'and one of five', list: 'a b c d e', down: 'e!', step: 'none' },
    { name: 'of five, two fenced ones leave three voters', list: 'a b c d e', down: 'd! e!', step: 'take d' },
    { name: 'the second follows the first', list: 'a b c d- e', down: 'd! e!', step: 'take e' },
    { name: 'then there are three', list: 'a b c d- e-', down: 'd! e!', step: 'none' },
    { name: 'one that is back gets its vote back', list: 'a b c d- e-', down: 'e!', step: 'give d' },
    { name: 'one that leaves gives its vote back', list: 'a b c> d-', down: '', step: 'take c' },
    { name: 'also one that is off', list: 'a b c> d-', down: 'c', step: 'take c' },
    { name: 'and another takes its place', list: 'a b c-> d-', down: '', step: 'give d' },
    { name: 'one that leaves is nobody to take it', list: 'a b c->', down: '', step: 'none' },
    { name: 'four voters of four nodes are one too many', list: 'a b c d', down: '', step: 'take d' },
    { name: 'but not while one is silent', list: 'a b c d', down: 'b', step: 'none' },
  ]
for (const { name, list, down, step } of steps)
  test(`votes: ${name}`, () => {
    const next = nextVoteStep(file(list), statesOf(down))
    expect(next.kind === 'none' ? 'none' : `${next.kind} ${next.node}`).toBe(step)
  })

test('a node is removed only where the others are a majority among themselves', () => {
  expect(lostVotes(file('a b c'), nodeName('c'), allBut(''))).toBeUndefined()
  expect(lostVotes(file('a b c'), nodeName('c'), allBut('c'))).toBeUndefined()
  expect(lostVotes(file('a b c'), nodeName('c'), allBut('b'))).toMatch(/because b is offline\. Start it first/)
  expect(lostVotes(file('a b c d-'), nodeName('d'), allBut('b'))).toBeUndefined()
})

test('a file with the changed list is printed and read without loss', () => {
  const changed = { ...file('a b c-> d-'), nodesVersion: 4 }
  expect(parseClusterFile(printClusterFile(changed))).toEqual({ ok: true, value: changed })
})

let folder: string
let store: EmbeddedStore
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-list-'))
  store = new EmbeddedStore({ directory: folder })
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

test('two who change the list at the same time, one of them from an old file, both have their way', async () => {
  const own = file('a b c')
  const [, , , node] = file('a b c d-').nodes
  if (!node) throw new Error('the test itself is wrong')
  await Promise.all([
    changeNodeList(store, own, ({ nodes }) => ({ nodes: [...nodes, node] })),
    changeNodeList(store, own, ({ nodes }) => ({ nodes: nodes.filter(({ name }) => name !== 'b') })),
  ])
  const entry = await store.get(nodeListKey)
  const listed = entry && decodeNodeList(entry)
  expect(listed?.nodes.map(({ name }) => name)).toEqual(['a', 'c', 'd'])
  expect(listed?.nodesVersion).toBe(2)
})

test('times that were set for all nodes are part of the list, and stay in it whoever changes it', async () => {
  const own = file('a b c')
  const pulse = { tokenMs: 3000, heartbeatIntervalMs: 1000 }
  const set = await changeNodeList(store, own, (list) => ({ ...list, pulse }))
  expect(set.timings).toMatchObject(pulse)
  const changed = await changeNodeList(store, own, withVote(nodeName('c'), false))
  expect(changed.timings).toEqual({ ...own.timings, ...pulse })
  expect(parseClusterFile(printClusterFile(changed))).toEqual({ ok: true, value: changed })
})

test('between two tokens a node tolerates the longer one and sends as often as the shorter one wants', () => {
  const between = { tokenMs: 6000, heartbeatIntervalMs: 200 }
  expect(tolerated(pulseTimes(600), pulseTimes(6000))).toEqual(between)
  expect(tolerated(pulseTimes(6000), pulseTimes(600))).toEqual(between)
})

describe('whoever is late, no two nodes contradict each other', () => {
  const long = { tokenMs: 9000, heartbeatIntervalMs: 3000 }
  const short = { tokenMs: 1000, heartbeatIntervalMs: 333 }
  /** `late`: which times of handing out somebody is late at. `left`: the times that somebody may have before. */
  const cases = [
    { name: 'nobody is', before: long, wanted: short, late: [], kept: short },
    { name: 'nor on the way up', before: short, wanted: long, late: [], kept: long },
    { name: 'with the tolerant times', before: long, wanted: short, late: [1], kept: long },
    { name: 'with the new ones', before: long, wanted: short, late: [2], kept: long },
    { name: 'with the new, longer ones', before: short, wanted: long, late: [2], kept: short },
    { name: 'on the way back as well', before: long, wanted: short, late: [2, 3], kept: tolerated(long, short) },
    {
      name: 'where an earlier change has left the tolerant ones',
      before: tolerated(long, short),
      wanted: pulseTimes(3000),
      left: [short],
      late: [],
      kept: pulseTimes(3000),
    },
  ]
  for (const { name, before, wanted, late, kept, left = [] } of cases)
    test(name, async () => {
      const cluster = new PossibleTimes([before, ...left], late)
      const ended = await exchangeTimes(before, wanted, cluster)
      expect(cluster.contradictions).toEqual([])
      expect(ended).toEqual({ late: late.length > 0 ? [nodeName('c')] : [], kept })
      expect(cluster.written).toEqual(kept)
    })
})

test('the token is not changed while a node is off or silent, or its version would not follow', () => {
  const members = new Map(
    ['a', 'b', 'c'].map((name) => {
      const record = { id: '1', incarnation: 1, address: name, daemonVersion: '9', state: 'member' as const, since: 0 }
      return [nodeName(name), { ...record, node: nodeName(name), ...(name === 'b' ? {} : { knowsPulseTimes: true }) }]
    }),
  )
  expect(nodesThatCannotFollow(file('a b c d'), members, allBut('c'))).toEqual([
    'The version of Systole on b (9) cannot change its token while it runs. Upgrade it first.',
    'c is joining, leaving or unreachable. Wait until it is a member.',
    'd is offline, and its version of Systole may keep the old token when it returns. Start it first.',
  ])
})

test('nor while the witness would pass on a list without it, or might', async () => {
  const own = { ...file('a b'), timings: { ...defaultTimings, ...pulseTimes(5000) } }
  const [node] = own.nodes
  if (!node) throw new Error('the test itself is wrong')
  const set = async (witness: WitnessEntry | undefined, knowsPulseTimes: boolean): Promise<number> => {
    const members = new Map(own.nodes.map(({ name }) => [name, { node: name, knowsPulseTimes: true }]))
    const witnessKnows = { knowsLinks: true, knowsPulseTimes }
    const state = { quorate: true, file: { ...own, witness }, view: { members }, isUp: () => true, witnessKnows }
    return await setToken({ node: state } as unknown as Daemon, 5000)
  }
  const witness = { ...node, name: nodeName('w') }
  expect(await set(undefined, false)).toBe(5000)
  expect(await set(witness, true)).toBe(5000)
  await expect(set(witness, false)).rejects.toThrow(
    'The witness w is unreachable, or its version of Systole does not support a changed token. Start or upgrade it first.',
  )
})

test('a node takes a newer list, keeps its own times, and keeps its own list where that is as new', () => {
  const own = file('a b c')
  const listed = { ...file('a c'), nodesVersion: 1, timings: { ...own.timings, tokenMs: 9000 } }
  const taken = newerFile(own, listed)
  expect(taken?.nodes.map(({ name }) => name)).toEqual(['a', 'c'])
  expect(taken?.timings.tokenMs).toBe(5000)
  expect(newerFile({ ...own, nodesVersion: 1 }, listed)).toBeUndefined()
})

describe('a list of which an older daemon has left out what it does not know', () => {
  const links = [0, 1].map((number) => ({ number, address: `10.${number}.0.1`, priority: 1 }))
  const left = { ...file('a b'), nodesVersion: 4 }
  const linked = left.nodes.map((node) => ({ ...node, links }))
  const pulse = pulseTimes(3000)
  const cases: readonly { readonly name: string; readonly own: ClusterFile; readonly listed: ClusterFile }[] = [
    { name: 'the token', own: left, listed: { ...left, pulse } },
    { name: 'links', own: left, listed: { ...left, nodes: linked } },
    { name: 'both', own: left, listed: { ...left, nodes: linked, pulse } },
    { name: 'links, and knows the token', own: { ...left, pulse }, listed: { ...left, nodes: linked, pulse } },
  ]
  for (const { name, own, listed } of cases) {
    test(`is completed: ${name}`, () =>
      expect(newerFile(own, listed)).toMatchObject({ nodes: listed.nodes, nodesVersion: 4 }))
    test(`is not taken by who has the whole: ${name}`, () => expect(newerFile(listed, own)).toBeUndefined())
  }

  test('another list of the same version is not taken', () => {
    expect(newerFile(left, { ...file('a b-'), nodesVersion: 4, pulse })).toBeUndefined()
    expect(newerFile({ ...left, pulse: pulseTimes(2000) }, { ...left, pulse })).toBeUndefined()
  })
})

const someKey = (letter: string): string => `${letter.repeat(43)}=`
const keysIn = (list: ClusterFile) => Object.fromEntries(list.nodes.map(({ name, keys }) => [name, keys]))

test('keys that two nodes have learned are added up without a new version, because founders start with version 0', () => {
  const one = withKey(withKey(file('a b c'), 'a', { key: someKey('A') }), 'b', { key: someKey('B') })
  const other = withKey(withKey(file('a b c'), 'a', { key: someKey('A') }), 'c', { key: someKey('C') })
  const both = newerFile(one, other)
  expect(both?.nodesVersion).toBe(0)
  expect(both && keysIn(both)).toEqual({ a: [someKey('A')], b: [someKey('B')], c: [someKey('C')] })
  expect(newerFile(one, one)).toBeUndefined()
  expect(both && newerFile(both, one)).toBeUndefined()
  expect(parseClusterFile(printClusterFile(one))).toEqual({ ok: true, value: one })
})

test('a key that a newer list leaves out does not come back by an older one', () => {
  const old = withKey(file('a b'), 'a', { key: someKey('A') })
  const renewed = { ...withKey(file('a b'), 'a', { key: someKey('N') }), nodesVersion: 1 }
  expect(newerFile(renewed, old)).toBeUndefined()
  expect(keysIn(newerFile(old, renewed) ?? old).a).toEqual([someKey('N')])
})

test('a list that an older build has passed on without the keys is completed by the one that has them', () => {
  const older = { ...file('a b'), nodesVersion: 3 }
  const full = withKey(older, 'b', { key: someKey('B') })
  expect(newerFile(full, older)).toBeUndefined()
  expect(newerFile(older, full)).toEqual(full)
})

test('a new key is known before it is used, and the old one is dropped after', async () => {
  const own = withKey(file('a b'), 'a', { key: someKey('A') })
  const first = await keepOnlyKey(store, own, 'a', { key: someKey('A') })
  expect([first.nodesVersion, keysIn(first).a]).toEqual([0, [someKey('A')]])
  const both = await addKey(store, first, { name: 'a', known: { key: someKey('N') } })
  expect([both.nodesVersion, keysIn(both).a]).toEqual([0, [someKey('A'), someKey('N')]])
  const entry = await store.get(nodeListKey)
  expect(entry && keysIn(decodeNodeList(entry)).a).toEqual([someKey('A'), someKey('N')])
  const last = await keepOnlyKey(store, both, 'a', { key: someKey('N') })
  expect([last.nodesVersion, keysIn(last).a]).toEqual([1, [someKey('N')]])
})

test('what a node was known by when it was removed, or before a renewal, is revoked, and stays so in whatever list comes', async () => {
  const own = withKey(withKey(file('a b'), 'a', { key: someKey('A') }), 'b', { key: someKey('B'), serials: ['0abc'] })
  const removed = revoking({ ...own, nodes: own.nodes.slice(0, 1) }, own.nodes.slice(1))
  expect(removed.revoked).toEqual([serialOf(someKey('B')), '0abc'].toSorted())
  const renewed = await keepOnlyKey(store, own, 'b', { key: someKey('N') })
  expect(renewed.revoked).toEqual([serialOf(someKey('B')), '0abc'].toSorted())
  expect(parseClusterFile(printClusterFile(renewed))).toEqual({ ok: true, value: renewed })
  const byOlderBuild = { ...file('a b c'), nodesVersion: renewed.nodesVersion + 1 }
  expect(newerFile(renewed, byOlderBuild)?.revoked).toEqual(renewed.revoked)
})
