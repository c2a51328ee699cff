import { expect, test } from 'vitest'
import { parseXml } from '../../src/cib/index.ts'
import { catalogueOf, checksOf, type Service } from '../../src/services/index.ts'
import { statusOfCib } from '../../src/status/index.ts'

/** What is recorded of a primitive, a promotable clone and their nodes decides which instances are offered. */
interface Recorded {
  readonly web?: string
  readonly n1?: string
  readonly service?: string
  readonly meta?: string
  readonly attributes?: string
  readonly vipOn?: 'n1' | 'n2'
  /** As XML has it. */
  readonly ip?: string
}

const operation = (what: string, code: number, more = ''): string =>
  `<lrm_rsc_op id="web_last_0" operation_key="web_${what}_0" operation="${what}" call-id="5" transition-key="3:1:${what === 'monitor' ? 7 : 0}:00000000-0000-4000-8000-000000000000" rc-code="${code}" op-status="0" interval="0" last-rc-change="1000" ${more}/>`
const monitored = (code: number): string =>
  `<lrm_rsc_op id="web_monitor_10000" operation_key="web_monitor_10000" operation="monitor" call-id="6" transition-key="3:1:0:00000000-0000-4000-8000-000000000000" rc-code="${code}" op-status="0" interval="10000" last-rc-change="1100" exit-reason="${code === 0 ? '' : 'nobody answers'}"/>`
const pending = (what: string): string =>
  `<lrm_rsc_op id="web_last_0" operation_key="web_${what}_0" operation="${what}" call-id="-1" transition-key="3:1:0:00000000-0000-4000-8000-000000000000" rc-code="193" op-status="-1" interval="0"/>`
const running = `${operation('start', 0)}${monitored(0)}`

function servicesOf({
  web = running,
  n1 = 'crmd="online" in_ccm="true" join="member"',
  service = 'port=80',
  ...more
}: Recorded): {
  readonly services: readonly Service[]
  readonly left: unknown
  readonly due: readonly { readonly service: string; readonly node: string }[]
} {
  const history = (id: string, text: string): string =>
    `<lrm_resource id="${id}" class="ocf" provider="pacemaker" type="Dummy">${text}</lrm_resource>`
  const vip = (node: string): string =>
    more.vipOn === node ? history('vip', operation('start', 0).replaceAll('web_', 'vip_')) : ''
  const cib =
    parseXml(`<cib validate-with="pacemaker-3.9" have-quorum="1" crm_feature_set="3.19.0"><configuration><crm_config/>
    <nodes><node id="1" uname="n1"/><node id="2" uname="n2"/></nodes>
    <resources><primitive id="vip" class="ocf" provider="heartbeat" type="IPaddr2">
        <instance_attributes id="v"><nvpair id="v-ip" name="ip" value="${more.ip ?? '10.0.0.100'}"/></instance_attributes></primitive>
      <primitive id="web" class="ocf" provider="pacemaker" type="Dummy">
        <meta_attributes id="m"><nvpair id="m-s" name="systole-service-www" value="${service}"/>${more.meta ?? ''}</meta_attributes>
        <operations><op id="o" name="monitor" interval="10s"/></operations></primitive></resources><constraints/></configuration>
    <status><node_state id="1" uname="n1" ${n1} expected="member"><lrm id="1"><lrm_resources>${history('web', web)}${vip('n1')}</lrm_resources></lrm>
        <transient_attributes id="1"><instance_attributes id="s">${more.attributes ?? ''}</instance_attributes></transient_attributes></node_state>
      <node_state id="2" uname="n2" crmd="online" in_ccm="true" join="member" expected="member"><lrm id="2"><lrm_resources>${vip('n2')}</lrm_resources></lrm></node_state>
    </status></cib>`)
  if (!cib.ok) throw new Error('not XML')
  const status = statusOfCib({ cib: cib.value, now: 2000, utcOffsetAt: () => 0 })
  const catalogue = catalogueOf(status, (node) => (node === 'n1' ? '10.0.0.1' : '10.0.0.2'))
  return { services: catalogue.services, ...checksOf('n1', catalogue, status) }
}

const result = (value: string): string => `<nvpair id="s-1" name="service-www" value="${value}"/>`
const ownCheck = 'port=80 check=tcp'

