import { describe, expect, test } from 'vitest'
import { parseXml, printXml, type XmlElement } from '../../src/cib/index.ts'
import { changedHolds, composeHolds, describeHold, endsByRemoval, howToEnd } from '../../src/holds/index.ts'
import { hold } from './hold.ts'

const read = (text: string): XmlElement => {
  const parsed = parseXml(text)
  if (!parsed.ok) throw new Error('not XML')
  return parsed.value
}

const cib = read(`<cib validate-with="pacemaker-3.9"><configuration><crm_config/>
<nodes><node id="1" uname="n1"/><node id="2" uname="n2"/></nodes>
<resources><primitive id="web" class="ocf" provider="pacemaker" type="Dummy"/></resources><constraints/></configuration></cib>`)

const held = composeHolds(cib, [
  hold('drain', { node: 'n2', reason: 'kernel update' }),
  hold('prefer', { resource: 'web', node: 'n1' }),
  hold('disable', { resource: 'web' }),
])
const changedBy = (pattern: RegExp | string, by: string): XmlElement => {
  const text = printXml(held)
  const changed = text.replace(pattern, by)
  expect(changed).not.toBe(text)
  return read(changed)
}
const told = (changed: XmlElement) =>
  changedHolds(held, changed).map((one) => [one.hold.id, one.change, endsByRemoval(one)])

describe('what a client has done to what is composed of holds', () => {
  test('nothing, where it is there', () => expect(told(read(printXml(held)))).toEqual([]))
  test('nothing, where an attribute stands beside', () =>
    expect(
      told(
        changedBy('name="standby" value="on"/>', 'name="standby" value="on"/><nvpair id="x" name="rack" value="a"/>'),
      ),
    ).toEqual([]))
  test('a preference that is taken away is released', () =>
    expect(told(changedBy(/<rsc_location id="hold[\s\S]*?<\/rsc_location>/, ''))).toEqual([
      ['prefer-web-n1', 'removed', true],
    ]))
  test('a drain that is taken away is not', () =>
    expect(told(changedBy(/<instance_attributes id="hold[\s\S]*?<\/instance_attributes>/, ''))).toEqual([
      ['drain-n2', 'removed', false],
    ]))
  test('another value is a change', () =>
    expect(told(changedBy('name="standby" value="on"', 'name="standby" value="off"'))).toEqual([
      ['drain-n2', 'changed', false],
    ]))
  test('another score is a change', () =>
    expect(told(changedBy(/(rsc_location[^>]*score=")INFINITY/, '$15'))).toEqual([['prefer-web-n1', 'changed', false]]))
  test('what goes with its resource is none', () =>
    expect(told(changedBy(/<primitive[\s\S]*<\/primitive>/, ''))).toEqual([]))
})

test('a hold in words, with its remedy', () => {
  const drain = hold('drain', { node: 'n2', reason: 'kernel update' })
  expect(describeHold(drain)).toBe('n2 is drained by root since 2026-11-23 14:02:00 UTC: kernel update')
  expect(howToEnd(drain)).toBe('To end it: systole node undrain n2')
  const owner = { kind: 'rollout', name: 'r7', user: 'root', node: 'n1' }
  expect(describeHold(hold('ban', { resource: 'web', node: 'n1', owner }))).toBe(
    'web is kept off n1 by the rollout r7 of root since 2026-11-23 14:02:00 UTC',
  )
})
