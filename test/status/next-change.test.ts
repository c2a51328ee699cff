import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/random.ts'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import { readStatus, type UtcOffsetAt, utc } from '../../src/status/index.ts'
import { matchesDateSpec, nextDateSpecChange } from '../../src/status/rules/date-spec.ts'

const now = '2026-11-20T12:00:00Z' // a Friday

interface Parts {
  readonly options?: string
  readonly resource?: string
  readonly constraints?: string
  readonly defaults?: string
  readonly nodeAttributes?: string
  readonly state?: string
}

function nextChange(parts: Parts, utcOffsetAt: UtcOffsetAt = utc): string {
  const state = `<node_state id="1" uname="n1" in_ccm="true" crmd="online" join="member" expected="member">${parts.state ?? ''}</node_state>`
  const parsed = parseXml(`<cib validate-with="pacemaker-4.0" have-quorum="1"><configuration>
    <crm_config>${parts.options ?? ''}</crm_config>
    <nodes><node id="1" uname="n1">${parts.nodeAttributes ?? ''}</node></nodes>
    <resources><primitive id="web" class="ocf" provider="heartbeat" type="Dummy">${parts.resource ?? ''}</primitive></resources>
    <constraints>${parts.constraints ?? ''}</constraints>${parts.defaults ?? ''}</configuration><status>${state}</status></cib>`)
  if (!parsed.ok) throw new Error(parsed.reports[0]?.message)
  const cib = parsed.value
  const status = readStatus({ cib, configuration: readConfiguration(cib), now: Date.parse(now) / 1000, utcOffsetAt })
  expect(status.recheckAt).toBe(status.nextChange?.at)
  if (status.nextChange === undefined) return 'never'
  return `${new Date(status.nextChange.at * 1000).toISOString().slice(0, 19)} ${status.nextChange.because.join('; ')}`
}

const rule = (id: string, condition: string): string => `<rule id="${id}" score="INFINITY">${condition}</rule>`
const date = (attributes: string, inner = ''): string =>
  rule('r', `<date_expression id="d" ${attributes}>${inner}</date_expression>`)
const spec = (attributes: string): string => date('operation="date_spec"', `<date_spec id="s" ${attributes}/>`)
const location = (of: string): Parts => ({ constraints: `<rsc_location id="l" rsc="web">${of}</rsc_location>` })
const answer = 'rule r gives another answer'

