import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseXml, printXml, readConfiguration, schemaMistakes, type XmlElement } from '../../src/cib/index.ts'
import { composeHolds, holdsIn, splitHolds, withoutHolds } from '../../src/holds/index.ts'
import { readStatus } from '../../src/status/index.ts'
import { hold } from './hold.ts'

const cib = (version = 'pacemaker-3.9'): XmlElement => {
  const read = parseXml(`<cib validate-with="${version}" epoch="7" num_updates="0" admin_epoch="0">
  <configuration>
    <crm_config/>
    <nodes>
      <node id="1" uname="n1"><instance_attributes id="nodes-1"><nvpair id="nodes-1-rack" name="rack" value="a"/></instance_attributes></node>
      <node id="2" uname="n2"/>
    </nodes>
    <resources>
      <primitive id="web" class="ocf" provider="pacemaker" type="Dummy">
        <meta_attributes id="web-meta_attributes"><nvpair id="web-target" name="target-role" value="Started"/></meta_attributes>
        <operations><op id="web-monitor" name="monitor" interval="10s"/></operations>
      </primitive>
      <group id="g"><primitive id="a" class="ocf" provider="pacemaker" type="Dummy"/></group>
      <clone id="c"><primitive id="b" class="ocf" provider="pacemaker" type="Stateful"/></clone>
      <bundle id="box"><docker image="x"/></bundle>
      <primitive id="far" class="ocf" provider="pacemaker" type="remote"/>
    </resources>
    <constraints/>
  </configuration>
  <status/>
</cib>`)
  if (!read.ok) throw new Error('not XML')
  return read.value
}

const every = [
  hold('drain', { node: 'n1', reason: 'kernel -- update' }),
  hold('standby', { node: 'n2' }),
  hold('maintenance', { node: 'n2' }),
  hold('maintenance', { node: 'far' }),
  ...['web', 'g', 'a', 'c', 'b', 'box'].flatMap((resource) => [
    hold('disable', { resource }),
    hold('maintenance', { resource }),
  ]),
  hold('ban', { resource: 'web', node: 'n1' }),
  hold('prefer', { resource: 'c', node: 'n2', role: 'Promoted' }),
]

test('a CIB with every hold is valid in every schema that it can be written in, also for xmllint', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holds-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  for (const version of ['pacemaker-3.0', 'pacemaker-3.4', 'pacemaker-3.6', 'pacemaker-3.7', 'pacemaker-3.9']) {
    const composed = composeHolds(cib(version), every)
    expect(schemaMistakes(composed)).toEqual(schemaMistakes(cib(version)))
    const file = join(folder, `${version}.xml`)
    writeFileSync(file, printXml(composed))
    execFileSync('xmllint', ['--noout', '--relaxng', `/usr/share/pacemaker/${version}.rng`, file], { stdio: 'pipe' })
  }
})

test('what is composed is taken away whole, and the rest is the same element', () => {
  const before = cib()
  const composed = composeHolds(before, every)
  expect(printXml(withoutHolds(composed))).toBe(printXml(before))
  expect(withoutHolds(before)).toBe(before)
  expect(composeHolds(before, [])).toBe(before)
  expect(splitHolds(composed).held).toHaveLength(every.length)
  expect(printXml(withoutHolds(roundTrip(composed)))).toBe(printXml(before))
})

const roundTrip = (document: XmlElement): XmlElement => {
  const read = parseXml(printXml(document))
  if (!read.ok) throw new Error('not XML')
  return read.value
}

test('a copy of a CIB says of each hold whose it is, since when and why', () => {
  const found = holdsIn(roundTrip(composeHolds(cib(), every)))
  expect(found).toHaveLength(every.length)
  expect(found.find(({ kind }) => kind === 'drain')).toEqual({
    id: 'drain-n1',
    kind: 'drain',
    node: 'n1',
    owner: { kind: 'user', name: 'root', user: 'root', node: 'n1' },
    since: '2026-11-23T14:02:00.000Z',
    reason: 'kernel -- update',
  })
})

