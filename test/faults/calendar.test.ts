import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { giveCalendars, pidOf, setCalendar, shell, signal } from '../nodes/lab/faults.ts'
import { Lab } from '../nodes/lab/lab.ts'
import { beginWithService, untilServiceIsOn, whatRuns } from '../nodes/lab/links.ts'

/** Calendars that jump, as a daemon sets them that corrects the time, or a machine's battery that is empty. */
const lab = new Lab(['n1', 'n2', 'n3'])
const hour = 3600

beforeAll(async () => {
  giveCalendars(lab)
  await beginWithService(lab)
  // A daemon that is killed has so long to come back, on a machine that may be busy.
  await lab.systole('n1', 'cluster', 'config', 'update', 'totem', 'token=15000')
  await lab.systole('n1', 'constraint', 'location', 'service', 'prefers', 'n2')
  await lab.systole('n1', 'resource', 'update', 'service', 'meta', 'failure-timeout=30min', '--wait')
  await settled()
})

afterAll(() => lab.close())

const settled = async (): Promise<void> => await untilServiceIsOn(lab, 'n2')

/** Nobody is fenced and nothing is started; whose clock jumped forward doubts its lease until it is confirmed, and may lose the lead with it. */
async function nothingElseHappens(jump: () => Promise<void>): Promise<void> {
  const facts = async () => {
    const { fencing, starts } = (await whatRuns(lab, 'n1')) as { readonly fencing: unknown; readonly starts: unknown }
    return { fencing, starts }
  }
  const before = await facts()
  const losses = stopsByItself()
  await jump()
  // What the daemons planned, they would have done by now: a change that all have seen goes through.
  for (const node of lab.nodes) await lab.systole(node, 'node', 'attribute', node, `jumped=${Math.random()}`, '--wait')
  await settled()
  expect(await facts()).toEqual(before)
  expect(stopsByItself()).toBe(losses)
}

const stopsByItself = (): number => lab.logs(100_000).match(/stops resources without the DC/g)?.length ?? 0

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  await lab.until(what, holds, 60_000)
}

const jumps: readonly { readonly name: string; readonly nodes: readonly string[]; readonly seconds: number }[] = [
  { name: 'the calendar of one node is set an hour forward', nodes: ['n2'], seconds: hour },
  { name: 'and back', nodes: ['n2'], seconds: 0 },
  { name: 'the calendar of one node is set an hour back', nodes: ['n1'], seconds: -hour },
  { name: 'and forward again', nodes: ['n1'], seconds: 0 },
  { name: 'all calendars are set an hour forward at once', nodes: ['n1', 'n2', 'n3'], seconds: hour },
  { name: 'all are set two hours back', nodes: ['n1', 'n2', 'n3'], seconds: -hour },
  { name: 'and right', nodes: ['n1', 'n2', 'n3'], seconds: 0 },
]
describe('nothing happens to resources', () => {
  for (const { name, nodes, seconds } of jumps)
    test(`when ${name}`, async () =>
      await nothingElseHappens(async () => {
        await Promise.all(nodes.map(async (node) => await setCalendar(lab, node, seconds)))
      }))
})

test('a daemon that begins after the calendar was set back is heard', async () => {
  for (const node of ['n2', 'n3'])
    for (const seconds of [hour, 0]) {
      await setCalendar(lab, node, seconds)
      const before = await pidOf(lab, node, 'systoled')
      await signal(lab, node, 'systoled', 'KILL')
      await lab.until('another daemon runs', async () => (await pidOf(lab, node, 'systoled')) !== before)
      // On a busy machine its lease may be over by then, and its node be fenced: after the boot the calendar is right, and earlier than before.
      await settled()
    }
})

test('a machine that boots an hour behind the life before comes back', async () => {
  await setCalendar(lab, 'n2', hour)
  await signal(lab, 'n2', 'systoled', 'KILL')
  await settled()
  await lab.power.off('n2')
  await until('it is missed', async () => (await lab.status('n1')).nodes.some(({ online }) => !online))
  await lab.power.on('n2')
  await settled()
})

test('a failure expires by the calendar, and the service that runs is left alone', async () => {
  await shell(lab, 'n2', 'rm /run/Dummy-service.state')
  const failures = async () => await lab.systole('n1', 'resource', 'failcount', 'service')
  await until('the failure is counted', async () => /n2: 1/.test(await failures()))
  await settled()
  await nothingElseHappens(async () => {
    for (const node of lab.nodes) await setCalendar(lab, node, hour)
    await lab.systole('n1', 'resource', 'update', 'service', 'meta', 'failure-timeout=29min', '--wait')
    await until('the failure has expired', async () => !/n2: 1/.test(await failures()))
    for (const node of lab.nodes) await setCalendar(lab, node, 0)
  })
})
