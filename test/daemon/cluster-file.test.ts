import { expect, test } from 'vitest'
import { acceptClusterFile } from '../../src/daemon/node-list/accept-file.ts'
import { parseClusterFile, printClusterFile } from '../../src/daemon/node-list/cluster-file.ts'

const nodes = [
  { name: 'alpha', address: '192.0.2.1' },
  { name: 'beta', id: '7', address: '192.0.2.2', ports: { peer: 9000 } },
]

function mistakes(file: object | string): readonly string[] {
  const parsed = parseClusterFile(typeof file === 'string' ? file : JSON.stringify(file))
  return parsed.ok ? [] : parsed.reports.map(({ message }) => message)
}

test('what is not written has its default, and printing keeps the meaning', () => {
  const parsed = parseClusterFile(JSON.stringify({ clusterName: 'prod', nodes, timings: { tokenMs: 3000 } }))
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.reports))
  expect(parsed.value.store).toEqual({ kind: 'etcd' })
  expect(parsed.value.timings).toMatchObject({ tokenMs: 3000, heartbeatIntervalMs: 333 })
  expect(parsed.value.nodes[0]).toMatchObject({ name: 'alpha', id: '1', votes: true })
  expect(parsed.value.nodes[1]?.ports).toMatchObject({ peer: 9000, heartbeat: 7701 })
  expect(parseClusterFile(printClusterFile(parsed.value))).toEqual(parsed)
})

test('a node that was added later has no vote, also after printing', () => {
  const parsed = parseClusterFile(
    JSON.stringify({ clusterName: 'prod', nodes: [...nodes, { name: 'c', votes: false }] }),
  )
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.reports))
  expect(parsed.value.nodes.map(({ votes }) => votes)).toEqual([true, true, false])
  expect(parseClusterFile(printClusterFile(parsed.value))).toEqual(parsed)
})

const cases: readonly { readonly name: string; readonly file: object | string; readonly says: RegExp }[] = [
  { name: 'text that is not JSON', file: '{ clusterName', says: /not JSON/ },
  { name: 'no name', file: { nodes }, says: /clusterName is missing/ },
  { name: 'no nodes', file: { clusterName: 'x', nodes: [] }, says: /at least one node/ },
  { name: 'a mistyped entry', file: { clusterName: 'x', nodes, timing: {} }, says: /did you mean 'timings'/ },
  { name: 'a mistyped time', file: { clusterName: 'x', nodes, timings: { token: 1 } }, says: /unknown entry 'token'/ },
  { name: 'a time in words', file: { clusterName: 'x', nodes, timings: { tokenMs: '1s' } }, says: /whole number/ },
  {
    name: 'one name twice',
    file: { clusterName: 'x', nodes: [nodes[0], nodes[0]] },
    says: /two nodes have the name 'alpha'/,
  },
  {
    name: 'one id twice',
    file: { clusterName: 'x', nodes: [{ name: 'a', id: '2' }, { name: 'b' }] },
    says: /the id '2'/,
  },
  {
    name: 'a key without its certificate',
    file: { clusterName: 'x', nodes, store: { kind: 'external', endpoints: ['e:1'], tls: { key: '/k' } } },
    says: /both are required/,
  },
  {
    name: 'an address without TLS beside TLS',
    file: { clusterName: 'x', nodes, store: { kind: 'external', endpoints: ['http://e:1', 'https://f:1'] } },
    says: /http:\/\/ address although TLS/,
  },
  {
    name: 'a key that is none',
    file: { clusterName: 'x', nodes: [{ name: 'a', keys: ['AAAA'] }] },
    says: /keys must list the SHA-256/,
  },
  { name: 'an unknown store', file: { clusterName: 'x', nodes, store: { kind: 'zookeeper' } }, says: /'zookeeper'/ },
  {
    name: 'beats too rare for the token',
    file: { clusterName: 'x', nodes, timings: { tokenMs: 300 } },
    says: /one late beat loses a node/,
  },
]
for (const { name, file, says } of cases)
  test(`a cluster.json with ${name} is refused, and the sentence says so`, () => {
    expect(mistakes(file).join('\n')).toMatch(says)
  })

test('all mistakes are told at once', () => {
  expect(mistakes({ nodes: [{ id: '1' }], store: { kind: 'x' }, more: 1 })).toHaveLength(4)
})

test('what a newer daemon has written is read without the entries that this one does not know', () => {
  const node = { name: 'a', address: '192.0.2.1' }
  const known = { clusterName: 'x', nodes: [node], witness: { name: 'w' }, timings: {} }
  const tls = { ca: '/ca' }
  const newer = {
    ...known,
    arbiters: [],
    nodes: [{ ...node, site: 'b', ports: { metrics: 9 } }],
    witness: { name: 'w', weight: 2 },
    timings: { graceMs: 'long' },
    store: { kind: 'external', endpoints: ['e:1'], tls: { ...tls, serverName: 'e' } },
  }
  const whole = { ...known, store: { kind: 'external', endpoints: ['e:1'], tls } }
  expect(parseClusterFile(JSON.stringify(newer), 'ignored')).toEqual(parseClusterFile(JSON.stringify(whole)))
  expect(mistakes(newer)).toHaveLength(6)
  expect(parseClusterFile(JSON.stringify({ ...newer, nodes: [] }), 'ignored').ok).toBe(false)
})

test('a list that would hold the main thread for a minute is refused before it is read', () => {
  const nodes = Array.from({ length: 100_000 }, (_, number) => ({ name: `n${number}` }))
  const begun = performance.now()
  expect(() => acceptClusterFile(JSON.stringify({ clusterName: 'x', nodes }))).toThrow('is too long')
  expect(performance.now() - begun).toBeLessThan(5000)
  expect(acceptClusterFile(JSON.stringify({ clusterName: 'x', nodes: nodes.slice(0, 1000) })).nodes).toHaveLength(1000)
})
