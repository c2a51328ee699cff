import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNodeCertificate } from '../../src/rpc/index.ts'
import { authorityOf } from '../nodes/lab/authority.ts'
import { Lab } from '../nodes/lab/lab.ts'

/** Two nodes that get new certificates while a resource runs. */
const lab = new Lab(['n1', 'n2'])

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
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
  )
  await lab.systole('n1', 'constraint', 'location', 'work', 'prefers', 'n2', '--wait')
}, 120_000)

afterAll(() => lab.close(), 60_000)

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
  await lab.until('it runs on n2', async () => (await lab.whereIs('work', 'n1'))[0] === 'n2')
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
