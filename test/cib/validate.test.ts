import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  childElement,
  childElements,
  describeCibReport,
  element,
  parseXml,
  validateCib,
  type XmlElement,
} from '../../src/cib/index.ts'
import { havePacemakerCases, pacemakerCases } from '../support/pacemaker-cases.ts'

const web = '<primitive id="web" class="ocf" provider="pacemaker" type="Dummy"/>'
const db = '<primitive id="db" class="ocf" provider="pacemaker" type="Dummy"/>'
const both = `<resources>${web}${db}</resources>`

function read(text: string): XmlElement {
  const parsed = parseXml(text)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.reports))
  return parsed.value
}

/** What is said of a configuration, without the places. */
function says(configuration: string): readonly string[] {
  return validateCib(read(`<cib><configuration>${configuration}</configuration></cib>`)).map(
    (report) => `${report.severity}: ${describeCibReport(report).replace(/^line \d+, column \d+: /, '')}`,
  )
}

const cases: readonly { readonly name: string; readonly configuration: string; readonly says: readonly string[] }[] = [
  { name: 'a sound configuration', configuration: both, says: [] },
  {
    name: 'patterns that nothing can be searched by',
    configuration: `${both}<constraints><rsc_location id="l" rsc-pattern="!(a)\\1" node="alpha" score="5"/></constraints><nodes><node id="1" uname="alpha"/></nodes><fencing-topology><fencing-level id="f" target-pattern="(?=a)" index="1" devices=""/></fencing-topology>`,
    says: [
      "error: '!(a)\\1' is not a regular expression for rsc-pattern: references back, such as '\\1', are not supported.",
      "error: '(?=a)' is not a regular expression for target-pattern: looking ahead or behind is not supported.",
    ],
  },
  {
    name: 'a constraint on a resource that does not exist',
    configuration: `${both}<constraints><rsc_location id="l" rsc="wbe" node="alpha" score="5"/></constraints><nodes><node id="1" uname="alpha"/></nodes>`,
    says: ["error: The rsc_location 'l' names the resource 'wbe', which does not exist. Did you mean 'web'?"],
  },
  {
    name: 'a set with a member that does not exist',
    configuration: `${both}<constraints><rsc_order id="o"><resource_set id="s"><resource_ref id="web"/><resource_ref id="dbb"/></resource_set></rsc_order></constraints>`,
    says: ["error: The resource_set 's' names the resource 'dbb', which does not exist. Did you mean 'db'?"],
  },
  {
    name: 'a node that does not exist',
    configuration: `${both}<nodes><node id="1" uname="alpha"/></nodes><constraints><rsc_location id="l" rsc="web" node="alhpa" score="5"/></constraints>`,
    says: ["warning: The rsc_location 'l' names the node 'alhpa', which is not configured. Did you mean 'alpha'?"],
  },
  {
    name: 'a template, a device, a role and a reference that do not exist',
    configuration:
      '<resources><primitive id="a" template="t"><meta_attributes id-ref="m"/></primitive></resources>' +
      '<fencing-topology><fencing-level id="f" index="1" target-pattern=".*" devices="ipmi"/></fencing-topology>' +
      '<acls><acl_target id="u"><role id="r"/></acl_target></acls>',
    says: [
      "error: The primitive 'a' names the template 't', which does not exist.",
      "error: This meta_attributes names the meta_attributes 'm', which does not exist.",
      "error: The fencing-level 'f' names the fence device 'ipmi', which does not exist.",
      "error: The acl_target 'u' names the role 'r', which does not exist.",
    ],
  },
  {
    name: 'words that are taken and do nothing',
    configuration:
      '<crm_config><cluster_property_set id="cib-bootstrap-options">' +
      '<nvpair id="o1" name="crmd-integration-timeout" value="5min"/><nvpair id="o2" name="fence-remote-without-quorum" value="false"/>' +
      '</cluster_property_set></crm_config><resources><primitive id="f" class="stonith" type="fence_dummy">' +
      '<instance_attributes id="a"><nvpair id="a1" name="stonith-timeout" value="5s"/></instance_attributes>' +
      '<operations><op id="m" name="monitor" interval="10s" record-pending="false"/></operations></primitive></resources>',
    says: [
      'warning: join-integration-timeout=5min has no effect: a node joins by a single record of the DC, which takes no time of its own; node-pending-timeout says how long a node may be present without it.',
      'warning: fencing-timeout=5s has no effect: pcmk_reboot_timeout and pcmk_off_timeout have replaced it.',
      'warning: record-pending=false has no effect: an operation that starts something is always recorded before it begins, so that the next DC knows of it; one that stops something never is.',
    ],
  },
  {
    name: 'one id for two things',
    configuration: `${both}<constraints><rsc_colocation id="web" rsc="web" with-rsc="db" score="1"/></constraints>`,
    says: ["error: The id 'web' is already used at line 1, column 32."],
  },
  {
    name: 'a resource in two groups',
    configuration: `<resources><group id="g">${web}</group><group id="h">${web}</group></resources>`,
    says: ["error: The resource 'web' is configured 2 times, in the group 'g' and the group 'h'."],
  },
  {
    name: 'collections with nothing in them',
    configuration:
      '<resources><group id="g"/><clone id="c"/><bundle id="b"/></resources><tags><tag id="t"/></tags><constraints><rsc_order id="o"><resource_set id="s"/></rsc_order></constraints>',
    says: [
      "error: The group 'g' has no member.",
      "error: The clone 'c' has no resource in it.",
      "error: The bundle 'b' has no container (docker, podman or rkt).",
      "error: The tag 't' has no member.",
      "error: The resource_set 's' has no member.",
    ],
  },
  {
    name: 'a group in a group',
    configuration: `<resources><group id="g">${web}<group id="h">${db}</group></group></resources>`,
    says: ["error: A group cannot hold a 'group' element."],
  },
  {
    name: 'an id with a blank in it',
    configuration: '<resources><primitive id="my web" class="lsb" type="x"/></resources>',
    says: [
      "error: 'my web' cannot be an id: ids begin with a letter or '_' and hold letters, digits, '_', '-' and '.'.",
    ],
  },
  {
    name: 'two resources in a clone',
    configuration: `<resources><clone id="c">${web}${db}</clone></resources>`,
    says: ["error: The clone 'c' has more than one resource in it."],
  },
  {
    name: 'mistyped elements and attributes',
    configuration: `<resources><primitve id="x"/><primitive id="web" clas="ocf" class="lsb" type="x"/></resources>`,
    says: [
      "error: A resources cannot hold a 'primitve' element. Did you mean 'primitive'?",
      "warning: A primitive has no attribute 'clas'. Did you mean 'class'?",
    ],
  },
  {
    name: 'missing attributes',
    configuration: `<resources><primitive id="a" class="ocf" type="Dummy"/><primitive id="b"/></resources><constraints><rsc_order id="o" first="a"/><rsc_location id="l" rsc="a" node="n"/></constraints><nodes><node id="1" uname="n"/></nodes>`,
    says: [
      "error: This primitive has no 'provider'.",
      "error: This primitive has no 'class'.",
      "error: This primitive has no 'type'.",
      "error: This rsc_order has no 'then'.",
      "error: This rsc_location has no 'score'.",
    ],
  },
  {
    name: 'bad scores, roles and words',
    configuration: `${both}<constraints><rsc_colocation id="c" rsc="web" with-rsc="db" with-rsc-role="Mastre" score="a lot"/><rsc_ticket id="t" rsc="web" ticket="T" loss-policy="fense"/></constraints>`,
    says: [
      "error: 'Mastre' is not a valid value for with-rsc-role: expected one of Started, Stopped, Promoted, Unpromoted.",
      "error: 'a lot' is not a valid value for score: expected a whole number, INFINITY or -INFINITY.",
      "error: 'fense' is not a valid value for loss-policy: expected one of stop, demote, fence, freeze. Did you mean 'fence'?",
    ],
  },
  {
    name: 'bad durations and booleans',
    configuration:
      '<crm_config><cluster_property_set id="o"><nvpair id="o1" name="cluster-delay" value="60 parsecs"/><nvpair id="o2" name="stonith-enabled" value="maybe"/></cluster_property_set></crm_config>' +
      '<resources><primitive id="a" class="lsb" type="x"><meta_attributes id="m"><nvpair id="m1" name="failure-timeout" value="soon"/></meta_attributes><operations><op id="p" name="monitor" interval="often"/></operations></primitive></resources>',
    says: [
      "error: '60 parsecs' is not a valid value for cluster-delay: expected a duration such as 20s, 5min or PT1M30S.",
      "error: 'maybe' is not a valid value for fencing-enabled: expected true or false.",
      "error: 'soon' is not a valid value for failure-timeout: expected a duration such as 20s, 5min or PT1M30S.",
      "error: 'often' is not a valid value for interval: expected a duration such as 20s, 5min or PT1M30S.",
    ],
  },
  {
    name: 'unknown options',
    configuration:
      '<crm_config><cluster_property_set id="o"><nvpair id="o1" name="no-quorum-polcy" value="stop"/></cluster_property_set></crm_config>' +
      '<resources><primitive id="a" class="lsb" type="x"><meta_attributes id="m"><nvpair id="m1" name="migration_threshold" value="3"/></meta_attributes></primitive></resources>' +
      '<nodes><node id="1" uname="n"><instance_attributes id="i"><nvpair id="i1" name="stanbdy" value="on"/><nvpair id="i2" name="rack" value="7"/></instance_attributes></node></nodes>',
    says: [
      "warning: There is no cluster option 'no-quorum-polcy'. Did you mean 'no-quorum-policy'?",
      "warning: There is no meta-attribute of a primitive 'migration_threshold'. Did you mean 'migration-threshold'?",
      "warning: There is no node attribute 'stanbdy'. Did you mean 'standby'?",
    ],
  },
  {
    name: 'resources that wait for each other',
    configuration: `${both}<constraints><rsc_order id="o1" first="web" then="db"/><rsc_order id="o2" first="db" then="web"/></constraints>`,
    says: [
      'error: These cannot all start, for each waits for the one before: web, then db, then web. Remove one of o1, o2.',
    ],
  },
  {
    name: 'an order against that of a group',
    configuration: `<resources><group id="g">${web}${db}</group></resources><constraints><rsc_order id="o" first="db" then="web"/></constraints>`,
    says: [
      'error: These cannot all start, for each waits for the one before: web, then db, then web. Remove one of g, o.',
    ],
  },
  {
    name: 'an optional order back is no loop',
    configuration: `${both}<constraints><rsc_order id="o1" first="web" then="db"/><rsc_order id="o2" first="db" then="web" kind="Optional"/><rsc_order id="o3" first="db" first-action="stop" then="web" then-action="stop"/></constraints>`,
    says: [],
  },
  {
    name: 'colocations that form a loop, and a resource with itself',
    configuration: `${both}<constraints><rsc_colocation id="c1" rsc="web" with-rsc="db" score="INFINITY"/><rsc_colocation id="c2" rsc="db" with-rsc="web" score="INFINITY"/><rsc_colocation id="c3" rsc="db" with-rsc="db" score="1"/></constraints>`,
    says: [
      'warning: These colocations form a loop: web with db with web. Remove one of c1, c2.',
      "warning: The constraint 'c3' relates 'db' to itself.",
    ],
  },
  {
    name: 'an operation twice in a template',
    configuration: `<resources><template id="t" class="lsb" type="x"><operations><op id="p" name="monitor" interval="10s"/><op id="q" name="monitor" interval="10s"/></operations></template>${web}</resources>`,
    says: ["warning: The resource 't' has two monitor operations with the interval 10s."],
  },
  {
    name: 'an operation twice, and a bad kind of order',
    configuration: `<resources><primitive id="a" class="lsb" type="x"><operations><op id="p" name="monitor" interval="10s"/><op id="q" name="monitor" interval="10000ms"/></operations></primitive>${web}</resources><constraints><rsc_order id="o" first="a" then="web" kind="Mandatry"/></constraints>`,
    says: [
      "warning: The resource 'a' has two monitor operations with the interval 10000ms.",
      "warning: 'Mandatry' is not a valid value for kind: expected one of optional, mandatory, serialize. Did you mean 'mandatory'?",
    ],
  },
  {
    name: 'old spellings are no mistakes',
    configuration:
      '<crm_config><cluster_property_set id="o"><nvpair id="o1" name="stonith-action" value="poweroff"/><nvpair id="o2" name="no-quorum-policy" value="suicide"/></cluster_property_set></crm_config>' +
      '<resources><master id="ms"><meta_attributes id="m"><nvpair id="m1" name="master-max" value="1"/><nvpair id="m2" name="target-role" value="Master"/></meta_attributes>' +
      `${web}</master></resources><constraints><rsc_colocation id="c" rsc="ms" rsc-role="Slave" with-rsc="web" score="-INFINITY"/></constraints>`,
    says: [],
  },
]
describe('validation', () => {
  for (const { name, configuration, says: expected } of cases)
    test(name, () => expect(says(configuration)).toEqual(expected))
})

