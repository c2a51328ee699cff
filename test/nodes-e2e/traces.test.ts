/** Each recovery is sent as a trace, where the cluster has a collector: a real one outside, which is away for a while. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { Collector } from './collector.ts'

const lab = new Lab(['n1'])
const collector = new Collector(lab)
const { received } = collector

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(['n1'])
  await lab.systole('n1', 'property', 'set', 'stonith-enabled=false')
  await lab.systole('n1', 'resource', 'create', 'web', 'ocf:pacemaker:Dummy', 'op', 'monitor', 'interval=1s', '--wait')
  await collector.open()
}, 150_000)
afterAll(async () => {
  await collector.close()
  await lab.close()
}, 60_000)

const log = async (): Promise<string> => await lab.inNode('n1', 'cat', join(lab.folder, 'nodes/n1/systoled.log'))

async function breakService(): Promise<void> {
  const [where = ''] = await lab.whereIs('web', 'n1')
  await lab.inNode(where, 'sh', '-c', 'find /run /var/run -name "Dummy-web.state" -delete')
  await lab.until('the failure was seen and the service recovered', async () => {
    const { resources } = await lab.status('n1')
    return resources.some(({ id, role }) => id === 'web' && role === 'Started')
  })
}

test('an option that is no address of a collector is refused', async () => {
  expect(await lab.try('n1', 'property', 'set', 'trace-collector=collector')).toBeUndefined()
  expect(lab.lastFailure).toMatch(/trace-collector.*http:\/\/collector.example.com:4318/)
})

test('a recovery is sent once it is over, and once', async () => {
  await lab.systole('n1', 'property', 'set', `trace-collector=${collector.url}`)
  await lab.until('the DC knows from where on', async () =>
    (await log()).includes('recoveries are sent as traces from now on'),
  )
  await breakService()
  await lab.until('the trace has come', async () => await Promise.resolve(received.length > 0), 120_000)
  expect(received).toHaveLength(1)
  expect(received[0]).toMatch(/"name":"recovery: web: monitor/)
  expect(received[0]).toMatch(/"name":"start: web on n[12]"/)
}, 180_000)

test('a collector that is away does no harm, and gets what it has missed when it is back', async () => {
  await collector.close()
  await breakService()
  await lab.until(
    'the DC says that it cannot be reached',
    async () => /cannot be reached.*recoveries cannot be sent as traces/.test(await log()),
    120_000,
  )
  await collector.open()
  await lab.until('the trace has come', async () => await Promise.resolve(received.length > 1), 120_000)
  expect(received).toHaveLength(2)
  const ids = received.map((line) => /"traceId":"([^"]+)"/.exec(line)?.[1])
  expect(new Set(ids).size).toBe(2)
  await lab.systole('n1', 'property', 'set', 'trace-collector=')
  await lab.until('nothing of it is left', async () =>
    (await log()).includes('recoveries are no longer sent as traces'),
  )
  // And by hand, all of them or those after one.
  const sendAll = async (...words: readonly string[]): Promise<{ readonly sent: readonly { readonly id: string }[] }> =>
    JSON.parse(await lab.systole('n1', 'incident', 'export', '--all', `--otlp=${collector.url}`, ...words, '--json'))
  const { sent } = await sendAll()
  expect(sent.length).toBeGreaterThanOrEqual(2)
  expect((await sendAll(`--after=${sent[0]?.id ?? ''}`)).sent).toEqual(sent.slice(1))
  expect(await lab.systole('n1', 'incident', 'export', '--all', '--after=i999999999', `--otlp=${collector.url}`)).toBe(
    'No incident to send.\n',
  )
}, 300_000)
