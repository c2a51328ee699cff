import { createSocket } from 'node:dgram'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import { type MonotonicMs, monotonicMs } from '../../../src/base/index.ts'
import type { NvSet } from '../../../src/cib/index.ts'
import { Discovery } from '../../../src/daemon/discovery/discovery.ts'
import { monotonicNow } from '../../../src/daemon/host/clock.ts'
import { decoded, questionPacket, serviceOf } from './asking.ts'

/** The thread itself, from dist/: it is there while the configuration opens something, and answers with what it was given last. */
const always = monotonicMs(Number.POSITIVE_INFINITY)
const nothing = (): void => undefined
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
let until: MonotonicMs = always
const workers: Worker[] = []
const open = (): Discovery =>
  new Discovery({ log, quorateUntil: () => until }, () => {
    const worker = new Worker(join(import.meta.dirname, '../../../dist/discovery.mjs'))
    workers.push(worker)
    return worker
  })
let discovery = open()
const [dnsPort, httpPort] = [20_000 + (process.pid % 10_000), 30_001 + (process.pid % 10_000)]

afterEach(() => {
  discovery.close()
  until = always
  discovery = open()
})

const host = { clusterName: 'west', self: 'n1', ownAddresses: [], hosts: [] }
const nodes = [{ name: 'n1', address: '10.0.0.1' }]

function options(values: Readonly<Record<string, string>>): { readonly options: readonly NvSet[] } {
  const pairs = Object.entries(values).map(([name, value]) => ({ id: name, name, value }))
  return { options: [{ id: 'cib-bootstrap-options', pairs }] as unknown as readonly NvSet[] }
}

const both = options({
  'service-dns': `port=${dnsPort} listen=local`,
  'service-http': `port=${httpPort} listen=local`,
})

/** `NOERROR 2`, or nothing. */
async function ask(): Promise<string> {
  const socket = createSocket('udp4')
  try {
    return await new Promise<string>((resolve) => {
      socket.on('error', () => resolve(''))
      socket.on('message', (packet) => {
        const { code, answers } = decoded(packet)
        resolve(`${code} ${answers?.length ?? 0}`)
      })
      socket.connect(dnsPort, '127.0.0.1', () => socket.send(questionPacket('web.service.systole')))
      setTimeout(() => resolve(''), 500)
    })
  } finally {
    socket.close()
  }
}

async function read(): Promise<string> {
  try {
    return await (await fetch(`http://127.0.0.1:${httpPort}/v1/catalog/services`)).text()
  } catch {
    return ''
  }
}

test('both are open while their options say so, and know what has changed', async () => {
  discovery.use(options({}), host)
  expect(discovery.isWanted).toBe(false)
  discovery.use(both, host)
  await expect.poll(ask).toBe('REFUSED 0')
  discovery.know({ catalogue: { services: [serviceOf('web', 2)], mistakes: [] }, nodes })
  await expect.poll(ask).toBe('NOERROR 2')
  expect(await read()).toBe('{"web":[]}')
  discovery.know({ catalogue: { services: [serviceOf('web', 3), serviceOf('db', 1)], mistakes: [] }, nodes })
  await expect.poll(ask).toBe('NOERROR 3')
  expect(await read()).toBe('{"web":[],"db":[]}')
  // One of them is closed.
  discovery.use(options({ 'service-http': `port=${httpPort} listen=local` }), host)
  await expect.poll(ask).toBe('')
  expect(await read()).toBe('{"web":[],"db":[]}')
  discovery.use(options({ 'service-http': 'off' }), host)
  expect(discovery.isWanted).toBe(false)
  await expect.poll(read).toBe('')
})

test('it answers no longer than the quorum that it has heard of lasts, even if it hears nothing more', async () => {
  until = monotonicMs(monotonicNow() + 2000)
  discovery.use(both, host)
  discovery.know({ catalogue: { services: [serviceOf('web', 2)], mistakes: [] }, nodes })
  await expect.poll(ask).toBe('NOERROR 2')
  await expect.poll(ask).toBe('REFUSED 0')
  expect(await read()).toBe('No cluster leader\n')
  until = always
  await expect.poll(ask).toBe('NOERROR 2')
})

test('a thread that dies is started again, and knows what the last one knew', async () => {
  discovery.use(both, host)
  discovery.know({ catalogue: { services: [serviceOf('web', 2)], mistakes: [] }, nodes })
  await expect.poll(ask).toBe('NOERROR 2')
  const before = workers.length
  await workers.at(-1)?.terminate()
  await expect.poll(ask).toBe('NOERROR 2')
  expect(workers).toHaveLength(before + 1)
})

test('an option that cannot be read opens nothing, and is a trouble', () => {
  discovery.use(options({ 'service-dns': 'port=x', 'service-http': 'colour=red' }), host)
  expect(discovery.isWanted).toBe(false)
  expect(discovery.troubles).toEqual([
    "The cluster option service-dns cannot be read, so that DNS is off: The port 'x' is not a number from 1 to 65535.",
    "The cluster option service-http cannot be read, so that HTTP is off: There is no option 'colour'. Options: port, listen, clients.",
  ])
})
