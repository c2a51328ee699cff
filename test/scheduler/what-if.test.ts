import { expect, test } from 'vitest'
import { parseXml, printXml, type XmlElement } from '../../src/cib/index.ts'
import { parseOperationSpec, questionMistakes, simulateCib, suppose, type WhatIf } from '../../src/scheduler/index.ts'

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

const summaryOf = (whatIf: WhatIf, asked: XmlElement = cib): string =>
  simulateCib({ cib: asked, whatIf, now: 0, md5: () => '', showScores: false }).summary

test('a node that failed is fenced, and one that left is not', () => {
  expect(summaryOf({ nodesFailed: ['n2'] })).toContain('Fence (reboot) n2')
  const left = summaryOf({ nodesDown: ['n2'] })
  expect(left).not.toContain('Fence (reboot)')
  expect(left).toContain('OFFLINE: [ n2 ]')
})

test('a node that is down may be supposed to be up', () => {
  const down = suppose(cib, { nodesDown: ['n2'] }, { now: 0 }).cib
  expect(summaryOf({ nodesUp: ['n2'] }, down)).toContain('Online: [ n1 n2 ]')
})

test('a node of which the status does not know the name yet may be supposed to be up', () => {
  const nameless = read(
    printXml(cib).replace(/<node_state id="2"[^>]*>/, '<node_state id="2" in_ccm="true" crmd="offline"/>'),
  )
  expect(summaryOf({ nodesUp: ['n2'] }, nameless)).toContain('Online: [ n1 n2 ]')
})

test('what happens to resources is told in columns', () => {
  const summary = summaryOf({ nodesFailed: ['n2'] }, read(printXml(cib).replace('id="a"', 'id="a-long-name"')))
  expect(summary.split('\n').filter((line) => line.includes(' ( '))).toEqual([
    '  * Start      f               (    n1 )',
    '  * Start      a-long-name     (    n1 )',
  ])
})

test('a pending node gets nothing, and a new one is used', () => {
  expect(summaryOf({ nodesPending: ['n2'] })).toContain('Node n2: pending')
  expect(summaryOf({ nodesAdded: ['n3'] })).toContain('Online: [ n1 n2 n3 ]')
})

test('without quorum nothing starts', () => {
  expect(summaryOf({ quorate: false })).not.toContain('start on')
  expect(summaryOf({})).toContain('start on')
})

const specs: readonly (readonly [string, string])[] = [
  ['web_monitor_10000@n1=7', 'web monitor 10000 n1 7'],
  ['web_monitor_10s@n1=7', 'web monitor 10000 n1 7'],
  ['my_db_migrate_to_0@n1=1', 'my_db migrate_to 0 n1 1'],
  ['log:0_start_0@node-1.example.org=5', 'log:0 start 0 node-1.example.org 5'],
  ['web_monitor_10000=7', 'none'],
  ['web_monitor@n1=7', 'none'],
  ['web_monitor_10000@n1', 'none'],
]
for (const [text, means] of specs)
  test(`${text} means ${means}`, () => {
    const spec = parseOperationSpec(text)
    expect(spec ? Object.values(spec).join(' ') : 'none').toBe(means)
  })

const mistakes: readonly { readonly name: string; readonly asked: WhatIf; readonly says: readonly string[] }[] = [
  { name: 'a node that is not there', asked: { nodesUp: ['n1', 'n9'] }, says: ["There is no node 'n9'."] },
  { name: 'a node that is there already', asked: { nodesAdded: ['n1'] }, says: ["There is a node 'n1' already."] },
  {
    name: 'a resource and a node that are not there',
    asked: { results: [{ resource: 'b', operation: 'start', intervalMs: 0, node: 'n7', exitCode: 1 }] },
    says: ["There is no node 'n7'.", "There is no primitive 'b' whose operation could end."],
  },
  { name: 'nothing that is wrong', asked: { nodesUp: ['n1'], nodesFailed: ['n2'] }, says: [] },
]
for (const { name, asked, says } of mistakes)
  test(`the question names ${name}`, () => expect(questionMistakes(cib, asked, { now: 0 })).toEqual(says))
