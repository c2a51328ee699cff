/**
 * `npm run fuzz:http -- --requests N --seed S`: bytes like requests of HTTP to the discovery thread, over real connections, many at a time. After each thousand it must answer
 * a right request as before; at the end its memory must not have grown. It ends with the seed where it does not.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ToDiscovery } from '../src/daemon/discovery/messages.ts'
import { createRandom, type Random } from '../test/fuzz/random.ts'
import { readOptions, wholeNumber } from './arguments.ts'

const values = readOptions({
  requests: { type: 'string', default: '100000' },
  seed: { type: 'string', default: '1' },
  help: { type: 'boolean', default: false },
})
if (values.help) {
  console.log('npm run fuzz:http -- [--requests N] [--seed S]   how many, from which seed on (a thousand of each)')
  process.exit(0)
}
const [requests, first] = [wholeNumber('requests', values.requests), wholeNumber('seed', values.seed)]
const perSeed = 1000
const perConnection = 5
const connections = 40
const mostGrowthMiB = 64
const port = 18_501

const paths = [
  ...['/v1/catalog/services', '/v1/catalog/service/s1', '/v1/health/service/s2?passing', '/v1/agent/services'],
  ...['/v1/systole/events?service=s1', '/v1/health/service/s1?index=3&wait=10ms', '/v1/catalog/service/s1?tag=a&tag=b'],
  ...['/v1/health/service/s1?dc=bench&stale&pretty', '/v1/catalog/services?wait=600s&index=99999999999999999999', '/'],
  ...[
    '/v1/agent/self',
    '/v1/status/leader?stale',
    '/v1/health/state/any?near=_agent',
    '/v1/catalog/node/n1?index=1&wait=5ms',
  ],
  ...['/v1/health/checks/s1?consistent', '/v1/kv/a', '/v1/catalog/nodes?near=%00', '/v1/health/node/../../x'],
]
const strange = ['HEAD', 'POST', 'PUT', 'OPTIONS', 'CONNECT', 'get', 'G\0T', '']
const headers = [
  ...[
    'Host: a',
    'Connection: keep-alive',
    'Connection: close',
    'Content-Length: 5',
    'Content-Length: -1',
    'Upgrade: h2c',
  ],
  ...[
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip',
    'Expect: 100-continue',
    'Range: bytes=0-',
    'X: \u0001',
    ': a',
  ],
  `Long: ${'x'.repeat(9000)}`,
]

function request(random: Random): Buffer {
  const version = random.below(6) === 0 ? random.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/9', '']) : 'HTTP/1.1'
  const chosen = Array.from({ length: random.below(3) === 0 ? random.below(4) : 0 }, () => random.pick(headers) ?? '')
  const lines = [
    `${random.below(4) === 0 ? random.pick(strange) : 'GET'} ${random.pick(paths)} ${version}`,
    'Host: a',
    ...chosen,
    '',
    '',
  ]
  const bytes = Buffer.from(
    lines.join(random.below(20) === 0 ? '\n' : '\r\n') + (random.below(5) === 0 ? '5\r\nabc' : ''),
  )
  for (let changes = random.below(3) === 0 ? 1 + random.below(4) : 0; changes > 0; changes--)
    bytes[random.below(bytes.length)] = random.below(256)
  return random.below(10) === 0 ? bytes.subarray(0, random.below(bytes.length)) : bytes
}

const statuses = new Map<string, number>()

/** What comes back is counted; a connection that waits is ended from here. */
async function send(random: Random): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port })
  socket.on('error', () => undefined)
  socket.on('data', (data: Buffer) => {
    for (const [, status = ''] of data.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
  })
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  for (let count = 0; count < perConnection; count++) socket.write(request(random))
  if (random.below(2) === 0) socket.end()
  await Promise.race([closed, delay(50 + random.below(100))])
  socket.destroy()
  await closed
}

async function answer(): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/health/service/s1?passing`, {
    headers: { connection: 'close' },
  })
  return `${response.status} ${await response.text()}`
}

function open(): ChildProcess {
  const host = fork(join(import.meta.dirname, '../bench/discovery-host.mjs'), { serialization: 'advanced' })
  const tell = (message: ToDiscovery): boolean => host.send(message)
  const services = Array.from({ length: 100 }, (_, at) => ({
    definition: {
      ...{ name: `s${at}`, resource: `r${at}`, port: 80, protocol: 'tcp' as const, tags: ['a', 'b'], weight: 1 },
      ...{ address: 'node', check: { kind: 'monitor' as const } },
    },
    expected: 1,
    instances: [{ resource: `r${at}`, node: 'n0', address: '10.0.0.1', port: 80, state: 'healthy' as const }],
  }))
  tell({ kind: 'quorum', until: Number.POSITIVE_INFINITY as never })
  tell({ kind: 'services', catalogue: { services, mistakes: [] }, nodes: [{ name: 'n0', address: '10.0.0.1' }] })
  const http = { port, listen: ['local'] }
  const settings = { http, clusterName: 'bench', self: 'n0', ownAddresses: ['127.0.0.1'], hosts: [] }
  tell({ kind: 'settings', settings })
  return host
}

async function rssMiB(host: ChildProcess): Promise<number> {
  host.send({ kind: 'cpu' })
  const [said] = (await once(host, 'message')) as [{ readonly rssMiB: number }]
  return said.rssMiB
}

const host = open()
let expected = ''
for (let tries = 0; tries < 100 && expected === ''; tries++) {
  expected = await answer().catch(() => '')
  await delay(100)
}
if (!expected.startsWith('200 ')) throw new Error(`the discovery thread does not answer: ${expected}`)
let before = 0
const begun = performance.now()
for (let sent = 0, seed = first; sent < requests; sent += perSeed, seed++) {
  const random = createRandom(seed)
  for (let left = perSeed / perConnection; left > 0; left -= connections)
    await Promise.all(Array.from({ length: Math.min(connections, left) }, async () => await send(random)))
  const now = await answer().catch(String)
  if (now !== expected || host.exitCode !== null) {
    console.error(`failed with --seed ${seed} --requests ${perSeed}: ${now}`)
    host.kill()
    process.exit(1)
  }
  if (before === 0 && sent + perSeed >= requests / 10) before = await rssMiB(host)
}
const after = await rssMiB(host)
const seconds = ((performance.now() - begun) / 1000).toFixed(1)
console.log(
  `${requests} requests in ${seconds} s, ${before} MiB after a tenth, ${after} MiB at the end; answers: ${[...statuses]
    .sort()
    .map(([status, count]) => `${count} of ${status}`)
    .join(', ')}`,
)
host.disconnect()
process.exit(after - before > mostGrowthMiB ? 1 : 0)
