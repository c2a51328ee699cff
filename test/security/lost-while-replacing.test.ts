/** The other of two members is gone for good while the authority is replaced, and with it half of the next key: the one that is left begins with another. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'

const lab = new Lab(['n1', 'n2'])
const holds = (node: string, file: string): boolean => existsSync(join(lab.folder, 'nodes', node, 'etc/pki', file))

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await lab.createFencing()
  await lab.systole('n1', 'property', 'set', 'stonith-action=off')
  await lab.until('both have their shares', () =>
    ['n1', 'n2'].every((node) => holds(node, 'authority-share.json') && !holds(node, 'authority.key')),
  )
}, 120_000)

afterAll(() => lab.close(), 60_000)

test('lost in the middle, it holds nothing up once it is removed, which is all that is typed', async () => {
  const status = async () => JSON.parse(await lab.systole('n1', 'pki', 'status', '--json'))
  await lab.systole('n1', 'pki', 'rotate')
  await lab.power.off('n2')
  await lab.until('n2 is fenced', async () =>
    (await lab.status('n1')).fencing.some(({ target, outcome }) => target === 'n2' && outcome === 'succeeded'),
  )
  await lab.until(
    'n2 can be removed',
    async () => (await lab.try('n1', 'cluster', 'node', 'remove', 'n2')) !== undefined,
  )
  await lab.until(
    'n1 alone has the key of another authority',
    async () => {
      const { rotation, nodes } = await status()
      return !rotation && nodes.length === 1 && nodes[0].trusts.length === 1 && nodes[0].wholeKey
    },
    90_000,
  )
}, 240_000)
