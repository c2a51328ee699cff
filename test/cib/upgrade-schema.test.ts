import { expect, test } from 'vitest'
import { parseXml, printXml, readConfiguration, upgradeSchema, type XmlElement } from '../../src/cib/index.ts'

function cibOf(schema: string, configuration: string): XmlElement {
  const parsed = parseXml(
    `<cib validate-with="${schema}"><configuration>${configuration}</configuration><status/></cib>`,
  )
  if (!parsed.ok) throw new Error('the test has no XML')
  return parsed.value
}

const old = cibOf(
  'pacemaker-2.10',
  `<crm_config><cluster_property_set id="o"><nvpair id="o-1" name="stonith_enabled" value="false"/>
     <nvpair id="o-2" name="default-resource-stickiness" value="7"/></cluster_property_set></crm_config><nodes/>
   <resources><primitive id="w" class="ocf" provider="pacemaker" type="Dummy">
     <operations><op id="w-s" name="start" interval="0" requires="quorum"/></operations></primitive>
     <primitive id="f" class="stonith" type="fence_x"><instance_attributes id="f-i">
     <nvpair id="f-1" name="pcmk_off_cmd" value="reboot"/></instance_attributes></primitive></resources><constraints/>`,
)

test('old names and places become those of today, and what is read stays the same', () => {
  const upgraded = upgradeSchema(old)
  if (!upgraded.ok) throw new Error(upgraded.reports.join())
  const text = printXml(upgraded.value)
  expect(text).toContain('validate-with="pacemaker-3.9"')
  expect(text).toContain('<nvpair id="o-1" name="stonith-enabled" value="false"/>')
  expect(text).toMatch(
    /<rsc_defaults>\s*<meta_attributes [^>]*>\s*<nvpair id="o-2" name="resource-stickiness" value="7"\/>/,
  )
  expect(text).toContain('name="pcmk_off_action" value="reboot"')
  expect(text).toContain('<op id="w-s" name="start" interval="0"/>')
  expect(text).toContain('name="requires" value="quorum"')
})

test('the upgrade changes nothing of what is read', () => {
  const cib = cibOf(
    'pacemaker-2.10',
    printXml(old).replace(/ requires="\w+"|<\/?(cib|configuration)[^>]*>|<status\/>/g, ''),
  )
  const upgraded = upgradeSchema(cib)
  expect(upgraded.ok && readConfiguration(upgraded.value)).toEqual(readConfiguration(cib))
})

test('what is of the newest schema or a later one stays as it is', () => {
  for (const schema of ['pacemaker-3.9', 'pacemaker-3.10', 'pacemaker-4.0']) {
    const cib = cibOf(schema, '<crm_config/>')
    expect(upgradeSchema(cib)).toEqual({ ok: true, value: cib })
  }
})

test('what cannot be carried over is said', () => {
  const reports = (cib: XmlElement): readonly string[] => {
    const outcome = upgradeSchema(cib)
    return outcome.ok ? [] : outcome.reports
  }
  expect(reports(cibOf('none', ''))).toEqual([expect.stringContaining("the schema 'none' cannot be upgraded")])
  const acls = '<acls><acl_user id="u"><read id="r" xpath="/cib"/></acl_user></acls>'
  expect(reports(cibOf('pacemaker-1.2', acls))).toEqual([expect.stringContaining('delete the ACLs first')])
})
