/** Another authority for a cluster with everything that has certificates: three members, a remote node, a witness; and the DC loses its power in the middle. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { createService, isOnline, runsOn, servicePid } from '../nodes/lab/remote.ts'

const lab = new Lab(['n1', 'n2', 'n3', 'r1', 'w'], { remotes: ['r1'] })
const members = ['n1', 'n2', 'n3']

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(members)
  await lab.createFencing(members)
  await lab.addRemote('r1', 'n1', 'op', 'monitor', 'interval=10')
  await lab.inNode('w', 'pcs', 'qdevice', 'setup', 'model', 'net', '--enable', '--start')
  const said = await lab.inNode('n1', 'pcs', 'quorum', 'device', 'add', 'model', 'net', 'host=w', 'algorithm=ffsplit')
  await lab.inNode('w', 'bash', '-c', said.split('\n')[1]?.trim() ?? '')
  await lab.until('the remote node is online', () => isOnline(lab, 'r1', 'n1'))
  await createService(lab, 'n1', 'r1')
  await lab.until('the service runs on the remote node', () => runsOn(lab, 'r1', 'n1'))
}, 180_000)

afterAll(() => lab.close(), 60_000)

const file = (node: string, name: string): string =>
  readFileSync(join(lab.folder, 'nodes', node, 'etc/pki', name), 'utf8')

interface PkiStatus {
  readonly authority: string
  readonly rotation?: string
  readonly waitsFor: readonly string[]
  readonly nodes: readonly { readonly node: string; readonly trusts: readonly string[]; readonly certifiedBy: string }[]
}
const status = async (node: string): Promise<PkiStatus> =>
  JSON.parse(await lab.systole(node, 'pki', 'status', '--json'))
const dc = async (seenFrom: string): Promise<string> =>
  (await lab.status(seenFrom)).nodes.find((node) => node.dc)?.name ?? ''

test('a remote node that is away holds it up from the beginning, and is named with the way around', async () => {
  await lab.systole('n1', 'resource', 'disable', 'r1', '--wait')
  expect(await lab.try('n1', 'pki', 'rotate')).toBeUndefined()
  expect(lab.lastFailure).toMatch(/r1, a remote node: no member is connected to it.*pki rotate --without=r1/s)
  await lab.systole('n1', 'resource', 'enable', 'r1', '--wait')
  await lab.until('the service runs again', () => runsOn(lab, 'r1', 'n1'))
}, 90_000)

test('the DC loses its power while certificates are renewed: it holds it up, is named, and the next DC ends it', async () => {
  const hosts = [...members, 'r1', 'w']
  const before = hosts.map((node) => file(node, 'authority.crt').trim())
  const keys = hosts.map((node) => file(node, 'node.key'))
  const service = await servicePid(lab, 'r1')
  await lab.systole('n2', 'pki', 'rotate')
  await lab.until('certificates are being renewed', async () => (await status('n2')).rotation === 'certify', 180_000)
  const lost = await dc('n2')
  const other = members.find((node) => node !== lost) ?? ''
  lab.power.unplugged.add(lost)
  await lab.power.off(lost)
  await lab.until(
    'the lost member is named',
    async () =>
      (await status(other)).waitsFor.some((why) => why.startsWith(`${lost}: `) && why.includes('node remove')),
    60_000,
  )
  expect(await lab.systole(other, 'pki', 'status')).toMatch(new RegExp(`Waits for: +${lost}: it is unreachable`))
  lab.power.unplugged.delete(lost)
  await lab.power.on(lost)
  await lab.until(
    'the old authority is forgotten',
    async () => {
      const { rotation, nodes } = await status(other)
      return rotation === undefined && nodes.length === 3 && nodes.every(({ trusts }) => trusts.length === 1)
    },
    240_000,
  )
  const trustFiles = (node: string): readonly string[] =>
    readdirSync(join(lab.folder, 'nodes', node, 'etc/pki')).filter((name) => name.startsWith('trust-'))
  await lab.until('no file is left of what counted before', () =>
    [...members, 'w'].every((node) => trustFiles(node).length === 1),
  )
  const { authority, nodes } = await status(other)
  for (const node of nodes) expect(node).toMatchObject({ certifiedBy: authority, trusts: [authority] })
  for (const [index, node] of hosts.entries()) {
    expect(file(node, 'authority.crt'), node).not.toContain(before[index])
    expect(file(node, 'node.key'), node).not.toBe(keys[index])
  }
  expect(new Set(hosts.map((node) => file(node, 'authority.crt').trim())).size).toBe(1)
  expect(await servicePid(lab, 'r1'), 'what runs on the remote node was not touched').toBe(service)
  expect((await lab.status(other)).fencing.map(({ target }) => target)).not.toContain('r1')
}, 600_000)

test('afterwards all of them are there, and others are let in', async () => {
  await lab.until('all are online', async () => (await lab.status('n1')).nodes.every(({ online }) => online), 60_000)
  expect(await lab.inNode('n2', 'pcs', 'quorum', 'device', 'status')).toMatch(/State: +Connected/)
  const [holder = ''] = await lab.whereIs('r1', 'n1')
  await lab.systole('n1', 'resource', 'move', 'r1', members.find((node) => node !== holder) ?? '', '--wait')
  await lab.until('the service is where it was', () => runsOn(lab, 'r1', 'n1'))
  await lab.systole('n2', 'cluster', 'token', '--remote')
}, 120_000)
