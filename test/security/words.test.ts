/**
 * Options of commands that only a daemon can carry out, typed on real nodes: what each of them does there, and what the command does without it. Two
 * nodes of a cluster, and a third host that has a cluster of its own first.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'

const lab = new Lab(['n1', 'n2', 'n3'])
const at = (node: string): string => `addr=${lab.network.address(node)}`
const etc = (node: string, file: string): string => join(lab.folder, 'nodes', node, 'etc', file)
const clusterOf = (node: string): { readonly clusterName: string; readonly store: { readonly kind: string } } =>
  JSON.parse(readFileSync(etc(node, 'cluster.json'), 'utf8'))
const isOnline = async (node: string, seenFrom: string): Promise<boolean> =>
  (await lab.status(seenFrom)).nodes.some(({ name, online }) => name === node && online)
let tokens: Readonly<Record<string, string>>

beforeAll(async () => {
  await lab.start()
  for (const node of lab.nodes)
    await lab.until(`${node} answers`, async () => (await lab.try(node, 'cluster', 'status')) !== undefined)
}, 120_000)
afterAll(() => lab.close(), 60_000)

async function refused(node: string, ...words: readonly string[]): Promise<string> {
  expect(await lab.try(node, ...words)).toBeUndefined()
  return lab.lastFailure
}

test('cluster setup: --start, --name, --store and --force', async () => {
  const { joins } = JSON.parse(
    await lab.systole('n1', 'cluster', 'setup', 'lab', 'n1', at('n1'), 'n2', at('n2'), '--start', '--json'),
  ) as { readonly joins: readonly { readonly node: string; readonly token: string }[] }
  tokens = Object.fromEntries(joins.map(({ node, token }) => [node, token]))
  // One of two has no quorum yet, and is started all the same.
  expect((await lab.try('n1', 'status')) ?? lab.lastFailure).not.toContain('not started')

  await lab.systole('n3', 'cluster', 'setup', 'n3', at('n3'), '--name', 'first')
  expect(clusterOf('n3')).toMatchObject({ clusterName: 'first', store: { kind: 'embedded' } })
  expect(await refused('n3', 'status')).toContain('not started')
  const again = ['cluster', 'setup', 'second', 'n3', at('n3'), '--store', 'etcd']
  expect(await refused('n3', ...again)).toContain('belongs to the cluster first')
  await lab.systole('n3', ...again, '--force')
  expect(clusterOf('n3')).toMatchObject({ clusterName: 'second', store: { kind: 'etcd' } })
}, 60_000)

test('cluster destroy: --yes where nobody answers, --force where the cluster runs', async () => {
  await lab.systole('n3', 'cluster', 'start')
  expect(await refused('n3', 'cluster', 'destroy')).toContain('answer at a terminal, or add --yes')
  expect(await refused('n3', 'cluster', 'destroy', '--yes')).toContain('The cluster is running on this node')
  await lab.systole('n3', 'cluster', 'destroy', '--force', '--yes')
  expect(existsSync(etc('n3', 'cluster.json'))).toBe(false)
  // Stopped in order, --yes is enough: nothing of the cluster is left on the host, which may have another one.
  await lab.systole('n3', 'cluster', 'setup', 'once', 'n3', at('n3'), '--store', 'etcd', '--start')
  await lab.until('n3 has its cluster', async () => await isOnline('n3', 'n3'))
  await lab.systole('n3', 'cluster', 'stop')
  expect(await refused('n3', 'cluster', 'destroy')).toContain('answer at a terminal, or add --yes')
  expect(clusterOf('n3').clusterName).toBe('once')
  await lab.systole('n3', 'cluster', 'destroy', '--yes')
  expect(existsSync(etc('n3', 'cluster.json'))).toBe(false)
  expect(existsSync(etc('n3', 'pki/node.key'))).toBe(false)
  const left = await lab.inNode('n3', 'bash', '-c', 'ls /var/lib/systole; pgrep -x etcd || true')
  expect(left).not.toMatch(/etcd|config|authority|journal|^\d+$/m)
  expect(await lab.systole('n3', 'status')).toContain('does not belong to a cluster')
}, 120_000)

test('cluster join: --token, --start, --token-file, --node and --force', async () => {
  await lab.systole('n2', 'cluster', 'join', lab.network.address('n1'), '--token', tokens.n2 ?? '', '--start')
  await lab.until('n2 is online', async () => await isOnline('n2', 'n1'))

  await lab.systole('n3', 'cluster', 'setup', 'third', 'n3', at('n3'))
  const added = await lab.systole('n1', 'cluster', 'node', 'add', 'n3', at('n3'), '--json')
  writeFileSync(etc('n3', 'token'), (JSON.parse(added) as { readonly joinToken: string }).joinToken)
  const joining = ['cluster', 'join', lab.network.address('n1'), '--token-file', '/etc/systole/token']
  expect(await refused('n3', ...joining)).toContain('belongs to the cluster third')
  // The token is for n3.
  await refused('n3', ...joining, '--force', '--node', 'other')
  expect(clusterOf('n3').clusterName).toBe('third')
  await lab.systole('n3', ...joining, '--force', '--node', 'n3', '--start')
  await lab.until('n3 is online', async () => await isOnline('n3', 'n1'))
  expect(clusterOf('n3').clusterName).toBe('lab')
}, 120_000)

interface Token {
  readonly role: string
  readonly node?: string
  readonly validUntil: string
}

test('cluster token: --remote, --witness, --node and --valid-for; token withdraw: --all', async () => {
  const made = async (...words: readonly string[]): Promise<Token> =>
    JSON.parse(await lab.systole('n1', 'cluster', 'token', ...words, '--json')) as Token
  const validForMs = ({ validUntil }: Token): number => Date.parse(validUntil) - Date.now()
  const plain = await made()
  expect(plain.role).toBe('member')
  expect(validForMs(plain)).toBeGreaterThan(50 * 60_000)
  const remote = await made('--remote', '--node', 'east', '--valid-for', '10min')
  expect(remote).toMatchObject({ role: 'remote', node: 'east' })
  expect(validForMs(remote)).toBeLessThanOrEqual(10 * 60_000)
  expect(await made('--witness')).toMatchObject({ role: 'witness' })
  // Those that n2 and n3 have joined with stand there as well, until their time is over.
  const unused = async (): Promise<readonly string[]> => {
    const { tokens: all } = JSON.parse(await lab.systole('n1', 'cluster', 'token', 'list', '--json')) as {
      readonly tokens: readonly Token[]
    }
    const open = all.filter(({ node }) => node !== 'n2' && node !== 'n3')
    return open.map(({ role, node }) => `${role} ${node ?? ''}`).toSorted()
  }
  expect(await unused()).toEqual(['member ', 'remote east', 'witness '])
  await lab.systole('n1', 'cluster', 'token', 'withdraw', '--all')
  expect(await unused()).toEqual([])
}, 60_000)

test('cluster disable, enable, stop and start: --all; start: --wait; stop: --force', async () => {
  const marks = (): readonly boolean[] =>
    lab.nodes.map((node) => existsSync(join(lab.folder, 'nodes', node, 'var/disabled')))
  await lab.systole('n1', 'cluster', 'disable', '--all')
  expect(marks()).toEqual([true, true, true])
  await lab.systole('n1', 'cluster', 'enable')
  expect(marks()).toEqual([false, true, true])
  await lab.systole('n1', 'cluster', 'enable', '--all')
  expect(marks()).toEqual([false, false, false])

  await lab.systole('n1', 'cluster', 'stop', 'n2')
  expect(await refused('n1', 'cluster', 'stop', 'n3')).toContain('--force')
  await lab.systole('n1', 'cluster', 'stop', 'n3', '--force')
  await lab.systole('n1', 'cluster', 'stop', '--all')
  for (const node of lab.nodes) expect(await refused(node, 'status')).toContain('not started')
  expect(await lab.systole('n1', 'cluster', 'start', '--all', '--wait')).toContain('The cluster has settled')
  for (const node of lab.nodes) expect(await isOnline(node, 'n1')).toBe(true)
}, 120_000)

test('node attribute: --transient; ticket grant: --force', async () => {
  const cib = async (path: string): Promise<string | undefined> =>
    await lab.inNode('n1', `${lab.folder}/systole/shims/cibadmin`, '--query', '--xpath', path).catch(() => undefined)
  await lab.systole('n1', 'node', 'attribute', 'n2', 'kept=1')
  await lab.systole('n1', 'node', 'attribute', 'n2', 'passing=1', '--transient')
  expect(await cib("//nodes//nvpair[@name='kept']")).toContain('value="1"')
  expect(await cib("//nodes//nvpair[@name='passing']")).toBeUndefined()
  await lab.until('it is in the status', async () => (await cib("//status//nvpair[@name='passing']")) !== undefined)

  expect(await refused('n1', 'ticket', 'grant', 't1')).toContain('--force')
  await lab.systole('n1', 'ticket', 'grant', 't1', '--force')
  await lab.until('it is granted', async () => /granted="true"/.test((await cib("//ticket_state[@id='t1']")) ?? ''))
}, 60_000)

test('resource cleanup and refresh: --node and --wait', async () => {
  await lab.systole('n1', 'property', 'set', 'stonith-enabled=false')
  await lab.systole('n1', 'resource', 'create', 'web', 'ocf:pacemaker:Dummy', 'clone', '--wait')
  const nodes = ['n1', 'n2']
  const tool = async (node: string, name: string, ...words: readonly string[]): Promise<string> =>
    await lab.inNode(node, `${lab.folder}/systole/shims/${name}`, ...words)
  const failCount = async (node: string): Promise<string> =>
    (await tool('n1', 'crm_failcount', '-G', '-r', 'web', '-N', node)).trim()
  for (const command of ['cleanup', 'refresh']) {
    for (const node of nodes) await tool(node, 'crm_resource', '--fail', '-r', 'web', '-N', node)
    for (const node of nodes)
      await lab.until(`it has failed on ${node}`, async () => !(await failCount(node)).endsWith('value=0'))
    await lab.systole('n1', 'resource', command, 'web', '--node', 'n1', '--wait')
    expect(await failCount('n1')).toMatch(/value=0$/)
    expect(await failCount('n2')).not.toMatch(/value=0$/)
    // With --wait the resource runs again when the command ends.
    const { resources } = await lab.status('n1')
    expect(resources.filter(({ id }) => id.startsWith('web')).flatMap((one) => one.nodes)).toContain('n1')
    await lab.systole('n1', 'resource', command, 'web', '--wait')
    expect(await failCount('n2')).toMatch(/value=0$/)
  }
}, 120_000)

test('stonith fence: --off leaves the node off, and --on switches it on', async () => {
  await lab.createFencing(['n1', 'n2'])
  await lab.systole('n1', 'property', 'set', 'stonith-enabled=true')
  await lab.systole('n1', 'stonith', 'fence', 'n2', '--off')
  expect(lab.power.isOn('n2')).toBe(false)
  await lab.systole('n1', 'stonith', 'fence', 'n2', '--on')
  await lab.until('it is on', () => lab.power.isOn('n2'))
}, 90_000)
