/**
 * More options of commands, typed on real nodes (words.test.ts has the others): two members whose state is in an etcd of the administrator's own, a
 * remote node on whose host that etcd and an arbitrator of Debian's booth run, and a host that becomes a guest node.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { makeCertificates } from '../support/certificates.ts'

const lab = new Lab(['n1', 'n2', 'r1', 'g1'], { remotes: ['r1', 'g1'], disks: ['/etc/booth'] })
const address = (node: string): string => lab.network.address(node)
const files = join(lab.folder, 'etcd')
const started: ChildProcess[] = []
let tls: ReturnType<typeof makeCertificates>

beforeAll(async () => {
  await lab.start()
  mkdirSync(files)
  tls = makeCertificates(files, 'etcd', address('r1'))
  for (const node of ['n1', 'n2'])
    await lab.until(`${node} answers`, async () => (await lab.try(node, 'cluster', 'status')) !== undefined)
}, 120_000)

afterAll(async () => {
  for (const child of started) child.kill('SIGKILL')
  await lab.close()
}, 60_000)

/** A program that goes on in a node; it ends with the node at the latest. */
function startIn(node: string, ...command: readonly string[]): void {
  const path = `PATH=${lab.folder}/systole/shims:${lab.folder}/programs:/usr/sbin:/usr/bin:/sbin:/bin`
  const into = ['-t', String(lab.power.pid1(node)), '-m', '-u', '-i', '-p', '-n']
  const words = [...into, 'env', path, `LAB_NODE=${node}`, 'setpriv', '--pdeathsig', 'KILL', ...command]
  started.push(spawn('nsenter', words, { stdio: 'ignore' }))
}

async function refused(node: string, ...words: readonly string[]): Promise<string> {
  expect(await lab.try(node, ...words)).toBeUndefined()
  return lab.lastFailure
}

const shim = async (node: string, name: string, ...words: readonly string[]): Promise<string> =>
  (await lab.inNode(node, `${lab.folder}/systole/shims/${name}`, ...words)).trim()

async function version(): Promise<number> {
  const versions = JSON.parse(await lab.systole('n1', 'config', 'history', '--json')) as readonly {
    readonly version: number
  }[]
  return Math.max(...versions.map((one) => one.version))
}

test('cluster setup: --etcd, --etcd-ca, --etcd-cert and --etcd-key', async () => {
  const url = `https://${address('r1')}:2379`
  const server = ['--cert-file', tls.certificate, '--key-file', tls.key, '--trusted-ca-file', tls.ca]
  startIn(
    'r1',
    'etcd',
    '--data-dir',
    join(files, 'data'),
    '--client-cert-auth',
    ...server,
    '--listen-client-urls',
    url,
    '--advertise-client-urls',
    url,
  )
  const etcdctl = async (...words: readonly string[]): Promise<string> =>
    await lab.inNode(
      'r1',
      ...['env', 'ETCDCTL_API=3', 'etcdctl', `--endpoints=${url}`],
      ...[`--cacert=${tls.ca}`, `--cert=${tls.certificate}`, `--key=${tls.key}`, ...words],
    )
  await lab.until('etcd answers', async () => (await etcdctl('get', 'nothing')) === '')
  const setup = ['cluster', 'setup', 'lab', 'n1', `addr=${address('n1')}`, 'n2', `addr=${address('n2')}`, '--json']
  const [etcd, ca] = [`--etcd=${url}`, `--etcd-ca=${tls.ca}`]
  const own = [`--etcd-cert=${tls.certificate}`, `--etcd-key=${tls.key}`]
  // It believes no authority of which it was not told, and lets nobody in without a certificate.
  expect(await refused('n1', ...setup, etcd, ...own)).toContain('cannot be used from here')
  expect(await refused('n1', ...setup, etcd, ca)).toContain('cannot be used from here')
  const { joins } = JSON.parse(await lab.systole('n1', ...setup, etcd, ca, ...own)) as {
    readonly joins: readonly { readonly token: string }[]
  }
  await lab.systole('n1', 'cluster', 'start')
  await lab.systole('n2', 'cluster', 'join', address('n1'), '--token', joins[0]?.token ?? '', '--start')
  await lab.until('both are online', async () => {
    const { nodes } = await lab.status('n2')
    return nodes.length === 2 && nodes.every(({ online }) => online)
  })
  await lab.systole('n1', 'property', 'set', 'stonith-enabled=false')
  expect(await etcdctl('get', '--prefix', '--keys-only', '/systole/config/current')).toContain(
    '/systole/config/current',
  )
  for (const node of ['n1', 'n2']) expect(existsSync(join(lab.folder, 'nodes', node, 'var/etcd'))).toBe(false)
}, 120_000)

test('cluster config show: --output-format', async () => {
  expect(await lab.systole('n2', 'cluster', 'config', 'show')).toContain('Cluster Name: lab')
  expect(JSON.parse(await lab.systole('n2', 'cluster', 'config', 'show', '--output-format', 'json'))).toMatchObject({
    cluster_name: 'lab',
    nodes: [{ name: 'n1' }, { name: 'n2' }],
  })
  expect(await lab.systole('n2', 'cluster', 'config', 'show', '--output-format', 'cmd')).toMatch(
    /cluster setup lab .*n1 addr=/s,
  )
}, 60_000)

