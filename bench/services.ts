/**
 * `npm run bench:services`: what the discovery thread takes for questions of DNS, and how soon events arrive. A process of its own asks, so that the
 * figures are those of the answering one: processor time of one core, and how long an answer takes at that rate.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import dnsPacket, { type RecordType } from 'dns-packet'
import { readOptions, wholeNumber } from '../scripts/arguments.ts'
import type { ToDiscovery } from '../src/daemon/discovery/messages.ts'
import type { Catalogue } from '../src/services/index.ts'

const values = readOptions({
  rate: { type: 'string', default: '5000' },
  seconds: { type: 'string', default: '10' },
})
const rate = wholeNumber('rate', values.rate)
const seconds = wholeNumber('seconds', values.seconds)
const dnsPort = 15_353
const httpPort = 18_500
const instances = 3

function catalogue(count: number, failing = false): Catalogue {
  const services = Array.from({ length: count }, (_, index) => ({
    definition: {
      name: `s${index}`,
      resource: `r${index}`,
      port: 80,
      protocol: 'tcp' as const,
      tags: ['public'],
      weight: 1,
      address: 'node',
      check: { kind: 'monitor' as const },
    },
    expected: instances,
    instances: Array.from({ length: instances }, (_none, node) => ({
      resource: `r${index}:${node}`,
      node: `n${node}`,
      address: `10.0.0.${node}`,
      port: 80,
      state: failing && index === 0 && node === 0 ? ('failing' as const) : ('healthy' as const),
    })),
  }))
  return { services, mistakes: [] }
}

const nodes = Array.from({ length: instances }, (_, node) => ({ name: `n${node}`, address: `10.0.0.${node}` }))

async function open(count: number): Promise<ChildProcess> {
  const host = fork(join(import.meta.dirname, 'discovery-host.mjs'), { serialization: 'advanced' })
  const tell = (message: ToDiscovery): boolean => host.send(message)
  tell({ kind: 'quorum', until: Number.POSITIVE_INFINITY as never })
  tell({ kind: 'services', catalogue: catalogue(count), nodes })
  tell({
    kind: 'settings',
    settings: {
      dns: {
        port: dnsPort,
        listen: ['local'],
        domain: 'systole',
        ttlSeconds: 5,
        withoutQuorum: 'refuse',
        forward: [],
        clusters: new Map(),
      },
      http: { port: httpPort, listen: ['local'] },
      clusterName: 'bench',
      self: 'n0',
      ownAddresses: ['127.0.0.1'],
      hosts: [],
    },
  })
  return host
}

async function used(host: ChildProcess): Promise<{ readonly cpuMs: number; readonly rssMiB: number }> {
  host.send({ kind: 'cpu' })
  const [answer] = (await once(host, 'message')) as [{ readonly cpuMs: number; readonly rssMiB: number }]
  return answer
}

interface Asked {
  readonly sent: number
  readonly times: readonly number[]
}

/** So many questions a second, evenly, whether or not they are answered. */
async function ask(count: number, type: RecordType, forMs: number): Promise<Asked> {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 })
  // Nobody listens yet.
  socket.on('error', () => undefined)
  const begun = new Map<number, number>()
  const times: number[] = []
  socket.on('message', (packet) => {
    const id = packet.readUInt16BE(0)
    const since = begun.get(id)
    if (since !== undefined) times.push(performance.now() - since)
    begun.delete(id)
  })
  await new Promise<void>((resolve) => socket.connect(dnsPort, '127.0.0.1', resolve))
  const questions = Array.from({ length: count }, (_, index) =>
    dnsPacket.encode({ type: 'query', id: 0, flags: 256, questions: [{ name: `s${index}.service.systole`, type }] }),
  )
  const start = performance.now()
  let sent = 0
  while (performance.now() - start < forMs) {
    const due = Math.floor(((performance.now() - start) * rate) / 1000)
    for (; sent < due; sent++) {
      const packet = Buffer.from(questions[(sent * 7919) % count] ?? Buffer.alloc(0))
      packet.writeUInt16BE(sent & 0xffff, 0)
      begun.set(sent & 0xffff, performance.now())
      socket.send(packet)
    }
    await delay(1)
  }
  await delay(500)
  socket.close()
  return { sent, times: times.sort((a, b) => a - b) }
}

const at = (sorted: readonly number[], part: number): string =>
  (sorted[Math.floor(sorted.length * part)] ?? Number.NaN).toFixed(2)

async function untilAnswered(): Promise<void> {
  for (let tries = 0; tries < 200; tries++) if ((await ask(1, 'A', 20)).times.length > 0) return
  throw new Error('nobody answers')
}

async function events(host: ChildProcess, count: number, clients: number): Promise<string> {
  let heard = 0
  const streams: IncomingMessage[] = []
  for (let client = 0; client < clients; client++)
    streams.push(
      await new Promise<IncomingMessage>((resolve, reject) => {
        const url = { host: '127.0.0.1', port: httpPort, path: '/v1/systole/events?service=s0', agent: false }
        get(url, resolve).on('error', reject)
      }),
    )
  for (const stream of streams) stream.on('data', () => heard++)
  while (heard < clients) await delay(1)
  const times: number[] = []
  for (let turn = 0; turn < 20; turn++) {
    heard = 0
    const begun = performance.now()
    host.send({ kind: 'services', catalogue: catalogue(count, turn % 2 === 0), nodes } satisfies ToDiscovery)
    while (heard < clients) await delay(1)
    times.push(performance.now() - begun)
  }
  for (const stream of streams) stream.destroy()
  times.sort((a, b) => a - b)
  return `a change among ${count} services at all of ${clients} clients of events: median ${at(times, 0.5)} ms, worst ${at(times, 0.99)} ms`
}

console.log(
  `load ${loadavg()
    .map((load) => load.toFixed(1))
    .join(' ')}, Node.js ${process.version}`,
)
for (const count of [10, 1000]) {
  const host = await open(count)
  try {
    await untilAnswered()
    for (const type of ['A', 'SRV'] as const) {
      await ask(count, type, 2000)
      const before = await used(host)
      const { sent, times } = await ask(count, type, seconds * 1000)
      const after = await used(host)
      const share = ((after.cpuMs - before.cpuMs) / (seconds * 10)).toFixed(1)
      console.log(
        `${count} services, ${type}: ${sent} questions in ${seconds} s, ${sent - times.length} lost, ${share} % of a core, median ${at(times, 0.5)} ms, p99 ${at(times, 0.99)} ms, ${after.rssMiB} MiB`,
      )
    }
    console.log(await events(host, count, 90))
  } finally {
    host.disconnect()
  }
}
