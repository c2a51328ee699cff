/**
 * The list of nodes and etcd's voters, step by step, while a node is added, removed or replaced, and each single loss at each step: whoever is left goes on,
 * by a majority of the votes or by the rules for two. The steps are those that the DC takes (`nextVoteStep`).
 */

import { expect, test } from 'vitest'
import { type NodeName, nodeName } from '../../src/base/index.ts'
import {
  type ClusterFile,
  type ClusterNodeEntry,
  defaultPorts,
  defaultTimings,
} from '../../src/daemon/node-list/cluster-file.ts'
import { marked } from '../../src/daemon/node-list/node-changes.ts'
import { type NodeList, withVote } from '../../src/daemon/node-list/node-list.ts'
import { nextVoteStep, otherOfTwo } from '../../src/quorum/index.ts'

interface State {
  readonly list: ClusterFile
  readonly voters: readonly string[]
  readonly step: string
}

const entry = (name: string, index: number): ClusterNodeEntry => ({
  name: nodeName(name),
  id: String(index + 1),
  address: `10.0.0.${index + 1}`,
  ports: defaultPorts,
  votes: true,
})

const cluster = (...names: readonly string[]): State => ({
  list: {
    clusterName: 'x',
    nodes: names.map(entry),
    nodesVersion: 1,
    store: { kind: 'etcd' },
    timings: defaultTimings,
  },
  voters: names,
  step: 'begin',
})

const changed = (state: State, step: string, change: (list: NodeList) => NodeList): State => ({
  ...state,
  list: { ...state.list, ...change(state.list) },
  step,
})

const isUpBut =
  (lost: readonly string[]) =>
  (host: NodeName): 'up' | 'silent' =>
    lost.includes(host) ? 'silent' : 'up'

/** Every state from here on until the DC has nothing left to do. What is in flight for moments is told apart. */
function steps(from: State, lost: readonly string[] = []): readonly State[] {
  const next = nextVoteStep(from.list, isUpBut(lost))
  if (next.kind === 'none') return [from]
  const listed = changed(from, `${next.kind} ${next.node}`, withVote(next.node, next.kind === 'give'))
  const voters = next.kind === 'give' ? [...from.voters, next.node] : from.voters.filter((voter) => voter !== next.node)
  return [from, ...steps({ ...listed, voters }, lost)]
}

/** Whether the healthy go on when that node is lost in that state; a node that is leaving has nothing to go on with. */
function goesOn({ list, voters }: State, lost: string): boolean {
  const healthy = list.nodes.filter(({ name }) => name !== lost)
  const present = voters.filter((voter) => voter !== lost)
  if (present.length > voters.length / 2) return true
  return healthy.some((own) => present.includes(own.name) && otherOfTwo(list, own.name)?.name === lost)
}

const last = (states: readonly State[]): State => states.at(-1) ?? cluster('a')

function removal(of: string, ...names: readonly string[]): readonly State[] {
  const begun = steps(changed(cluster(...names), `${of} leaves`, marked(nodeName(of))))
  const gone = changed(last(begun), `${of} is forgotten`, (list) => ({
    ...list,
    nodes: list.nodes.filter(({ name }) => name !== of),
  }))
  return [...begun, ...steps(gone)]
}

function addition(of: string, to: State): readonly State[] {
  const added = changed(to, `${of} is added`, (list) => ({
    ...list,
    nodes: [...list.nodes, { ...entry(of, 8), votes: false, keys: [] }],
  }))
  return [added, ...steps(added)]
}

const ways: Readonly<Record<string, readonly State[]>> = {
  'one of three is removed': removal('c', 'a', 'b', 'c'),
  'one of four is removed': removal('c', 'a', 'b', 'c', 'd'),
  'one of five is removed': removal('e', 'a', 'b', 'c', 'd', 'e'),
  'a third is added to two': addition('c', cluster('a', 'b')),
  'one of three is replaced, the new one first': (() => {
    const grown = addition('d', cluster('a', 'b', 'c'))
    const leaving = steps(changed(last(grown), 'c leaves', marked(nodeName('c'))))
    return [...grown, ...leaving]
  })(),
  'one of three is replaced, the old one first': (() => {
    const shrunk = removal('c', 'a', 'b', 'c')
    return [...shrunk, ...addition('d', last(shrunk))]
  })(),
}

for (const [way, states] of Object.entries(ways))
  test(`${way}: any single loss between two steps stops nobody who could go on`, () => {
    const stopped = states.flatMap((state) =>
      state.list.nodes.filter(({ name }) => !goesOn(state, name)).map(({ name }) => `${state.step}: ${name} is lost`),
    )
    expect(stopped).toEqual([])
    expect(states.length).toBeGreaterThan(1)
  })

test('the vote of a node that leaves is not taken while the others would be no majority', () => {
  const begun = changed(cluster('a', 'b', 'c'), 'c leaves', marked(nodeName('c')))
  expect(nextVoteStep(begun.list, isUpBut(['b']))).toEqual({ kind: 'none' })
  expect(nextVoteStep(begun.list, isUpBut([]))).toEqual({ kind: 'take', node: 'c' })
  // It may be off itself.
  expect(nextVoteStep(begun.list, isUpBut(['c']))).toEqual({ kind: 'take', node: 'c' })
})

test('the rules for two hold for the two that vote, and for nobody else', () => {
  const { list } = last(steps(changed(cluster('a', 'b', 'c'), 'c leaves', marked(nodeName('c')))))
  expect(list.nodes.map(({ votes }) => votes)).toEqual([true, true, false])
  expect(otherOfTwo(list, nodeName('a'))?.name).toBe('b')
  expect(otherOfTwo(list, nodeName('c'))).toBeUndefined()
  // While three vote, a majority is two of them.
  const voting = changed(cluster('a', 'b', 'c'), '', marked(nodeName('c'))).list
  expect(otherOfTwo(voting, nodeName('a'))).toBeUndefined()
  const leavingVoter = {
    ...list,
    nodes: list.nodes.map((one) => (one.name === 'b' ? { ...one, leaving: true as const } : one)),
  }
  expect(otherOfTwo(leavingVoter, nodeName('a'))).toBeUndefined()
})
