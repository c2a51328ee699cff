import { expect, test } from 'vitest'
import { parseXml, printXml, setNodeAttributes } from '../../src/cib/index.ts'

const parsed = parseXml(
  `<cib><configuration><crm_config/><nodes><node id="1" uname="n1"><instance_attributes id="other"><nvpair id="o-a" name="a" value="1"/></instance_attributes></node></nodes><resources/><constraints/></configuration></cib>`,
)
if (!parsed.ok) throw new Error('The CIB is malformed.')
const cib = parsed.value

test('a new attribute of a node stands in the set that crm_attribute uses, one that is there stays where it is', () => {
  const result = setNodeAttributes(cib, { nodes: ['n1'], values: { a: '2', rack: 'b', row: 'c' }, inOwnSet: true })
  if (!result.ok) throw new Error(JSON.stringify(result))
  const text = printXml(result.value.cib)
  expect(text).toContain('<nvpair id="o-a" name="a" value="2"/>')
  expect(text.match(/<instance_attributes id="[^"]*">/g)).toEqual([
    '<instance_attributes id="other">',
    '<instance_attributes id="nodes-1">',
  ])
  expect(text).toContain('<nvpair id="nodes-1-rack" name="rack" value="b"/>')
  expect(text).toContain('<nvpair id="nodes-1-row" name="row" value="c"/>')
})

test('what is set aside goes into the first set, as pcs does', () => {
  const result = setNodeAttributes(cib, { nodes: ['n1'], values: { standby: 'on' } })
  if (!result.ok) throw new Error(JSON.stringify(result))
  expect(printXml(result.value.cib)).toContain('<nvpair id="other-standby" name="standby" value="on"/>')
})
