import { expect, test } from 'vitest'
import { parseXml, type XmlElement } from '../../src/cib/index.ts'
import { nothingElse, simulateCib, suppose, unknownNodes } from '../../src/scheduler/index.ts'

const member = 'in_ccm="true" crmd="online" join="member" expected="member"'
const cib = read(`<cib have-quorum="1"><configuration>
  <crm_config><cluster_property_set id="o"><nvpair id="o-f" name="fencing-enabled" value="true"/></cluster_property_set></crm_config>
  <nodes><node id="1" uname="n1"/><node id="2" uname="n2"/></nodes>
  <resources>
    <primitive id="f" class="stonith" type="fence_x"/>
    <primitive id="a" class="ocf" provider="heartbeat" type="Dummy"/>
  </resources><constraints/></configuration>
  <status><node_state id="1" uname="n1" ${member}/><node_state id="2" uname="n2" ${member}/></status></cib>`)

function read(text: string): XmlElement {
  const parsed = parseXml(text)
  if (!parsed.ok) throw new Error(parsed.reports[0]?.message)
  return parsed.value
}

const summaryOf = (asked: XmlElement): string =>
  simulateCib({ cib: asked, now: 0, md5: () => '', showScores: false }).summary

test('a node that failed is fenced, and one that left is not', () => {
  expect(summaryOf(suppose(cib, { ...nothingElse, nodesFailed: ['n2'] }))).toContain('Fence (reboot) n2')
  const left = summaryOf(suppose(cib, { ...nothingElse, nodesDown: ['n2'] }))
  expect(left).not.toContain('Fence (reboot)')
  expect(left).toContain('OFFLINE: [ n2 ]')
})

test('a node that is down may be supposed to be up', () => {
  const down = suppose(cib, { ...nothingElse, nodesDown: ['n2'] })
  expect(summaryOf(suppose(down, { ...nothingElse, nodesUp: ['n2'] }))).toContain('Online: [ n1 n2 ]')
})

test('without quorum nothing starts', () => {
  expect(summaryOf(suppose(cib, { ...nothingElse, quorate: false }))).not.toContain('start on')
  expect(summaryOf(cib)).toContain('start on')
})

test('a node that is not there is named', () => {
  expect(unknownNodes(cib, { ...nothingElse, nodesUp: ['n1', 'n9'] })).toEqual(['n9'])
})
