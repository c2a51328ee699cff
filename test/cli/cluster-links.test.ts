/** The links of a running cluster as its commands tell them. */
import { expect, test } from 'vitest'
import { element } from '../../src/cib/index.ts'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { type Printed, runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

interface Link {
  readonly number: number
  readonly address: string
  readonly priority: number
  readonly state: 'up'
}

const link = (number: number, address: string, priority = 1): Link => ({ number, address, priority, state: 'up' })

const cibOfOneNode = element('cib', {}, [
  element('configuration', {}, [element('nodes', {}, [element('node', { id: '7', uname: 'n1' })])]),
])

/** On a cluster of one node with these links. */
async function type(line: string, links: readonly Link[], answers: object = {}, told: string[] = []): Promise<Printed> {
  const state = {
    configured: true,
    started: true,
    clusterName: 'test',
    localNode: 'n1',
    quorate: true,
    store: { kind: 'embedded', healthy: true },
    members: [{ node: 'n1', address: '10.0.0.1', state: 'member', votes: true, links }],
  }
  const live = { getState: async () => state, getCertificates: async () => ({}), ...answers } as never
  return await runLine({
    commands: allCommands,
    line: line.split(' '),
    terminal: scriptedTerminal(told),
    openCluster: () => ({
      ...fileAccess('/nonexistent'),
      readCib: async () => ({ cib: cibOfOneNode, version: 1 }),
      live,
    }),
  })
}

test('a daemon that knows no links yet has one all the same', async () => {
  const text = (await type('cluster config', [])).standardOutput
  expect(text).toContain('10.0.0.1')
  expect(text).not.toContain('Links:')
  expect((await type('cluster config --output-format cmd', [])).standardOutput).toContain('n1 addr=10.0.0.1')
  expect((await type('cluster status', [])).standardOutput).toMatch(/n1 +member +10\.0\.0\.1/)
  expect((await type('cluster corosync', [])).standardOutput).toContain('ring0_addr: 10.0.0.1\n')
})

test('a corosync.conf has the numbers of the links', async () => {
  const { standardOutput } = await type('cluster corosync', [link(1, '10.1.0.1'), link(3, '10.3.0.1')])
  expect(standardOutput).toContain('ring1_addr: 10.1.0.1\n')
  expect(standardOutput).toContain('ring3_addr: 10.3.0.1\n')
})

test('commands that make the cluster again have the priorities, and new numbers are told', async () => {
  const told: string[] = []
  const links = [link(1, '10.1.0.1'), link(3, '10.3.0.1', 5)]
  const { standardOutput } = await type('cluster config --output-format cmd', links, {}, told)
  expect(standardOutput).toMatch(
    /setup test n1 addr=10.1.0.1 addr=10.3.0.1 .*\nsystole cluster link update 1 options link_priority=5\n$/,
  )
  expect(told.join()).toContain('link 1 becomes link 0, link 3 becomes link 1')
})

test('a link on which a node is not heard in time is told by the exit code, too', async () => {
  const removed = (pending: readonly string[]): Promise<Printed> =>
    type('cluster link delete 1', [], { removeLinks: async () => ({ number: 1, pending }) })
  expect((await removed([])).exitCode).toBe(0)
  const late = await removed(['n2 is not heard on link 0.'])
  expect(late).toMatchObject({ exitCode: 1, standardOutput: 'Link 1 is removed.\nn2 is not heard on link 0.\n' })
})

test('the list of nodes as JSON has the form that pcs publishes', async () => {
  const links = [link(0, '10.0.0.1'), link(1, 'fd00::1', 5)]
  const { standardOutput } = await type('cluster config --output-format json', links)
  expect(JSON.parse(standardOutput)).toEqual({
    cluster_name: 'test',
    cluster_uuid: null,
    transport: 'KNET',
    totem_options: {},
    transport_options: {},
    compression_options: {},
    crypto_options: {},
    nodes: [
      {
        name: 'n1',
        nodeid: '7',
        addrs: [
          { addr: '10.0.0.1', link: '0', type: 'IPv4' },
          { addr: 'fd00::1', link: '1', type: 'IPv6' },
        ],
      },
    ],
    links_options: { 0: { linknumber: '0', link_priority: '1' }, 1: { linknumber: '1', link_priority: '5' } },
    quorum_options: {},
    quorum_device: null,
  })
})
