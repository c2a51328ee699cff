import { get, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import Consul from 'consul'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { monotonicMs } from '../../../src/base/index.ts'
import { HttpDoor } from '../../../src/daemon/discovery/http-door.ts'
import { IndexedServices } from '../../../src/daemon/discovery/indexed-services.ts'
import type { DiscoverySettings } from '../../../src/daemon/discovery/messages.ts'
import { parseHttpSetting, type Service } from '../../../src/services/index.ts'
import { serviceOf } from './asking.ts'

/** Consul's paths on a socket of loopback: read by a client of Consul's, and by requests as strangers make them. */
const never = monotonicMs(Number.NEGATIVE_INFINITY)
const always = monotonicMs(Number.POSITIVE_INFINITY)
let services: IndexedServices
let door: HttpDoor
let port = 0
let lastPort = 40_000 + (process.pid % 20_000)

const nodes = [
  { name: 'n0', address: '10.0.0.0' },
  { name: 'n1', address: '10.0.0.1' },
]
const know = (...known: readonly Service[]): void => {
  if (services.take({ catalogue: { services: known, mistakes: [] }, nodes, dc: 'n0' })) door.look()
}
const failing = (service: Service): Service => ({
  ...service,
  instances: service.instances.map((one, index) =>
    index === 1 ? { ...one, state: 'failing', reason: 'nobody answers' } : one,
  ),
})

function settingsOf(words: string): DiscoverySettings {
  const http = parseHttpSetting(words)
  if (!http.ok || http.value === undefined) throw new Error('not a setting')
  return { http: http.value, clusterName: 'west', self: 'n1', ownAddresses: ['127.0.0.1'], hosts: [] }
}

beforeEach(async () => {
  services = new IndexedServices()
  door = new HttpDoor(services, () => undefined)
  door.quorateUntil = always
  do {
    port = ++lastPort
    await door.use(settingsOf(`port=${port} listen=local`))
  } while (door.troubles.length > 0)
  know(serviceOf('web', 2), serviceOf('db', 1))
})

afterEach(async () => await door.use({ ...settingsOf('on'), http: undefined } as never))

const consul = (): InstanceType<typeof Consul> => new Consul({ host: '127.0.0.1', port })

interface Answer {
  readonly status: number | undefined
  readonly body: string
  readonly headers: IncomingMessage['headers']
}

async function ask(path: string, method = 'GET'): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, agent: false }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      response.on('end', () => resolve({ status: response.statusCode, body, headers: response.headers }))
    })
    asked.on('error', reject)
    asked.end()
  })
}

test('a client of Consul reads services, instances and their health, unmodified', async () => {
  const client = consul()
  expect(await client.catalog.service.list()).toEqual({ db: [], web: [] })
  expect(await client.catalog.service.nodes('web')).toMatchObject([
    {
      Node: 'n0',
      Address: '10.0.0.0',
      Datacenter: 'west',
      ServiceName: 'web',
      ServiceAddress: '10.0.0.0',
      ServicePort: 80,
    },
    { Node: 'n1', ServiceWeights: { Passing: 1 } },
  ])
  know(failing(serviceOf('web', 2)), serviceOf('db', 1))
  expect(await client.health.service('web')).toMatchObject([
    { Node: { Node: 'n0' }, Service: { Port: 80 }, Checks: [{ Status: 'passing' }] },
    { Node: { Node: 'n1' }, Checks: [{ Status: 'critical', Output: 'nobody answers' }] },
  ])
  expect(await client.health.service({ service: 'web', passing: true })).toHaveLength(1)
  expect(await client.agent.service.list()).toMatchObject({ 'web:web:1': { Service: 'web', Port: 80 } })
  expect(await client.catalog.service.nodes('nosuch')).toEqual([])
})

test('a client of Consul that watches is answered once for each change of its service, and for no other', async () => {
  const seen: number[] = []
  const watch = consul().watch({ method: consul().health.service, options: { service: 'web', passing: true } as never })
  try {
    watch.on('change', (entries: readonly unknown[]) => seen.push(entries.length))
    await expect.poll(() => seen).toEqual([2])
    know(serviceOf('web', 2), failing(serviceOf('db', 2)))
    know(failing(serviceOf('web', 2)), failing(serviceOf('db', 2)))
    await expect.poll(() => seen).toEqual([2, 1])
    know(failing(serviceOf('web', 2)), serviceOf('db', 2))
    know(serviceOf('web', 3), serviceOf('db', 2))
    await expect.poll(() => seen).toEqual([2, 1, 3])
  } finally {
    watch.end()
  }
})

