/** `config --output-format cmd` prints commands that make the same configuration again. `npm run round-trip` does it for all cases. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { childElement, parseXml, sameConfiguration, type XmlElement } from '../../src/cib/index.ts'
import { roundTrip } from './round-trip.ts'

function cibOf(text: string): XmlElement {
  const parsed = parseXml(text)
  if (!parsed.ok) throw new Error('The test has a CIB that is no XML.')
  return parsed.value
}

const everything = cibOf(`<cib validate-with="pacemaker-3.9" epoch="1" num_updates="0" admin_epoch="0"><configuration>
  <crm_config><cluster_property_set id="cib-bootstrap-options"><nvpair id="p1" name="no-quorum-policy" value="freeze"/></cluster_property_set></crm_config>
  <nodes><node id="1" uname="n1"><instance_attributes id="na"><nvpair id="na-1" name="rack" value="a b"/></instance_attributes><utilization id="nu"><nvpair id="nu-1" name="cpu" value="4"/></utilization></node><node id="2" uname="n2"/></nodes>
  <resources>
    <group id="g"><meta_attributes id="g-m"><nvpair id="g-m-1" name="priority" value="5"/></meta_attributes>
      <primitive id="ip" class="ocf" provider="heartbeat" type="IPaddr2"><instance_attributes id="ip-i"><nvpair id="ip-i-1" name="ip" value="10.0.0.1"/></instance_attributes><operations><op id="ip-monitor" name="monitor" interval="7s" timeout="20s" on-fail="standby"/></operations></primitive>
      <primitive id="web" class="systemd" type="nginx"><utilization id="web-u"><nvpair id="web-u-1" name="cpu" value="1"/></utilization></primitive></group>
    <clone id="db-master"><meta_attributes id="db-m"><nvpair id="db-m-1" name="promotable" value="true"/><nvpair id="db-m-2" name="promoted-max" value="1"/></meta_attributes>
      <primitive id="db" class="ocf" provider="heartbeat" type="pgsql" description="It's the &quot;main&quot; one"><operations><op id="db-m10" name="monitor" interval="10s" role="Promoted"><instance_attributes id="db-m10-i"><nvpair id="db-m10-i-1" name="OCF_CHECK_LEVEL" value="10"/></instance_attributes></op></operations></primitive></clone>
    <bundle id="b"><podman image="img" replicas="2"/><network ip-range-start="10.0.0.9"><port-mapping id="b-p" port="80"/></network><storage><storage-mapping id="b-s" source-dir="/a" target-dir="/b" options="rw"/></storage><primitive id="in" class="ocf" provider="heartbeat" type="Dummy"/></bundle>
    <primitive id="fence" class="stonith" type="fence_ipmilan"><instance_attributes id="fence-i"><nvpair id="fence-i-1" name="password" value="se$cret"/></instance_attributes></primitive>
  </resources>
  <constraints>
    <rsc_location id="l1" rsc="g" node="n1" score="100" resource-discovery="never"/>
    <rsc_location id="l2" rsc="db-master"><rule id="l2-r" score="-INFINITY" role="Promoted" boolean-op="or"><expression id="l2-e1" attribute="rack" operation="eq" value="a"/><expression id="l2-e2" attribute="gpu" operation="not_defined"/></rule></rsc_location>
    <rsc_location id="l3" rsc-pattern="w.*" node="n2" score="-INFINITY"/>
    <rsc_colocation id="c1" rsc="g" with-rsc="db-master" with-rsc-role="Promoted" score="INFINITY" influence="false"/>
    <rsc_colocation id="c2" score="5"><resource_set id="c2-1" sequential="false"><resource_ref id="g"/><resource_ref id="b"/></resource_set></rsc_colocation>
    <rsc_order id="o1" first="db-master" first-action="promote" then="g" then-action="start" kind="Optional"/>
    <rsc_order id="o2" symmetrical="false"><resource_set id="o2-1" action="start"><resource_ref id="g"/></resource_set><resource_set id="o2-2"><resource_ref id="b"/></resource_set></rsc_order>
    <rsc_ticket id="t1" rsc="g" ticket="T" loss-policy="stop"/>
  </constraints>
  <tags><tag id="all"><obj_ref id="g"/><obj_ref id="b"/></tag></tags>
  <acls><acl_role id="r" description="reads"><acl_permission id="r-1" kind="read" xpath="/cib"/><acl_permission id="r-2" kind="write" reference="web"/></acl_role><acl_target id="joe"><role id="r"/></acl_target><acl_group id="ops"/></acls>
  <fencing-topology><fencing-level id="fl" target="n1" index="1" devices="fence"/></fencing-topology>
  <rsc_defaults><meta_attributes id="rd" score="3"><rule id="rd-r" score="INFINITY"><rsc_expression id="rd-e" class="ocf" type="IPaddr2"/></rule><nvpair id="rd-1" name="resource-stickiness" value="7"/></meta_attributes></rsc_defaults>
  <op_defaults><meta_attributes id="od"><rule id="od-r" score="INFINITY"><op_expression id="od-e" name="monitor" interval="10s"/></rule><nvpair id="od-1" name="timeout" value="30s"/></meta_attributes></op_defaults>
  <alerts><alert id="a" path="/bin/alert"><meta_attributes id="a-m"><nvpair id="a-m-1" name="timeout" value="5s"/></meta_attributes><recipient id="a-r" value="admin"><instance_attributes id="a-r-i"><nvpair id="a-r-i-1" name="via" value="mail"/></instance_attributes></recipient></alert></alerts>
</configuration><status/></cib>`)

test('a configuration with something of every kind is written without XML', async () => {
  const { same, asXml, problem } = await roundTrip(everything)
  expect(problem).toBeUndefined()
  expect(asXml).toEqual([])
  expect(same).toBe(true)
})

test('what no command says is put in as XML', async () => {
  const cib =
    cibOf(`<cib><configuration><crm_config/><nodes/><resources><template id="t" class="ocf" provider="heartbeat" type="Dummy"/>
    <primitive id="p" template="t"/></resources><constraints/></configuration></cib>`)
  const { same, asXml } = await roundTrip(cib)
  expect(asXml).toHaveLength(2)
  expect(same).toBe(true)
})

test('configurations that differ in anything that counts are not the same', () => {
  const text = (change: (xml: string) => string): XmlElement => {
    const { attributes } = everything
    expect(attributes['validate-with']).toBe('pacemaker-3.9')
    const configuration = childElement(everything, 'configuration')
    return { ...everything, children: configuration ? [JSON.parse(change(JSON.stringify(configuration)))] : [] }
  }
  expect(
    sameConfiguration(
      everything,
      text((xml) => xml.replaceAll('"b-s"', '"other-id"')),
    ),
  ).toBe(false)
  expect(
    sameConfiguration(
      everything,
      text((xml) => xml.replaceAll('"db-m-2"', '"an-id-that-nobody-uses"')),
    ),
  ).toBe(true)
  expect(
    sameConfiguration(
      everything,
      text((xml) => xml.replace('"7s"', '"7000ms"')),
    ),
  ).toBe(true)
  expect(
    sameConfiguration(
      everything,
      text((xml) => xml.replace('"7s"', '"8s"')),
    ),
  ).toBe(false)
  expect(
    sameConfiguration(
      everything,
      text((xml) => xml.replace('"10.0.0.1"', '"10.0.0.2"')),
    ),
  ).toBe(false)
})

const folder = resolve(import.meta.dirname, '../../../shared/pacemaker-scheduler/xml')
const every = 20

describe.skipIf(!existsSync(folder))(`each ${every}th of the scheduler's cases`, () => {
  const names = existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.xml'))
        .sort()
    : []
  for (const name of names.filter((_, index) => index % every === 0))
    test(name, async () => {
      const parsed = parseXml(readFileSync(join(folder, name), 'utf8'))
      if (!parsed.ok) return
      const { same, problem } = await roundTrip(parsed.value)
      expect(problem).toBeUndefined()
      expect(same).toBe(true)
    })
})
test.runIf(!existsSync(folder))(`the cases in ${folder}`, ({ skip }) => skip(`${folder} is not there`))
