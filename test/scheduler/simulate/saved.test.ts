/** The CIB that a simulation leads to, as `crm_simulate --save-output` of Pacemaker 3.0.0 writes it for the same CIB. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { childElement, parseXml, printXml, type XmlElement } from '../../../src/cib/index.ts'
import { suppose } from '../../../src/scheduler/index.ts'
import { simulate } from '../../../src/scheduler/simulate/simulate.ts'

const digests = 'op-digest="f2317cad3d54cec5d7d7aa7d0bf35cf8" op-restart-digest="0" op-force-restart=" state "'
const uuid = '11111111-1111-1111-1111-111111111111'
const stopped = `<lrm_rsc_op id="web_last_0" operation_key="web_stop_0" operation="stop" transition-key="3:1:0:${uuid}" transition-magic="0:0;3:1:0:${uuid}" on_node="alpha" call-id="8" rc-code="0" op-status="0" interval="0" ${digests}/>`
const notified = '<meta_attributes id="c-m"><nvpair id="c-n" name="notify" value="true"/></meta_attributes>'
const primitive = '<primitive id="web" class="ocf" provider="heartbeat" type="Dummy"/>'
const member = 'uname="alpha" in_ccm="true" crmd="online" join="member" expected="member"'

const cib =
  read(`<cib validate-with="pacemaker-3.9" admin_epoch="0" epoch="1" num_updates="4" have-quorum="1" dc-uuid="1"><configuration>
<crm_config><cluster_property_set id="o"><nvpair id="o1" name="stonith-enabled" value="false"/></cluster_property_set></crm_config>
<nodes><node id="1" uname="alpha"/></nodes><resources><clone id="c">${notified}${primitive}</clone></resources><constraints/></configuration>
<status><tickets><ticket_state id="t" granted="true"/></tickets><node_state id="1" ${member}><lrm id="1"><lrm_resources>
<lrm_resource id="web" class="ocf" provider="heartbeat" type="Dummy">${stopped}</lrm_resource></lrm_resources></lrm></node_state></status></cib>`)

function read(text: string): XmlElement {
  const parsed = parseXml(text.replaceAll('\n', ''))
  if (!parsed.ok) throw new Error('the test itself is wrong')
  return parsed.value
}

const now = 1_700_000_000
const failed = { resource: 'web', operation: 'monitor', intervalMs: 10_000, node: 'alpha', exitCode: 1 }
const supposed = suppose(cib, { results: [failed] }, { now }).cib
const md5 = (text: string): string => createHash('md5').update(text).digest('hex')
const result = simulate({ cib: supposed, now, md5, showScores: false, keepsResult: true }).result()

const entries = [...printXml(result).matchAll(/<lrm_rsc_op [^>]*>/g)].map(([entry]) => entry)
const attribute = (entry: string | undefined, name: string): string | undefined =>
  new RegExp(` ${name}="([^"]*)"`).exec(entry ?? '')?.[1]

test('each result, also of a notification, is an entry of its own with the next call number', () =>
  expect(entries.map((entry) => [attribute(entry, 'id'), attribute(entry, 'transition-key')])).toEqual([
    ['web_last_0', '12:-1:0:xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx'],
    ['web_last_failure_0', '9:-1:0:xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx'],
    ['web_pre_notify_stop_0', '10:-1:0:xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx'],
    ['web_post_notify_start_0', '13:-1:0:xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx'],
  ]))

test('an entry keeps what nothing new is known of', () => {
  expect(attribute(entries[0], 'operation')).toBe('start')
  expect(attribute(entries[0], 'op-restart-digest')).toBe('0')
  expect(attribute(entries[0], 'op-force-restart')).toBe(' state ')
})

test('tickets stay where they are', () =>
  expect(
    childElement(result, 'status')?.children.flatMap((child) => (child.kind === 'element' ? [child.name] : [])),
  ).toEqual(['tickets', 'node_state']))

test('a new set of attributes has the id of its node, and what is in it has ids that XML allows', () =>
  expect(printXml(supposed)).toMatch(
    /<instance_attributes id="1">\s*<nvpair id="_-fail-count-web.monitor_10000" name="fail-count-web#monitor_10000"/,
  ))

const others =
  '<template id="t" class="ocf" provider="heartbeat" type="Dummy"/><primitive id="a" template="t"/><clone id="c"><primitive id="b" template="t"/></clone>'
function twice(at: number, left: string, right: string): string {
  const refs = `<obj_ref id="${left}"/><obj_ref id="${right}"/>`
  return `<tag id="l${at}">${refs}</tag><tag id="r${at}">${refs}</tag>`
}

const tags =
  '<tags><tag id="outer"><obj_ref id="inner"/></tag><tag id="inner"><obj_ref id="a"/></tag><tag id="own"><obj_ref id="own"/></tag>' +
  // Each level names the next one twice: without a bound it stands for 2^40 resources.
  Array.from({ length: 40 }, (_, at) => twice(at, `l${at + 1}`, `r${at + 1}`)).join('') +
  '<tag id="l40"><obj_ref id="a"/></tag><tag id="r40"><obj_ref id="a"/></tag></tags>'

/** What is started while a ticket is missing for a set of one member. */
function startedWithout(memberOfSet: string): readonly string[] {
  const set = `<resource_set id="s"><resource_ref id="${memberOfSet}"/></resource_set>`
  const ticket = `<rsc_ticket id="x" ticket="none" loss-policy="stop">${set}</rsc_ticket>`
  const text = printXml(cib)
    .replace(/<clone .*<\/clone>/s, others)
    .replace('<constraints/>', `<constraints>${ticket}</constraints>${tags}`)
    .replace(/<lrm_resource .*<\/lrm_resource>/s, '')
  const { played } = simulate({ cib: read(text), now, md5, showScores: false })
  return played.flatMap(({ action }) =>
    action.kind === 'resource' && action.operation === 'start' ? [action.resource] : [],
  )
}

test.each([
  ['a resource', 'a', ['b']],
  ['a tag in a tag', 'outer', ['b']],
  ['tags in tags that grow without end', 'l0', ['b']],
  ['a template of which one primitive is known by no name yet, so that the set is ignored', 't', ['a', 'b']],
  ['a tag that is in itself, likewise', 'own', ['a', 'b']],
])('a ticket for %s', (_, memberOfSet, started) => expect(startedWithout(memberOfSet)).toEqual(started))