test('with index an answer waits for another one, for wait at most; another number than the last is answered at once', async () => {
  const { headers } = await ask('/v1/health/service/web')
  const index = String(headers['x-consul-index'])
  const begun = performance.now()
  const late = await ask(`/v1/health/service/web?index=${index}&wait=300ms`)
  expect(performance.now() - begun).toBeGreaterThanOrEqual(290)
  expect(late.headers['x-consul-index']).toBe(index)
  for (const other of [Number(index) - 1, Number(index) + 1, 0])
    expect((await ask(`/v1/health/service/web?index=${other}&wait=1h`)).status).toBe(200)
  const waiting = ask(`/v1/catalog/services?index=${(await ask('/v1/catalog/services')).headers['x-consul-index']}`)
  know(serviceOf('web', 1))
  expect(JSON.parse((await waiting).body)).toEqual({ web: [] })
})

test('what it does not do it refuses, and it only reads', async () => {
  const cases: readonly (readonly [string, number, string])[] = [
    [
      '/v1/kv/secret',
      501,
      "There is no '/v1/kv/secret' here: Systole answers for services, and keeps no keys and values.",
    ],
    ['/v1/session/list', 501, "has no 'session'."],
    ['/v1/acl/tokens', 404, "There is no '/v1/acl/tokens' here. Paths: /v1/catalog/services,"],
    ['/v1/health/state/well', 404, 'There is no'],
    ['/v1/agent/self?near=n1', 400, "The parameter 'near' has no effect here."],
    ['/v1/health/service/../../etc', 404, 'There is no'],
    ['/v1/health/service/web?filter=x', 400, "The parameter 'filter' has no effect here."],
    ['/v1/catalog/services?cached', 400, "The parameter 'cached' has no effect here."],
    ['/v1/catalog/services?stale&consistent', 400, 'conflicting semantics'],
    ['/v1/catalog/services?index=x', 400, 'Invalid index'],
    ['/v1/catalog/services?wait=soon', 400, 'Invalid wait time'],
    ['/v1/catalog/services?dc=east', 500, 'No path to datacenter'],
    [`/v1/catalog/services?dc=${'x'.repeat(3000)}`, 414, 'longer than 2048'],
  ]
  for (const [path, status, text] of cases) {
    const answer = await ask(path)
    expect([path, answer.status, answer.body.includes(text)]).toEqual([path, status, true])
  }
  for (const method of ['PUT', 'POST', 'DELETE']) expect((await ask('/v1/catalog/services', method)).status).toBe(405)
  expect((await ask('/v1/catalog/services?dc=west&stale&pretty')).body).toBe('{\n    "web": [],\n    "db": []\n}')
  expect(JSON.parse((await ask('/v1/catalog/service/web?tag=public')).body)).toEqual([])
})

test('what clients ask when they start is answered: who this is, who leads, which nodes and checks there are', async () => {
  know(failing(serviceOf('web', 2)), serviceOf('db', 1))
  const client = consul()
  expect(await client.agent.self()).toMatchObject({
    Config: { Datacenter: 'west', NodeName: 'n1' },
    Member: { Addr: '10.0.0.1' },
  })
  expect(await client.status.leader()).toBe('10.0.0.0:7700')
  expect(await client.status.peers()).toEqual(['10.0.0.0:7700', '10.0.0.1:7700'])
  expect(await client.catalog.datacenters()).toEqual(['west'])
  expect(await client.catalog.node.list()).toMatchObject([{ Node: 'n0', Address: '10.0.0.0' }, { Node: 'n1' }])
  expect(await client.catalog.node.services('n1')).toMatchObject({
    Node: { Address: '10.0.0.1' },
    Services: { 'web:web:1': { Service: 'web', Port: 80 } },
  })
  expect(await client.health.state('critical')).toMatchObject([
    { Node: 'n1', ServiceName: 'web', Output: 'nobody answers' },
  ])
  expect([await client.health.state('any'), await client.health.state('warning')].map(({ length }) => length)).toEqual([
    3, 0,
  ])
  expect(await client.health.checks('web')).toMatchObject([{ Status: 'passing' }, { Status: 'critical' }])
  expect(await client.health.node('n0')).toHaveLength(2)
  expect(await client.agent.check.list()).toMatchObject({ 'service:web:web:1': { Status: 'critical' } })
  expect((await ask('/v1/catalog/node/n9')).body).toBe('null')
})

test('with near, what is on that node comes first', async () => {
  const order = async (path: string): Promise<readonly string[]> =>
    (JSON.parse((await ask(path)).body) as readonly { readonly Node: string | { readonly Node: string } }[]).map(
      ({ Node }) => (typeof Node === 'string' ? Node : Node.Node),
    )
  expect(await order('/v1/health/service/web')).toEqual(['n0', 'n1'])
  expect(await order('/v1/health/service/web?near=_agent')).toEqual(['n1', 'n0'])
  expect(await order('/v1/catalog/service/web?near=n1')).toEqual(['n1', 'n0'])
  expect(await order('/v1/catalog/nodes?near=n1&consistent')).toEqual(['n1', 'n0'])
})