test('config show and config history: --show-secrets', async () => {
  await lab.systole('n1', 'resource', 'create', 'web', 'ocf:pacemaker:Dummy', 'fake=1', 'passwd=swordfish', '--force')
  const latest = String(await version())
  for (const line of [
    ['config', 'show'],
    ['config', 'history', latest],
  ]) {
    expect(await lab.systole('n2', ...line)).not.toContain('swordfish')
    expect(await lab.systole('n2', ...line, '--show-secrets')).toContain('swordfish')
  }
}, 60_000)

test('every command: --debug where there is no daemon to answer', async () => {
  const pid = (await lab.inNode('n2', 'cat', '/run/systoled.pid')).trim()
  const hold = join(lab.folder, 'nodes/n2/hold')
  writeFileSync(hold, '')
  await lab.inNode('n2', 'kill', pid)
  await lab.until('it is gone', async () => (await refused('n2', 'status')).includes('No daemon listens'))
  expect(await refused('n2', 'status')).not.toMatch(/^ +at /m)
  expect(await refused('n2', 'status', '--debug')).toMatch(/No daemon listens.*\n +at /s)
  rmSync(hold)
  await lab.until('n2 is back', async () => (await lab.status('n2')).nodes.every(({ online }) => online))
}, 60_000)

test('called as pcs: --force, and commands that change the configuration: --force', async () => {
  const pcs = async (...words: readonly string[]): Promise<string> => await lab.inNode('n1', 'pcs', ...words)
  await expect(pcs('resource', 'create', 'other', 'ocf:nowhere:Missing')).rejects.toThrow(/--force/)
  await pcs('resource', 'create', 'other', 'ocf:nowhere:Missing', '--force', '--disabled')
  expect(await lab.systole('n2', 'resource', 'config', 'other')).toContain('type=Missing')
  await lab.systole('n1', 'resource', 'delete', 'other')
  expect(await refused('n1', 'property', 'set', 'no-such-option=1')).toContain('There is no cluster option')
  await lab.systole('n1', 'property', 'set', 'no-such-option=1', '--force')
  expect(await lab.systole('n2', 'property', 'config', 'no-such-option')).toContain('no-such-option=1')
}, 60_000)

test('node drain and undrain: --force and --all; hold release: --force', async () => {
  await lab.until('web runs', async () => (await lab.whereIs('web', 'n1')).length === 1)
  expect(await refused('n1', 'node', 'drain', 'n1', 'n2')).toContain('web would run nowhere')
  await lab.systole('n1', 'node', 'drain', 'n1', 'n2', '--force')
  await lab.until('web has stopped', async () => (await lab.whereIs('web', 'n1')).length === 0)
  await lab.systole('n2', 'node', 'undrain', '--all')
  await lab.until('web runs again', async () => (await lab.whereIs('web', 'n1')).length === 1)

  for (const [node, ...line] of [
    ['n1', 'node', 'undrain', 'n1'],
    ['n2', 'hold', 'release'],
  ] as const) {
    const id = await drainByRollout(node)
    const words = line[0] === 'hold' ? [...line, id] : line
    expect(await refused('n2', ...words)).toContain('--force')
    expect((await holds()).map(({ node: drained }) => drained)).toEqual([node])
    await lab.systole('n2', ...words, '--force')
    expect(await holds()).toEqual([])
    await lab.systole('n1', 'rollout', 'abort', '--no-wait')
    writeFileSync(gate, '')
    await lab.until('the rollout has ended', async () => {
      const { rollouts } = JSON.parse(await lab.systole('n1', 'rollout', 'history', '--json')) as {
        readonly rollouts: readonly { readonly state: string }[]
      }
      return rollouts.every(({ state }) => state === 'aborted')
    })
    rmSync(gate)
  }
}, 120_000)

interface Hold {
  readonly id: string
  readonly node: string
}

async function holds(): Promise<readonly Hold[]> {
  return (JSON.parse(await lab.systole('n1', 'hold', 'list', '--json')) as { readonly holds: readonly Hold[] }).holds
}

/** Rollouts work until it is there. */
const gate = join(lab.folder, 'gate')

/** A rollout drains the node and works there: the id of its hold. */
async function drainByRollout(node: string): Promise<string> {
  const file = join(lab.folder, `${node}.yaml`)
  const steps = { actions: [{ name: 'work', run: `until [ -e ${gate} ]; do sleep 0.1; done`, timeout: '300s' }] }
  writeFileSync(file, JSON.stringify({ rollout: `of-${node}`, version: '1', nodes: [{ name: [node] }], steps }))
  await lab.systole('n1', 'rollout', 'start', file, '--no-wait')
  let found: Hold | undefined
  await lab.until(`${node} is drained`, async () => {
    found = (await holds()).find((one) => one.node === node)
    return found !== undefined
  })
  return found?.id ?? ''
}

