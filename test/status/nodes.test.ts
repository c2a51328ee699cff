import { expect, test } from 'vitest'
import { compareNames, utc } from '../../src/status/index.ts'
import { healthOf } from '../../src/status/nodes/health.ts'
import { membershipOf } from '../../src/status/nodes/membership.ts'
import { readOptions } from '../../src/status/options.ts'

type State = Readonly<Record<string, string>>
const joined: State = { in_ccm: 'true', crmd: 'online', join: 'member', expected: 'member' }

const cases: readonly {
  readonly name: string
  readonly state: State
  readonly attributes?: State
  readonly fencing?: boolean
  readonly verdict: string
}[] = [
  { name: 'a joined node is online', state: joined, verdict: 'online' },
  { name: 'moments count as true', state: { ...joined, in_ccm: '1600000000', crmd: '1600000001' }, verdict: 'online' },
  {
    name: 'a node that left the membership unasked is fenced',
    state: { ...joined, in_ccm: 'false' },
    verdict: 'fence, lost',
  },
  {
    name: 'a node whose controller died is fenced though it is there',
    state: { ...joined, crmd: 'offline' },
    verdict: 'online, fence',
  },
  { name: 'a node of which nothing is known is fenced', state: { crmd: 'offline', join: 'down' }, verdict: 'fence' },
  { name: 'a node that was refused is fenced', state: { ...joined, join: 'banned' }, verdict: 'online, fence' },
  {
    name: 'a node that left as expected is offline',
    state: { in_ccm: 'false', crmd: 'offline', join: 'down', expected: 'down' },
    verdict: '',
  },
  {
    name: 'a node that comes up is pending',
    state: { in_ccm: 'true', crmd: 'offline', join: 'down' },
    verdict: 'online, pending',
  },
  {
    name: 'one that comes up for too long is fenced',
    state: { in_ccm: '1000', crmd: 'offline', join: 'down' },
    verdict: 'online, fence',
  },
  {
    name: 'a node that shuts down is online while its controller answers',
    state: { ...joined, join: 'pending' },
    attributes: { shutdown: '1600000000' },
    verdict: 'online, shutdown',
  },
  {
    name: 'an administrator may ask for termination',
    state: joined,
    attributes: { terminate: 'true' },
    verdict: 'online, fence',
  },
  {
    name: 'a lost node whose termination was asked for is fenced',
    state: { ...joined, in_ccm: 'false', crmd: 'offline' },
    attributes: { terminate: 'true' },
    verdict: 'fence',
  },
  {
    name: 'a node that comes up though its termination was asked for is fenced',
    state: { in_ccm: 'true', crmd: 'online', join: 'down', expected: 'down' },
    attributes: { terminate: 'true' },
    verdict: 'online, fence',
  },
  {
    name: 'a node of which nothing is left was fenced as was asked for',
    state: { in_ccm: 'false', crmd: 'offline', join: 'down', expected: 'member' },
    attributes: { terminate: 'true' },
    verdict: '',
  },
  {
    name: 'without fencing a lost node is offline',
    state: { ...joined, in_ccm: 'false' },
    fencing: false,
    verdict: '',
  },
  {
    name: 'without fencing a node without controller is unclean',
    state: { ...joined, crmd: 'offline' },
    fencing: false,
    verdict: 'fence',
  },
]
for (const { name, state, attributes = {}, fencing = true, verdict } of cases)
  test(name, () => {
    const { online, pending, shutdown, fence } = membershipOf({
      state,
      attributes: new Map(Object.entries(attributes)),
      fencingEnabled: fencing,
      pendingTimeoutMs: 60_000,
      now: 2000,
    })
    const words = [
      online && 'online',
      pending && 'pending',
      shutdown && 'shutdown',
      fence && 'fence',
      fence?.lost && 'lost',
    ]
    expect(words.filter(Boolean).join(', ')).toBe(verdict)
  })

test('a pending node is looked at again when its time is up', () => {
  const state = { in_ccm: '1980', crmd: 'offline', join: 'down' }
  const input = {
    state,
    attributes: new Map<string, string>(),
    fencingEnabled: true,
    pendingTimeoutMs: 60_000,
    now: 2000,
  }
  expect(membershipOf(input).changesAt).toBe(2040)
})

const zone = { now: 0, utcOffsetAt: utc }
const quorate = { haveQuorum: true, panicWithoutQuorum: false }
const optionsOf = (values: State, quorum = quorate) =>
  readOptions(
    [{ id: 'o', score: 0, pairs: Object.entries(values).map(([name, value]) => ({ id: name, name, value })) }],
    zone,
    quorum,
  )

const healthCases: readonly {
  readonly strategy: string
  readonly values: readonly string[]
  readonly shown: string
}[] = [
  { strategy: 'none', values: ['red'], shown: 'green 0' },
  { strategy: 'migrate-on-red', values: ['yellow'], shown: 'yellow 0' },
  { strategy: 'migrate-on-red', values: ['green', 'red'], shown: 'red -1000000' },
  { strategy: 'only-green', values: ['yellow'], shown: 'yellow -1000000' },
  { strategy: 'progressive', values: ['yellow', '5'], shown: 'yellow -5' },
  { strategy: 'custom', values: ['green'], shown: 'green 0' },
  { strategy: 'custom', values: ['-20'], shown: 'yellow -20' },
  { strategy: 'custom', values: ['-5'], shown: 'green -5' },
  { strategy: 'migrate-on-red', values: ['-5'], shown: 'green -5' },
]
for (const { strategy, values, shown } of healthCases)
  test(`with ${strategy}, ${values.join(' and ')} is ${shown}`, () => {
    const options = optionsOf({
      'node-health-strategy': strategy,
      'node-health-base': '10',
      'node-health-yellow': '-20',
    })
    const attributes = new Map(values.map((value, index) => [`#health-${index}`, value] as const))
    const { health, healthScore } = healthOf(attributes, options)
    expect(`${health} ${healthScore}`).toBe(shown)
  })

test('nodes may fence themselves for lack of quorum only where there was quorum once', () => {
  const written = { 'no-quorum-policy': 'fence' }
  expect(optionsOf(written).noQuorumPolicy).toBe('fence')
  expect(optionsOf(written, { haveQuorum: false, panicWithoutQuorum: false }).noQuorumPolicy).toBe('stop')
  expect(optionsOf({ ...written, 'fencing-enabled': 'false' }).noQuorumPolicy).toBe('stop')
})

test('a value that makes no sense gives the default', () => {
  expect(optionsOf({ 'cluster-delay': 'soon', 'symmetric-cluster': 'maybe' })).toMatchObject({
    clusterDelayMs: 60_000,
    symmetricCluster: true,
  })
})

test('names are ordered by the numbers in them', () => {
  expect(['node10', 'Node2', 'node1', 'alpha'].sort(compareNames)).toEqual(['alpha', 'node1', 'Node2', 'node10'])
})
