/** Words of the CIB that Pacemaker's own cases do not show: without the word, the scheduler answers something else. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { parseXml } from '../../src/cib/index.ts'
import { simulateCib } from '../../src/scheduler/index.ts'

/** A Friday. */
const now = Date.parse('2026-11-20T12:30:40Z') / 1000

function answer({ resources = '', constraints = '', options = '', nodes = '', more = '', status = '' }: Parts): string {
  const text = `<cib validate-with="pacemaker-3.9" admin_epoch="0" epoch="1" num_updates="0" have-quorum="1" dc-uuid="1"><configuration>
<crm_config><cluster_property_set id="o"><nvpair id="o1" name="stonith-enabled" value="false"/>${options}</cluster_property_set></crm_config>
<nodes>${nodes || '<node id="1" uname="n1"/><node id="2" uname="n2"/>'}</nodes><resources>${resources || web}</resources><constraints>${constraints}</constraints>${more}</configuration>
<status>${status || online('1') + online('2')}</status></cib>`
  const parsed = parseXml(text)
  if (!parsed.ok) throw new Error(parsed.reports[0]?.message)
  const md5 = (written: string): string => createHash('md5').update(written).digest('hex')
  const texts = simulateCib({ cib: parsed.value, now, md5, showScores: true })
  return texts.summary + texts.scores() + texts.graph()
}

const online = (id: string, history = ''): string =>
  `<node_state id="${id}" uname="n${id}" in_ccm="true" crmd="online" join="member" expected="member"><lrm id="${id}"><lrm_resources>${history}</lrm_resources></lrm></node_state>`

interface Parts {
  readonly resources?: string
  readonly constraints?: string
  readonly options?: string
  readonly nodes?: string
  /** What stands beside the constraints. */
  readonly more?: string
  /** Both nodes are online and nothing has run yet, if not said otherwise. */
  readonly status?: string
}

interface Row extends Parts {
  readonly name: string
  /** The word as it stands there; taken out, or replaced by what follows. */
  readonly word: string
  readonly instead?: string
}

const web = '<primitive id="web" class="ocf" provider="pacemaker" type="Dummy"/>'
const dummy = (id: string, inside = ''): string =>
  `<primitive id="${id}" class="ocf" provider="pacemaker" type="Dummy">${inside}</primitive>`
const clone = (id: string, inside: string, meta = ''): string =>
  `<clone id="${id}"><meta_attributes id="${id}-m"><nvpair id="${id}-i" name="interleave" value="false"/>${meta}</meta_attributes>${inside}</clone>`
const away = (rule: string): string =>
  `<rsc_location id="l" rsc="web"><rule id="r" score="-INFINITY">${rule}</rule></rsc_location>`
const dated = (parts: string): string =>
  away(`<date_expression id="d" operation="date_spec"><date_spec id="s" hours="0-23" ${parts}/></date_expression>`)
const lasting = (parts: string): string =>
  away(
    `<date_expression id="d" operation="in_range" start="2026-11-20 12:30:30Z"><duration id="s" minutes="0" ${parts}/></date_expression>`,
  )
const bundle = (container: string, rest = '', inside = dummy('web')): string =>
  `<bundle id="b">${container}${rest}${inside}</bundle>`
const network = (more: string, inside = ''): string =>
  `<network ip-range-start="192.0.2.10" control-port="3121" ${more}>${inside}</network>`
const podman = (more: string): string => `<podman image="x" replicas="2" ${more}/>`

/** A date specification that does not hold now by this part alone; a duration that is over without it. */
const dateRow = (name: string): Row => {
  const word = /\w+="\d+"/.exec(name)?.[0] ?? ''
  return { name, word, constraints: name.startsWith('<date_spec') ? dated(word) : lasting(word) }
}

const operation = (id: string, task: string, interval = 0): string =>
  `<lrm_rsc_op id="${id}_${task}_${interval}" operation_key="${id}_${task}_${interval}" operation="${task}" interval="${interval}" crm-debug-origin="x" crm_feature_set="3.19.0" transition-key="${interval === 0 ? 1 : 2}:1:0:00000000-0000-0000-0000-000000000000" transition-magic="0:0;${interval === 0 ? 1 : 2}:1:0:00000000-0000-0000-0000-000000000000" call-id="${interval === 0 ? 1 : 2}" rc-code="0" op-status="0" on_node="n1"/>`