test('service watch: --timeout', async () => {
  await lab.systole('n1', 'service', 'create', 'www', 'web', 'port=8080')
  const begun = Date.now()
  expect(await lab.systole('n2', 'service', 'watch', 'www', '--timeout=2s')).toContain('web')
  expect(Date.now() - begun).toBeGreaterThanOrEqual(2000)
}, 60_000)

test('cluster node delete-remote and delete-guest: --no-stop', async () => {
  await lab.addRemote('r1', 'n1')
  await lab.systole('n1', 'resource', 'create', 'vm', 'ocf:pacemaker:Dummy', '--wait')
  const token = (await lab.systole('n1', 'cluster', 'token', '--remote', '--node', 'g1')).trim()
  await lab.inNode('g1', 'systoled', '--remote', '--join', address('n1'), '--token', token)
  rmSync(join(lab.folder, 'nodes/g1/hold'))
  const isOnline = async (node: string): Promise<boolean> =>
    (await lab.status('n1')).nodes.some(({ name, online }) => name === node && online)
  const add = {
    r1: ['add-remote', 'r1', address('r1')],
    g1: ['add-guest', 'g1', 'vm', `remote-addr=${address('g1')}`],
  }
  // What runs there takes three seconds to stop.
  await lab.systole('n1', 'resource', 'create', 'slow', 'ocf:pacemaker:Dummy', 'op_sleep=3', '--disabled')
  for (const [node, words] of Object.entries(add))
    for (const options of [[], ['--no-stop']]) {
      if (!(await isOnline(node))) await lab.systole('n1', 'cluster', 'node', ...words)
      await lab.until(`${node} is online`, async () => await isOnline(node))
      await lab.systole('n1', 'constraint', 'location', 'slow', 'prefers', `${node}=INFINITY`)
      await lab.systole('n1', 'resource', 'enable', 'slow')
      await lab.until('it runs there', async () => (await lab.whereIs('slow', 'n1'))[0] === node)
      const before = await version()
      await lab.systole('n1', 'cluster', 'node', words[0]?.replace('add', 'delete') ?? '', node, ...options)
      // The node is emptied by a change of its own first, unless that is not wanted.
      expect(await version()).toBe(before + (options.length === 0 ? 2 : 1))
      await lab.systole('n1', 'resource', 'disable', 'slow')
      await lab.until('slow runs nowhere', async () => (await lab.whereIs('slow', 'n1')).length === 0)
    }
}, 240_000)

test('booth ticket grant: --force where booth is not set up', async () => {
  expect(await refused('n1', 'booth', 'ticket', 'grant', 'by-hand')).toContain('--force')
  await lab.systole('n1', 'booth', 'ticket', 'grant', 'by-hand', '--force')
  expect(await shim('n2', 'crm_ticket', '-t', 'by-hand', '-G', 'granted')).toBe('true')
}, 60_000)

/** Booth asks a newer kernel for addresses of IPv6 for ever, and calls `crm_ticket` by its place. */
const beforeBooth = `echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6; mkdir -p /run/booth
  mount --bind ${lab.folder}/systole/shims/crm_ticket /usr/sbin/crm_ticket`

test('booth status, booth ticket grant and revoke: --name', async () => {
  const ticket = ['ticket = "agreed"', '  expire = 60', '  timeout = 1', '  acquire-after = 5']
  const sites = [`site = ${address('n1')}`, `arbitrator = ${address('r1')}`, `arbitrator = ${address('g1')}`]
  const config = join(lab.folder, 'trial.conf')
  writeFileSync(config, [...['transport = UDP', 'port = 9929'], ...sites, ...ticket, ''].join('\n'))
  for (const node of ['n1', 'r1', 'g1']) {
    await lab.inNode(node, 'sh', '-c', `cp ${config} /etc/booth/trial.conf; ${beforeBooth}`)
    startIn(node, 'boothd', 'daemon', '-S', '-c', 'trial')
  }
  expect(await refused('n1', 'booth', 'status')).toContain('Write --name=trial')
  await lab.until('booth has its tickets and peers', async () =>
    /TICKETS:[\s\S]*agreed[\s\S]*PEERS:/.test((await lab.try('n1', 'booth', 'status', '--name=trial')) ?? ''),
  )
  const granted = async (): Promise<string> => await shim('n2', 'crm_ticket', '-t', 'agreed', '-G', 'granted')
  expect(await refused('n1', 'booth', 'ticket', 'grant', 'agreed')).toContain('Write --name=trial')
  expect(await refused('n1', 'booth', 'ticket', 'grant', 'agreed', '--name=trial', '--force')).toContain('Omit --force')
  await lab.systole('n1', 'booth', 'ticket', 'grant', 'agreed', '--name=trial')
  await lab.until('the sites have agreed', async () => (await granted()) === 'true', 60_000)
  await lab.systole('n1', 'booth', 'ticket', 'revoke', 'agreed', '--name=trial')
  await lab.until('it is revoked', async () => (await granted()) === 'false', 60_000)
}, 180_000)
