import { expect, test } from 'vitest'
import {
  answer,
  type DnsAnswer,
  parseService,
  type Service,
  type ServiceInstance,
  type Zone,
  zoneOf,
} from '../../src/services/index.ts'

/** What a zone of three nodes answers: web on all (failing on n3), a database at an address of its own, and one that is healthy nowhere. */
const nodes = [
  { name: 'n1', address: '10.0.0.1' },
  { name: 'n2', address: '10.0.0.2' },
  { name: 'N3.example', address: 'fd00::3' },
  { name: 'named', address: 'host.example' },
]

const healthy = (node: string, address: string, port = 80): ServiceInstance => ({
  resource: 'web',
  node,
  address,
  port,
  state: 'healthy',
})

function service(name: string, words: string, instances: readonly ServiceInstance[]): Service {
  const parsed = parseService({ name, resource: 'web' }, words)
  if (!parsed.ok) throw new Error(parsed.reports.join())
  return { definition: parsed.value, expected: instances.length, instances }
}

function zone(services: readonly Service[], more: { readonly clusters?: readonly string[] } = {}): Zone {
  return zoneOf({
    setting: {
      domain: 'cluster.internal',
      ttlSeconds: 7,
      forward: [],
      clusters: new Map((more.clusters ?? []).map((name) => [name, ['10.9.0.1']])),
    },
    clusterName: 'West',
    self: 'n1',
    serial: 42,
    catalogue: { services },
    nodes,
  })
}

const usual = zone(
  [
    service('web', 'port=80 tags=public weight=3', [
      healthy('n1', '10.0.0.1'),
      healthy('n2', '10.0.0.2'),
      { ...healthy('N3.example', 'fd00::3'), state: 'failing' },
    ]),
    service('db', 'port=3306', [healthy('n2', '10.0.0.100', 3306)]),
    service('six', 'port=53 protocol=udp', [healthy('N3.example', 'fd00::3', 53)]),
    service('down', 'port=81', [{ ...healthy('n1', '10.0.0.1', 81), state: 'stopped' }]),
  ],
  { clusters: ['east'] },
)

const ask = (name: string, type = 'A', of = usual): ReturnType<typeof answer> => answer({ name, type }, of, () => 0.5)

function answered(name: string, type = 'A', of = usual): DnsAnswer {
  const decision = ask(name, type, of)
  if (decision.kind !== 'answer') throw new Error(`not answered: ${JSON.stringify(decision)}`)
  return decision
}

const data = (name: string, type = 'A', of = usual): readonly unknown[] =>
  answered(name, type, of)
    .answers.map((record) => record.data)
    .toSorted()

test('a service leads to its healthy instances and to no others', () => {
  expect(data('web.service.cluster.internal')).toEqual(['10.0.0.1', '10.0.0.2'])
  expect(data('web.service.cluster.internal', 'AAAA')).toEqual([])
  expect(data('six.service.cluster.internal', 'AAAA')).toEqual(['fd00::3'])
  expect(data('public.web.service.cluster.internal')).toEqual(['10.0.0.1', '10.0.0.2'])
  expect(data('web.service.cluster.internal', 'ANY')).toEqual(['10.0.0.1', '10.0.0.2'])
  expect(answered('web.service.cluster.internal').answers.every(({ ttl }) => ttl === 7)).toBe(true)
})

test('names are the same in upper and lower case, and come back as they were asked', () => {
  const { answers } = answered('WeB.Service.Cluster.INTERNAL')
  expect(answers.map(({ name }) => name)).toEqual(Array(2).fill('WeB.Service.Cluster.INTERNAL'))
})

test('SRV records have port and weight, and a host whose address comes along', () => {
  for (const name of ['web.service.cluster.internal', '_web._tcp.service.cluster.internal']) {
    const { answers, additionals } = answered(name, 'SRV')
    expect(
      answers.map((record) => record.data).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    ).toEqual([
      { priority: 1, weight: 3, port: 80, target: 'n1.node.cluster.internal' },
      { priority: 1, weight: 3, port: 80, target: 'n2.node.cluster.internal' },
    ])
    expect(additionals.map(({ name, type, data }) => [name, type, data]).toSorted()).toEqual([
      ['n1.node.cluster.internal', 'A', '10.0.0.1'],
      ['n2.node.cluster.internal', 'A', '10.0.0.2'],
    ])
  }
  expect(data('_web._udp.service.cluster.internal', 'SRV')).toEqual([])
})

