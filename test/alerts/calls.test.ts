import { describe, expect, test } from 'vitest'
import { type AlertEvent, callsFor, formatTimestamp } from '../../src/alerts/index.ts'
import { nodeName } from '../../src/base/index.ts'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'

const at = Date.UTC(2026, 10, 3, 4, 5, 6, 789)
const node = nodeName('n1')
const event = {
  node: { at, node, kind: 'node', nodeId: '1', desc: 'lost' },
  fencing: { at, node, kind: 'fencing', task: 'reboot', rc: 0, desc: 'Operation reboot of n1' },
  resource: {
    at,
    node,
    kind: 'resource',
    resource: 'web',
    task: 'monitor',
    intervalMs: 10_000,
    rc: 7,
    targetRc: 0,
    status: 0,
    desc: 'not running',
    execTimeMs: 12,
  },
  attribute: { at, node, kind: 'attribute', name: 'standby', value: 'on' },
} satisfies Record<string, AlertEvent>

function calls(alerts: string, of: AlertEvent, sequence = 5): ReturnType<typeof callsFor> {
  const parsed = parseXml(`<cib><configuration><alerts>${alerts}</alerts></configuration></cib>`)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.reports))
  return callsFor(of, readConfiguration(parsed.value).alerts, {
    version: '3.0.2',
    sequence,
    utcOffsetAt: () => 3600,
    clusterName: 'lab',
  })
}

const pairs = (kind: string, id: string, values: Readonly<Record<string, string>>, rule = ''): string =>
  `<${kind} id="${id}">${rule}${Object.entries(values)
    .map(([name, value]) => `<nvpair id="${id}-${name}" name="${name}" value="${value}"/>`)
    .join('')}</${kind}>`
const meta = (values: Readonly<Record<string, string>>, rule = '', id = 'm'): string =>
  pairs('meta_attributes', id, values, rule)

describe('which alerts are called', () => {
  const cases: readonly { readonly name: string; readonly select: string; readonly kinds: string }[] = [
    { name: 'of everything but attributes, without a word', select: '', kinds: 'node fencing resource' },
    { name: 'the same with an empty selection', select: '<select/>', kinds: 'node fencing resource' },
    { name: 'nodes', select: '<select><select_nodes/></select>', kinds: 'node' },
    {
      name: 'fencing and resources',
      select: '<select><select_fencing/><select_resources/></select>',
      kinds: 'fencing resource',
    },
    { name: 'every attribute', select: '<select><select_attributes/></select>', kinds: 'attribute' },
    {
      name: 'an attribute by its name',
      select: '<select><select_attributes><attribute id="a" name="standby"/></select_attributes></select>',
      kinds: 'attribute',
    },
    {
      name: 'another attribute',
      select: '<select><select_attributes><attribute id="a" name="shutdown"/></select_attributes></select>',
      kinds: '',
    },
  ]
  for (const { name, select, kinds } of cases)
    test(name, () => {
      const called = Object.values(event).filter(
        (of) => calls(`<alert id="a" path="/a">${select}</alert>`, of).length > 0,
      )
      expect(called.map(({ kind }) => kind).join(' ')).toBe(kinds)
    })
})

describe('for whom, and how long', () => {
  const two = (inAlert: string, inFirst: string): string =>
    `<alert id="a" path="/a">${inAlert}<recipient id="r" value="one">${inFirst}</recipient><recipient id="s" value="two"/></alert>`
  const seen = (alerts: string): readonly (readonly [string | undefined, number, string | undefined])[] =>
    calls(alerts, event.node).map(({ environment, timeoutMs }) => [
      environment.CRM_alert_recipient,
      timeoutMs,
      environment.CRM_alert_timestamp,
    ])

  test('one call without recipients, else one for each, with their own values over those of the alert', () => {
    expect(seen('<alert id="a" path="/a"/>')).toEqual([[undefined, 30_000, '05:05:06.789000']])
    const own = meta({ timeout: '5s', 'timestamp-format': '%F' }, '', 'n')
    expect(seen(two(meta({ timeout: '1min', 'timestamp-format': '%H' }), own))).toEqual([
      ['one', 5000, '2026-11-03'],
      ['two', 60_000, '05'],
    ])
  })

  test('a recipient, or the whole alert, is switched off', () => {
    expect(seen(two('', meta({ enabled: 'false' }))).map(([value]) => value)).toEqual(['two'])
    expect(seen(two(meta({ enabled: 'false' }), meta({ enabled: 'true' }, '', 'n')))).toEqual([])
    const only = `<recipient id="r" value="one">${meta({ enabled: 'no' })}</recipient>`
    expect(seen(`<alert id="a" path="/a">${only}</alert>`)).toEqual([])
  })

  test('values under a rule count while it holds', () => {
    const rule = (year: string): string =>
      `<rule id="rule${year}"><date_expression id="d${year}" operation="gt" start="${year}-01-01"/></rule>`
    const alert = (year: string): string => `<alert id="a" path="/a">${meta({ timeout: '7s' }, rule(year))}</alert>`
    expect(seen(alert('2020'))[0]?.[1]).toBe(7000)
    expect(seen(alert('2030'))[0]?.[1]).toBe(30_000)
  })
})