test('a mistake in a document has its line and column, one in an edited document its path', () => {
  const text = `<cib>\n <configuration>\n  <resources>\n   <group id="g"\n   />\n  </resources>\n </configuration>\n</cib>`
  expect(validateCib(read(text)).map(describeCibReport)).toEqual(["line 4, column 4: The group 'g' has no member."])
  const made = element('cib', {}, [
    element('configuration', {}, [element('resources', {}, [element('group', { id: 'g' })])]),
  ])
  expect(validateCib(made).map(describeCibReport)).toEqual([
    "/cib/configuration/resources/group[@id='g']: The group 'g' has no member.",
  ])
})

test('a document that is no CIB is one error', () => {
  expect(validateCib(element('html')).map(describeCibReport)).toEqual([
    "/html: The CIB has no 'configuration' section.",
  ])
})

test.runIf(havePacemakerCases)('no CIB of the shared scheduler cases is refused', () => {
  const folder = pacemakerCases
  const files = readdirSync(folder)
  expect(files.length).toBeGreaterThan(600)
  const errors = files.flatMap((file) =>
    validateCib(read(readFileSync(new URL(file, folder), 'utf8')))
      .filter(({ severity }) => severity === 'error')
      .map((report) => `${file}: ${describeCibReport(report)}`),
  )
  expect(errors).toEqual([])
})