test('an instance at an address that is not of its node has a host of its own, and no other address has one', () => {
  expect(data('db.service.cluster.internal', 'SRV')).toEqual([
    { priority: 1, weight: 1, port: 3306, target: '0a000064.addr.cluster.internal' },
  ])
  expect(data('0a000064.addr.cluster.internal')).toEqual(['10.0.0.100'])
  expect(answered('0a000001.addr.cluster.internal').code).toBe('NXDOMAIN')
})

test('nodes have names, dots and all; one whose address is a name of others has no address', () => {
  expect(data('n1.node.cluster.internal')).toEqual(['10.0.0.1'])
  expect(data('n3.example.node.cluster.internal', 'AAAA')).toEqual(['fd00::3'])
  expect(answered('example.node.cluster.internal')).toMatchObject({ code: 'NOERROR', answers: [] })
  expect(answered('named.node.cluster.internal')).toMatchObject({ code: 'NOERROR', answers: [] })
  expect(data('n1.node.cluster.internal', 'SRV')).toEqual([])
})

test('what is not there is denied with the SOA, by which the denial expires', () => {
  const soa = { type: 'SOA', ttl: 7, data: { serial: 42, minimum: 7, mname: 'n1.node.cluster.internal' } }
  for (const name of ['nosuch.service', 'private.web.service', 'nosuch', 'nosuch.node', 'a.n1.node', 'service.web'])
    expect(answered(`${name}.cluster.internal`), name).toMatchObject({
      code: 'NXDOMAIN',
      answers: [],
      authorities: [soa],
    })
  // These exist, and have nothing of the kind.
  for (const name of ['down.service.', 'service.', 'node.', 'addr.', '_tcp.service.', ''])
    expect(answered(`${name}cluster.internal`), name).toMatchObject({
      code: 'NOERROR',
      answers: [],
      authorities: [soa],
    })
  expect(answered('web.service.cluster.internal', 'TXT')).toMatchObject({
    code: 'NOERROR',
    answers: [],
    authorities: [soa],
  })
})

test('the domain has a SOA, and this node for its name server', () => {
  expect(answered('cluster.internal', 'SOA').answers).toMatchObject([{ type: 'SOA', name: 'cluster.internal' }])
  expect(answered('cluster.internal', 'NS')).toMatchObject({
    answers: [{ type: 'NS', data: 'n1.node.cluster.internal' }],
    additionals: [{ type: 'A', data: '10.0.0.1' }],
  })
})

test('the own cluster may be named, and then is named in what it leads to; others are passed on to', () => {
  expect(data('web.service.west.cluster.internal')).toEqual(['10.0.0.1', '10.0.0.2'])
  expect(data('n1.node.west.cluster.internal')).toEqual(['10.0.0.1'])
  expect(answered('web.service.west.cluster.internal', 'SRV').answers[0]?.data).toMatchObject({
    target: expect.stringMatching(/^n[12]\.node\.west\.cluster\.internal$/),
  })
  expect(answered('west.cluster.internal')).toMatchObject({ code: 'NOERROR', answers: [] })
  expect(ask('web.service.east.cluster.internal')).toEqual({ kind: 'cluster', cluster: 'east' })
  expect(answered('web.service.north.cluster.internal').code).toBe('NXDOMAIN')
})

test('names of others are not of this zone', () => {
  for (const name of ['example.com', 'internal', 'xcluster.internal', '.', 'web.service.cluster.internal.com'])
    expect(ask(name), name).toEqual({ kind: 'elsewhere' })
})

test('whoever takes the first address takes each as often as its weight says', () => {
  const weighted = zone([
    service('heavy', 'port=1 weight=3 tags=a', [healthy('n1', '10.0.0.1', 1)]),
    service('light', 'port=1', [healthy('n2', '10.0.0.2', 1)]),
  ])
  const targets = [
    ...(weighted.names.get('heavy.service') ?? []),
    ...(weighted.names.get('light.service') ?? []),
    { ...(weighted.names.get('light.service') ?? [])[0], address: '10.0.0.3', weight: 0 },
  ]
  const mixed = { ...weighted, names: new Map(weighted.names).set('mixed.service', targets as never) }
  let seed = 1
  const chance = (): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const firsts = Array.from({ length: 4000 }, () => {
    const decision = answer({ name: 'mixed.service.cluster.internal', type: 'A' }, mixed, chance)
    return decision.kind === 'answer' ? decision.answers[0]?.data : undefined
  })
  const heavy = firsts.filter((first) => first === '10.0.0.1').length
  expect(heavy).toBeGreaterThan(2800)
  expect(heavy).toBeLessThan(3200)
  expect(firsts).not.toContain('10.0.0.3')
})
