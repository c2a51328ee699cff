/** What the console says of rollouts: cards by the facts of the command line, and what a word would do. */
import { expect, test } from 'vitest'
import { allCommands, type FleetRolloutFacts, type RolloutFacts } from '../../src/cli/index.ts'
import { fleetRolloutFacts, type ShownFleet } from '../../src/cli/rollout/print-fleet.ts'
import { rolloutFacts, type ShownRollout } from '../../src/cli/rollout/print-rollout.ts'
import { commandsIn, readLine } from '../../src/console/change/command-line.ts'
import { cardOf, cardOfFleet, cardsOf } from '../../src/console/rollouts/cards.ts'
import { effectOf } from '../../src/console/rollouts/effects.ts'
import { readRollout } from '../../src/rollout/index.ts'
import { endpointsOf } from '../../src/web/command-table.ts'
import { openApi } from '../../src/web/openapi.ts'

const commands = commandsIn(openApi(endpointsOf(allCommands), '0'))
const since = Date.parse('2026-11-27T03:00:00Z')

function definition() {
  const read = readRollout({
    rollout: 'shop',
    version: '2',
    nodes: 'all',
    steps: {
      actions: [
        { name: 'upgrade', run: 'true', undo: 'true' },
        { name: 'restart', run: 'true' },
      ],
    },
  })
  if (!read.ok) throw new Error(JSON.stringify(read.reports))
  return read.value
}

type Node = ShownRollout['nodes'][number]
const node = (name: string, phase: Node['phase'], more: Partial<Node> = {}): Node =>
  ({
    ...{
      node: name,
      wave: 0,
      phase,
      goal: 'forward',
      since,
      command: 0,
      touched: 0,
      attempt: 1,
      serial: 1,
      held: false,
    },
    ...more,
  }) as Node

const rollout = (nodes: readonly Node[], more: Partial<ShownRollout> = {}): RolloutFacts =>
  rolloutFacts({
    ...{ id: 'r1', definition: definition(), waves: [{ role: 'db' }], nodes, limits: [], state: 'running' },
    ...{ user: 'anna', from: 'n1', since, lines: 0 },
    ...more,
  } as ShownRollout)

const part = (cluster: string, phase: ShownFleet['parts'][number]['phase'], more = {}) =>
  ({ cluster, wave: 0, phase, since, attempt: 1, ...more }) as ShownFleet['parts'][number]

const over = (parts: readonly ShownFleet['parts'][number][], more: Partial<ShownFleet> = {}): FleetRolloutFacts =>
  fleetRolloutFacts({
    ...{ id: 'f1', name: 'shop', version: '2', key: 'k', file: '{}', parts, state: 'running' },
    ...{ user: 'anna', from: 'n1', since, journal: [], lines: 0 },
    ...more,
  } as ShownFleet)

const halted = rollout(
  [
    node('n1', 'done', { touched: 2 }),
    node('n2', 'failed', { touched: 1, why: 'upgrade has failed', tail: 'E: no such version' }),
    node('n3', 'waiting'),
  ],
  { state: 'halted', why: 'n2 has failed' },
)

test('a card has the state with its reason, how far each wave is, what failed with its output, and what can be said to it', () => {
  expect(cardOf(halted)).toMatchObject({
    title: 'shop 2',
    state: 'halted: n2 has failed',
    level: 'critical',
    waves: [
      {
        title: 'Wave 1 (db)',
        done: 1,
        of: 3,
        rows: [
          { name: 'n1', doing: 'done', level: 'good' },
          { name: 'n2', doing: 'failed', why: 'upgrade has failed', level: 'critical', output: 'E: no such version' },
          { name: 'n3', doing: 'waiting' },
        ],
      },
    ],
    actions: [
      { title: 'Continue', line: 'rollout resume r1 --no-wait' },
      { title: 'Put back', line: 'rollout abort r1 --no-wait' },
    ],
  })
  expect(cardOf(rollout([node('n1', 'working', { touched: 1 })])).waves[0]?.rows[0]?.doing).toBe('actions: upgrade')
})

