import { describe, expect, test } from 'vitest'
import { describeCibReport, parseXml, readConfiguration, validateCib, type XmlElement } from '../../src/cib/index.ts'
import { readStatus } from '../../src/status/index.ts'

interface Parts {
  readonly schema?: string
  readonly options?: string
  readonly nodes?: string
  readonly resources?: string
  readonly constraints?: string
  readonly more?: string
}

function cibOf({ schema = 'pacemaker-1.2', ...parts }: Parts): XmlElement {
  const parsed = parseXml(`<cib crm_feature_set="3.0.6" validate-with="${schema}" have-quorum="1"><configuration>
    <crm_config><cluster_property_set id="cib-bootstrap-options">${parts.options ?? ''}</cluster_property_set></crm_config>
    <nodes>${parts.nodes ?? '<node id="1" uname="n1" type="normal"/><node id="2" uname="n2"/>'}</nodes>
    <resources>${parts.resources ?? web('')}</resources>
    <constraints>${parts.constraints ?? ''}</constraints>${parts.more ?? ''}</configuration><status/></cib>`)
  if (!parsed.ok) throw new Error(parsed.reports[0]?.message)
  return parsed.value
}

const pair = (name: string, value: string): string => `<nvpair id="p-${name}" name="${name}" value="${value}"/>`
const web = (meta: string, more = ''): string =>
  `<primitive id="web" class="ocf" provider="heartbeat" type="Dummy"><meta_attributes id="web-meta">${meta}</meta_attributes>${more}</primitive>`
const db = (ops = ''): string =>
  `<primitive id="db" class="ocf" provider="pacemaker" type="Stateful"><operations>${ops}</operations></primitive>`

/** What the decisions are made from, in a few words. */
function readBack(cib: XmlElement, ask: string): unknown {
  const status = readStatus({ cib, configuration: readConfiguration(cib), now: 1_795_000_000 })
  const resource = [...status.primitivesById.values()].find(({ configuredId }) => /^(web|db)$/.test(configuredId))
  const clone = status.resources.find(({ kind }) => kind === 'clone')
  const [constraint] = status.configuration.constraints
  const answers: Readonly<Record<string, () => unknown>> = {
    stickiness: () => resource?.meta.stickiness,
    managed: () => resource?.meta.managed,
    threshold: () => resource?.meta.migrationThreshold,
    requires: () => resource?.meta.requires,
    timeout: () => resource && status.operationMeta(resource, { name: 'start', intervalMs: 0 }).get('timeout'),
    fencing: () => status.options.fencingEnabled,
    quorum: () => status.options.noQuorumPolicy,
    symmetric: () => status.options.symmetricCluster,
    delay: () => status.options.clusterDelayMs,
    action: () => status.options.fencingAction,
    kinds: () => status.nodes.map(({ kind }) => kind).join(' '),
    promotable: () => clone?.kind === 'clone' && [clone.promotable, clone.promotedMax, clone.promotedNodeMax].join(' '),
    roles: () => resource?.operations.map(({ attributes }) => attributes.role).join(' '),
    targetRole: () => resource?.meta.targetRole,
    parameters: () => resource && [...resource.parametersOn(undefined).keys()].join(' '),
    constraint: () => JSON.stringify(constraint),
  }
  const answer = answers[ask]
  if (answer === undefined) throw new Error(`no such question: ${ask}`)
  return answer()
}

const fence = (names: readonly string[]): string =>
  `<primitive id="db" class="stonith" type="fence_x"><instance_attributes id="f-a">${names.map((name) => pair(name, 'x')).join('')}</instance_attributes></primitive>`

