/** Gates: what waits for members of a service before it starts, and why it does not. */
import { expect, test } from 'vitest'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import { startGraphOf } from '../../src/cli/facts/start-graph.ts'
import { md5 } from '../../src/cli/host/md5.ts'
import { explainResource, schedule } from '../../src/scheduler/index.ts'
import { awaitedBy, checksOf, declaredGates, gatesOf, parseGate, printGate } from '../../src/services/index.ts'
import { statusOfCib } from '../../src/status/index.ts'
import { dummy, meta, type SmallCib, type SmallNode, simulateSmall, smallCib } from './small-cib.ts'

const clone = (id: string, inside: string, values: Readonly<Record<string, string>> = {}): string =>
  `<clone id="${id}-clone">${meta(`${id}-clone`, values)}${inside}</clone>`
/** db is offered by a clone, with one instance where it ran. */
const db = clone('db', dummy('db'), { 'systole-service-db': 'port=5432' })
const api = (value: string): string => dummy('api', meta('api', { 'systole-requires-db': value }))
const two = { n1: {}, n2: {} }
const up = { ran: ['db start'] }

const cases: readonly (SmallCib & { readonly name: string; readonly does: readonly string[] })[] = [
  {
    name: 'what waits does not start in the transition that starts the service',
    resources: db + api('min=1'),
    nodes: two,
    does: ['Start db:0 ( n1 )', 'Start db:1 ( n2 )'],
  },
  {
    name: 'it starts once enough members are healthy',
    resources: db + api('min=2'),
    nodes: { n1: up, n2: up },
    does: ['Start api ( n1 )'],
  },
  {
    name: 'one of two is not enough',
    resources: db + api('min=2'),
    constraints: '<rsc_location id="l" rsc="db-clone" node="n2" score="-INFINITY"/>',
    nodes: { n1: up, n2: {} },
    does: [],
  },
  {
    name: 'a member whose own check fails does not count',
    resources:
      clone('db', dummy('db'), { 'systole-service-db': 'port=5432 check=command command=deep' }) + api('min=1'),
    nodes: {
      n1: { ...up, attributes: { 'service-db': 'failing: no tables' } },
      n2: { ...up, attributes: { 'service-db': 'failing: no tables' } },
    },
    does: [],
  },
  {
    name: 'what runs goes on when the service has gone',
    resources: clone('db', dummy('db'), { 'systole-service-db': 'port=5432', 'target-role': 'Stopped' }) + api('min=1'),
    nodes: { n1: { ran: ['api start'] }, n2: {} },
    does: [],
  },
  {
    name: 'what runs and fails is restarted where it runs, and nowhere else',
    resources:
      clone('db', dummy('db'), { 'systole-service-db': 'port=5432', 'target-role': 'Stopped' }) +
      dummy(
        'api',
        `${meta('api', { 'systole-requires-db': 'min=1' })}<operations><op id="m" name="monitor" interval="10s"/></operations>`,
      ),
    nodes: { n1: { ran: ['api start', 'api monitor 10000 rc=1'] }, n2: {} },
    does: ['Recover api ( n1 )'],
  },
  {
    name: 'a group waits as a whole, and is completed where a part of it runs',
    resources:
      clone('db', dummy('db'), { 'systole-service-db': 'port=5432', 'target-role': 'Stopped' }) +
      `<group id="g">${meta('g', { 'systole-requires-db': 'min=1' })}${dummy('a')}${dummy('b')}</group><group id="h">${meta('h', { 'systole-requires-db': 'min=1' })}${dummy('c')}</group>`,
    nodes: { n1: { ran: ['a start'] }, n2: {} },
    does: ['Start b ( n1 )'],
  },
  {
    name: 'instances of a clone that waits stay where they run, and no other starts',
    resources: db.replace('port=5432', 'port=none') + clone('api', dummy('api'), { 'systole-requires-db': 'min=1' }),
    constraints:
      '<rsc_location id="l" rsc="db-clone" node="n1" score="-INFINITY"/><rsc_location id="k" rsc="db-clone" node="n2" score="-INFINITY"/>',
    nodes: { n1: { ran: ['api start'] }, n2: {} },
    does: [],
  },
  {
    name: 'a gate that cannot be read stays closed',
    resources: db + api('min=many'),
    nodes: { n1: up, n2: up },
    does: [],
  },
  {
    name: 'by DNS each node has an answer of its own, and what waits starts where it is enough',
    resources: dummy('api', meta('api', { 'systole-requires-west': 'min=2 dns=db.service.west' })),
    nodes: {
      n1: { attributes: { 'requires-api-west': 'failing: db.service.west has 1 of 2 members' } },
      n2: { attributes: { 'requires-api-west': 'healthy' } },
    },
    does: ['Start api ( n2 )'],
  },
]

