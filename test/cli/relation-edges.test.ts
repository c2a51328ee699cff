/** Constraints and groups as edges between resources. */
import { expect, test } from 'vitest'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import { neighbourhoodOf, relationEdges } from '../../src/cli/facts/relation-edges.ts'

const primitive = (id: string): string => `<primitive id="${id}" class="ocf" provider="pacemaker" type="Dummy"/>`
const set = (id: string, members: readonly string[], more = ''): string =>
  `<resource_set id="${id}"${more}>${members.map((one) => `<resource_ref id="${one}"/>`).join('')}</resource_set>`

const parsed = parseXml(`<cib validate-with="pacemaker-3.9"><configuration><crm_config/><nodes/><resources>
<group id="shop">${['fs', 'ip'].map(primitive).join('')}</group><clone id="ping-clone">${primitive('ping')}</clone>
${['web', 'db', 'a', 'b', 'c', 'd', 'alone'].map(primitive).join('')}</resources><constraints>
<rsc_order id="o1" first="db" then="web"/><rsc_colocation id="c1" rsc="web" with-rsc="shop" score="INFINITY"/>
<rsc_order id="o2">${set('s1', ['a', 'b'])}${set('s2', ['c', 'd'], ' sequential="false"')}</rsc_order>
<rsc_colocation id="c2" score="INFINITY">${set('s3', ['a', 'b'])}</rsc_colocation>
<rsc_location id="l1" rsc="alone" node="n1" score="100"/>
</constraints></configuration><status/></cib>`)
if (!parsed.ok) throw new Error('The CIB cannot be read.')
const { resources, constraints } = readConfiguration(parsed.value)
const edges = relationEdges(resources, constraints)
const drawn = edges.map(({ kind, from, to }) => `${kind} ${from} ${to}`)

test('pairs are from first to then, and from what is placed to what it is placed with', () => {
  expect(drawn).toEqual(expect.arrayContaining(['order db web', 'colocation web shop']))
  expect(edges.find(({ constraint }) => constraint === 'o1')?.text).toMatch(
    /^start resource 'db' then start resource 'web'/,
  )
})

test('groups and clones contain their members', () => {
  expect(drawn).toEqual(expect.arrayContaining(['contains shop fs', 'contains shop ip', 'contains ping-clone ping']))
})

test('sets are in order within, if they are sequential, and one after the other', () => {
  expect(drawn.filter((one) => one.startsWith('order ') && !one.includes('web'))).toEqual([
    'order a b',
    'order b c',
    'order b d',
  ])
  expect(drawn).toContain('colocation b a')
})

test('what is tied to a resource is all that can be reached, the nearest first, within bounds', () => {
  const whole = neighbourhoodOf('db', edges, 60)
  expect(whole.resources).toEqual(['db', 'web', 'shop', 'fs', 'ip'])
  expect(whole.edges).toHaveLength(4)
  expect(neighbourhoodOf('alone', edges, 60)).toEqual({ resources: ['alone'], edges: [], omitted: 0 })
  const cut = neighbourhoodOf('db', edges, 2)
  expect(cut).toMatchObject({ resources: ['db', 'web'], omitted: 3 })
  expect(cut.edges).toHaveLength(1)
})
