import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { beginWithService, clusterFacts, untilServiceIsOn, whatRuns } from '../nodes/lab/links.ts'

/** A network that neither works nor fails: packets of one direction, some packets, or long ones are lost. Three nodes on one link. */
const lab = new Lab(['n1', 'n2', 'n3'])

beforeAll(async () => {
  await beginWithService(lab)
  await lab.systole('n1', 'constraint', 'location', 'service', 'prefers', 'n2', '--wait')
  await settled()
})

afterAll(() => lab.close())

afterEach(async () => {
  await lab.network.heal()
  await settled()
})

const settled = async (): Promise<void> => await untilServiceIsOn(lab, 'n2')

/** n2 is fenced, and only then its service starts elsewhere. */
async function n2IsLost(): Promise<void> {
  const init = lab.power.pid1('n2')
  await lab.until(
    'the service runs elsewhere',
    async () => {
      const [where = 'n2'] = await lab.whereIs('service', 'n1')
      if (where !== 'n2') expect(lab.power.isOn('n2') && lab.power.pid1('n2') === init).toBe(false)
      return where !== 'n2'
    },
    60_000,
  )
  const [last] = (await clusterFacts(lab, 'n1')).fencing as readonly {
    readonly target: string
    readonly outcome: string
  }[]
  expect(last).toMatchObject({ target: 'n2', outcome: 'succeeded' })
}

describe('a node of which packets are lost in one direction is lost', () => {
  for (const { name, way } of [
    { name: 'those that it sends', way: 'iifname' },
    { name: 'those that are sent to it', way: 'oifname' },
  ] as const)
    test(name, async () => {
      await lab.network.cutLink(0, ['n2'], [way])
      await n2IsLost()
    })
})

test('a node whose long packets are lost is lost, although short ones would arrive', async () => {
  await lab.network.drop('n2', { longerThanBytes: 1000 })
  await n2IsLost()
  // A daemon that cannot make its connections does not come in, and harms nobody.
  for (let i = 0; i < 3; i++) await lab.systole('n1', 'resource', 'update', 'service', `fake=${i}`, '--wait')
})

test('a node whose only address is taken from its card is lost, and its daemon waits for the address', async () => {
  const card = (what: string) => lab.network.inNode('n3', `addr ${what} ${lab.network.address('n3')}/24 dev eth0`)
  const pid = async () => (await lab.inNode('n3', 'cat', '/run/systole/systoled.pid')).trim()
  const log = () => readFileSync(join(lab.folder, 'nodes', 'n3', 'systoled.log'), 'utf8')
  const n3IsOnline = async () => (await lab.status('n1')).nodes.some(({ name, online }) => name === 'n3' && online)
  await lab.systole('n1', 'property', 'set', 'fencing-enabled=false', '--force')
  const first = await pid()
  await card('del')
  await lab.until('it is lost', async () => !(await n3IsOnline()))
  expect(await pid(), 'it goes on').toBe(first)
  await lab.inNode('n3', 'kill', '-9', first)
  await lab.until('the next one waits', () => /does not have its address 10\.[0-9.]+ (yet|now)/.test(log()))
  await card('add')
  await lab.until('it is back', n3IsOnline, 60_000)
  expect(log()).not.toContain('because of a bug')
  await lab.systole('n1', 'property', 'set', 'fencing-enabled=true')
})

test('of every ten packets of a node one is lost: everything takes longer, and nothing else happens', async () => {
  const before = await whatRuns(lab, 'n1')
  await lab.network.drop('n2', { percent: 5 })
  for (let i = 0; i < 5; i++) await lab.systole('n2', 'resource', 'update', 'service', `fake=lossy-${i}`, '--wait')
  await delay(20_000)
  expect(await whatRuns(lab, 'n1')).toEqual({ ...before, starts: expect.anything() })
})

test('of every ten packets of a node five are lost: it may be fenced, nothing runs twice, and it is back when they are not', async () => {
  await lab.network.drop('n2', { percent: 30 })
  const end = performance.now() + 30_000
  while (performance.now() < end) {
    const active = await Promise.all(
      lab.nodes
        .filter((node) => lab.power.isOn(node))
        .map(
          async (node) =>
            await lab.inNode(node, 'sh', '-c', 'ls /run/Dummy-service.state 2>/dev/null || true').catch(() => ''),
        ),
    )
    expect(active.filter((mark) => mark !== '').length).toBeLessThan(2)
    await delay(200)
  }
})
