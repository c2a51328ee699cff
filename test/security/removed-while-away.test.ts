/**
 * What somebody can do who has the key of a node that was removed while another one was off, and who reaches that one before the cluster does: its list
 * names the removed node still. Neither a file nor a share of the authority's key comes of it. Four real nodes with etcd.
 */
import { resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'

const lab = new Lab(['n1', 'n2', 'n3', 'n4'])
const project = resolve(import.meta.dirname, '../..')
const stolen = '/run/stolen'

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await lab.createFencing()
  await lab.systole('n1', 'property', 'set', 'stonith-action=off')
}, 150_000)

afterAll(() => lab.close(), 60_000)

const calls = ['getClusterFile', 'getAuthorityShares', 'keepAuthorityShare', 'bringPki', 'writeFile']

async function callN4(names = calls): Promise<Readonly<Record<string, string>>> {
  const script = [`${project}/scripts/run.mjs`, `${project}/test/security/lab/stolen-key.ts`]
  const line = [process.execPath, ...script, stolen, 'n4', lab.network.address('n4')]
  return JSON.parse(await lab.inNode('n3', 'env', `STOLEN_CALLS=${names.join(' ')}`, ...line))
}

test('a host that was off during the removal gives the removed node nothing', async () => {
  await lab.inNode('n3', 'cp', '-a', '/etc/systole/pki', stolen)
  await lab.until('a member with quorum gives its share', async () => {
    const { getAuthorityShares, writeFile } = await callN4(['getAuthorityShares', 'writeFile'])
    return getAuthorityShares === 'answered' && writeFile === 'answered'
  })
  await lab.power.off('n4')
  await lab.until('n4 is fenced', async () =>
    (await lab.status('n1')).nodes.some(({ name, online, unclean }) => name === 'n4' && !online && !unclean),
  )
  await lab.systole('n1', 'cluster', 'node', 'remove', 'n3')
  for (const node of ['n1', 'n2']) await lab.power.off(node)
  await lab.power.on('n4')
  const refused = 'no-quorum'
  await lab.until('n4 answers', async () => (await callN4(['getClusterFile'])).getClusterFile === 'answered', 60_000)
  expect(await callN4()).toEqual({
    getClusterFile: 'answered',
    getAuthorityShares: refused,
    keepAuthorityShare: refused,
    bringPki: refused,
    writeFile: refused,
    pulse: 'open',
  })

  for (const node of ['n1', 'n2']) await lab.power.on(node)
  await lab.until(
    'n4 is online, and n3 is nobody',
    async () =>
      (await lab.status('n4')).nodes.filter(({ online }) => online).length === 3 &&
      (await callN4(['getClusterFile'])).getClusterFile === 'removed',
    90_000,
  )
}, 240_000)