test('the environment is the documented one, and none of it can be forged by an attribute of the alert', () => {
  const forged = pairs('instance_attributes', 'i', {
    ...{ CRM_alert_rc: '0', SYSTOLE_ALERT_ID: '0' },
    ...{ shade: 'dark', 'a=b': 'c' },
  })
  const [call] = calls(`<alert id="a" path="/a">${forged}</alert>`, event.resource)
  const told = Object.fromEntries(
    Object.entries(call?.environment ?? {}).filter(([name]) => !/^CRM_notify_/.test(name)),
  )
  expect(told).toEqual({
    shade: 'dark',
    CRM_alert_kind: 'resource',
    CRM_alert_node: 'n1',
    CRM_alert_node_sequence: '5',
    CRM_alert_version: '3.0.2',
    CRM_alert_timestamp: '05:05:06.789000',
    CRM_alert_timestamp_epoch: String(Math.floor(at / 1000)),
    CRM_alert_timestamp_usec: '789000',
    CRM_alert_rsc: 'web',
    CRM_alert_task: 'monitor',
    CRM_alert_interval: '10000',
    CRM_alert_desc: 'not running',
    CRM_alert_status: '0',
    CRM_alert_rc: '7',
    CRM_alert_target_rc: '0',
    CRM_alert_exec_time: '12',
    SYSTOLE_ALERT_CLUSTER: 'lab',
    SYSTOLE_ALERT_ID: `${at}/resource/n1/web/monitor/10000`,
    SYSTOLE_ALERT_TIMEOUT_MS: '30000',
  })
  const of = (kind: keyof typeof event): Readonly<Record<string, string>> =>
    calls(
      '<alert id="a" path="/a"><select><select_nodes/><select_fencing/><select_attributes/></select></alert>',
      event[kind],
    )[0]?.environment ?? {}
  expect(of('node')).toMatchObject({ CRM_alert_nodeid: '1', CRM_alert_desc: 'lost', CRM_notify_desc: 'lost' })
  expect(of('fencing')).toMatchObject({ CRM_alert_task: 'reboot', CRM_alert_rc: '0' })
  expect(of('attribute')).toMatchObject({ CRM_alert_attribute_name: 'standby', CRM_alert_attribute_value: 'on' })
})

test('a value that no environment can hold is cut', () => {
  const long = { ...event.attribute, value: `a\0b${'x'.repeat(200_000)}` }
  const [call] = calls('<alert id="a" path="/a"><select><select_attributes/></select></alert>', long)
  expect(call?.environment.CRM_alert_attribute_value?.slice(0, 3)).toBe('abx')
  expect(call?.environment.CRM_alert_attribute_value?.length).toBe(32_000)
})

describe('timestamps', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['%Y-%m-%d,%H:%M:%S.%01N', '2026-11-03,05:05:06.7'],
    ['%D %H:%M', '11/03/26 05:05'],
    ['%c', 'Tue Nov  3 05:05:06 2026'],
    ['%s.%N %z %:z', '1793678706.789000000 +0100 +01:00'],
    ['%A %B %-d %j %V %u %I%p %l %^a %% %Q', 'Tuesday November 3 307 45 2 05AM  5 TUE % %Q'],
    ['%U %W %G %g %C %e %k %r %R %h', '44 44 2026 26 20  3  5 05:05:06 AM 05:05 Nov'],
  ]
  for (const [format, expected] of cases)
    test(format, () => expect(formatTimestamp(format, at, () => 3600)).toBe(expected))

  test('the first days of a year belong to the week of their Thursday', () => {
    expect(formatTimestamp('%G-W%V-%u %y', Date.UTC(2027, 0, 1), () => 0)).toBe('2026-W53-5 27')
  })
})

describe('how a call is tried again and left out', () => {
  const one = (values: Readonly<Record<string, string>>, of: AlertEvent) =>
    calls(`<alert id="a" path="/p">${meta(values)}</alert>`, of)[0]

  test('for an hour, and each time, where nothing is configured', () => {
    expect(one({}, event.resource)).toMatchObject({ retryMs: 3_600_000, repeatMs: 0 })
  })

  test('by the meta-attributes retry-for and repeat-interval', () => {
    const call = one({ 'retry-for': '10min', 'repeat-interval': '5min' }, event.resource)
    expect(call).toMatchObject({ retryMs: 600_000, repeatMs: 300_000 })
  })

  test('an operation that ended as before is the same, with another result it is not; nodes and fencing are told each time', () => {
    const { resource } = event
    const later = { ...resource, at: resource.at + 5000, execTimeMs: 99 }
    expect(one({}, later)?.sameness).toBe(one({}, resource)?.sameness)
    expect(one({}, { ...resource, rc: 0 })?.sameness).not.toBe(one({}, resource)?.sameness)
    expect(one({}, event.node)?.sameness).toBeUndefined()
    expect(one({}, event.fencing)?.sameness).toBeUndefined()
  })

  test('the id of an event is the same whoever sends it, and another for another event', () => {
    const idOf = (of: AlertEvent, sequence = 5) =>
      calls('<alert id="a" path="/p"/>', of, sequence)[0]?.environment.SYSTOLE_ALERT_ID
    expect(idOf(event.node, 1)).toBe(idOf(event.node, 9))
    expect(new Set(Object.values(event).map((each) => idOf(each))).size).toBe(Object.keys(event).length)
    expect(calls('<alert id="a" path="/p"/>', event.node)[0]?.environment.SYSTOLE_ALERT_CLUSTER).toBe('lab')
  })
})