test('without quorum nobody leads, and a client learns that', async () => {
  door.quorateUntil = never
  expect((await ask('/v1/status/leader')).body).toBe('""')
  expect((await ask('/v1/agent/self')).status).toBe(200)
  expect((await ask('/v1/catalog/nodes')).status).toBe(500)
})

test('without quorum only what says that old answers will do is answered', async () => {
  door.quorateUntil = never
  expect(await ask('/v1/catalog/services')).toMatchObject({ status: 500, body: 'No cluster leader\n' })
  expect(await ask('/v1/catalog/services?stale')).toMatchObject({
    status: 200,
    headers: { 'x-consul-knownleader': 'false' },
  })
})

test('only those whom clients= names are answered, and nobody without end', async () => {
  await door.use({ ...settingsOf(`port=${port} listen=local clients=192.0.2.0/24`) })
  // This host always is.
  expect((await ask('/v1/catalog/services')).status).toBe(200)
  const index = (await ask('/v1/catalog/services')).headers['x-consul-index']
  let refused = 0
  const many = Array.from({ length: 105 }, () => ask(`/v1/catalog/services?index=${index}`).catch(() => void refused++))
  await expect.poll(() => refused).toBe(5)
  know(serviceOf('web', 1))
  const answers = await Promise.all(many)
  expect(answers.filter((one) => typeof one === 'object' && one.status === 200)).toHaveLength(100)
})

test('events tell the state of each service, then each change once, then that one is gone', async () => {
  const events: string[] = []
  const response = await new Promise<IncomingMessage>((resolve) => {
    get({ host: '127.0.0.1', port, path: '/v1/systole/events?service=web', agent: false }, resolve)
  })
  let rest = ''
  response.setEncoding('utf8').on('data', (text: string) => {
    rest += text
    const parts = rest.split('\n\n')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      const [, event, data] = /^event: (\w+)\nid: \d+\ndata: (.*)$/.exec(part) ?? []
      const { healthy, service } = JSON.parse(data ?? '{}') as { readonly healthy?: number; readonly service?: string }
      events.push(`${event} ${service} ${healthy ?? ''}`)
    }
  })
  await expect.poll(() => events).toEqual(['service web 2'])
  know(failing(serviceOf('web', 2)), serviceOf('db', 2))
  know(failing(serviceOf('web', 2)))
  know()
  await expect.poll(() => events).toEqual(['service web 2', 'service web 1', 'removed web '])
  response.destroy()
})

test('a connection has one request that waits: whoever sends more behind it is cut off, and nothing of his is kept', async () => {
  const index = String((await ask('/v1/health/service/web')).headers['x-consul-index'])
  const wait = `GET /v1/health/service/web?index=${index}&wait=5m HTTP/1.1\r\nHost: a\r\n\r\n`
  const stream = 'GET /v1/systole/events HTTP/1.1\r\nHost: a\r\n\r\n'
  // Each fills what may wait in all, if it is let.
  for (const line of [wait, stream]) {
    for (let number = 0; number < 6; number++)
      await new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(line.repeat(400)))
        socket.on('error', () => socket.destroy())
        socket.on('close', () => resolve()).resume()
      })
    expect((await ask('/v1/catalog/services')).status).toBe(200)
  }
})

test('whoever asks on and on without reading is cut off at 1 MiB, and others are answered', async () => {
  know(serviceOf('wide', 250))
  const asked = 400
  const heard = await new Promise<number>((resolve) => {
    let answers = 0
    // In one packet: all of it is here before anything was read.
    const socket = connect(port, '127.0.0.1', () =>
      socket.write('GET /v1/health/state/any HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(asked)),
    )
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve(answers))
    socket.setEncoding('latin1').on('data', (text: string) => {
      answers += text.split('X-Consul-LastContact').length - 1
      if (answers >= asked) socket.destroy()
    })
  })
  const one = (await ask('/v1/health/state/any')).body.length
  expect(heard * one).toBeLessThan(4 * 1024 * 1024)
})

/** Callers by loopback are always answered. */
const foreign = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address

test.skipIf(foreign === undefined)(
  'whoever is not answered any more hears no more on what is open, and others do',
  async () => {
    let ended: readonly string[] = []
    const open = async (localAddress: string): Promise<void> => {
      const over = (): void => {
        ended = [...ended, localAddress]
      }
      const path = '/v1/systole/events'
      await new Promise<void>((resolve) => {
        get({ host: '127.0.0.1', port, path, localAddress, agent: false }, (response) => {
          response.on('error', () => undefined).on('close', over)
          response.once('data', () => resolve())
        }).on('error', over)
      })
    }
    await open('127.0.0.1')
    await open(foreign ?? '')
    await door.use(settingsOf(`port=${port} listen=local clients=10.83.0.0/24`))
    await expect.poll(() => ended).toEqual([foreign])
    know(serviceOf('web', 1), serviceOf('db', 1))
    expect((await ask('/v1/catalog/services')).status).toBe(200)
    expect(ended).toEqual([foreign])
  },
)
