/** Truths of meta-attributes that are none, a connection that has the name of a cluster node, and utilization in the status: read as Pacemaker 3.0.0 reads them. */
import { expect, test } from 'vitest'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import { type ClusterStatus, connectedNodeNames, readStatus, utc } from '../../src/status/index.ts'

const cibOf = (resources: string, history = '') => {
  const state = (id: string, name: string, lrm: string): string =>
    `<node_state id="${id}" uname="${name}" in_ccm="true" crmd="online" join="member" expected="member"><lrm id="${id}"><lrm_resources>${lrm}</lrm_resources></lrm></node_state>`
  const parsed = parseXml(`<cib validate-with="pacemaker-3.9" have-quorum="1"><configuration><crm_config/>
    <nodes><node id="1" uname="n1"/><node id="2" uname="n2"/></nodes><resources>${resources}</resources><constraints/></configuration>
    <status>${state('1', 'n1', history)}${state('2', 'n2', '')}</status></cib>`)
  if (!parsed.ok) throw new Error('bad test')
  return parsed.value
}

function statusOf(resources: string, history?: string): ClusterStatus {
  const cib = cibOf(resources, history)
  return readStatus({ cib, configuration: readConfiguration(cib), now: 0, utcOffsetAt: utc })
}

const withMeta = (name: string, value: string): string =>
  `<primitive id="web" class="ocf" provider="pacemaker" type="Dummy"><meta_attributes id="m"><nvpair id="n" name="${name}" value="${value}"/></meta_attributes></primitive>`

for (const [value, managed] of [
  ['true', true],
  ['Yes', true],
  ['1', true],
  ['false', false],
  ['maybe', false],
  ['', false],
  [' true ', false],
] as const)
  test(`is-managed="${value}": ${managed ? 'managed' : 'left alone'}`, () => {
    expect(statusOf(withMeta('is-managed', value)).resources[0]).toMatchObject({ meta: { managed } })
  })

test('without the attribute the default holds', () => {
  expect(statusOf(withMeta('priority', '1')).resources[0]).toMatchObject({ meta: { managed: true, critical: true } })
  expect(statusOf(withMeta('critical', 'maybe')).resources[0]).toMatchObject({ meta: { critical: false } })
})

const connection = '<primitive id="n2" class="ocf" provider="pacemaker" type="remote"/>'
const orphan =
  '<lrm_resource id="n2" class="ocf" provider="pacemaker" type="remote"><lrm_rsc_op id="n2_last_0" operation_key="n2_start_0" operation="start" transition-key="1:1:0:aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa" transition-magic="0:0;1:1:0:aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa" call-id="1" rc-code="0" op-status="0" interval="0"/></lrm_resource>'

for (const [name, resources, history] of [
  ['configured', connection, ''],
  ['orphaned', '', orphan],
] as const)
  test(`a cluster node stays one, and in, beside a connection of its name: ${name}`, () => {
    const { nodes } = statusOf(resources, history)
    expect(nodes.map((node) => [node.name, node.kind, node.online, node.unclean])).toEqual([
      ['n1', 'member', true, false],
      ['n2', 'member', true, false],
    ])
    expect(connectedNodeNames(readConfiguration(cibOf(resources)))).toEqual([])
  })

test('what a node offers until it restarts counts before what is configured', () => {
  const parsed =
    parseXml(`<cib validate-with="pacemaker-3.9" have-quorum="1"><configuration><crm_config/><nodes><node id="1" uname="n1">
    <utilization id="u"><nvpair id="u-c" name="cpu" value="1"/><nvpair id="u-m" name="memory" value="512"/></utilization></node></nodes>
    <resources/><constraints/></configuration><status><node_state id="1" uname="n1" in_ccm="true" crmd="online" join="member" expected="member">
    <transient_attributes id="1"><utilization id="s"><nvpair id="s-c" name="cpu" value="4"/></utilization></transient_attributes></node_state></status></cib>`)
  if (!parsed.ok) throw new Error('bad test')
  const configuration = readConfiguration(parsed.value)
  const { nodes } = readStatus({ cib: parsed.value, configuration, now: 0, utcOffsetAt: utc })
  expect([...(nodes[0]?.utilization ?? [])]).toEqual([
    ['cpu', 4],
    ['memory', 512],
  ])
})