test.runIf(havePacemakerCases)('a hundred mistakes planted in a shared case are all found', () => {
  const folder = pacemakerCases
  const sound = read(readFileSync(new URL('load-stopped-loop.xml', folder), 'utf8'))
  let planted = 0
  const spoil = (node: XmlElement): XmlElement => ({
    ...node,
    attributes: Object.fromEntries(
      Object.entries(node.attributes).map(([name, value]) => {
        const isScore = name === 'score' && planted < 100
        if (isScore) planted++
        return [name, isScore ? 'many' : value]
      }),
    ),
    children: node.children.map((child) => (child.kind === 'element' ? spoil(child) : child)),
  })
  const constraints = childElement(childElement(sound, 'configuration') ?? sound, 'constraints')
  expect(childElements(constraints ?? sound).length).toBeGreaterThan(100)
  const found = validateCib(spoil(sound)).filter(({ severity, code }) => severity === 'error' && code === 'bad-value')
  expect(planted).toBe(100)
  expect(found).toHaveLength(100)
})

const fenceParameters: readonly (readonly [string, boolean])[] = [
  ['pcmk_delay_base=5s', true],
  ['pcmk_delay_base=a:0;b:5s', true],
  ['pcmk_delay_base=soon', false],
  ['pcmk_delay_base=a:0;b:soon', false],
  ['pcmk_delay_max=soon', false],
  ['pcmk_host_check=maybe', false],
  ['pcmk_host_check=none', true],
  ['pcmk_host_map=a', false],
  ['pcmk_host_map=a:1;b:2,3', true],
  ['pcmk_off_timeout=soon', false],
  ['pcmk_action_limit=-1', true],
  ['ip=anything', true],
]

