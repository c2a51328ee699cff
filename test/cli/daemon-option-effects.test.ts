/** An option that a running cluster is asked with does something: with it, the daemon is asked something else, or the answer is another. */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { splitShellLine } from '../../src/cli/call/shell-words.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-asked-'))
beforeAll(() => writeFileSync(join(folder, 'token'), 'from-a-file\n'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The option stands behind the bar. */
const lines: readonly string[] = [
  'cluster token| --valid-for 10min',
  'cluster token| --remote',
  'cluster token| --witness',
  'cluster token| --node n9',
  'cluster token withdraw| --all',
  'cluster enable| --all',
  'cluster disable| --all',
  'cluster start| --all',
  'cluster start| --wait',
  'cluster stop| --all',
  'cluster stop n1| --force',
  'cluster setup prod n1 addr=10.0.0.1| --corosync_conf FOLDER/corosync.conf',
  'stonith sbd status --json| --full',
  'cluster destroy| --yes',
  'cluster destroy| --force',
  'cluster setup n1 addr=10.0.0.1| --name prod',
  'cluster setup prod n1 addr=10.0.0.1| --start',
  'cluster setup prod n1 addr=10.0.0.1| --force',
  'cluster setup prod n1 addr=10.0.0.1| --store etcd',
  'cluster setup prod n1 addr=10.0.0.1| --etcd 10.0.0.9:2379',
  'cluster setup prod n1 addr=10.0.0.1 --etcd 10.0.0.9:2379| --etcd-ca /ca.crt',
  'cluster setup prod n1 addr=10.0.0.1 --etcd 10.0.0.9:2379| --etcd-cert /c.crt --etcd-key /c.key',
  'cluster setup prod n1 addr=10.0.0.1 --etcd 10.0.0.9:2379| --etcd-key /c.key --etcd-cert /c.crt',
  'cluster join 10.0.0.1| --token-file FOLDER/token',
  'cluster join 10.0.0.1| --token from-the-line',
  'cluster join 10.0.0.1 --token-file FOLDER/token| --node n9',
  'cluster join 10.0.0.1 --token-file FOLDER/token| --start',
  'cluster join 10.0.0.1 --token-file FOLDER/token| --force',
  'qdevice setup model net --join 10.0.0.1| --token-file FOLDER/token',
  'qdevice setup model net --join 10.0.0.1| --token from-the-line',
  'qdevice setup model net --token-file FOLDER/token| --join 10.0.0.1',
  'qdevice setup model net --join 10.0.0.1 --token-file FOLDER/token| --start',
  'qdevice setup model net --join 10.0.0.1 --token-file FOLDER/token| --enable',
  'qdevice setup model net --join 10.0.0.1 --token-file FOLDER/token| --force',
  'resource cleanup web| --node n1',
  'resource refresh web| --node n1',
  'stonith fence n2| --off',
  'stonith fence n2| --on',
  'stonith confirm n2| --yes',
  'stonith confirm n2| --force',
  'quorum unblock| --yes',
  'quorum unblock| --force',
  'ticket grant t| --force',
  'booth ticket grant t| --force',
  'node attribute n1 a=1| --transient',
  'cluster node delete-remote r1| --no-stop',
  'cluster node delete-guest g1| --no-stop',
  'resource cleanup web| --wait=1',
  'resource refresh web| --wait=1',
  'config history 7| --show-secrets',
  'cluster node clear n9| --debug',
]

/** A daemon that does all that it is asked, and writes down what that was. */
function daemon(asked: string[]): object {
  return new Proxy(
    {},
    {
      get: (_, call) => {
        if (typeof call === 'symbol' || call === 'then') return undefined
        return async (request: unknown, send?: unknown) => {
          asked.push(`${call} ${JSON.stringify(request)}`)
          if (call === 'watchState' && typeof send === 'function') send(answers)
          if (call === 'clearNode') throw new Error('this daemon is out of order')
          return await Promise.resolve(answers)
        }
      },
    },
  )
}

/** Of every call together: each takes out what it needs. */
const answers = {
  configured: true,
  started: true,
  quorate: true,
  localNode: 'n1',
  dc: 'n1',
  configVersion: 7,
  clusterName: 'prod',
  node: 'n9',
  name: 'w1',
  withdrawn: 2,
  answers: [],
  deleted: ['web on n1'],
  found: true,
  xml: '<cib><nvpair id="p" name="passwd" value="abcdef"/></cib>',
  entry: { version: 7, time: 5, node: 'n1', user: 'root', command: '' },
  versions: [{ version: 7, time: 5, node: 'n1', user: 'root', command: '' }],
  nodes: ['n2'],
  // Three vote, and the last is away: none of the others can go without --force.
  votes: { present: 2, expected: 3, needed: 2 },
  store: { kind: 'etcd', healthy: true },
  members: ['n1', 'n2', 'n3'].map((node) => ({
    node,
    address: node,
    state: node === 'n3' ? 'offline' : 'member',
    votes: true,
    links: [],
    sbdDisks: [],
  })),
  resources: [],
  pending: [],
  transition: { state: 'idle', computedVersion: 99, pending: [], blockedBy: [], blockedResources: [] },
}

async function play(line: string): Promise<string> {
  const file = join(folder, 'cib.xml')
  copyFileSync(join(import.meta.dirname, 'cases/start.xml'), file)
  for (const before of ['cluster node add-remote r1 r1.example.org', 'cluster node add-guest g1 vip'])
    await runLine({
      commands: allCommands,
      line: splitShellLine(before),
      terminal: scriptedTerminal([]),
      openCluster: () => fileAccess(file),
    })
  const asked: string[] = []
  const progress: string[] = []
  const printed = await runLine({
    commands: allCommands,
    line: splitShellLine(line.replaceAll('FOLDER', folder)),
    terminal: scriptedTerminal(progress),
    openCluster: () => ({ ...fileAccess(file), live: daemon(asked) as never }),
  })
  return [...asked, ...progress, printed.standardError, printed.standardOutput, String(printed.exitCode)].join('\n')
}

test.each(lines)('%s', async (row) => {
  const [common = '', option = ''] = row.split('|')
  const withIt = await play(common + option)
  expect(withIt).not.toBe(await play(common))
  // An option that is unknown, or that does not go with the rest, shows nothing.
  expect(withIt).not.toMatch(
    /There is no option|exclude each other|require each other|Unexpected argument|cannot be read/,
  )
})
