import { execFileSync, spawnSync } from 'node:child_process'
import { afterEach, describe, expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import type { Log } from '../../src/daemon/host/log.ts'
import { StrangerTable, tableText } from '../../src/daemon/host/stranger-table.ts'
import { type ClusterNodeEntry, defaultPorts } from '../../src/daemon/node-list/cluster-file.ts'
import { knownAddresses, membersDoor, strangerRules } from '../../src/daemon/node-list/known-hosts.ts'

const node = (name: string, ...addresses: readonly string[]): ClusterNodeEntry => ({
  name: nodeName(name),
  id: name,
  address: addresses[0] ?? '',
  ...(addresses.length > 1 ? { links: addresses.map((address, number) => ({ number, address })) } : {}),
  ports: defaultPorts,
  votes: true,
})
const file = {
  clusterName: 'c',
  nodes: [node('n1', '10.0.0.1', 'fd00:0::1'), node('n2', '10.0.0.2')],
  witness: { name: nodeName('w'), address: '10.0.9.9', ports: defaultPorts, votes: true },
  nodesVersion: 1,
  store: { kind: 'etcd' },
} as unknown as Parameters<typeof strangerRules>[0]
const own = node('n1', '10.0.0.1')

describe('who is no stranger', () => {
  test('all addresses of all nodes and the witness, as the kernel writes them', () => {
    expect(knownAddresses(file)).toEqual(['10.0.0.1', '10.0.0.2', '10.0.9.9', 'fd00::1'])
    expect(membersDoor(file)).toEqual({ known: ['10.0.0.1', '10.0.0.2', '10.0.9.9', 'fd00::1'], knownOnly: true })
  })

  test('nobody is one where a name stands for an address', () => {
    const named = { ...file, nodes: [node('n1', 'n1.example.org')] }
    expect(knownAddresses(named)).toBeUndefined()
    expect(membersDoor(named).knownOnly).toBe(false)
    expect(strangerRules(named, own)).toBeUndefined()
  })

  test('a demonstration on the loopback device has no table', () => {
    expect(strangerRules(file, node('n1', '127.0.0.1'))).toBeUndefined()
  })

  test('the ports of members are closed, the others limited', () => {
    expect(strangerRules(file, own)).toMatchObject({ closed: [7701, 7702, 7703], limited: [7700, 7704] })
  })
})

describe('the table in a network namespace', () => {
  const space = `strangers-${process.pid}`
  afterEach(() => void spawnSync('ip', ['netns', 'delete', space]))

  test('is what nft takes, is replaced by the next, and is gone when the host leaves the cluster', async () => {
    execFileSync('ip', ['netns', 'add', space])
    const load = (text: string) =>
      spawnSync('ip', ['netns', 'exec', space, 'nft', '-f', '-'], { input: text, encoding: 'utf8' })
    for (const rules of [
      { hosts: ['10.0.0.1', 'fd00::1'], closed: [7701], limited: [7700] },
      { hosts: ['10.0.0.2'], closed: [7701], limited: [] },
    ])
      expect(load(tableText(rules))).toMatchObject({ status: 0, stderr: '' })
    const listed = execFileSync('ip', ['netns', 'exec', space, 'nft', 'list', 'ruleset'], { encoding: 'utf8' })
    expect(listed).toContain('10.0.0.2')
    expect(listed).not.toContain('10.0.0.1')
  })
})

test('where there is no nft, a sentence says what to do', async () => {
  const log: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
  const table = new StrangerTable(log, 'systole', '/nowhere')
  table.use({ hosts: [], closed: [7701], limited: [] })
  await expect.poll(() => table.trouble).toContain('(nft is not installed)')
  await table.remove()
})