const read: readonly { readonly name: string; readonly parts: Parts; readonly ask: string; readonly is: unknown }[] = [
  {
    name: 'stickiness by default',
    parts: { options: pair('default-resource-stickiness', '100') },
    ask: 'stickiness',
    is: 100,
  },
  {
    name: 'the same with underscores',
    parts: { options: pair('default_resource_stickiness', '7') },
    ask: 'stickiness',
    is: 7,
  },
  {
    name: 'a default of the section itself wins',
    parts: {
      options: pair('default-resource-stickiness', '100'),
      more: `<rsc_defaults><meta_attributes id="d">${pair('resource-stickiness', '3')}</meta_attributes></rsc_defaults>`,
    },
    ask: 'stickiness',
    is: 3,
  },
  {
    name: 'what a resource says wins',
    parts: { options: pair('default-resource-stickiness', '100'), resources: web(pair('resource-stickiness', '5')) },
    ask: 'stickiness',
    is: 5,
  },
  { name: 'is-managed-default', parts: { options: pair('is-managed-default', 'false') }, ask: 'managed', is: false },
  {
    name: 'default-action-timeout',
    parts: { options: pair('default-action-timeout', '33s') },
    ask: 'timeout',
    is: '33s',
  },
  {
    name: 'a failure stickiness of -INFINITY is a migration-threshold of 1',
    parts: { options: pair('default-resource-failure-stickiness', '-INFINITY') },
    ask: 'threshold',
    is: 1,
  },
  {
    name: 'so it is on a resource',
    parts: { resources: web(pair('resource_failure_stickiness', '-INFINITY')) },
    ask: 'threshold',
    is: 1,
  },
  {
    name: 'any other failure stickiness means nothing',
    parts: { resources: web(pair('resource-failure-stickiness', '-100')) },
    ask: 'threshold',
    is: 1_000_000,
  },
  {
    name: 'present schemas know no stickiness among the cluster options',
    parts: { schema: 'pacemaker-3.0', options: pair('default-resource-stickiness', '100') },
    ask: 'stickiness',
    is: 0,
  },
  { name: 'stonith_enabled', parts: { options: pair('stonith_enabled', 'false') }, ask: 'fencing', is: false },
  {
    name: 'stonith-enabled in any schema',
    parts: { schema: 'pacemaker-3.9', options: pair('stonith-enabled', 'false') },
    ask: 'fencing',
    is: false,
  },
  { name: 'stonith-action', parts: { options: pair('stonith-action', 'off') }, ask: 'action', is: 'off' },
  { name: 'no_quorum_policy', parts: { options: pair('no_quorum_policy', 'freeze') }, ask: 'quorum', is: 'freeze' },
  { name: 'suicide', parts: { options: `${pair('no-quorum-policy', 'suicide')}` }, ask: 'quorum', is: 'fence' },
  { name: 'symmetric_cluster', parts: { options: pair('symmetric_cluster', 'false') }, ask: 'symmetric', is: false },
  {
    name: 'transition_idle_timeout',
    parts: { options: pair('transition_idle_timeout', '90s') },
    ask: 'delay',
    is: 90_000,
  },
  { name: 'nodes of type normal', parts: {}, ask: 'kinds', is: 'member member' },
  {
    name: 'ping nodes are none',
    parts: { nodes: '<node id="1" uname="n1"/><node id="p" uname="gw" type="ping"/>' },
    ask: 'kinds',
    is: 'member',
  },
  {
    name: '<master> with master-max',
    parts: {
      resources: `<master id="ms"><meta_attributes id="m">${pair('master-max', '2')}${pair('master-node-max', '1')}</meta_attributes>${db()}</master>`,
    },
    ask: 'promotable',
    is: 'true 2 1',
  },
  {
    name: 'a clone with promotable and promoted-max',
    parts: {
      resources: `<clone id="ms"><meta_attributes id="m">${pair('promotable', 'true')}${pair('promoted-max', '2')}</meta_attributes>${db()}</clone>`,
    },
    ask: 'promotable',
    is: 'true 2 1',
  },
  {
    name: 'roles Master and Slave of operations',
    parts: {
      resources: db(
        '<op id="a" name="monitor" interval="9" role="Master"/><op id="b" name="monitor" interval="8" role="Slave"/>',
      ),
    },
    ask: 'roles',
    is: 'Promoted Unpromoted',
  },
  {
    name: 'target-role Slave',
    parts: { resources: web(pair('target-role', 'Slave')) },
    ask: 'targetRole',
    is: 'Unpromoted',
  },
  {
    name: 'what a start requires',
    parts: { resources: web('', '<operations><op id="o" name="start" interval="0" requires="nothing"/></operations>') },
    ask: 'requires',
    is: 'nothing',
  },
  {
    name: 'commands of fence devices',
    parts: { resources: fence(['pcmk_off_cmd', 'pcmk_list_cmd', 'pcmk_host_list']) },
    ask: 'parameters',
    is: 'pcmk_off_action pcmk_list_action pcmk_host_list',
  },
  {
    name: 'an order with a score',
    parts: { resources: `${web('')}${db()}`, constraints: '<rsc_order id="o" first="db" then="web" score="0"/>' },
    ask: 'constraint',
    is: expect.stringContaining('"orderKind":"Optional"'),
  },
  {
    name: 'a role in a colocation',
    parts: {
      resources: `${web('')}<master id="ms">${db()}</master>`,
      constraints: '<rsc_colocation id="c" rsc="web" with-rsc="ms" with-rsc-role="Master" score="INFINITY"/>',
    },
    ask: 'constraint',
    is: expect.stringContaining('Promoted'),
  },
  {
    name: 'a lifetime',
    parts: {
      constraints:
        '<rsc_location id="l" rsc="web" node="n1" score="5"><lifetime><rule id="r" score="INFINITY"><date_expression id="d" operation="lt" end="2020-01-01"/></rule></lifetime></rsc_location>',
    },
    ask: 'constraint',
    is: expect.stringContaining('"lifetime":{'),
  },
  {
    name: 'a set without require-all',
    parts: {
      resources: `${web('')}${db()}`,
      constraints:
        '<rsc_order id="o"><resource_set id="s" sequential="false" require-all="false"><resource_ref id="db"/></resource_set><resource_set id="t"><resource_ref id="web"/></resource_set></rsc_order>',
    },
    ask: 'constraint',
    is: expect.stringContaining('"requireAll":false'),
  },
]

