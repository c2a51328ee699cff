import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { run } from '../nodes/lab/network.ts'

/** Two clusters on one network, of two nodes each: names of one are resolved by the other, and a resource of one waits for a service of the other. */
const east = ['n1', 'n2']
const west = ['n3', 'n4']
const lab = new Lab([...east, ...west])

beforeAll(async () => {
  await lab.start()
  for (const [name, nodes] of Object.entries({ east, west })) {
    await lab.formCluster(nodes, 1, name)
    await lab.createFencing(nodes)
  }
  const monitored = ['op', 'monitor', 'interval=2s', 'clone', '--wait']
  await lab.systole('n3', 'resource', 'create', 'db', 'ocf:systole:http', 'address=0.0.0.0', 'port=5432', ...monitored)
  await lab.systole('n3', 'service', 'create', 'db', 'db-clone', 'port=5432', 'weight=3')
  await lab.systole('n3', 'service', 'dns', 'enable')
  await lab.systole(
    'n1',
    'service',
    'dns',
    'enable',
    `cluster.west=${west.map((node) => lab.network.address(node)).join(',')}`,
  )
}, 240_000)
afterAll(() => lab.close(), 60_000)

const ask = async (node: string, ...words: readonly string[]): Promise<readonly string[]> => {
  const dig = ['dig', `@${lab.network.address(node)}`, '+short', '+time=2', '+tries=1', ...words]
  const said = await run('ip', 'netns', 'exec', lab.network.clientSpace, ...dig).catch(() => '')
  return said
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(';'))
    .toSorted()
}
const addresses = west.map((node) => lab.network.address(node))

test('a node of one cluster answers with the service of the other, its ports and its weights, by UDP and TCP', async () => {
  await lab.until(
    'the other cluster is known',
    async () => (await ask('n1', 'db.service.west.systole')).join() === addresses.join(),
    60_000,
  )
  expect(await ask('n2', 'db.service.west.systole', '+tcp')).toEqual(addresses)
  expect(await ask('n1', '_db._tcp.service.west.systole', 'SRV')).toHaveLength(2)
  expect(await ask('n1', 'nosuch.service.west.systole')).toEqual([])
  // Its own names are its own: it has no such service.
  expect(await ask('n1', 'db.service.systole')).toEqual([])
}, 120_000)

test('an address of IPv6 is an answer of its own type, in both clusters', async () => {
  await lab.systole('n3', 'service', 'create', 'six', 'db-clone', 'port=5432', 'address=fd83::77')
  for (const [node, name] of [
    ['n3', 'six.service.systole'],
    ['n1', 'six.service.west.systole'],
  ] as const) {
    await lab.until(`${node} knows it`, async () => (await ask(node, name, 'AAAA')).join() === 'fd83::77')
    expect(await ask(node, name, 'A')).toEqual([])
  }
}, 60_000)

test('a node answers at an address of IPv6, and a virtual address of IPv6 is that of its service', async () => {
  const { clientSpace } = lab.network
  await run('ip', '-n', clientSpace, 'addr', 'add', 'fd83::99/64', 'dev', 'eth0', 'nodad')
  await lab.inNode('n4', 'ip', 'addr', 'add', 'fd83::4/64', 'dev', 'eth0', 'nodad')
  const vip = ['ip=fd83::88', 'cidr_netmask=64', 'nic=eth0', 'nodad=true', 'op', 'monitor', 'interval=2s', '--wait']
  await lab.systole('n3', 'resource', 'create', 'vip6', 'ocf:heartbeat:IPaddr2', ...vip)
  await lab.systole('n3', 'service', 'create', 'front', 'vip6', 'port=443', 'address=vip6')
  await lab.systole('n3', 'service', 'dns', 'enable', 'listen=local,node,::')
  const ask6 = async (...words: readonly string[]): Promise<string> =>
    await run('ip', 'netns', 'exec', clientSpace, 'dig', '@fd83::4', '+short', '+time=2', '+tries=1', ...words).catch(
      () => '',
    )
  await lab.until('it is known', async () => (await ask6('front.service.systole', 'AAAA')) === 'fd83::88\n')
  expect(await ask6('+tcp', 'front.service.systole', 'AAAA')).toBe('fd83::88\n')
  expect(await ask6('db.service.systole')).toContain(addresses[0] ?? '')
  expect(await ask('n4', 'front.service.systole', 'AAAA')).toEqual(['fd83::88'])
}, 120_000)

test('what waits for the service of the other cluster starts once it is there, and not before', async () => {
  await lab.systole('n3', 'resource', 'disable', 'db-clone', '--wait')
  await lab.systole('n1', 'resource', 'create', 'app', 'ocf:pacemaker:Dummy', '--disabled')
  const gate = ['dns=db.service.west.systole', `server=${lab.network.address('n1')}`, 'min=2', 'interval=1s']
  await lab.systole('n1', 'service', 'gate', 'add', 'app', 'west-db', ...gate)
  await lab.systole('n1', 'resource', 'enable', 'app')
  await lab.until('why names the gate', async () => (await lab.systole('n2', 'why', 'app')).includes('west-db'))
  expect(await lab.whereIs('app', 'n1')).toEqual([])
  await lab.systole('n3', 'resource', 'enable', 'db-clone', '--wait')
  await lab.until('it is started', async () => (await lab.whereIs('app', 'n1')).length === 1, 60_000)
}, 180_000)

test('what is restarted while its gate is closed does not start again, and the command says so with the reason', async () => {
  await lab.systole('n3', 'resource', 'disable', 'db-clone', '--wait')
  await lab.until('the gate is closed', async () =>
    (await lab.systole('n1', 'service', 'gate', 'list')).includes('  closed  '),
  )
  expect(await lab.whereIs('app', 'n1')).toHaveLength(1)
  expect(await lab.try('n1', 'resource', 'restart', 'app', '--wait')).toBeUndefined()
  expect(lab.lastFailure).toMatch(/Stopped app, and it does not start again:\n {2}\* app: .*the gate west-db is closed/)
  await lab.systole('n3', 'resource', 'enable', 'db-clone', '--wait')
  await lab.until('it is started again', async () => (await lab.whereIs('app', 'n1')).length === 1, 60_000)
  expect(await lab.systole('n1', 'resource', 'restart', 'app', '--wait')).toContain('Restarted app.')
}, 180_000)

test('when one of the nodes that are asked has no power, the other is asked', async () => {
  await lab.power.off('n3')
  await lab.until(
    'the rest is known',
    async () => (await ask('n1', 'db.service.west.systole')).join() === addresses[1],
    60_000,
  )
}, 120_000)
