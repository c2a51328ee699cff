/** A connection that is being tried, and is to stop meanwhile: the cluster's stop waits for the start, so the start ends. */
import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { nodeName } from '../../../src/base/index.ts'
import { type Configuration, parseXml, readConfiguration } from '../../../src/cib/index.ts'
import { type ConnectionPorts, RemoteConnection } from '../../../src/daemon/remote/connection.ts'
import { isConnectionWanted } from '../../../src/status/index.ts'

function configured(resources: string): Configuration {
  const xml = `<cib validate-with="pacemaker-3.9"><configuration><crm_config/><nodes/><resources>${resources}</resources><constraints/></configuration><status/></cib>`
  const parsed = parseXml(xml)
  if (!parsed.ok) throw new Error('the test itself is wrong')
  return readConfiguration(parsed.value)
}

const meta = (id: string, values: Readonly<Record<string, string>>, rule = ''): string =>
  `<meta_attributes id="${id}-m">${rule}${Object.entries(values)
    .map(([name, value]) => `<nvpair id="${id}-m-${name}" name="${name}" value="${value}"/>`)
    .join('')}</meta_attributes>`
const connection = (inside = ''): string =>
  `<primitive id="r1" class="ocf" provider="pacemaker" type="remote">${inside}</primitive>`
const machine = (values: Readonly<Record<string, string>>): string =>
  `<primitive id="vm" class="ocf" provider="heartbeat" type="VirtualDomain">${meta('vm', { 'remote-node': 'g1', ...values })}</primitive>`
const bundle = (values: Readonly<Record<string, string>>): string =>
  `<bundle id="web">${meta('web', values)}<podman image="x"/><network control-port="3121"/><primitive id="page" class="ocf" provider="heartbeat" type="nginx"/></bundle>`
const stopped = { 'target-role': 'Stopped' }
const other = `<primitive id="db" class="ocf" provider="pacemaker" type="Dummy">${meta('db', stopped)}</primitive>`

describe('a connection is wanted', () => {
  const cases: readonly (readonly [name: string, resources: string, node: string, wanted: boolean])[] = [
    ['where it is configured', connection(), 'r1', true],
    ['not where it was deleted', '', 'r1', false],
    ['not where it is disabled', connection(meta('r1', stopped)), 'r1', false],
    [
      'where it is disabled by a rule, at times',
      connection(
        meta(
          'r1',
          stopped,
          '<rule id="q" score="0"><date_expression id="e" operation="gt" start="2020-01-01"/></rule>',
        ),
      ),
      'r1',
      true,
    ],
    ['where the machine runs a guest node', machine({}), 'g1', true],
    ['not where the machine is disabled', machine(stopped), 'g1', false],
    [
      'not where the machine runs no guest node any more',
      machine({ 'remote-node': '' }).replaceAll('value=""', 'value="g2"'),
      'g1',
      false,
    ],
    ['where a bundle has the replica', bundle({}), 'web-0', true],
    ['not where the bundle is disabled', bundle(stopped), 'web-0', false],
    ['not where its group is disabled', `<group id="g">${meta('g', stopped)}${connection()}</group>`, 'r1', false],
    ['where another resource is disabled', connection() + other, 'r1', true],
    ['where another member of its group is disabled', `<group id="g">${connection()}${other}</group>`, 'r1', true],
  ]
  for (const [name, resources, node, wanted] of cases)
    test(name, () => expect(isConnectionWanted(configured(resources), nodeName(node))).toBe(wanted))
})

test('a start that gets no answer ends when the connection is deleted, and not before', async () => {
  // A port where nobody listens any more, as of a host that is off.
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const address = silent.address()
  const port = typeof address === 'object' && address ? address.port : 0
  silent.close()
  let typed = configured(connection())
  let looked = 0
  const ports = {
    self: nodeName('n1'),
    log: { info: () => undefined, warn: () => undefined },
    store: () => ({ transaction: async () => ({ applied: true, revision: 7 }) }),
    view: () => {
      looked++
      return { configuration: { typed }, operations: new Map(), nodeStates: new Map() }
    },
    identity: () => ({ authority: '', certificate: '', key: '' }),
  } as unknown as ConnectionPorts
  const events = { onBroken: () => undefined, onLost: () => undefined }
  const tried = new RemoteConnection(ports, { node: 'r1', host: '127.0.0.1', port }, events)
  const begun = performance.now()
  const opened = tried.open(60_000)
  const ended = opened.then(
    () => 'connected',
    (error: Error) => error.message,
  )
  await expect.poll(() => looked, { timeout: 20_000 }).toBeGreaterThan(2)
  typed = configured('')
  expect(await ended).toMatch(/is to stop/)
  expect(performance.now() - begun).toBeLessThan(50_000)
}, 60_000)
