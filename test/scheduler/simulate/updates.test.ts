/** The counts are those of crm_simulate 2.1.5 for the same CIB. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { parseXml, printXml, type XmlElement } from '../../../src/cib/index.ts'
import { suppose } from '../../../src/scheduler/index.ts'
import { simulate } from '../../../src/scheduler/simulate/simulate.ts'

const lost = (parts: string): string =>
  `<node_state id="1" uname="n1" in_ccm="false" crmd="offline" join="down" expected="member">${parts}</node_state>`
const history = '<lrm id="1"><lrm_resources/></lrm>'
const attributes =
  '<transient_attributes id="1"><instance_attributes id="t"><nvpair id="t1" name="a" value="1"/></instance_attributes></transient_attributes>'

function updatesAfter(state: string): string | undefined {
  const parsed =
    parseXml(`<cib validate-with="pacemaker-3.7" admin_epoch="0" epoch="1" num_updates="0" have-quorum="1" dc-uuid="2"><configuration>
<crm_config><cluster_property_set id="o"><nvpair id="o1" name="stonith-enabled" value="true"/></cluster_property_set></crm_config>
<nodes><node id="1" uname="n1"/><node id="2" uname="n2"/></nodes><resources><primitive id="f" class="stonith" type="fence_dummy"/></resources><constraints/></configuration>
<status>${state}<node_state id="2" uname="n2" in_ccm="true" crmd="online" join="member" expected="member"><lrm id="2"><lrm_resources/></lrm></node_state></status></cib>`)
  if (!parsed.ok) throw new Error('the test itself is wrong')
  const md5 = (text: string): string => createHash('md5').update(text).digest('hex')
  const simulation = simulate({ cib: parsed.value, now: 1_700_000_000, md5, showScores: false, keepsResult: true })
  return simulation.result().attributes.num_updates
}

/** A probe and a start of the device are an update each, and so is the fencing. */
test.each([
  ['a lost node without history or attributes', '', '3'],
  ['a lost node with history', history, '4'],
  ['a lost node with history and attributes', history + attributes, '5'],
])('the fencing of %s', (_, parts, updates) => expect(updatesAfter(lost(parts))).toBe(updates))

test('the fencing of a node that was never seen makes its state first', () => expect(updatesAfter('')).toBe('4'))

function read(text: string): XmlElement {
  const parsed = parseXml(text)
  if (!parsed.ok) throw new Error('the test itself is wrong')
  return parsed.value
}

const one = (more: string): XmlElement =>
  read(`<cib validate-with="pacemaker-3.7" admin_epoch="0" epoch="1" num_updates="0" have-quorum="1" dc-uuid="2"><configuration>
<crm_config><cluster_property_set id="o"><nvpair id="o1" name="stonith-enabled" value="false"/></cluster_property_set></crm_config>
<nodes><node id="2" uname="n2"/></nodes><resources>${more}<primitive id="d" class="ocf" provider="pacemaker" type="Dummy"/></resources><constraints/></configuration>
<status><node_state id="2" uname="n2" in_ccm="true" crmd="online" join="member" expected="member"><lrm id="2"><lrm_resources/></lrm></node_state></status></cib>`)

/** Its state is made by the first result there, an update of its own beside each of the results. */
test('the first result on a remote node is two updates', () => {
  const remote = '<primitive id="r1" class="ocf" provider="pacemaker" type="remote"/>'
  const constrained = read(
    printXml(one(remote)).replace(
      '<constraints/>',
      '<constraints><rsc_location id="l" rsc="d" node="r1" score="100"/></constraints>',
    ),
  )
  const simulation = simulate({ cib: constrained, now: 0, md5: () => '', showScores: false, keepsResult: true })
  expect(simulation.result().attributes.num_updates).toBe('6')
})

test('a supposition that changes nothing is no update', () => {
  const online = suppose(one(''), { nodesUp: ['n2'] }, { now: 0 }).cib
  expect(online.attributes.num_updates).toBe('1')
  expect(suppose(online, { nodesUp: ['n2'] }, { now: 0 }).cib.attributes.num_updates).toBe('1')
})
