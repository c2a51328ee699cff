import { expect, test } from 'vitest'
import {
  parseXml,
  printXml,
  readConfiguration,
  schemaMistakes,
  upgradeSchema,
  upgradeToNewest,
  validateCib,
  type XmlElement,
} from '../../src/cib/index.ts'

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
})

test('permissions of a user become those of a role that only this user has', () => {
  const acls = `<acls><acl_user id="u"><read id="r" tag="nvpair" attribute="value"/></acl_user>
    <acl_user id="v"><role_ref id="o"/></acl_user><acl_role id="o"><deny id="d" ref="w"/><write id="x" xpath="/cib"/></acl_role></acls>`
  const upgraded = upgradeSchema(cibOf('pacemaker-1.2', `<crm_config/><nodes/><resources/><constraints/>${acls}`))
  if (!upgraded.ok) throw new Error(upgraded.reports.join())
  expect(printXml(upgraded.value).replace(/>\s+</g, '><')).toContain(
    '<acls><acl_target id="u"><role id="auto-u"/></acl_target>' +
      '<acl_role id="auto-u"><acl_permission id="r" kind="read" object-type="nvpair" attribute="value"/></acl_role>' +
      '<acl_target id="v"><role id="o"/></acl_target>' +
      '<acl_role id="o"><acl_permission id="d" kind="deny" reference="w"/><acl_permission id="x" kind="write" xpath="/cib"/></acl_role></acls>',
  )
})

test('what an operation requires is a matter of its resource, also where a set of the operation says it', () => {
  const requires = (id: string, value: string): string =>
    `<instance_attributes id="${id}"><nvpair id="${id}-r" name="requires" value="${value}"/></instance_attributes>`
  const text = newest(
    sections(
      '',
      `<primitive id="a" class="ocf" provider="p" type="D"><operations><op id="m" name="monitor" interval="1s">${requires('i', 'x')}</op>
         <op id="s" name="start" interval="0">${requires('j', 'quorum')}</op></operations><instance_attributes id-ref="i"/></primitive>`,
    ),
    'pacemaker-2.10',
  ).replace(/>\s+</g, '><')
  expect(text).toContain('<op id="m" name="monitor" interval="1s"/><op id="s" name="start" interval="0"/>')
  expect(text).toContain('<nvpair id="s-requires-value" name="requires" value="quorum"/>')
  expect(text).toContain(
    '<instance_attributes id="_cibtr-2_i"><nvpair id="__cibtr-2_i__i-r" name="requires" value="x"/></instance_attributes>',
  )
})

const newest = (configuration: string, schema = 'pacemaker-3.9'): string => {
  const upgraded = upgradeToNewest(cibOf(schema, configuration))
  if (!upgraded.ok) return upgraded.reports.join()
  expect(schemaMistakes(upgraded.value.cib)).toEqual([])
  return printXml(upgraded.value.cib)
}
const sections = (options: string, resources: string, constraints = '', more = ''): string =>
  `<crm_config>${options}</crm_config><nodes><node id="1" uname="n1"/></nodes><resources>${resources}</resources>
   <constraints>${constraints}</constraints>${more}`
const dummy = (id: string): string => `<primitive id="${id}" class="ocf" provider="pacemaker" type="Dummy"/>`
const options = (...pairs: readonly string[]): string =>
  `<cluster_property_set id="o">${pairs
    .map((pair, index) => `<nvpair id="o${index}" name="${pair.split('=')[0]}" value="${pair.split('=')[1]}"/>`)
    .join('')}</cluster_property_set>`

test('the newest schema is 4.0, and what needs no other words keeps its own', () => {
  const resources = `<clone id="c"><meta_attributes id="m"><nvpair id="m1" name="master-max" value="1"/></meta_attributes>${dummy('a')}</clone>`
  const kept = sections(
    options('concurrent-fencing=true'),
    resources,
    '<rsc_location id="l" rsc="c" role="Master" node="n1" score="1"/>',
  )
  const text = newest(kept)
  expect(text).toContain('validate-with="pacemaker-4.0"')
  expect(text.replace('pacemaker-4.0', 'pacemaker-3.9')).toBe(printXml(cibOf('pacemaker-3.9', kept)))
  expect(newest(kept, 'pacemaker-4.0')).toBe(text)
})

