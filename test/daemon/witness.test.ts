import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { type ClusterView, emptyView, keys, observe } from '../../src/controller/index.ts'
import { pathsBelow } from '../../src/daemon/host/paths.ts'
import type { Daemon } from '../../src/daemon/lifecycle/daemon.ts'
import {
  type ClusterFile,
  parseClusterFile,
  printClusterFile,
  type WitnessEntry,
} from '../../src/daemon/node-list/cluster-file.ts'
import { lostVotes } from '../../src/daemon/node-list/node-changes.ts'
import { changeNodeList, newerFile, newestList, succeededBy, withVote } from '../../src/daemon/node-list/node-list.ts'
import {
  addWitness,
  nodesWithoutWitness,
  removeWitness,
  replaceWitness,
} from '../../src/daemon/node-list-changes/add-remove-witness.ts'
import { lostHosts } from '../../src/daemon/two-node/last-voter.ts'
import { mustMeetFirst } from '../../src/daemon/two-node/wait-for-all.ts'
import { strangers } from '../../src/daemon/votes/vote-driver.ts'
import { memberStep } from '../../src/daemon/witness/witness-host.ts'
import {
  afterAnswer,
  nextVoteStep,
  otherOfTwo,
  unheardWitness,
  type WitnessAnswered,
  witnessProblem,
  witnessVoterState,
} from '../../src/quorum/index.ts'
import { EmbeddedStore } from '../../src/store/index.ts'

/** `a` votes, `a-` does not; `w` is the witness. */
function file(names: string, version = 0): ClusterFile {
  const hosts = names.split(' ').map((word) => ({ name: word.replace('-', ''), votes: !word.includes('-') }))
  const nodes = hosts.filter(({ name }) => name !== 'w')
  const witness = hosts.find(({ name }) => name === 'w')
  const parsed = parseClusterFile(JSON.stringify({ clusterName: 'x', nodes, witness, nodesVersion: version }))
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.reports))
  return parsed.value
}

function witnessOf(names: string): WitnessEntry {
  const { witness } = file(names)
  if (!witness) throw new Error('the test itself is wrong')
  return witness
}

const shown = ({ nodes, witness }: ClusterFile): string =>
  [...nodes, ...(witness ? [witness] : [])].map(({ name, votes }) => (votes ? name : `${name}-`)).join(' ')

describe('the list of nodes with a witness', () => {
  test('is printed and read again', () => {
    const own = file('a b w')
    expect(parseClusterFile(printClusterFile(own))).toEqual({ ok: true, value: own })
  })

  test('is refused where a node has the name of the witness', () => {
    const text = JSON.stringify({ clusterName: 'x', nodes: [{ name: 'w' }], witness: { name: 'w' } })
    const parsed = parseClusterFile(text)
    expect(parsed.ok ? [] : parsed.reports.map(({ message }) => message)).toEqual([
      'the witness has the name of the node w',
    ])
  })

  test('gains and loses its witness by a newer one', () => {
    expect(newerFile(file('a b'), file('a b w-', 1))?.witness?.name).toBe('w')
    expect(newerFile(file('a b w'), file('a b', 1))?.witness).toBeUndefined()
    expect(newerFile(file('a b w', 1), file('a b', 1))).toBeUndefined()
  })

  test('says of each host whether it votes', () => {
    expect(shown({ ...file('a b w-'), ...withVote(nodeName('w'), true)(file('a b w-')) })).toBe('a b w')
    expect(shown({ ...file('a b w'), ...withVote(nodeName('b'), false)(file('a b w')) })).toBe('a b- w')
  })

  test('gives no vote to one that is leaving', () => {
    const { nodes, witness } = file('a b w-')
    const leaving = { nodes, ...(witness ? { witness: { ...witness, leaving: true as const } } : {}) }
    expect(withVote(nodeName('w'), true)(leaving).witness?.votes).toBe(false)
  })

  test('has a successor in its place only once the vote is given back', () => {
    const successor = { ...witnessOf('a b w-'), name: nodeName('v') }
    expect(succeededBy(successor)(witnessOf('a b w-'))).toEqual(successor)
    expect(succeededBy(successor)(witnessOf('a b w'))?.name).toBe('w')
    expect(succeededBy(undefined)(witnessOf('a b w-'))).toBeUndefined()
  })

  test('gives the vote that makes the number odd', () => {
    expect(nextVoteStep(file('a b w-'), () => 'up')).toEqual({ kind: 'give', node: 'w' })
    expect(nextVoteStep(file('a b c w'), () => 'up')).toEqual({ kind: 'take', node: 'w' })
  })

  test('lets nobody go whom the others need for a majority', () => {
    const w = nodeName('w')
    expect(lostVotes(file('a b w'), w, () => true)).toBeUndefined()
    expect(lostVotes(file('a b w'), w, (host) => host !== 'b')).toMatch(/because b is offline/)
    expect(lostVotes(file('a b w'), nodeName('b'), (host) => host !== 'w')).toMatch(/because w is offline/)
  })
})

