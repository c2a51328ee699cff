import { afterAll, beforeAll, expect, test } from 'vitest'
import { bmcPassword } from './lab/bmc.ts'
import { Lab } from './lab/lab.ts'

/** Machines that become sick: their BMCs' sensors change while a resource runs, and it moves away before the machine dies. */
const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
  await lab.prepare('n1', 'resource', 'create', 'web', 'ocf:pacemaker:Dummy', '--wait')
}, 180_000)

afterAll(() => lab.close(), 60_000)

test('a fence device is asked when it is registered: a wrong password is an error at once', async () => {
  const options = lab.fencingOptions('n1').filter((option) => !option.startsWith('password='))
  const create = (password: string) =>
    lab.try('n1', 'stonith', 'create', 'again', 'fence_ipmilan', ...options, `password=${password}`, '--test')
  expect(await create('wrong-one')).toBeUndefined()
  expect(lab.lastFailure).toContain('does not reach the device with these parameters')
  expect(lab.lastFailure.replace(/^.*Command failed.*$/gm, '')).not.toContain('wrong-one')
  expect(await lab.try('n1', 'stonith', 'config', 'again')).toBeUndefined()
  expect(await create(bmcPassword)).toMatch(/^Created: again/)
  expect(await lab.systole('n2', 'stonith', 'test', 'again')).toBe('The fence device again answers.\n')
  await lab.systole('n1', 'stonith', 'update', 'again', 'password=wrong-two')
  expect(await lab.try('n2', 'stonith', 'test', 'again')).toBeUndefined()
  await lab.systole('n1', 'stonith', 'delete', 'again')
}, 90_000)

test('without that, a device is created and asked at once: a wrong password is a warning that keeps the secret, and pcs says nothing', async () => {
  const options = lab.fencingOptions('n1').filter((option) => !option.startsWith('password='))
  const create = async (password: string, ...more: readonly string[]): Promise<readonly string[]> => {
    const line = ['stonith', 'create', 'again', 'fence_ipmilan', ...options, `password=${password}`, ...more]
    const said = await lab.inNode(
      'n1',
      'sh',
      '-c',
      `systole "$@" 2>/tmp/said; cat /tmp/said >&2; echo; cat /tmp/said`,
      '-',
      ...line,
    )
    await lab.systole('n1', 'stonith', 'delete', 'again')
    return said.split('\n').filter((one) => one !== '')
  }
  const warned = await create('wrong-one')
  expect(warned[0]).toBe('Created: again.')
  const warning = warned.find((one) => one.startsWith('Warning: '))
  expect(warning).toMatch(
    /does not reach the device with these parameters.*again is created\. Correct it with 'systole stonith update again …'/,
  )
  expect(warned.join('\n')).not.toContain('wrong-one')
  expect((await create(bmcPassword)).filter((one) => one.startsWith('Warning: '))).toEqual([])
  expect((await create('wrong-one', '--no-test')).filter((one) => one.startsWith('Warning: '))).toEqual([])
  const facts = await create('wrong-one', '--json')
  expect(JSON.parse(facts.slice(0, facts.indexOf('}') + 1).join(''))).toMatchObject({
    created: ['again'],
    test: { answers: false },
  })
  const pcs = ['stonith', 'create', 'again', 'fence_ipmilan', ...options, 'password=wrong-one']
  expect(await lab.inNode('n1', 'sh', '-c', 'pcs "$@" 2>&1', '-', ...pcs)).toBe('')
  await lab.systole('n1', 'stonith', 'delete', 'again')
}, 120_000)

interface Part {
  readonly what: string
  readonly value: string
  readonly why?: string
}

async function health(node: string, seenFrom = 'n1'): Promise<ReadonlyMap<string, Part>> {
  const { nodes: seen } = JSON.parse(await lab.systole(seenFrom, 'node', 'health', node, '--json')) as {
    readonly nodes: readonly { readonly health: readonly Part[] }[]
  }
  return new Map(seen.flatMap((one) => one.health.map((part) => [part.what, part])))
}

const colours = async (node: string, what: string): Promise<string | undefined> => (await health(node)).get(what)?.value

test('nothing is read until it is switched on, then every node has its health', async () => {
  expect((await health('n1')).size).toBe(0)
  const options = ['hardware-health-interval=1s', 'hardware-health-recovery=5s', 'node-health-strategy=migrate-on-red']
  await lab.prepare('n1', 'property', 'set', 'hardware-health=true', ...options)
  for (const node of nodes)
    await lab.until(`${node} has read its BMC`, async () => {
      const parts = await health(node)
      return ['temperature', 'fans', 'power', 'memory', 'filesystems', 'links'].every(
        (what) => parts.get(what)?.value === 'green',
      )
    })
}, 90_000)

test('a machine that becomes hot loses its resource without being fenced, and may have it again once it is cool', async () => {
  const [sick = ''] = await lab.whereIs('web', 'n1')
  lab.controllers.setSensor(sick, 'temperature', 85)
  await lab.until('it is yellow', async () => (await colours(sick, 'temperature')) === 'yellow')
  expect(await lab.whereIs('web', 'n1')).toEqual([sick])
  lab.controllers.setSensor(sick, 'temperature', 95)
  await lab.until('the resource has moved', async () => {
    const now = await lab.whereIs('web', 'n1')
    return now.length === 1 && now[0] !== sick
  })
  expect((await health(sick)).get('temperature')).toMatchObject({
    value: 'red',
    why: 'CPU Temp is above its threshold',
  })
  expect((await lab.status('n1')).fencing).toEqual([])
  expect((await lab.status('n1')).nodes.every(({ online }) => online)).toBe(true)
  lab.controllers.setSensor(sick, 'temperature', 40)
  await lab.until('it is well again', async () => (await colours(sick, 'temperature')) === 'green', 60_000)
  await lab.systole('n1', 'resource', 'move', 'web', sick)
  await lab.until('it may run there', async () => (await lab.whereIs('web', 'n1'))[0] === sick)
}, 150_000)

test('a fan that stands still and a power supply that fails count, and what its daemon knew is not forgotten with it', async () => {
  lab.controllers.setSensor('n2', 'fan', 0)
  lab.controllers.setSensor('n3', 'supply', 3)
  await lab.until('n2 is red', async () => (await colours('n2', 'fans')) === 'red')
  await lab.until('n3 is red', async () => (await colours('n3', 'power')) === 'red')
  expect((await health('n3', 'n2')).get('power')?.why).toBe('PS1 Status has failed')
  await lab.until('only n1 is left', async () => (await lab.whereIs('web', 'n1'))[0] === 'n1')
  // A BMC that does not answer says nothing: the node stays red.
  await lab.controllers.stop('n2')
  await lab.inNode(
    'n2',
    'bash',
    '-c',
    'kill -KILL $(cat /run/systole/systoled.pid 2>/dev/null || pgrep -f "dist/systoled.mj[s]")',
  )
  await lab.until(
    'its daemon is back',
    async () => (await lab.status('n1')).nodes.every(({ online }) => online),
    60_000,
  )
  expect(await colours('n2', 'fans')).toBe('red')
  lab.controllers.start('n2')
  await lab.until(
    'its new controller says that it is well',
    async () => (await colours('n2', 'fans')) === 'green',
    60_000,
  )
}, 150_000)

test('switched off, no health is recorded and nothing is avoided', async () => {
  await lab.prepare('n1', 'property', 'set', 'hardware-health=false')
  for (const node of nodes) await lab.until(`${node} has none`, async () => (await health(node)).size === 0)
}, 60_000)