test('a rollout over clusters says of each how far it is, and stands before the rollouts of this cluster', () => {
  const fleet = over([
    part('west', 'done', { seen: { state: 'unconfirmed', done: 3, nodes: 3 } }),
    part('east', 'running', { seen: { state: 'running', done: 1, nodes: 3 }, away: 'no route to host' }),
    part('old', 'left-out'),
  ])
  expect(cardOfFleet(fleet)).toMatchObject({
    waves: [
      {
        done: 1,
        of: 2,
        rows: [
          { name: 'west', doing: 'done, 3 of 3 nodes', level: 'good' },
          { name: 'east', doing: 'running, 1 of 3 nodes', why: 'does not answer: no route to host', level: 'critical' },
          { name: 'old', doing: 'left the fleet' },
        ],
      },
    ],
  })
  expect(cardsOf({ rollouts: [halted], fleet: [fleet] }).map(({ id }) => id)).toEqual(['f1', 'r1'])
})

test('what can be said depends on the state, and each line is a command of the API', () => {
  const words = (state: RolloutFacts['state'], more = {}): readonly string[] =>
    cardOf(rollout([], { state, ...more })).actions.map(({ line }) => line)
  expect(words('running')).toEqual(['rollout pause r1', 'rollout abort r1 --no-wait'])
  expect(words('unconfirmed')).toEqual(['rollout confirm r1', 'rollout abort r1 --no-wait'])
  expect(words('unconfirmed', { partOf: 'k/1' })).toEqual([])
  expect([words('complete'), words('aborted'), words('aborting')]).toEqual([[], [], []])
  for (const line of [...words('running'), ...words('halted'), ...words('unconfirmed')])
    expect(readLine(line, commands)).toMatchObject({ kind: 'request' })
  expect(cardOf(rollout([], { state: 'unconfirmed', confirmBy: since })).until).toBeDefined()
})

test('what a word would do names the nodes: what is finished, what goes on, what is put back, and what has no undo', () => {
  const effect = (word: string, one: RolloutFacts) => effectOf(word, { rollouts: [one], fleet: [] })
  const running = rollout([
    node('n1', 'done', { touched: 2 }),
    node('n2', 'working', { touched: 1 }),
    node('n3', 'waiting'),
  ])
  expect(effect('pause', running)).toEqual(['No further node begins.', 'n2 is finished first.'])
  expect(effect('resume', halted)).toEqual([
    'n2 goes on with the command that failed.',
    'n3 begins when its turn comes.',
  ])
  expect(effect('abort', halted)).toEqual([
    'The undo commands run on n1 and n2, in reverse order.',
    'restart has no undo: what it did stays.',
  ])
  expect(effect('abort', rollout([node('n1', 'waiting')]))).toEqual([
    'No command has begun on any node: there is nothing to put back.',
  ])
  expect(effect('confirm', rollout([node('n1', 'done'), node('n2', 'done')]))).toEqual([
    "n1 and n2 keep 2. It can no longer be put back by 'rollout abort'.",
  ])
  const fleet = over([part('west', 'done'), part('east', 'running'), part('north', 'waiting')])
  const onClusters = (word: string) => effectOf(word, { rollouts: [], fleet: [fleet] })
  expect(onClusters('pause')).toEqual(['No further cluster begins.', 'east begins no further node.'])
  expect(onClusters('resume')).toEqual(['east goes on.', 'north begins when its turn comes.'])
  expect(onClusters('abort')).toEqual(['west and east put their nodes back.'])
  expect(onClusters('confirm')).toEqual(['west keeps 2.'])
})

test('the description says which commands take files, and no other does', () => {
  const takes = (name: string) => commands.find((one) => one.name === name)?.takesFiles
  expect(['rollout start', 'rollout plan', 'apply', 'cluster cib-push', 'config restore'].map(takes)).toEqual(
    Array.from({ length: 5 }, () => true),
  )
  expect(['rollout abort', 'resource create'].map(takes)).toEqual([false, false])
})
