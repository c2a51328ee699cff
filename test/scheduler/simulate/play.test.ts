import { expect, test } from 'vitest'
import { nodeName, resourceId } from '../../../src/base/index.ts'
import { describePlayed, playGraph } from '../../../src/scheduler/simulate/play.ts'
import type { GraphAction, TransitionGraph } from '../../../src/transition/index.ts'

const operation = (id: number, key: string, inputs: readonly number[]): GraphAction => ({
  kind: 'resource',
  id,
  inputs,
  attributes: {},
  priority: 0,
  resource: resourceId(key.split('_')[0] ?? key),
  operation: key.split('_')[1] ?? '',
  intervalMs: Number(key.split('_')[2] ?? 0),
  key,
  agent: { class: 'ocf', provider: 'heartbeat', type: 'Dummy' },
  node: nodeName('alpha'),
  nodeId: '1',
  downed: [],
})

const graph = (...actions: readonly GraphAction[]): TransitionGraph => ({ actions, attributes: {} })
const keys = (played: ReturnType<typeof playGraph>): readonly string[] => played.map(({ action }) => action.key)

test('an action waits for its inputs, whatever the order of the list', () => {
  const played = playGraph(graph(operation(2, 'web_start_0', [1]), operation(1, 'db_start_0', [])))
  expect(keys(played)).toEqual(['db_start_0', 'web_start_0'])
})

test('what waits for a failed operation does not happen', () => {
  const failures = [{ resource: 'db', operation: 'start', intervalMs: 0, node: 'alpha', exitCode: 1 }]
  const played = playGraph(graph(operation(1, 'db_start_0', []), operation(2, 'web_start_0', [1])), failures)
  expect(keys(played)).toEqual(['db_start_0'])
  expect(played[0]?.failed).toBe(true)
})

test('what waits for something that is not in the graph does not happen', () => {
  expect(keys(playGraph(graph(operation(2, 'web_start_0', [99]))))).toEqual([])
})

test('what waits for each other does not happen, and the rest does', () => {
  const played = playGraph(
    graph(operation(1, 'a_start_0', [2]), operation(2, 'b_start_0', [1]), operation(3, 'c_start_0', [])),
  )
  expect(keys(played)).toEqual(['c_start_0'])
})

test('a recurring operation is told with its interval', () => {
  const [played] = playGraph(graph(operation(1, 'web_monitor_10000', [])))
  expect(played && describePlayed(played, new Set(['web'])).replace(/ +/g, ' ')).toBe(
    'Resource action: web monitor=10000 on alpha',
  )
})