test('options of old names get their new ones, and the first of two counts', () => {
  const text = newest(
    sections(
      options(
        'crmd-integration-timeout=3min',
        'join-integration-timeout=5min',
        'stonith-action=poweroff',
        'remove-after-stop=1',
      ),
      '',
    ),
  )
  expect(text).toContain('<nvpair id="o0" name="join-integration-timeout" value="3min"/>')
  expect(text).toContain('<nvpair id="o2" name="stonith-action" value="off"/>')
  expect(text).not.toMatch(/5min|remove-after-stop/)
})

test('names of meta-attributes that nothing reads go, each where it stood', () => {
  const pairs = (id: string): string =>
    ['restart-type', 'can_fail', 'x'].map((name) => `<nvpair id="${id}-${name}" name="${name}" value="1"/>`).join('')
  const primitive = `<primitive id="a" class="ocf" provider="pacemaker" type="Dummy"><meta_attributes id="m">${pairs('m')}<nvpair id="e" name="empty"/></meta_attributes>
    <operations><op id="p" name="monitor" interval="1"><meta_attributes id="q">${pairs('q')}</meta_attributes></op></operations></primitive>`
  const text = newest(sections('', primitive))
  expect(text).toMatch(/id="m-can_fail"[\s\S]*id="q-restart-type"/)
  expect(text).not.toMatch(/id="m-restart-type"|id="q-can_fail"|name="empty"/)
})

test('a pair that stands for another under its own name becomes a pair', () => {
  const set = (id: string, inner: string): string =>
    `<primitive id="${id}" class="ocf" provider="pacemaker" type="Dummy"><instance_attributes id="${id}-i">${inner}</instance_attributes></primitive>`
  const reference = '<nvpair id-ref="x1" name="y"/>'
  const text = newest(
    sections('', set('a', '<nvpair id="x1" name="x" value="7"/>') + set('b', reference) + set('c', reference)),
  )
  expect(text).toContain('<nvpair id="pcmk__3_10_upgrade-x1-y" name="y" value="7"/>')
  expect(text).toContain('<nvpair id-ref="pcmk__3_10_upgrade-x1-y"/>')
})

test('resources of Nagios and Upstart and bundles of rkt go with all that names them', () => {
  const gone = `<primitive id="n" class="nagios" type="c"><meta_attributes id="nm"><nvpair id="nm1" name="priority" value="1"/></meta_attributes></primitive>
    <group id="g"><primitive id="u" class="upstart" type="c"/></group><bundle id="b"><rkt image="x"/></bundle>`
  const kept = `<primitive id="a" class="ocf" provider="pacemaker" type="Dummy"><meta_attributes id-ref="nm"/></primitive>`
  const constraints = `<rsc_location id="ln" rsc="n" node="n1" score="1"/><rsc_order id="og" first="g" then="a"/><rsc_location id="la" rsc="a" node="n1" score="1"/>
    <rsc_order id="os"><resource_set id="s1"><resource_ref id="b"/></resource_set><resource_set id="s2"><resource_ref id="a"/><resource_ref id="u"/></resource_set></rsc_order>`
  const acls = '<acls><acl_role id="r"><acl_permission id="p" kind="read" reference="ln"/></acl_role></acls>'
  const text = newest(sections('', gone + kept, constraints, acls))
  expect(text).not.toMatch(/nagios|upstart|rkt|id="ln"|id="og"|id="s1"|resource_ref id="u"/)
  expect(text).toMatch(/<primitive id="a"[\s\S]*<meta_attributes id="nm">[\s\S]*name="priority"/)
  expect(text).toMatch(/id="la"[\s\S]*id="s2"/)
  expect(text).toContain('<acl_permission id="p" kind="read" xpath="/*[false()]"/>')
})

test('a master is a promotable clone, and masters of a bundle are promoted-max', () => {
  const text = newest(
    sections('', `<master id="ms">${dummy('a')}</master><bundle id="b"><docker image="x" masters="2"/></bundle>`),
  )
  expect(text).toMatch(
    /<clone id="ms">\s*<meta_attributes id="pcmk__3_10_upgrade-promotable-legacy-ms-meta_attributes" score="INFINITY">/,
  )
  expect(text).toContain('<docker image="x" promoted-max="2"/>')
})

const lifetime =
  '<lifetime><rule id="lr" score="5"><date_expression id="le" operation="gt" start="2020-01-01"/></rule></lifetime>'

