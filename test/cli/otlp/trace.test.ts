/** The trace of an incident, as a collector in a process of its own reads it by the schema of OTLP. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, expect, test } from 'vitest'
import { traceOf } from '../../../src/cli/commands/incident/trace.ts'
import { sendTrace, traceEndpoint, traceHeaders } from '../../../src/cli/host/send-trace.ts'
import { type Happening, incidentsIn, type JournalEvent } from '../../../src/journal/index.ts'

const begin = Date.parse('2026-11-27T14:02:07.000Z')
const at = (ms: number, what: Happening): JournalEvent => ({ revision: 100 + ms, at: begin + ms, by: 'n1', what })
const start: Extract<Happening, { kind: 'operation' }> = {
  kind: 'operation',
  node: 'n1',
  resource: 'web',
  operation: 'start',
  intervalMs: 0,
  rc: 0,
  expected: 0,
  status: 0,
  execMs: 150,
  result: 'ok',
}
const fencing = { kind: 'fencing', id: 'f1', target: 'n2', action: 'reboot' } as const
const events: readonly JournalEvent[] = [
  at(-10, { kind: 'begun', active: { web: ['n2'] }, nodes: ['n1', 'n2'] }),
  at(0, { kind: 'node', node: 'n2', became: 'lost' }),
  at(40, { kind: 'decision', number: 7, doing: ['fence n2'] }),
  at(50, { ...fencing, outcome: 'pending' }),
  at(500, { ...fencing, outcome: 'succeeded', runner: 'n1' }),
  at(530, { kind: 'decision', number: 8, doing: ['start web on n1'] }),
  at(700, start),
  at(900, { ...start, operation: 'monitor', intervalMs: 10_000, rc: 7, result: 'not running', reason: 'it is gone' }),
  at(1200, { ...start, execMs: 100 }),
]
const [incident] = incidentsIn(events, begin + 120_000)
if (incident === undefined) throw new Error('no incident')
const trace = traceOf(incident, 'shop', '0.2.0')

let collector: ChildProcess | undefined
const heard: { readonly trace: typeof trace; readonly authorization: string }[] = []
afterEach(() => {
  collector?.kill()
  heard.length = 0
})

async function collect(manner: string): Promise<URL> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'collector.mjs'), '127.0.0.1', '0', manner], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  collector = child
  const lines = createInterface({ input: child.stdout })
  const [first] = (await once(lines, 'line')) as [string]
  lines.on('line', (line) => heard.push(JSON.parse(line) as (typeof heard)[number]))
  return traceEndpoint(`http://127.0.0.1:${(JSON.parse(first) as { readonly port: number }).port}`)
}

test('a recovery is a trace: detection, decision, fencing and start, each with its time and below the whole', async () => {
  await sendTrace(await collect('ok'), { authorization: 'Bearer x' }, trace)
  await expect.poll(() => heard.length).toBe(1)
  expect(heard[0]?.authorization).toBe('Bearer x')
  const [of] = heard[0]?.trace.resourceSpans ?? []
  expect(of?.resource.attributes).toContainEqual({ key: 'service.namespace', value: { stringValue: 'shop' } })
  const spans = of?.scopeSpans[0]?.spans ?? []
  const ms = (nano: string): number => Number(BigInt(nano) / 1_000_000n) - begin
  expect(
    spans.map((span) => [span.name, ms(span.startTimeUnixNano), ms(span.endTimeUnixNano), span.status.code]),
  ).toEqual([
    ['recovery: n2 was lost', 0, 1200, 1],
    ['detection: n2 was lost', 0, 0, 1],
    ['decision: transition 7: fence n2', 0, 40, 1],
    ['fencing: n2 (reboot)', 50, 500, 1],
    ['decision: transition 8: start web on n1', 500, 530, 1],
    ['start: web on n1', 550, 700, 1],
    ['monitor: web on n1', 750, 900, 2],
    ['start: web on n1', 1100, 1200, 1],
  ])
  const [root, ...others] = spans
  expect(root?.parentSpanId).toBeUndefined()
  expect(new Set(others.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([root?.spanId]))
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length)
  expect(spans[6]?.status.message).toContain('it is gone')
})

test('a second export is the same trace, that of another cluster or incident another', () => {
  expect(traceOf(incident, 'shop', '0.2.0')).toEqual(trace)
  const idOf = (one: typeof trace) => one.resourceSpans[0]?.scopeSpans[0]?.spans[0]?.traceId
  expect(idOf(traceOf(incident, 'bank', '0.2.0'))).not.toBe(idOf(trace))
  expect(idOf(traceOf({ ...incident, id: 'i1' }, 'shop', '0.2.0'))).not.toBe(idOf(trace))
})

test.each([
  ['partial', /rejected 2 spans.*too old/],
  ['redirect', /answered 307/],
])('a collector that answers otherwise is reported: %s', async (manner, sentence) => {
  await expect(sendTrace(await collect(manner), {}, trace)).rejects.toThrow(sentence)
})

test('a collector that answers without end is not read to it', async () => {
  await sendTrace(await collect('endless'), {}, trace)
})

test('what is no trace the collector refuses, and its words are shown', async () => {
  const [resource] = trace.resourceSpans
  await expect(sendTrace(await collect('ok'), {}, { resourceSpans: [{ ...resource, mood: 'good' }] })).rejects.toThrow(
    /answered 400: not OTLP: a field is unknown/,
  )
})

test('nobody there, addresses and headers that cannot be right', async () => {
  const address = await collect('ok')
  collector?.kill()
  await once(collector as ChildProcess, 'exit')
  await expect(sendTrace(address, {}, trace)).rejects.toThrow(/cannot be reached: .*ECONNREFUSED/)
  for (const word of ['collector:4318', 'ftp://collector', 'http://user:secret@collector', ''])
    expect(() => traceEndpoint(word)).toThrow(/such as http:/)
  expect(traceEndpoint('https://c.example/otlp/').href).toBe('https://c.example/otlp/v1/traces')
  expect(traceEndpoint('http://c:4318/v1/traces').href).toBe('http://c:4318/v1/traces')
  expect(traceHeaders('authorization=Bearer%20x, tenant=a')).toEqual({ authorization: 'Bearer x', tenant: 'a' })
  for (const text of ['nothing', 'a=%zz', 'a=b%0d%0ac: d']) expect(() => traceHeaders(text)).toThrow(/cannot be read/)
})
