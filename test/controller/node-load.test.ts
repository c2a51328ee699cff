import { expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { actionLimit, type NodeLoad } from '../../src/controller/node-load.ts'
import { load, sendCommand } from '../../src/daemon/node/commands.ts'

const cases: readonly {
  readonly name: string
  readonly options?: { readonly nodeActionLimit?: number; readonly loadThreshold?: number }
  readonly load?: NodeLoad
  readonly limit: number
}[] = [
  { name: 'a node that has said nothing yet takes the default', limit: 8 },
  { name: 'twice its processors', load: { processors: 3, load: 0.5 }, limit: 6 },
  { name: 'at the threshold still all', load: { processors: 3, load: 0.8 }, limit: 6 },
  { name: 'at twice the threshold half', load: { processors: 4, load: 1.6 }, limit: 4 },
  { name: 'at any load two', load: { processors: 2, load: 50 }, limit: 2 },
  {
    name: 'but never more than it is meant to',
    options: { nodeActionLimit: 1 },
    load: { processors: 2, load: 50 },
    limit: 1,
  },
  {
    name: 'node-action-limit is reduced as well',
    options: { nodeActionLimit: 10 },
    load: { processors: 2, load: 1.6 },
    limit: 5,
  },
  { name: 'node-action-limit for a node that has said nothing', options: { nodeActionLimit: 3 }, limit: 3 },
  { name: 'a higher threshold bears more', options: { loadThreshold: 8 }, load: { processors: 2, load: 7 }, limit: 4 },
  {
    name: 'a threshold of 0 looks at no load',
    options: { loadThreshold: 0 },
    load: { processors: 2, load: 50 },
    limit: 4,
  },
]
for (const { name, options, load: reported, limit } of cases)
  test(`how many actions a node takes: ${name}`, () => {
    expect(actionLimit({ nodeActionLimit: 0, loadThreshold: 0.8, ...options }, reported, 8)).toBe(limit)
  })

const command = {
  kind: 'execute',
  node: nodeName('n1'),
  term: 3,
  plannedFrom: 1,
  transition: 1,
  transitionKey: '1:1:0:3',
  timeoutMs: 1000,
  action: {
    kind: 'cluster',
    id: 1,
    inputs: [],
    attributes: {},
    priority: 0,
    operation: 'lrm_delete',
    key: 'k',
    downed: [],
  },
} as const

test('the DC learns the load of a node with each of its answers', async () => {
  const fed: unknown[] = []
  const take = async () => ({
    accepted: true,
    done: false,
    why: '',
    highestTerm: 3,
    message: '',
    loadAverage: 6,
    processors: 4,
  })
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
  await sendCommand(command, {
    self: command.node,
    peers: { to: () => expect.unreachable('the command is for this node') },
    log,
    take,
    feed: (input) => fed.push(input),
  })
  expect(fed).toEqual([{ kind: 'load', node: 'n1', load: { processors: 4, load: 1.5 } }])
})

test('a node tells its load', () => {
  const { loadAverage, processors } = load()
  expect(loadAverage).toBeGreaterThanOrEqual(0)
  expect(processors).toBeGreaterThanOrEqual(1)
})