describe('what a hold decides', () => {
  const statusOf = (document: XmlElement) =>
    readStatus({ cib: document, configuration: readConfiguration(document), now: 0 })

  test("a drained node is in standby although the operator's own attribute says off", () => {
    const own = roundTrip(cib())
    const written = printXml(own).replace('name="rack" value="a"', 'name="standby" value="off"')
    const read = parseXml(written)
    if (!read.ok) throw new Error('not XML')
    const composed = composeHolds(read.value, [hold('drain', { node: 'n1' })])
    const standby = (document: XmlElement) =>
      statusOf(document)
        .nodes.find(({ name }) => name === 'n1')
        ?.attributes.get('standby')
    expect(standby(composed)).toBe('on')
    expect(standby(read.value)).toBe('off')
  })
})

test('an attribute that a program has put into the set of a hold is kept, in a set of its own', () => {
  const composed = printXml(composeHolds(cib(), [hold('drain', { node: 'n2' })]))
  const edited = composed.replace(
    /(<nvpair id="hold-drain-n2-systole-standby-standby"[^>]*>)/,
    '$1<nvpair id="hold-drain-n2-systole-standby-rack" name="rack" value="b"/>',
  )
  expect(edited).not.toBe(composed)
  const read = parseXml(edited)
  if (!read.ok) throw new Error('not XML')
  expect(printXml(withoutHolds(read.value))).toContain(
    '<instance_attributes id="nodes-2">\n          <nvpair id="nodes-2-rack" name="rack" value="b"/>',
  )
  expect(printXml(withoutHolds(read.value))).not.toContain('hold-')
})

test('an element that somebody else has named like a hold is left alone', () => {
  const written = printXml(cib()).replace(
    '<constraints/>',
    '<constraints><rsc_location id="hold-web-ban" rsc="web" node="n1" score="5"/></constraints>',
  )
  const read = parseXml(written)
  if (!read.ok) throw new Error('not XML')
  expect(withoutHolds(read.value)).toBe(read.value)
})

test('a hold on what is not there has no effect', () => {
  const holds = [
    hold('drain', { node: 'n9' }),
    hold('disable', { resource: 'no' }),
    hold('ban', { resource: 'no', node: 'n1' }),
  ]
  expect(printXml(composeHolds(cib(), holds))).toBe(printXml(cib()))
})

test('a node without attributes gets a set of its own first: programs that set one take the first', () => {
  const composed = composeHolds(cib(), [hold('standby', { node: 'n2' })])
  expect(printXml(composed)).toMatch(
    /uname="n2">\s*<instance_attributes id="nodes-2"\/>\s*<instance_attributes id="hold-/,
  )
})

test('a hold decides over whatever else is written: its set has the highest score', () => {
  const composed = printXml(
    composeHolds(cib(), [hold('standby', { node: 'n2' }), hold('disable', { resource: 'web' })]),
  )
  expect(composed).toContain('<instance_attributes id="hold-standby-n2-systole-standby" score="INFINITY">')
  expect(composed).toContain('<meta_attributes id="hold-disable-web-systole-disable" score="INFINITY">')
})

test('an attribute in the set of a hold stays where the own set was taken away', () => {
  const composed = printXml(composeHolds(cib(), [hold('standby', { node: 'n2' })]))
  const changed = composed
    .replace('<instance_attributes id="nodes-2"/>', '')
    .replace(/(<instance_attributes id="hold-[^>]*>)/, '$1<nvpair id="x" name="rack" value="b"/>')
  const read = parseXml(changed)
  if (!read.ok) throw new Error('not XML')
  const kept = printXml(withoutHolds(read.value))
  expect(kept).toContain('<nvpair id="nodes-2-rack" name="rack" value="b"/>')
  expect(kept).not.toContain('hold-')
})
