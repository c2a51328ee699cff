import { expect, test } from 'vitest'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import { panicsWhenFenced } from '../../src/node/options.ts'

const rows = [
  { name: 'fencing-reaction=panic', panics: true },
  { name: 'fence-reaction=panic', panics: true },
  { name: 'fencing-reaction=stop', panics: false },
  { name: 'cluster-name=panic', panics: false },
] as const

test.each(rows)('the cluster counts a node as fenced that lives: $name', ({ name, panics }) => {
  const [option = '', value = ''] = name.split('=')
  const cib = parseXml(
    `<cib><configuration><crm_config><cluster_property_set id="o"><nvpair id="p" name="${option}" value="${value}"/></cluster_property_set></crm_config><nodes/><resources/><constraints/></configuration><status/></cib>`,
  )
  if (!cib.ok) throw new Error('bad test')
  const configuration = readConfiguration(cib.value)
  expect(panicsWhenFenced(configuration, { attributes: { node_fenced: '1' } })).toBe(panics)
  expect(panicsWhenFenced(configuration, { attributes: {} })).toBe(false)
})
