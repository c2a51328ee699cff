/**
 * What somebody can do who has the key of a node that was removed while another one was off, where that one reaches nodes that know of the removal: nothing.
 * The cluster is cold, so that nobody brings the host a list before it asks. Then it is started from one place, as ever. Four real nodes with etcd.
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
}, 150_000)

afterAll(() => lab.close(), 60_000)

const calls = [
  'startCluster',
  'stopCluster',
  'enableCluster',
  'readTaskOutput',
  'runFenceDevice',
  'readJournal',
  'readOperations',
  'updateClusterFile',
]

async function callN4(names: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const script = [`${project}/scripts/run.mjs`, `${project}/test/security/lab/stolen-key.ts`]
  const line = [process.execPath, ...script, stolen, 'n4', lab.network.address('n4')]
  const own = ['n3', 'n4'].map((name) => ({ name, address: lab.network.address(name) }))
  const list = JSON.stringify({ clusterName: 'lab', nodesVersion: 999, nodes: own })
  return JSON.parse(await lab.inNode('n3', 'env', `STOLEN_CALLS=${names.join(' ')}`, `STOLEN_LIST=${list}`, ...line))
}

const clusterFile = async (): Promise<{ readonly clusterName: string; readonly nodes: readonly { name: string }[] }> =>
  JSON.parse(await lab.inNode('n4', 'cat', '/etc/systole/cluster.json'))

for (const name of calls)
  test(`${name}: a host that was off during the removal asks the others, and obeys no removed node`, async () => {
    await lab.inNode('n3', 'sh', '-c', `test -e ${stolen} || cp -a /etc/systole/pki ${stolen}`)
    if (name === 'startCluster') {
      await lab.systole('n1', 'cluster', 'stop', 'n4')
      await lab.inNode('n4', 'cp', '/etc/systole/cluster.json', '/etc/systole/before.json')
      await lab.power.off('n4')
      await lab.systole('n1', 'cluster', 'node', 'remove', 'n3')
      await lab.systole('n1', 'cluster', 'stop', '--all', '--force').catch(() => undefined)
    } else {
      await lab.inNode('n4', 'cp', '/etc/systole/before.json', '/etc/systole/cluster.json')
      await lab.power.off('n4')
    }
    await lab.power.on('n4')
    const heard: (string | undefined)[] = []
    await lab.until(
      'n4 has asked the others',
      async () => {
        heard.push((await callN4([name]))[name])
        return (await clusterFile()).nodes.map((node) => node.name).join() === 'n1,n2,n4'
      },
      60_000,
    )
    // A connection ends with what it belongs to: whoever is removed may hear nothing at all.
    for (const answer of heard) expect(answer).toMatch(/^removed$|^disputed$|did not answer in time|cannot be reached/)
    expect((await lab.try('n4', 'status')) ?? lab.lastFailure).toContain('not started')
  }, 120_000)

test('the cold cluster is started from one place', async () => {
  await lab.systole('n1', 'cluster', 'start', '--all')
  await lab.until(
    'all three are online',
    async () => (await lab.status('n4')).nodes.filter(({ online }) => online).length === 3,
    60_000,
  )
}, 90_000)
