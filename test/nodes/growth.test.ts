import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNodeCertificate } from '../../src/rpc/index.ts'
import { authorityOf } from './lab/authority.ts'
import { Lab } from './lab/lab.ts'

/** A cluster of one that gets company, and then new certificates. */
const lab = new Lab(['n1', 'n2'])

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(['n1'])
  await lab.systole('n1', 'property', 'set', 'stonith-enabled=false')
  await lab.systole(
    'n1',
    'resource',
    'create',
    'work',
    'ocf:pacemaker:Dummy',
    'state=/run/work',
    'op',
    'monitor',
    'interval=1s',
    '--wait',
  )
}, 120_000)

afterAll(() => lab.close(), 60_000)

async function storeKind(): Promise<string> {
  const file = JSON.parse(await lab.inNode('n1', 'cat', '/etc/systole/cluster.json')) as { store: { kind: string } }
  return file.store.kind
}

/** The agent makes this file when it starts and removes it when it stops. */
const life = async () => await lab.inNode('n1', 'stat', '-c', '%i %w', '/run/work')

test('it keeps its state in the daemon until then, and its resources run through the move to etcd', async () => {
  expect(await storeKind()).toBe('embedded')
  const lifeBefore = await life()
  // Somebody else has etcd's port: nothing changes.
  const taken = lab.inNode('n1', 'timeout', '60', 'python3', '-m', 'http.server', '7702')
  taken.catch(() => undefined)
  await lab.until('the port is taken', async () => (await lab.inNode('n1', 'ss', '-ltn')).includes(':7702 '))
  const refused = lab.systole('n1', 'cluster', 'node', 'add', 'n2', `addr=${lab.network.address('n2')}`)
  await expect(refused).rejects.toThrow(/keeps its embedded store: .*in use/)
  expect(await storeKind()).toBe('embedded')
  await lab.inNode('n1', 'pkill', '-f', 'http.server 7702')

  const history = await lab.systole('n1', 'config', 'history', '--json')
  const added = await lab.systole('n1', 'cluster', 'node', 'add', 'n2', `addr=${lab.network.address('n2')}`, '--json')
  expect(await storeKind()).toBe('etcd')
  const { joinToken } = JSON.parse(added) as { readonly joinToken: string }
  await lab.systole('n2', 'cluster', 'join', lab.network.address('n1'), '--token', joinToken, '--start')
  await lab.until('both are online', async () => {
    const { nodes } = await lab.status('n2')
    return nodes.length === 2 && nodes.every(({ online, unclean }) => online && !unclean)
  })
  expect(await life()).toBe(lifeBefore)
  expect(await lab.whereIs('work', 'n2')).toEqual(['n1'])
  const versions = (text: string) => (JSON.parse(text) as { version: number }[]).map(({ version }) => version)
  const before = versions(history)
  expect(versions(await lab.systole('n2', 'config', 'history', '--json'))).toEqual(expect.arrayContaining(before))
  await lab.systole('n2', 'resource', 'move', 'work', 'n2', '--wait')
  expect(await lab.whereIs('work', 'n1')).toEqual(['n2'])
}, 120_000)

test('a wait for what could not be started does not pass for a success', async () => {
  const line = ['create', 'lost', 'ocf:heartbeat:IPaddr2', 'ip=192.0.2.1', 'nic=none0', '--wait', '--json']
  const refused = lab.systole('n1', 'resource', ...line)
  await expect(refused).rejects.toThrow(/"notRunning":\s*\[\s*\{\s*"resource": "lost"/)
  await lab.systole('n1', 'resource', 'delete', 'lost', '--wait')
}, 120_000)

const pki = '/etc/systole/pki'

async function certificates(node: string): Promise<{ readonly validUntil: string }> {
  return JSON.parse(await lab.systole(node, 'cluster', 'certificates', '--json')) as { validUntil: string }
}

/** A handshake with its etcd, with the certificate that is on the disk of the other node. */
async function etcdAnswers(node: string, asks: string): Promise<boolean> {
  const tls = [`--cacert=${pki}/authority.crt`, `--cert=${pki}/node.crt`, `--key=${pki}/node.key`]
  const endpoint = `--endpoints=https://${lab.network.address(node)}:7702`
  return await lab.inNode(asks, 'env', 'ETCDCTL_API=3', 'etcdctl', endpoint, ...tls, 'endpoint', 'health').then(
    () => true,
    () => false,
  )
}

test('a certificate that runs out is renewed by its node, and one that does not by command; what runs stays', async () => {
  const runs = await lab.inNode('n2', 'stat', '-c', '%i %w', '/run/work')
  const authority = await authorityOf(lab, 'n1')
  const valid = { from: new Date(Date.now() - 1000), until: new Date(Date.now() + 30_000) }
  const short = await createNodeCertificate(authority, { name: 'n1', addresses: [lab.network.address('n1')], valid })
  await lab.inNode(
    'n1',
    'sh',
    '-c',
    `echo '${short.certificate}' > ${pki}/node.crt; echo '${short.key}' > ${pki}/node.key`,
  )
  // The daemon reads it when it starts.
  const daemon = (await lab.inNode('n1', 'cat', '/run/systoled.pid')).trim()
  await lab.inNode('n1', 'kill', '-9', daemon)
  await lab.until('it has a new one', async () => {
    const { validUntil } = await certificates('n1').catch(() => ({ validUntil: '1970-01-01' }))
    return Date.parse(validUntil) > Date.now() + 300 * 24 * 3_600_000
  })
  await lab.until('the short one has run out', () => Date.now() > valid.until.getTime())
  await lab.systole('n2', 'cluster', 'certificates', 'renew')
  await lab.until('both are online', async () => {
    const { nodes } = await lab.status('n1')
    return nodes.every(({ online, unclean }) => online && !unclean)
  })
  await lab.until(
    'etcd takes the new ones',
    async () => (await etcdAnswers('n1', 'n2')) && (await etcdAnswers('n2', 'n1')),
  )
  expect(await lab.inNode('n2', 'stat', '-c', '%i %w', '/run/work')).toBe(runs)
  expect((await lab.status('n1')).fencing).toEqual([])
}, 120_000)