test.each(cases)('$name', ({ name: _name, does, ...cib }) => {
  expect(simulateSmall(cib).transition.toSorted()).toEqual(does.toSorted())
})

const parsed = (cib: SmallCib) => {
  const read = parseXml(smallCib(cib))
  if (!read.ok) throw new Error('not XML')
  return read.value
}
const statusOf = (cib: SmallCib) => statusOfCib({ cib: parsed(cib), now: 1_600_000_100, utcOffsetAt: () => 0 })

test('why names the gate, what is missing of the service, and how to start without it', () => {
  const cib = parsed({ resources: db + api('min=2'), nodes: { n1: up, n2: { state: 'offline' } as SmallNode } })
  const planned = schedule({ cib, now: 1_600_000_100, md5, explain: true })
  const why = explainResource(planned, 'api')?.text ?? ''
  expect(why).toContain('the gate db is closed: 1 of 2 members of db are healthy')
  expect(why).toContain('systole service gate remove api db')
})

test('the results that may open a closed gate are those of the primitives that offer the service', () => {
  const closed = statusOf({ resources: db + api('min=2'), nodes: two })
  expect(awaitedBy(gatesOf(closed), closed)).toEqual(['db'])
  const open = statusOf({ resources: db + api('min=2'), nodes: { n1: up, n2: up } })
  expect(awaitedBy(gatesOf(open), open)).toEqual([])
})

test('every node asks DNS for itself; what is left of a gate that is gone is deleted', () => {
  const resources = dummy('api', meta('api', { 'systole-requires-west': 'min=2 dns=db.west server=192.0.2.1:5353' }))
  const status = statusOf({
    resources,
    nodes: { n1: { attributes: { 'requires-old-west': 'healthy' } }, n2: {} },
  })
  const { due, left } = checksOf('n1', { services: [], mistakes: [] }, status)
  expect(due).toMatchObject([
    {
      node: 'n1',
      attribute: 'requires-api-west',
      check: { kind: 'dns', name: 'db.west', server: '192.0.2.1:5353', min: 2 },
    },
  ])
  expect(left).toEqual([{ node: 'n1', attribute: 'requires-old-west' }])
})

test('the start graph has gates as arrows, and names that DNS is asked for', () => {
  const graph = startGraphOf(
    readConfiguration(
      parsed({
        resources:
          db + dummy('api', meta('api', { 'systole-requires-db': 'min=2', 'systole-requires-west': 'dns=db.west' })),
        nodes: two,
      }),
    ),
  )
  expect(graph.waves).toEqual([['db.west', 'db-clone'], ['api']])
  expect(graph.waits).toMatchObject([
    { first: 'db-clone', next: 'api', because: 'gate', needs: { service: 'db', min: 2 } },
    { first: 'db.west', next: 'api', because: 'gate' },
  ])
})

test.each([
  ['min=0', /not a number from 1 to 1000/],
  ['min=2 min=3', /given twice/],
  ['mind=2', /no option 'mind'/],
  ['min=', /no value/],
  ['server=192.0.2.1', /needs dns/],
  ['dns=a..b', /not a name that DNS/],
  ['dns=-a', /not a name that DNS/],
  [`dns=${'a.'.repeat(127)}aa`, /not a name that DNS/],
  ['dns=a.b server=localhost', /not an IP address/],
  ['dns=a.b server=192.0.2.1:99999', /not an IP address/],
  ['dns=a.b server=[2001:db8::1', /not an IP address/],
  ['dns=a.b interval=10ms', /not a duration/],
  ['dns=a.b timeout=2h', /not a duration/],
])('%s is refused', (text, why) => {
  const read = parseGate({ resource: 'api', service: 'db' }, text)
  expect(read.ok).toBe(false)
  if (!read.ok) expect(read.reports.join(' ')).toMatch(why)
})

test.each(['min=2', 'min=1 dns=a.b', 'min=3 dns=a.b. server=[2001:db8::1]:53 interval=10s timeout=500ms'])(
  '%s is written as it was read',
  (text) => {
    const read = parseGate({ resource: 'api', service: 'db' }, text)
    expect(read.ok && printGate(read.value)).toBe(text)
  },
)

test('of too many gates the first count, and it is said', () => {
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`systole-requires-s${index}`, 'min=1']))
  const { gates, mistakes } = declaredGates(
    readConfiguration(parsed({ resources: dummy('api', meta('api', many)), nodes: two })),
  )
  expect(gates).toHaveLength(200)
  expect(mistakes.join()).toContain('The limit is 200')
})