function viewOf(records: Readonly<Record<string, object>>): ClusterView {
  const written = Object.entries(records).map(([node, more]) => ({
    kind: 'put' as const,
    key: keys.member(nodeName(node)),
    value: { node, state: 'member', incarnation: 1, daemonVersion: '0.9', ...more },
    createRevision: 1,
    lease: node,
  }))
  return observe(emptyView, written, 1).view
}
const knows = { knowsWitness: true }

describe('a witness is added', () => {
  const members = (records: Readonly<Record<string, object>>) => viewOf(records).members

  test('where all nodes say that they know witnesses', () =>
    expect(nodesWithoutWitness(file('a b'), members({ a: knows, b: knows }))).toEqual([]))

  test('not where a node is older, or is off and might be', () =>
    expect(nodesWithoutWitness(file('a b c'), members({ a: knows, b: {} }))).toEqual([
      'The version of Systole on b (0.9) does not support a witness. Upgrade it first.',
      'c is offline, and its version of Systole may not support a witness. Start it first.',
    ]))
})

describe('where somebody else has changed the witness meanwhile', () => {
  let folder: string
  let store: EmbeddedStore
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'systole-witness-'))
    store = new EmbeddedStore({ directory: folder })
  })
  afterEach(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const v = { name: nodeName('v'), address: 'v' }
  const x = { name: nodeName('x'), address: 'x' }
  /** A node that has not heard yet that the list names v now, or no witness. */
  async function lateNode(names: string, now: 'v' | 'none'): Promise<Daemon> {
    const own = file(names)
    await changeNodeList(store, own, ({ witness: _before, ...rest }) =>
      now === 'none' ? rest : { ...rest, witness: { ...witnessOf('a b w-'), ...v } },
    )
    const view = viewOf({ a: knows, b: knows })
    const node = { quorate: true, store, file: own, view, isUp: () => true, hearsWitness: () => false }
    return { node } as unknown as Daemon
  }
  const listed = async (): Promise<ClusterFile> => await newestList(store, file('a b'))

  const cases = [
    { does: 'remove', act: async (daemon: Daemon) => await removeWitness(daemon, { name: 'w', address: 'w' }) },
    { does: 'update', act: async (daemon: Daemon) => await replaceWitness(daemon, x) },
  ]
  for (const { does, act } of cases)
    test(`${does} leaves the new one alone`, async () => {
      const daemon = await lateNode('a b w-', 'v')
      await expect(act(daemon)).rejects.toThrow(/^w is no longer the witness: another user has replaced it with v at v/)
      expect((await listed()).witness).toEqual({ ...witnessOf('a b w-'), ...v })
    })

  test('remove is about the one that the administrator knows of', async () => {
    const daemon = await lateNode('a b w-', 'v')
    await expect(removeWitness(daemon, v)).rejects.toThrow(/^The witness is now w \(w\), not v \(v\)\. Nothing/)
    expect((await listed()).witness?.name).toBe('v')
  })

  test('update says that there is none any more', async () => {
    const daemon = await lateNode('a b w-', 'none')
    await expect(replaceWitness(daemon, x)).rejects.toThrow(/^w is no longer the witness: another user has removed it/)
    expect((await listed()).witness).toBeUndefined()
  })

  test('add does not take its place', async () => {
    const daemon = await lateNode('a b-', 'none')
    await changeNodeList(store, file('a b-'), (list) => ({ ...list, witness: { ...witnessOf('a b w-'), ...v } }))
    await expect(addWitness(daemon, x)).rejects.toThrow(/already has the witness v/)
    expect((await listed()).witness?.name).toBe('v')
  })
})

describe('members of etcd that the list does not explain', () => {
  const member = (name: string, host: string) => ({
    ID: host,
    name,
    peerURLs: [`https://${host}:7703`],
    clientURLs: [],
    isLearner: name === '',
  })
  const found = (list: string, ...members: readonly ReturnType<typeof member>[]) =>
    strangers(file(list), [member('a', 'a'), member('b', 'b'), ...members]).map(({ ID }) => ID)

  test('are those of a witness that was taken out', () => expect(found('a b', member('w', 'w'))).toEqual(['w']))

  test('and of one whose vote was taken while it joined', () => expect(found('a b w-', member('', 'w'))).toEqual(['w']))

  test('not of one that joins', () => expect(found('a b w', member('', 'w'))).toEqual([]))

  test('not of one that had another address', () => expect(found('a b w', member('w', 'old'))).toEqual([]))
})