test.each(fenceParameters)(
  '%s of a fence device is right: %s; what is not is told and not refused',
  (pair, isRight) => {
    const [name = '', value = ''] = pair.split('=')
    const cib = parseXml(
      `<cib><configuration><crm_config/><nodes/><resources><primitive id="f" class="stonith" type="fence_x"><instance_attributes id="i"><nvpair id="p" name="${name}" value="${value}"/></instance_attributes></primitive></resources><constraints/></configuration><status/></cib>`,
    )
    if (!cib.ok) throw new Error('bad test')
    const found = validateCib(cib.value).filter(({ code }) => code === 'bad-value')
    expect(found.map(({ severity }) => severity)).toEqual(isRight ? [] : ['warning'])
  },
)

const takenAsTheyAre: readonly (readonly [string, readonly string[]])[] = [
  ['<alerts><alert id="a" path="/bin/true"/></alerts>', []],
  ['<alerts><alert id="a" path="bin/true"/></alerts>', ['path']],
  ['<alerts><alert id="a" path=""/></alerts>', ['path']],
  [alertWith('timeout', '1min'), []],
  [alertWith('timeout', 'soon'), ['timeout']],
  [alertWith('enabled', 'no'), []],
  [alertWith('enabled', 'perhaps'), ['enabled']],
  [alertWith('timestamp-format', 'soon'), []],
  [alertWith('constructor', 'x'), []],
  ['<alerts><alert id="a" path="/a" constructor="x"/></alerts>', []],
  ['<constructor name="x" toString="y"/>', []],
  [bundleWith('control-port="65535"', 'port="1"'), []],
  [bundleWith('control-port="65536"', 'port="80"'), ['control-port']],
  [bundleWith('control-port="1"', 'port="0"'), ['port']],
  [bundleWith('', 'port="80" internal-port="70000"'), ['internal-port']],
]

test.each(takenAsTheyAre)('%s: said and not refused is %j', (text, wanted) => {
  const cib = parseXml(`<cib><configuration>${text}</configuration><status/></cib>`)
  if (!cib.ok) throw new Error('bad test')
  const found = validateCib(cib.value).filter(({ code }) => code === 'bad-value')
  expect(found.map((report) => (report.code === 'bad-value' ? `${report.severity} ${report.name}` : ''))).toEqual(
    wanted.map((name) => `warning ${name}`),
  )
})

function alertWith(name: string, value: string): string {
  const meta = `<meta_attributes id="m"><nvpair id="p" name="${name}" value="${value}"/></meta_attributes>`
  return `<alerts><alert id="a" path="/a"><recipient id="r" value="x">${meta}</recipient></alert></alerts>`
}

function bundleWith(network: string, port: string): string {
  const parts = `<podman image="x"/><network ${network}><port-mapping id="m" ${port}/></network>`
  return `<resources><bundle id="b">${parts}</bundle></resources>`
}
