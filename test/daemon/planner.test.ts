import { expect, test } from 'vitest'
import { parseXml, type XmlElement } from '../../src/cib/index.ts'
import { plan } from '../../src/daemon/planner/plan.ts'

function cibUntil(end: string): XmlElement {
  const parsed = parseXml(`<cib validate-with="pacemaker-4.0" have-quorum="1"><configuration><crm_config/>
    <nodes><node id="1" uname="n1"/></nodes>
    <resources><primitive id="web" class="ocf" provider="heartbeat" type="Dummy"/></resources>
    <constraints><rsc_location id="l" rsc="web"><rule id="r" score="-INFINITY">
      <date_expression id="d" operation="lt" end="${end}"/></rule></rsc_location></constraints>
    </configuration><status/></cib>`)
  if (!parsed.ok) throw new Error(parsed.reports[0]?.message)
  return parsed.value
}

const now = Date.parse('2026-11-20T12:00:00Z') / 1000

test('a plan says when a rule by date will change it', () => {
  expect(plan(cibUntil('2026-11-20T12:05:00Z'), { now, stopEverything: false }).planned.recheckInMs).toBe(300_000)
})

test('a plan that time does not change says nothing of the kind', () => {
  expect(plan(cibUntil('2026-11-20T11:00:00Z'), { now, stopEverything: false }).planned.recheckInMs).toBeUndefined()
})