describe('what a node makes of its witness', () => {
  const good: WitnessAnswered = { state: 'up', votes: true, counts: true, quorate: true }
  /** Answers at these seconds, and what it is as a voter after each. */
  const seen = (...answers: readonly (readonly [seconds: number, answered: Partial<WitnessAnswered>])[]) => {
    let health = unheardWitness(0)
    return answers.map(([seconds, answered]) => {
      health = afterAnswer(health, { ...good, ...answered }, seconds * 1000)
      return witnessVoterState(health, seconds * 1000)
    })
  }
  const useless = { counts: false }
  const voteless = { counts: false, votes: false }
  const silent = { counts: false, state: 'silent' } as const

  test('silent for a minute, it loses its vote', () =>
    expect(seen([1, {}], [2, silent], [62, silent], [63, silent], [64, {}])).toEqual([
      'up',
      'silent',
      'silent',
      'fenced',
      'up',
    ]))

  test('so does one that answers and whose vote does not count, and it is given it again much later', () =>
    expect(seen([1, useless], [61, useless], [62, useless], [64, voteless], [600, voteless], [665, voteless])).toEqual([
      'up',
      'up',
      'fenced',
      'silent',
      'silent',
      'up',
    ]))

  test('a moment in which it counts, or in which nobody has quorum, is a new beginning', () => {
    expect(seen([1, useless], [50, {}], [52, useless], [100, useless]).at(-1)).toBe('up')
    expect(seen([1, useless], [50, { ...useless, quorate: false }], [52, useless], [100, useless]).at(-1)).toBe('up')
  })

  test('an answer that is lost is none', () =>
    expect(seen([1, useless], [50, silent], [62, useless]).at(-1)).toBe('fenced'))

  test('once it was started anew it is given its vote at once', () =>
    expect(
      seen(
        [1, useless],
        [62, useless],
        [64, voteless],
        [66, { ...voteless, startedMs: 65_000 }],
        [68, { ...voteless, startedMs: 500 }],
      ),
    ).toEqual(['up', 'fenced', 'silent', 'silent', 'up']))

  test('one that gave its vote to a node is asked for it again at any time', () =>
    expect(seen([1, {}], [10, voteless], [100, voteless])).toEqual(['up', 'up', 'up']))

  test('a note says what may be in the way', () => {
    const once = afterAnswer(unheardWitness(0), { ...good, ...useless }, 1000)
    expect(witnessProblem(once, 2000)).toBeUndefined()
    expect(witnessProblem(once, 62_000)).toMatch(/7702 and 7703 must be open/)
  })
})

describe('the member of a witness', () => {
  const now = { votes: true, mayJoin: true, hasData: true }

  test('that was taken out joins again when the nodes still say so some seconds later', () => {
    expect(memberStep({ ...now, member: { kind: 'removed', forMs: 900 } })).toBe('none')
    expect(memberStep({ ...now, member: { kind: 'removed', forMs: 5000 } })).toBe('join')
    expect(memberStep({ ...now, mayJoin: false, member: { kind: 'removed', forMs: 5000 } })).toBe('none')
    expect(memberStep({ ...now, votes: false, member: { kind: 'removed', forMs: 900 } })).toBe('discard')
  })

  test('is started with its data, and without it joins on the word of a node', () => {
    const member = { kind: 'none' } as const
    expect(memberStep({ ...now, mayJoin: false, member })).toBe('run')
    expect(memberStep({ ...now, mayJoin: false, hasData: false, member })).toBe('none')
    expect(memberStep({ ...now, hasData: false, member })).toBe('join')
  })
})

describe('the rules for two nodes', () => {
  const own = nodeName('a')

  test('rest while a witness votes', () => expect(otherOfTwo(file('a b w'), own)).toBeUndefined())

  test('hold while it has no vote', () => expect(otherOfTwo(file('a b w-'), own)?.name).toBe('b'))

  test('give way to asking, where the other and the witness were a majority without this node', () => {
    expect(mustMeetFirst(file('a b w'), own, pathsBelow('/nonexistent'))).toBe(true)
    expect(mustMeetFirst(file('a b'), own, pathsBelow('/nonexistent'))).toBe(false)
  })
})

describe('the last voter goes on', () => {
  const lost = (names: string, silent: string) => {
    const isSilent = (host: string): boolean => silent.split(' ').includes(host)
    return lostHosts({ file: file(names), self: nodeName('a'), quorate: false, isComplete: true, isSilent })
  }

  test('on the word that the witness is off as well', () => expect(lost('a b w', 'b w')).toEqual(['b', 'w']))

  test('not while the witness is heard', () => expect(() => lost('a b w', 'b')).toThrow(/^w: this voter is reachable/))

  test('whatever a witness does that has no vote', () => expect(lost('a b c w-', 'b c w')).toEqual(['b', 'c']))
})
