/**
 * What docs/security.md says that certain keys do not open, tried on real nodes: the key of a member that is in use (it may do much, and some things not), that of the
 * witness, certificates that have run out, on each port; and strangers at the ports of the witness.
 */
import { createPublicKey } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAuthority, createNodeCertificate, nodeService, signNodeCertificate } from '../../src/rpc/index.ts'
import { authorityOf } from '../nodes/lab/authority.ts'
import { Lab } from '../nodes/lab/lab.ts'
import { run } from '../nodes/lab/network.ts'
import { isOnline } from '../nodes/lab/remote.ts'
import { addWitness, quorum, untilVotes } from '../nodes/lab/witness.ts'

const lab = new Lab(['n1', 'n2', 'w', 'r1'], { remotes: ['r1'] })
const project = resolve(import.meta.dirname, '../..')
const pki = '/etc/systole/pki'
const address = (node: string): string => lab.network.address(node)
const folderOf = (node: string): string => join(lab.folder, 'nodes', node, 'etc/pki')

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(['n1', 'n2'])
  await lab.createFencing(['n1', 'n2'])
  await addWitness(lab, 'n1', 'w')
  await lab.addRemote('r1', 'n1', 'op', 'monitor', 'interval=10')
  await lab.until('the remote node is online', () => isOnline(lab, 'r1', 'n1'))
}, 180_000)
afterAll(() => lab.close(), 60_000)

async function script(from: string, name: string, ...words: readonly string[]): Promise<Record<string, string>> {
  const program = [`${project}/scripts/run.mjs`, `${project}/test/security/lab/${name}.ts`]
  return JSON.parse(await lab.inNode(from, process.execPath, ...program, ...words))
}

async function allWell(): Promise<void> {
  const { nodes, fencing } = await lab.status('n1')
  expect(nodes.map(({ name, online, unclean }) => [name, online, unclean])).toEqual(
    ['n1', 'n2', 'r1'].map((node) => [node, true, false]),
  )
  expect(fencing).toEqual([])
  await untilVotes(lab, 'n1', 3)
}

test('strangers at the ports of the witness cost it neither its vote nor its daemon', async () => {
  const daemon = async () => (await lab.inNode('w', 'cat', '/run/systole/systoled.pid')).trim()
  const before = await daemon()
  const knocks = resolve(import.meta.dirname, 'knocks.mjs')
  for (const kind of ['silent', 'half of a greeting', 'noise', 'TLS and nothing else', 'HTTP/2'])
    await Promise.all(
      [7700, 7702, 7703].map(async (port) => {
        const words = [kind, address('w'), String(port), '1500']
        await run('ip', 'netns', 'exec', lab.network.clientSpace, process.execPath, knocks, ...words)
        expect(await quorum(lab, 'n1')).toMatchObject({ quorate: true, votes: { present: 3 } })
      }),
    )
  expect(await daemon()).toBe(before)
  await allWell()
}, 120_000)

test('the key of the witness asks daemons whether it is the witness, and nothing else', async () => {
  const answers = await script('w', 'stolen-key', pki, 'n1', address('n1'))
  const refused = Object.fromEntries(Object.keys(nodeService).map((name) => [name, 'witness']))
  expect(answers).toEqual({ ...refused, getWitnessPlace: 'answered', pulse: 'closed' })
  await allWell()
}, 60_000)

test('the key of a remote node opens no port of a member or of the witness', async () => {
  for (const to of ['n1', 'w']) {
    const ports = ['7700', '7702', '7703', ...(to === 'n1' ? ['7701'] : [])]
    const { call, ...kept } = await script('r1', 'each-port', 'ports', pki, to, address(to), ...ports)
    expect(kept, to).toEqual(Object.fromEntries(ports.map((port) => [port, 'closed'])))
    expect(call, to).not.toBe('answered')
  }
}, 60_000)

test('a member that is not the DC commands nobody, replaces no authority, and speaks for nobody else', async () => {
  const dc = (await lab.status('n1')).nodes.find((node) => node.dc)?.name ?? ''
  const other = dc === 'n1' ? 'n2' : 'n1'
  for (const term of [1, 1e15]) {
    const answers = await script(other, 'each-port', 'execute', pki, dc, address(dc), String(term))
    expect(answers).toEqual({
      execute: expect.objectContaining({ accepted: false, why: 'old-term' }),
      bringPki: 'not-dc',
    })
  }
  expect(await script(other, 'each-port', 'pulse', pki, dc, address(dc), dc)).toEqual({ pulse: 'closed' })
  expect(await script(other, 'each-port', 'pulse', pki, dc, address(dc), other)).toEqual({ pulse: 'open' })
  await allWell()
}, 60_000)

test('a member’s word makes the witness believe no other authority, show no other key, and forget nothing', async () => {
  const folder = join(lab.folder, 'another')
  const another = await createAuthority('another')
  const own = await createNodeCertificate(another, { name: 'w', addresses: [address('w')] })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'authority.crt'), another.certificate)
  writeFileSync(join(folder, 'node.crt'), own.certificate)
  const before = readFileSync(join(folderOf('w'), 'node.crt'), 'utf8')
  expect(await script('n2', 'each-port', 'witness', pki, 'w', address('w'), folder)).toEqual({
    followAuthority: 'bad-order',
    renew: expect.not.stringMatching(/^answered$/),
    forget: 'not-removed',
  })
  expect(readFileSync(join(folderOf('w'), 'node.crt'), 'utf8')).toBe(before)
  await allWell()
}, 60_000)

/** n2's own key, which everybody knows, in a certificate of the cluster's authority. */
async function certificateOfN2(name: string, until: number): Promise<string> {
  const folder = join(lab.folder, name)
  const authority = await authorityOf(lab, 'n1')
  const key = readFileSync(join(folderOf('n2'), 'node.key'), 'utf8')
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()
  const valid = { from: new Date(Date.now() - 600_000), until: new Date(until) }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'authority.crt'), authority.certificate)
  writeFileSync(join(folder, 'node.key'), key)
  writeFileSync(
    join(folder, 'node.crt'),
    await signNodeCertificate(authority, { name: 'n2', addresses: [address('n2')], publicKey, valid }),
  )
  return folder
}

test('a certificate that has run out opens no port, and the same one before that does', async () => {
  const valid = await certificateOfN2('valid', Date.now() + 600_000)
  const expired = await certificateOfN2('expired', Date.now() - 60_000)
  const ports = {
    n1: ['7700', '7701', '7702', '7703'],
    w: ['7700', '7702', '7703'],
    r1: ['3121'],
  }
  for (const [to, of] of Object.entries(ports)) {
    const all = (answer: string) => Object.fromEntries(of.map((port) => [port, answer]))
    const { call: heard, ...kept } = await script('n2', 'each-port', 'ports', valid, to, address(to), ...of)
    expect(kept, `${to}, valid`).toEqual(all('open'))
    const { call: refused, ...closed } = await script('n2', 'each-port', 'ports', expired, to, address(to), ...of)
    expect(closed, `${to}, expired`).toEqual(all('closed'))
    if (to === 'n1') expect(heard).toBe('answered')
    expect(refused).not.toBe('answered')
  }
  await allWell()
}, 120_000)