const history = (id: string, ...operations: readonly string[]): string =>
  `<lrm_resource id="${id}" class="ocf" provider="pacemaker" type="Dummy">${operations.join('')}</lrm_resource>`
const guestRuns =
  '<lrm_resource id="guest" class="ocf" provider="pacemaker" type="remote">' +
  operation('guest', 'start') +
  '</lrm_resource>'
const runs = history('web', operation('web', 'start'))
const option = (name: string, value: string): string => `<nvpair id="w" name="${name}" value="${value}"/>`
const fencing = `${option('fencing-enabled', 'true').replace('"w"', '"fe"')}`
const device = '<primitive id="f" class="stonith" type="fence_dummy"/>'
const target = (role: string): string =>
  `<meta_attributes id="t"><nvpair id="tt" name="target-role" value="${role}"/></meta_attributes>`
const lost = '<node_state id="1" uname="n1" in_ccm="false" crmd="offline" join="down" expected="member"/>'

/** An option of the cluster that does something else than its default. */
const optionRow = (name: string, value: string, rest: Parts = {}): Row => ({
  name: `the cluster option ${name}`,
  word: option(name, value),
  ...rest,
  options: `${rest.options ?? ''}${option(name, value)}`,
})

const rows: readonly Row[] = [
  ...['stop-orphan-resources', 'stop-removed-resources'].map((name) =>
    optionRow(name, 'false', { status: online('1', history('gone', operation('gone', 'start'))) + online('2') }),
  ),
  ...['stop-orphan-actions', 'stop-removed-actions', 'cancel-removed-actions'].map((name) =>
    optionRow(name, 'false', {
      status: online('1', history('web', operation('web', 'start'), operation('web', 'monitor', 7000))) + online('2'),
    }),
  ),
  optionRow('remove-after-stop', 'true', {
    resources: dummy(
      'web',
      '<meta_attributes id="m"><nvpair id="mm" name="target-role" value="Stopped"/></meta_attributes>',
    ),
    status: online('1', runs) + online('2'),
  }),
  ...['fencing-action', 'stonith-action'].map((name) =>
    optionRow(name, 'off', { options: fencing, resources: device + web, status: lost + online('2') }),
  ),
  {
    name: 'the kind of a set in an order',
    word: 'kind="Optional"',
    resources: dummy('web') + dummy('db', target('Stopped')),
    constraints:
      '<rsc_order id="o"><resource_set id="s1" kind="Optional"><resource_ref id="db"/><resource_ref id="web"/></resource_set></rsc_order>',
  },
  optionRow('startup-fencing', 'false', { options: fencing, resources: device + web, status: online('2') }),
  optionRow('node-pending-timeout', '1s', {
    options: fencing,
    resources: device + web,
    status: `<node_state id="1" uname="n1" in_ccm="1000" crmd="0" join="down" expected="down"/>${online('2')}`,
  }),
  {
    name: 'collocated in the meta-attributes of a group',
    word: '<nvpair id="mm" name="collocated" value="false"/>',
    resources: `<group id="g"><meta_attributes id="m"><nvpair id="mm" name="collocated" value="false"/></meta_attributes>${dummy('web')}${dummy('db')}</group>`,
    constraints:
      '<rsc_location id="l" rsc="db" node="n1" score="-INFINITY"/><rsc_location id="l2" rsc="web" node="n2" score="-INFINITY"/>',
  },
  {
    name: '<date_expression operation="lt">',
    word: 'operation="lt"',
    instead: 'operation="gt"',
    constraints: away(
      '<date_expression id="d" operation="lt" start="2026-11-19 12:00:00Z" end="2026-11-20 12:00:00Z"/>',
    ),
  },
  {
    name: '<expression type="number">',
    word: 'type="number"',
    instead: 'type="string"',
    nodes:
      '<node id="1" uname="n1"><instance_attributes id="ia"><nvpair id="ha" name="rank" value="10"/></instance_attributes></node><node id="2" uname="n2"/>',
    constraints: away('<expression id="e" attribute="rank" operation="gt" value="9" type="number"/>'),
  },
  {
    name: '<rsc_order then-action="stop">',
    word: 'then-action="stop"',
    resources: dummy('web') + dummy('db', target('Stopped')),
    constraints: '<rsc_order id="o" first="web" then="db" first-action="start" then-action="stop"/>',
    status: online('1', history('db', operation('db', 'start'))) + online('2'),
  },
  {
    name: '<rsc_colocation rsc-role="Promoted">',
    word: 'rsc-role="Promoted"',
    resources: `${clone('a-clone', '<primitive id="a" class="ocf" provider="pacemaker" type="Stateful"/>', '<nvpair id="pr" name="promotable" value="true"/>')}${dummy('web')}`,
    constraints:
      '<rsc_colocation id="l" rsc="a-clone" rsc-role="Promoted" with-rsc="web" score="INFINITY"/><rsc_location id="p" rsc="web" node="n2" score="50"/>',
  },
  optionRow('enable-startup-probes', 'false'),
  optionRow('maintenance-mode', 'true'),
  optionRow('fencing-enabled', 'true', { resources: device + web, status: lost + online('2') }),
  ...['master-max', 'promoted-max'].map((name) => ({
    name: `${name} in the meta-attributes of a clone`,
    word: `<nvpair id="mm" name="${name}" value="2"/>`,
    resources: clone(
      'c',
      '<primitive id="a" class="ocf" provider="pacemaker" type="Stateful"/>',
      `<nvpair id="pr" name="promotable" value="true"/><nvpair id="mm" name="${name}" value="2"/>`,
    ),
    constraints:
      '<rsc_location id="l" rsc="c"><rule id="r" role="Promoted" score="100"><expression id="e" attribute="#uname" operation="defined"/></rule></rsc_location>',
  })),
  ...[
    ['remote-allow-migrate', 'true'],
    ['remote-addr', '192.0.2.7'],
    ['remote-port', '3125'],
    ['remote-connect-timeout', '77s'],
  ].map(([name = '', value = '']) => ({
    name: `${name} in the meta-attributes of a machine`,
    word: `<nvpair id="mm" name="${name}" value="${value}"/>`,
    options: '',
    resources: dummy(
      'vm',
      `<meta_attributes id="m"><nvpair id="m1" name="remote-node" value="guest"/><nvpair id="m2" name="allow-migrate" value="true"/><nvpair id="mm" name="${name}" value="${value}"/></meta_attributes>`,
    ),
    constraints: '<rsc_location id="l" rsc="vm" node="n1" score="-INFINITY"/>',
    status: `${online('1', history('vm', operation('vm', 'start')) + guestRuns)}${online('2')}`,
  })),
  {
    name: 'master-node-max in the meta-attributes of a clone',
    word: '<nvpair id="mm" name="master-node-max" value="2"/>',
    nodes: '<node id="1" uname="n1"/>',
    status: online('1'),
    resources: `<clone id="c"><meta_attributes id="m"><nvpair id="m1" name="promotable" value="true"/><nvpair id="m2" name="clone-node-max" value="2"/><nvpair id="m3" name="clone-max" value="2"/><nvpair id="m4" name="promoted-max" value="2"/><nvpair id="mm" name="master-node-max" value="2"/></meta_attributes><primitive id="a" class="ocf" provider="pacemaker" type="Stateful"/></clone>`,
    constraints:
      '<rsc_location id="l" rsc="c"><rule id="r" role="Promoted" score="100"><expression id="e" attribute="#uname" operation="eq" value="n1"/></rule></rsc_location>',
  },
  ...['replicas', 'replicas-per-host', 'promoted-max', 'masters', 'network', 'options', 'run-command'].map((name) => {
    const value =
      ({ network: 'host', options: '-v /a:/b', 'run-command': '/bin/x' } as Record<string, string>)[name] ?? '2'
    const isPromoted = name === 'promoted-max' || name === 'masters'
    return {
      name: `<rkt ${name}>`,
      word: ` ${name}="${value}"`,
      resources: bundle(
        `<rkt image="x"${name === 'replicas' ? '' : ' replicas="3"'} ${name}="${value}"/>`,
        network(''),
        isPromoted ? '<primitive id="a" class="ocf" provider="pacemaker" type="Stateful"/>' : undefined,
      ),
    }
  }),
  ...[
    '<date_spec years="2030">',
    '<date_spec months="1">',
    '<date_spec weeks="1">',
    '<date_spec minutes="1">',
    '<date_spec seconds="1">',
    '<date_spec weekdays="1">',
    '<date_spec monthdays="1">',
    '<date_spec yeardays="1">',
    '<date_spec weekyears="2030">',
    '<duration years="1">',
    '<duration months="1">',
    '<duration weeks="1">',
    '<duration days="1">',
    '<duration hours="1">',
    '<duration seconds="30">',
  ].map(dateRow),
  ...['<rsc_expression class="ocf">', '<rsc_expression provider="pacemaker">', '<rsc_expression type="Dummy">']
    .map((name) => [name, name.replace(/^<\w+ |>$/g, '')] as const)
    .map(([name, part]) => ({
      name,
      word: part,
      instead: part.replace(/".*"/, '"other"'),
      more: `<rsc_defaults><meta_attributes id="m"><rule id="r" score="INFINITY"><rsc_expression id="e" ${part}/></rule><nvpair id="p" name="target-role" value="Stopped"/></meta_attributes></rsc_defaults>`,
    })),
  ...['<op_expression name="start">', '<op_expression interval="0">']
    .map((name) => [name, name.replace(/^<\w+ |>$/g, '')] as const)
    .map(([name, part]) => ({
      name,
      word: ` ${part}/>`,
      instead: ` ${part.replace(/".*"/, part.startsWith('name') ? '"stop"' : '"7s"')}/>`,
      more: `<op_defaults><meta_attributes id="m"><rule id="r" score="INFINITY"><op_expression id="e" ${part.startsWith('name') ? '' : 'name="start"'} ${part}/></rule><nvpair id="p" name="timeout" value="77s"/></meta_attributes></op_defaults>`,
    })),
  ...['<rsc_colocation rsc-instance="1">', '<rsc_colocation with-rsc-instance="1">']
    .map((name) => [name, name.replace(/^<\w+ |>$/g, '')] as const)
    .map(([name, part]) => ({
      name,
      word: ` ${part}`,
      resources: clone('a-clone', dummy('a')) + clone('b-clone', dummy('b')),
      constraints: `<rsc_colocation id="l" rsc="a-clone" with-rsc="b-clone" score="-INFINITY" ${part}/>`,
    })),
  {
    name: '<date_spec hours="1">',
    word: 'hours="1"',
    instead: 'hours="0-23"',
    constraints: away('<date_expression id="d" operation="date_spec"><date_spec id="s" hours="1"/></date_expression>'),
  },
  {
    name: '<resource_set action="stop">',
    word: 'action="stop"',
    resources: dummy('web') + dummy('db'),
    constraints:
      '<rsc_order id="l"><resource_set id="s" action="stop"><resource_ref id="web"/><resource_ref id="db"/></resource_set></rsc_order>',
  },
  {
    name: '<resource_set role="Promoted">',
    word: 'role="Promoted"',
    resources: `${clone('a-clone', '<primitive id="a" class="ocf" provider="pacemaker" type="Stateful"/>', '<nvpair id="pr" name="promotable" value="true"/>')}${dummy('web')}`,
    constraints:
      '<rsc_colocation id="l" score="INFINITY"><resource_set id="s1"><resource_ref id="web"/></resource_set><resource_set id="s2" role="Promoted"><resource_ref id="a-clone"/></resource_set></rsc_colocation>',
  },
  {
    name: '<resource_set score="-INFINITY">',
    word: 'score="-INFINITY"',
    resources: dummy('web') + dummy('db'),
    constraints:
      '<rsc_colocation id="l"><resource_set id="s" score="-INFINITY"><resource_ref id="web"/><resource_ref id="db"/></resource_set></rsc_colocation>',
  },
  ...(
    [
      ['meta_attributes', '<meta_attributes score="9">'],
      ['utilization', '<utilization score="9">'],
    ] as const
  ).map(([kind, name]) => ({
    name,
    word: 'score="9"',
    instead: 'score="1"',
    options: '<nvpair id="ps" name="placement-strategy" value="utilization"/>',
    nodes:
      '<node id="1" uname="n1"><utilization id="u1"><nvpair id="u2" name="target-role" value="5"/></utilization></node><node id="2" uname="n2"/>',
    resources: dummy(
      'web',
      `<${kind} id="a" score="5"><nvpair id="a1" name="target-role" value="${kind === 'utilization' ? '50' : 'Stopped'}"/></${kind}><${kind} id="b" score="9"><nvpair id="b1" name="target-role" value="${kind === 'utilization' ? '5' : 'Started'}"/></${kind}>`,
    ),
  })),
  {
    name: '<instance_attributes score="9">',
    word: 'score="9"',
    instead: 'score="1"',
    resources: dummy(
      'web',
      '<instance_attributes id="a" score="5"><nvpair id="a1" name="state" value="one"/></instance_attributes><instance_attributes id="b" score="9"><nvpair id="b1" name="state" value="two"/></instance_attributes>',
    ),
  },
  ...[
    '<podman replicas-per-host="2">',
    '<podman run-command="/bin/x">',
    '<podman options="-v /a:/b">',
    '<podman network="host">',
  ]
    .map((name) => [name, name.replace(/^<\w+ |>$/g, '')] as const)
    .map(([name, part]) => ({
      name,
      word: part,
      resources: bundle(podman(part), network('')),
    })),
  {
    name: '<docker replicas-per-host="2">',
    word: 'replicas-per-host="2"',
    resources: bundle('<docker image="x" replicas="2" replicas-per-host="2"/>', network('')),
  },
  ...['<podman promoted-max="1">', '<podman masters="1">']
    .map((name) => [name, name.replace(/^<\w+ |>$/g, '')] as const)
    .map(([name, part]) => ({
      name,
      word: part,
      resources: bundle(
        podman(part),
        network(''),
        '<primitive id="a" class="ocf" provider="pacemaker" type="Stateful"/>',
      ),
    })),
  {
    name: '<docker masters="1">',
    word: 'masters="1"',
    resources: bundle(
      '<docker image="x" replicas="2" masters="1"/>',
      network(''),
      '<primitive id="a" class="ocf" provider="pacemaker" type="Stateful"/>',
    ),
  },
  {
    name: '<network add-host="false">',
    word: 'add-host="false"',
    resources: bundle(podman(''), '<network ip-range-start="192.0.2.10" add-host="false"/>'),
  },
  {
    name: '<port-mapping internal-port="81">',
    word: 'internal-port="81"',
    resources: bundle(podman(''), network('', '<port-mapping id="p" port="80" internal-port="81"/>')),
  },
  {
    name: '<port-mapping range="80-90">',
    word: 'range="80-90"',
    instead: 'port="80"',
    resources: bundle(podman(''), network('', '<port-mapping id="p" range="80-90"/>')),
  },
  ...['node-health-green="100"', 'node-health-red="-100"']
    .map((name) => [name, name.replace('node-health-', '')] as const)
    .map(([name, part]) => ({
      name,
      word: `name="node-health-${part.replace('="', '" value="')}`,
      instead: 'name="cluster-name" value="x"',
      options: `<nvpair id="hs" name="node-health-strategy" value="progressive"/><nvpair id="h" name="node-health-${part.replace('="', '" value="')}/>`,
      nodes: `<node id="1" uname="n1"><instance_attributes id="ia"><nvpair id="ha" name="#health-x" value="${part.split('=')[0]}"/></instance_attributes></node><node id="2" uname="n2"/>`,
    })),
  {
    name: 'allow-unhealthy-nodes in the meta-attributes of a resource',
    word: '<nvpair id="mm" name="allow-unhealthy-nodes" value="true"/>',
    options: '<nvpair id="hs" name="node-health-strategy" value="only-green"/>',
    nodes:
      '<node id="1" uname="n1"><instance_attributes id="ia"><nvpair id="ha" name="#health-x" value="red"/></instance_attributes></node><node id="2" uname="n2"/>',
    resources: dummy(
      'web',
      '<meta_attributes id="m"><nvpair id="mm" name="allow-unhealthy-nodes" value="true"/></meta_attributes>',
    ),
  },
]

test.each(rows)('without $name the answer is another', (row) => {
  const taken = (text: string | undefined): string => (text ?? '').replaceAll(row.word, row.instead ?? '')
  const without: Parts = {
    resources: taken(row.resources ?? web),
    constraints: taken(row.constraints),
    options: taken(row.options),
    nodes: taken(row.nodes),
    more: taken(row.more),
    ...(row.status === undefined ? {} : { status: row.status }),
  }
  expect(JSON.stringify([row.resources, row.constraints, row.options, row.nodes, row.more])).toContain(
    JSON.stringify(row.word).slice(1, -1),
  )
  expect(answer(row)).not.toBe(answer(without))
})