test('a lifetime becomes a part of the rule, whose score goes on counting', () => {
  const text = newest(
    sections('', dummy('a'), `<rsc_location id="l" rsc="a" node="n1" score="7">${lifetime}</rsc_location>`),
  )
  expect(text).toContain('<rule id="pcmk__3_10_upgrade-l-lifetime-and-rule" boolean-op="and" score="7">')
  expect(text).toContain('<rule id="pcmk__3_10_upgrade-l-node-score-rule" score="7">')
  expect(text).toMatch(/attribute="#uname" operation="eq" value="n1"[\s\S]*<rule id="lr" score="5">/)
  expect(text).not.toContain('<lifetime>')
})

test('a constraint of several rules becomes several, and a permission for it covers all', () => {
  const rule = (id: string, score: number): string =>
    `<rule id="${id}" score="${score}"><expression id="${id}-e" attribute="x" operation="defined"/></rule>`
  const constraint = `<rsc_location id="l" rsc="a">${rule('r1', 1)}${rule('r2', 2)}${lifetime}</rsc_location>`
  const acls = '<acls><acl_role id="r"><acl_permission id="p" kind="read" reference="l"/></acl_role></acls>'
  const text = newest(sections('', dummy('a'), constraint, acls))
  expect(text).toMatch(
    /<rsc_location id="pcmk__3_10_upgrade-l-1" rsc="a">[\s\S]*score="1"[\s\S]*<rsc_location id="pcmk__3_10_upgrade-l-2" rsc="a">/,
  )
  expect(text).toContain('<rule id-ref="lr"/>')
  expect(text).toContain(`xpath="//*[@id = 'pcmk__3_10_upgrade-l-1' or @id = 'pcmk__3_10_upgrade-l-2']"`)
})

test('moon, levels beyond nine and ping nodes are not in the schema 4.0', () => {
  const device = '<primitive id="f" class="stonith" type="fence_x"/>'
  const location = `<rsc_location id="l" rsc="f"><rule id="r" score="1"><date_expression id="e" operation="date_spec"><date_spec id="s" moon="4" hours="3"/></date_expression></rule></rsc_location>`
  const level = (index: number): string => `<fencing-level id="f${index}" target="n1" index="${index}" devices="f"/>`
  const text = newest(
    sections('', device, location, `<fencing-topology>${level(9)}${level(10)}</fencing-topology>`).replace(
      '</nodes>',
      '<node id="2" uname="n2" type="ping"/></nodes>',
    ),
  )
  expect(text).toContain('<date_spec id="s" hours="3"/>')
  expect(text).toMatch(/index="9"/)
  expect(text).not.toMatch(/index="10"/)
  expect(text).toContain('<node id="2" uname="n2" type="member"/>')
  expect(text).toMatch(/rsc-pattern="\.\*" node="n2" score="-INFINITY" resource-discovery="never"/)
})

test('what the schema 4.0 cannot say stays in the last one before it', () => {
  const template = sections('', '<template id="t" class="nagios" type="x"/><primitive id="a" template="t"/>')
  const timed = sections('', dummy('a') + dummy('b'), `<rsc_order id="o" first="a" then="b">${lifetime}</rsc_order>`)
  expect(newest(template)).toContain('validate-with="pacemaker-3.10"')
  expect(newest(timed)).toMatch(/validate-with="pacemaker-3\.10"[\s\S]*<lifetime>/)
  expect(newest(timed, 'pacemaker-3.10')).toContain('an order has a lifetime, without which it would hold for ever')
})

test('an upgrade from 2.x takes what the schemas 3.x forbid with it', () => {
  const text = newest(
    sections(
      options('expected-quorum-votes=2', 'stonith-enabled=false'),
      dummy('a') + dummy('b'),
      '<rsc_colocation id="c" rsc="a" with-rsc="b" score-attribute="x"/>',
    ).replace('uname="n1"', 'uname="n1" type="normal"'),
    'pacemaker-2.10',
  )
  expect(text).toContain('<rsc_colocation id="c" rsc="a" with-rsc="b"/>')
  expect(text).toContain('<node id="1" uname="n1" type="member"/>')
  expect(text).not.toContain('expected-quorum-votes')
})

test('yearsdays, a slip of the schemas, may be written and has no effect', () => {
  const rule = `<rsc_location id="l" rsc="a"><rule id="r" score="1"><date_expression id="e" operation="date_spec"><date_spec id="s" yearsdays="4"/></date_expression></rule></rsc_location>`
  const cib = cibOf('pacemaker-3.2', sections('', dummy('a'), rule))
  expect(schemaMistakes(cib)).toEqual([])
  expect(validateCib(cib)).toEqual([
    expect.objectContaining({ severity: 'warning', code: 'without-effect', name: 'yearsdays' }),
  ])
})
