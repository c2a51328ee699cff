/** A recovery that one DC begins and another ends is one trace, sent once; and a user of the cluster has it sent again by hand. */
import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { Collector } from './collector.ts'

const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)
const collector = new Collector(lab)

beforeAll(async () => {
  // The daemon sends as hacluster, who must be able to reach the program.
  chmodSync(lab.folder, 0o755)
  await lab.start()
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
  // It takes its time to start, so that the DC can go meanwhile.
  const slow = ['ocf:pacemaker:Dummy', 'op_sleep=4', 'op', 'monitor', 'interval=2s', 'timeout=60s']
  await lab.systole('n1', 'resource', 'create', 'web', ...slow, '--wait=60')
  await collector.open()
}, 180_000)
afterAll(async () => {
  await collector.close()
  await lab.close()
}, 60_000)

const dcOf = async (seenFrom: string): Promise<string> =>
  (await lab.status(seenFrom)).nodes.find(({ dc }) => dc)?.name ?? ''

test('a recovery whose DC loses its power in the middle is sent once, as one trace', async () => {
  const dc = await dcOf('n1')
  const [other = ''] = nodes.filter((node) => node !== dc)
  await lab.systole('n1', 'resource', 'move', 'web', other, '--wait=60').catch(() => undefined)
  await lab.until('it runs beside the DC', async () => (await lab.whereIs('web', other))[0] === other)
  await lab.systole('n1', 'property', 'set', `trace-collector=${collector.url}`)
  await lab.until('the DC knows from where on', async () =>
    (await lab.inNode(dc, 'cat', `${lab.folder}/nodes/${dc}/systoled.log`)).includes('are sent as traces from now on'),
  )
  await lab.inNode(other, 'sh', '-c', 'find /run /var/run -name "Dummy-web.state" -delete')
  await lab.until('the recovery is under way', async () => {
    const { transition } = JSON.parse(await lab.systole(other, 'status', '--json')) as {
      readonly transition: { readonly pending: readonly string[] } | null
    }
    return transition?.pending.some((one) => /^web (?:stop|start)/.test(one)) === true
  })
  await lab.power.off(dc)
  await lab.until('another node is the DC', async () => ![dc, ''].includes(await dcOf(other)), 60_000)
  await lab.until('the service is back', async () => (await lab.whereIs('web', other)).length === 1, 90_000)
  await lab.until('the trace has come', () => collector.received.length > 0, 150_000)
  const [trace = ''] = collector.received
  expect(trace).toMatch(/"name":"recovery: web: monitor/)
  expect(trace).toContain(`"name":"fencing: ${dc} (reboot)"`)
  expect(trace).toMatch(/"name":"start: web on n\d"/)
  expect(new Set([...trace.matchAll(/"traceId":"([^"]+)"/g)].map(([, id]) => id)).size).toBe(1)
  // The new DC wrote down up to where it was sent.
  expect(collector.received).toHaveLength(1)
}, 400_000)

test.runIf(spawnSync('id', ['-u', 'hacluster']).status === 0)(
  'hacluster reads the journals, and sends it again by hand',
  async () => {
    const dc = await dcOf('n1')
    const words = ['incident', 'export', '--all', `--otlp=${collector.url}`, '--json']
    const become = ['setpriv', '--reuid=hacluster', '--regid=haclient', '--init-groups']
    const { sent } = JSON.parse(await lab.inNode(dc, ...become, 'systole', ...words)) as {
      readonly sent: readonly object[]
    }
    expect(sent).toHaveLength(1)
    expect(collector.received).toHaveLength(2)
  },
)
