/** A cluster that performs its part of a rollout, and one that lies: a real TLS server whose answers a test chooses. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { askPart, askPlan, type PartAsk } from '../../../src/daemon/fleet/ask-part.ts'
import type { FleetTarget } from '../../../src/daemon/fleet/told.ts'
import { createAuthority, createNodeCertificate } from '../../../src/rpc/index.ts'

interface Heard {
  readonly line: string
  readonly body: unknown
}
type Answer = readonly [status: number, value: unknown]

let server: Server
let target: FleetTarget
let heard: Heard[]
let answers: Record<string, Answer | undefined>

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request as AsyncIterable<Buffer>) text += chunk.toString()
  return text
}
async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await bodyOf(request)
  const line = `${request.method} ${request.url?.replace('/api/v1/rollout/', '')}`
  heard.push({ line, body: text === '' ? undefined : JSON.parse(text) })
  const [status, value] = answers[line] ?? [404, { detail: 'Nothing is here.' }]
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

beforeAll(async () => {
  const made = await createAuthority('west')
  const node = await createNodeCertificate(made, { name: 'w1', addresses: ['127.0.0.1'] })
  const shown = { cert: `${node.certificate}\n${made.certificate}`, key: node.key }
  server = createServer(shown, (request, response) => void respond(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  // The second would be asked only where the first has not understood.
  target = { addresses: [address, address], token: 't', anchor: { kind: 'authority', certificate: made.certificate } }
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  heard = []
  answers = {}
})

const rollout = (more: object = {}) => ({
  id: 'r7',
  state: 'running',
  partOf: 'north/f1/x/1',
  nodes: [{ phase: 'done' }, { phase: 'working' }, { phase: 'waiting', leftOut: true }],
  ...more,
})
const shows = (...rollouts: readonly object[]): Answer => [200, { result: { rollouts }, exitCode: 75, notes: [] }]
const key = 'north/f1/x/1'
const given = { cluster: 'west', attempt: 1, key, file: '{"rollout":"shop"}' }
type Ask =
  | { readonly kind: 'start' | 'find' }
  | { readonly kind: 'watch'; readonly id: string }
  | { readonly kind: 'word'; readonly id: string; readonly word: 'abort' | 'confirm' }
const part = async (ask: Ask) => await askPart(target, { ...given, ...ask } as PartAsk)
const lines = (): readonly string[] => heard.map(({ line }) => line)

test('a start gives the file and its key, does not wait, and shows how far it is', async () => {
  answers = {
    'POST start': [200, { result: { id: 'r7', state: 'running' } }],
    'GET status?word=r7': shows(rollout({ why: 'a\u001b[31m' })),
  }
  expect(await part({ kind: 'start' })).toEqual({
    kind: 'part',
    id: 'r7',
    state: 'running',
    done: 1,
    nodes: 2,
    why: 'a [31m',
  })
  expect(heard[0]?.body).toEqual({
    words: ['rollout.json'],
    flags: { 'no-wait': true, 'part-of': key },
    files: { 'rollout.json': '{"rollout":"shop"}' },
  })
  answers = { 'POST start': [200, { result: { already: ['w1'] } }] }
  expect(await part({ kind: 'start' })).toEqual({ kind: 'already' })
})

test.each([
  [400, 'refused', 1],
  [403, 'refused', 1],
  [409, 'away', 2],
  [429, 'away', 2],
  [500, 'away', 2],
  [503, 'away', 2],
])('a start that is answered with %i is %s, and %i nodes are asked', async (status, kind, asked) => {
  answers = { 'POST start': [status, { detail: 'Because.' }] }
  expect(await part({ kind: 'start' })).toMatchObject({ kind, why: expect.stringContaining('Because.') as unknown })
  expect(heard).toHaveLength(asked)
})

test('a word is said once, and what it has come to is looked for', async () => {
  answers = {
    'POST abort': [200, { result: { id: 'r7', state: 'aborting' } }],
    'GET status?word=r7': shows(rollout({ state: 'aborting' })),
  }
  expect(await part({ kind: 'word', id: 'r7', word: 'abort' })).toMatchObject({ state: 'aborting' })
  expect(heard[0]).toEqual({ line: 'POST abort', body: { words: ['r7'], flags: { 'no-wait': true } } })
  answers['POST confirm'] = [400, { detail: 'It has ended.' }]
  expect(await part({ kind: 'word', id: 'r7', word: 'confirm' })).toMatchObject({ kind: 'refused' })
})

test('a rollout of another key is not ours, whatever its id; one that is gone is none, if the cluster says so', async () => {
  answers = { 'GET status?word=r7': shows(rollout({ partOf: 'other/f1/y/1' })) }
  expect(await part({ kind: 'watch', id: 'r7' })).toEqual({ kind: 'none' })
  answers = { 'GET status?word=r7': [400, { detail: 'There is no rollout r7.' }], 'GET history': shows() }
  expect(await part({ kind: 'watch', id: 'r7' })).toEqual({ kind: 'none' })
  answers = { 'GET status?word=r7': [404, { detail: 'Nothing is here.' }] }
  expect(await part({ kind: 'watch', id: 'r7' })).toMatchObject({ kind: 'away' })
  answers = { 'GET history': shows(rollout({ id: 'r6', partOf: 'x' }), rollout()) }
  expect(await part({ kind: 'find' })).toMatchObject({ kind: 'part', id: 'r7' })
  expect(lines().filter((line) => line.startsWith('POST'))).toEqual([])
})

test.each([
  ['no list', { result: { rollouts: 'many' } }],
  ['an unknown state', { result: { rollouts: [rollout({ state: 'exploded' })] } }],
  ['nodes that are none', { result: { rollouts: [rollout({ nodes: [7] })] } }],
  ['nothing', 'null'],
])('an answer with %s is no news', async (_, value) => {
  answers = { 'GET status?word=r7': [200, value] }
  expect(await part({ kind: 'watch', id: 'r7' })).toMatchObject({
    kind: 'away',
    why: expect.stringContaining('has no rollouts') as unknown,
  })
})

test('a plan is what the other cluster would do, in words without control characters; a refusal is a failure', async () => {
  const plan = {
    already: ['w3'],
    refusals: ['No\u0007.'],
    waves: [{ groups: [{ nodes: ['w1'], held: [] }], waiting: [{ node: 'w2', why: 'it is offline' }] }],
    interruptions: [{ resource: 'web', times: 1, longestMs: 20, ms: 20, isUnknown: false }],
  }
  answers = { 'POST plan': [200, { exitCode: 1, result: plan }] }
  expect(await askPlan(target, '{}')).toEqual({
    kind: 'plan',
    plan: {
      ...plan,
      refusals: ['No .'],
      waves: [{ groups: [['w1']], waiting: [{ node: 'w2', why: 'it is offline' }] }],
      interruptions: [{ resource: 'web', times: 1, longestMs: 20, isUnknown: false }],
    },
  })
  answers = { 'POST plan': [403, { detail: 'Jobs run as root.' }] }
  expect(await askPlan(target, '{}')).toMatchObject({
    kind: 'failed',
    why: expect.stringContaining('Jobs run as root.') as unknown,
  })
})