const cases: readonly (Recorded & { readonly name: string; readonly is: object })[] = [
  {
    name: 'what runs and was found well by its monitor is healthy, at the address of its node',
    is: {
      state: 'healthy',
      node: 'n1',
      address: '10.0.0.1',
      verified: { by: 'monitor', everyMs: 10_000, since: 1100 },
    },
  },
  {
    name: 'an address that would be more than that in a file of a template is offered to nobody',
    service: 'port=80 address=vip',
    vipOn: 'n1',
    ip: '10.0.0.9 check&#10;  external-check command /tmp/mine',
    is: {
      state: 'failing',
      reason:
        "its address '10.0.0.9 check\n  external-check command /tmp/mine' is neither an IP address nor the name of a host",
    },
  },
  {
    name: 'so is one that the service itself says',
    service: 'port=80 address=10::1;{include}',
    is: { state: 'failing' },
  },
  {
    name: 'the name of a host is an address',
    service: 'port=80 address=vip',
    vipOn: 'n1',
    ip: 'vip.example.org',
    is: { state: 'healthy', address: 'vip.example.org' },
  },
  {
    name: 'what failed is the reason while the start after it is under way, and not that start',
    web: `${monitored(7)}${pending('start').replace('call-id="-1"', 'call-id="7"')}`,
    is: { state: 'failing', reason: 'monitor of web has failed: nobody answers' },
  },
  {
    name: 'what has only started is healthy by its start',
    web: operation('start', 0),
    is: { state: 'healthy', verified: { by: 'start', since: 1000 } },
  },
  {
    name: 'what its monitor found failed is failing, with the reason',
    web: `${operation('start', 0)}${monitored(1)}`,
    is: { state: 'failing', reason: 'monitor of web has failed: nobody answers' },
  },
  { name: 'what is being started is starting', web: pending('start'), is: { state: 'starting' } },
  {
    name: 'what is being stopped is offered to nobody any more',
    web: pending('stop'),
    is: { state: 'stopped', reason: 'it is being stopped' },
  },
  { name: 'what has been stopped is stopped', web: operation('stop', 0), is: { state: 'stopped' } },
  { name: 'what was never started is declared', web: operation('monitor', 7), is: { state: 'declared' } },
  {
    name: 'what is disabled is stopped on purpose',
    web: operation('stop', 0),
    meta: '<nvpair id="m-t" name="target-role" value="Stopped"/>',
    is: { state: 'stopped', reason: 'it is disabled' },
  },
  {
    name: 'what a lost node ran is failing',
    n1: 'crmd="offline" in_ccm="false" join="down"',
    is: { state: 'failing', reason: 'n1 is not online' },
  },
  {
    name: 'a check that has not passed yet leaves it starting',
    service: ownCheck,
    is: { state: 'starting', reason: 'its check has not passed yet' },
  },
  {
    name: 'a check that passes makes it healthy',
    service: ownCheck,
    attributes: result('healthy'),
    is: { state: 'healthy', verified: { by: 'check', everyMs: 10_000 } },
  },
  {
    name: 'a check that fails makes it failing',
    service: ownCheck,
    attributes: result('failing: refused'),
    is: { state: 'failing', reason: 'its check fails: refused' },
  },
  {
    name: 'an attribute of its name that no check has written does not make it healthy',
    service: ownCheck,
    attributes: result('gold'),
    is: {
      state: 'failing',
      reason:
        "the node attribute service-www has the value 'gold', which no check has recorded: delete the attribute, or rename the service",
    },
  },
  {
    name: 'a check does not hide that the monitor failed',
    service: ownCheck,
    attributes: result('healthy'),
    web: `${operation('start', 0)}${monitored(1)}`,
    is: { state: 'failing', reason: 'monitor of web has failed: nobody answers' },
  },
  {
    name: 'the address of a virtual IP that runs on the same node',
    service: 'port=80 address=vip',
    vipOn: 'n1',
    is: { state: 'healthy', address: '10.0.0.100' },
  },
  {
    name: 'a virtual IP that runs elsewhere reaches nobody here',
    service: 'port=80 address=vip',
    vipOn: 'n2',
    is: { state: 'failing', reason: 'vip, whose address it has, does not run on n1' },
  },
]

for (const { name, is, ...recorded } of cases)
  test(name, () => expect(servicesOf(recorded).services[0]?.instances).toMatchObject([is]))

test('a node checks what it runs, and takes the results of what is gone away', () => {
  expect(servicesOf({ service: ownCheck }).due).toMatchObject([
    { service: 'www', node: 'n1', address: '10.0.0.1', port: 80 },
  ])
  expect(servicesOf({ service: ownCheck, attributes: result('healthy') }).left).toEqual([])
  const stopped = servicesOf({ service: ownCheck, web: operation('stop', 0), attributes: result('healthy') })
  expect(stopped.due).toEqual([])
  expect(stopped.left).toEqual([{ node: 'n1', attribute: 'service-www' }])
  expect(servicesOf({ attributes: '<nvpair id="s-2" name="service-level" value="gold"/>' }).left).toEqual([])
})