describe('old spellings are read', () => {
  for (const { name, parts, ask, is } of read)
    test(name, () => {
      const cib = cibOf(parts)
      expect(readBack(cib, ask)).toEqual(is)
      expect(validateCib(cib).filter(({ severity }) => severity === 'error')).toEqual([])
    })
})

const acls = `<acls><acl_role id="operator"><read id="r1" xpath="//cib"/></acl_role><acl_user id="anna"><role_ref id="operator"/></acl_user></acls>`

const told: readonly { readonly name: string; readonly parts: Parts; readonly says: readonly RegExp[] }[] = [
  { name: 'users of access lists are taken', parts: { more: acls }, says: [] },
  {
    name: 'an option without a successor',
    parts: { options: pair('default-migration-threshold', '3') },
    says: [/default-migration-threshold=3 no longer has an effect: set migration-threshold as a resource default/],
  },
  {
    name: 'an old option in a present schema',
    parts: { schema: 'pacemaker-3.9', options: pair('default-resource-stickiness', '100') },
    says: [/no longer has an effect: write resource-stickiness as a resource default/],
  },
  {
    name: 'containers of rkt',
    parts: { resources: `<bundle id="b"><rkt image="x"/></bundle>` },
    says: [/Containers of rkt can no longer be run: make the bundle one of podman/],
  },
  {
    name: 'upstart jobs',
    parts: { resources: '<primitive id="web" class="upstart" type="apache"/>' },
    says: [/class 'upstart' can no longer be run \('web'\): use a systemd unit/],
  },
  {
    name: 'nagios plugins',
    parts: { resources: '<primitive id="web" class="nagios" type="check_tcp"/>' },
    says: [/class 'nagios' can no longer be run/],
  },
  {
    name: 'a score attribute of a colocation',
    parts: {
      resources: `${web('')}${db()}`,
      constraints: '<rsc_colocation id="c" rsc="web" with-rsc="db" score="5" score-attribute-mangled="x"/>',
    },
    says: [/score-attribute-mangled of a rsc_colocation no longer has a meaning/],
  },
  {
    name: 'sets of before 1.0',
    parts: {
      resources: `<primitive id="web" class="ocf" provider="heartbeat" type="Dummy"><instance_attributes id="a"><attributes>${pair('x', 'y')}</attributes></instance_attributes></primitive>`,
    },
    says: [/<attributes> in <instance_attributes> is the form of Pacemaker before 1.0.*cibadmin --upgrade/],
  },
  {
    name: 'the schema of before 1.0',
    parts: { schema: 'transitional-0.6' },
    says: [/validate-with="transitional-0.6" is the form of Pacemaker before 1.0/],
  },
  {
    name: 'a schema that is not known yet',
    parts: { schema: 'pacemaker-5.0' },
    says: [/validate-with="pacemaker-5.0" is newer than what is known here/],
  },
]

describe('what cannot be read is named, with what to do', () => {
  for (const { name, parts, says } of told)
    test(name, () => {
      const sentences = validateCib(cibOf(parts)).map(describeCibReport)
      expect(sentences).toEqual(says.map((said) => expect.stringMatching(said)))
    })
})