const moments: readonly { readonly name: string; readonly parts: Parts; readonly next: string }[] = [
  {
    name: 'gt: a second after the start',
    parts: location(date('operation="gt" start="2026-11-20 13:00Z"')),
    next: `2026-11-20T13:00:01 ${answer}`,
  },
  { name: 'gt that is past: never', parts: location(date('operation="gt" start="2026-11-20 11:00Z"')), next: 'never' },
  {
    name: 'lt: at the end',
    parts: location(date('operation="lt" end="2026-11-20 13:00Z"')),
    next: `2026-11-20T13:00:00 ${answer}`,
  },
  {
    name: 'in_range that is ahead: at its start',
    parts: location(date('operation="in_range" start="2026-11-21" end="2026-11-22"')),
    next: `2026-11-21T00:00:00 ${answer}`,
  },
  {
    name: 'in_range that holds: a second after its end',
    parts: location(date('operation="in_range" start="2026-11-19" end="2026-11-22"')),
    next: `2026-11-22T00:00:01 ${answer}`,
  },
  {
    name: 'in_range with a duration',
    parts: location(
      date('operation="in_range" start="2026-11-20 11:30Z"', '<duration id="u" hours="1" minutes="15"/>'),
    ),
    next: `2026-11-20T12:45:01 ${answer}`,
  },
  {
    name: 'a duration of a month',
    parts: location(date('operation="in_range" start="2026-10-31"', '<duration id="u" months="1"/>')),
    next: `2026-11-30T00:00:01 ${answer}`,
  },
  {
    name: 'working hours end',
    parts: location(spec('hours="9-16" weekdays="1-5"')),
    next: `2026-11-20T17:00:00 ${answer}`,
  },
  { name: 'the weekend begins', parts: location(spec('weekdays="6-7"')), next: `2026-11-21T00:00:00 ${answer}` },
  { name: 'a year begins', parts: location(spec('years="2027-"')), next: `2027-01-01T00:00:00 ${answer}` },
  { name: 'a minute of each hour', parts: location(spec('minutes="30"')), next: `2026-11-20T12:30:00 ${answer}` },
  { name: 'every second of the day: never', parts: location(spec('hours="0-23" seconds="0-99999999"')), next: 'never' },
  { name: 'a second that no minute has: never', parts: location(spec('seconds="75"')), next: 'never' },
  { name: 'a range that ends before it begins: never', parts: location(spec('seconds="50-10"')), next: 'never' },
  {
    name: 'every minute of some hours: when these begin',
    parts: location(spec('hours="14-15" minutes="0-59" seconds="0-"')),
    next: `2026-11-20T14:00:00 ${answer}`,
  },
  { name: 'a pattern that is past for good: never', parts: location(spec('years="2020"')), next: 'never' },
  {
    name: 'the earliest of several, however deep',
    parts: location(
      rule(
        'outer',
        `<rule id="inner" boolean-op="or" score="0"><date_expression id="a" operation="lt" end="2026-11-25"/><date_expression id="b" operation="lt" end="2026-11-24"/></rule>`,
      ),
    ),
    next: '2026-11-24T00:00:00 rule outer gives another answer',
  },
  {
    name: 'a cluster option',
    parts: {
      options: `<cluster_property_set id="o">${date('operation="lt" end="2026-12-01"')}</cluster_property_set>`,
    },
    next: `2026-12-01T00:00:00 ${answer}`,
  },
  {
    name: 'a resource default',
    parts: {
      defaults: `<rsc_defaults><meta_attributes id="m">${spec('hours="20-"')}</meta_attributes></rsc_defaults>`,
    },
    next: `2026-11-20T20:00:00 ${answer}`,
  },
  {
    name: 'an operation default',
    parts: { defaults: `<op_defaults><meta_attributes id="m">${spec('hours="21-"')}</meta_attributes></op_defaults>` },
    next: `2026-11-20T21:00:00 ${answer}`,
  },
  {
    name: 'a parameter',
    parts: { resource: `<instance_attributes id="i">${spec('hours="22"')}</instance_attributes>` },
    next: `2026-11-20T22:00:00 ${answer}`,
  },
  {
    name: 'an option of an operation',
    parts: {
      resource: `<operations><op id="o" name="monitor" interval="10"><meta_attributes id="m">${spec('hours="23"')}</meta_attributes></op></operations>`,
    },
    next: `2026-11-20T23:00:00 ${answer}`,
  },
  {
    name: 'a node attribute',
    parts: { nodeAttributes: `<instance_attributes id="n">${spec('hours="18"')}</instance_attributes>` },
    next: `2026-11-20T18:00:00 ${answer}`,
  },
  {
    name: 'the lifetime of a ban',
    parts: {
      constraints: `<rsc_location id="l" rsc="web" node="n1" score="-INFINITY"><lifetime>${date('operation="lt" end="2026-11-20 12:10Z"')}</lifetime></rsc_location>`,
    },
    next: `2026-11-20T12:10:00 ${answer}`,
  },
  {
    name: 'a failure expires',
    parts: {
      resource: '<meta_attributes id="m"><nvpair id="t" name="failure-timeout" value="10min"/></meta_attributes>',
      state: `<transient_attributes id="1"><instance_attributes id="x"><nvpair id="c" name="fail-count-web#monitor_10000" value="1"/><nvpair id="e" name="last-failure-web#monitor_10000" value="${Date.parse('2026-11-20T11:55:00Z') / 1000}"/></instance_attributes></transient_attributes>`,
    },
    next: '2026-11-20T12:05:01 failure-timeout of web on n1 ends',
  },
  {
    name: 'rules about other things than time: never',
    parts: location(rule('r', '<expression id="e" attribute="#uname" operation="eq" value="n1"/>')),
    next: 'never',
  },
]

describe('when time alone next changes the answer', () => {
  for (const { name, parts, next } of moments) test(name, () => expect(nextChange(parts)).toBe(next))

  test('hours are those of the zone', () => {
    expect(nextChange(location(spec('hours="9-16"')), () => 3600)).toBe(`2026-11-20T16:00:00 ${answer}`)
  })
})

/** Compared with looking minute by minute. */
describe('the next change of a calendar pattern is the first one', () => {
  const span = 40 * 1440
  const begin = Math.floor(Date.parse('2026-02-20T10:17:00Z') / 60_000) * 60
  const zone = { now: begin, utcOffsetAt: utc }
  const random = seededRandom(7)
  const draw = (from: number, to: number): number => from + Math.floor(random() * (to - from + 1))
  const range = (from: number, to: number): string => {
    const [a, b] = [draw(from, to), draw(from, to)]
    return [`${a}`, `${Math.min(a, b)}-${Math.max(a, b)}`, `${a}-`][draw(0, 2)] ?? `${a}`
  }
  const fields: Readonly<Record<string, () => string>> = {
    months: () => range(1, 4),
    monthdays: () => range(1, 31),
    weekdays: () => range(1, 7),
    weeks: () => range(7, 14),
    hours: () => range(0, 23),
    minutes: () => range(0, 59),
  }
  for (let round = 0; round < 40; round++) {
    const pattern = Object.fromEntries(
      Object.entries(fields).flatMap(([name, value]) => (draw(0, 2) === 0 ? [[name, value()]] : [])),
    )
    test(JSON.stringify(pattern), () => {
      const holds = matchesDateSpec(pattern, begin, zone)
      let minute = 1
      while (minute < span && matchesDateSpec(pattern, begin + minute * 60, zone) === holds) minute++
      const next = nextDateSpecChange(pattern, zone)
      if (minute < span) expect(next).toBe(begin + minute * 60)
      else expect(next ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(begin + span * 60)
    })
  }
})
