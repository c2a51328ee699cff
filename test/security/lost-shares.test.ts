/** The other of two members is gone for good, and with it half of the authority's key: the one that is left makes another authority, and grows again. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'

const lab = new Lab(['n1', 'n2', 'n3'])
const holds = (node: string, file: string): boolean => existsSync(join(lab.folder, 'nodes', node, 'etc/pki', file))

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(['n1', 'n2'])
  await lab.createFencing(['n1', 'n2'])
  await lab.systole('n1', 'property', 'set', 'stonith-action=off')
  await lab.until('both have their shares', () =>
    ['n1', 'n2'].every((node) => holds(node, 'authority-share.json') && !holds(node, 'authority.key')),
  )
}, 120_000)

afterAll(() => lab.close(), 60_000)

const adding = ['cluster', 'node', 'add', 'n3', `addr=${lab.network.address('n3')}`, '--json']

test('while the cluster is stopped on one of the two, the other lets nobody in, and says what to start', async () => {
  await lab.systole('n1', 'cluster', 'stop', 'n2')
  await lab.until('n1 goes on alone', async () => (await lab.status('n1')).quorum.quorate)
  expect(await lab.try('n1', ...adding)).toBeUndefined()
  expect(lab.lastFailure).toContain('No quorum on n2')
  expect(lab.lastFailure).toContain('`systole cluster start n2`')
  await lab.systole('n1', 'cluster', 'start', 'n2', '--wait')
  await lab.systole('n1', ...adding)
  await lab.systole('n1', 'cluster', 'node', 'remove', 'n3')
}, 120_000)

test('its removal is all that an administrator types: another authority is made, of whose key nothing old is needed', async () => {
  await lab.systole('n1', 'resource', 'create', 'work', 'ocf:pacemaker:Dummy', 'state=/run/work', '--wait')
  await lab.power.off('n2')
  await lab.until('n2 is fenced, and n1 goes on alone', async () => {
    const { fencing, nodes } = await lab.status('n1')
    const isOff = nodes.some(({ name, online, unclean }) => name === 'n2' && !online && !unclean)
    return isOff && fencing.some(({ target, outcome }) => target === 'n2' && outcome === 'succeeded')
  })
  await lab.until('n1 runs it', async () => (await lab.whereIs('work', 'n1')).join() === 'n1')
  expect(await lab.try('n1', ...adding)).toBeUndefined()
  expect(lab.lastFailure).toMatch(/No answer from n2.*systole cluster node remove/s)
  await lab.systole('n1', 'cluster', 'node', 'remove', 'n2')
  await lab.until(
    'n1 alone has the key of the other authority',
    async () => {
      const { rotation, nodes } = JSON.parse(await lab.systole('n1', 'pki', 'status', '--json'))
      return !rotation && nodes.length === 1 && nodes[0].trusts.length === 1 && nodes[0].wholeKey
    },
    90_000,
  )
  expect(await lab.whereIs('work', 'n1')).toEqual(['n1'])
  const { joinToken } = JSON.parse(await lab.systole('n1', ...adding))
  await lab.systole('n3', 'cluster', 'join', lab.network.address('n1'), '--token', joinToken, '--start')
  await lab.until(
    'n3 has its share, and n1 no key',
    () => holds('n3', 'authority-share.json') && !holds('n1', 'authority.key'),
  )
}, 180_000)
