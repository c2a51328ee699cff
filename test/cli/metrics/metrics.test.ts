/** `systole metrics`: the names and labels that dashboards for Pacemaker read, the rules and the dashboard that we ship, and what a daemon counts. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { nodeName, resourceId } from '../../../src/base/index.ts'
import { parseXml } from '../../../src/cib/index.ts'
import { printMetrics } from '../../../src/cli/metrics/metrics-text.ts'
import { stoppedState } from '../../../src/daemon/cluster-state/cluster-state.ts'
import { DaemonMetrics, outcomeWord } from '../../../src/daemon/metrics/daemon-metrics.ts'
import type { AgentOutcome } from '../../../src/resource-agents/index.ts'
import type { ClusterState } from '../../../src/rpc/index.ts'
import { statusOfCib } from '../../../src/status/index.ts'

const operation = (id: string, name: string, rc: number, interval = 0): string =>
  `<lrm_rsc_op id="${id}_${interval === 0 ? 'last' : name}_${interval}" operation="${name}" operation_key="${id}_${name}_${interval}" call-id="${interval === 0 ? 1 : 2}" rc-code="${rc}" op-status="0" interval="${interval}" transition-key="1:1:0:x" last-rc-change="1"/>`

const cib = `<cib crm_feature_set="3.20.1" validate-with="pacemaker-4.0" epoch="1" num_updates="0" admin_epoch="0" cib-last-written="2026-11-20T11:00:00Z" have-quorum="1" dc-uuid="1">
<configuration><crm_config/>
<nodes>
  <node id="1" uname="n1"><instance_attributes id="n1-a"><nvpair id="n1-r" name="db-role" value="true"/><nvpair id="n1-r2" name="api-role" value="true"/><nvpair id="n1-p" name="api_password" value="Ohgh8ees"/></instance_attributes></node>
  <node id="2" uname="n2"><instance_attributes id="n2-a"><nvpair id="n2-r" name="api-role" value="true"/><nvpair id="n2-r2" name="gone-role" value="true"/></instance_attributes></node>
</nodes>
<resources>
  <group id="site"><primitive id="ip" class="ocf" provider="heartbeat" type="IPaddr2"><meta_attributes id="ip-m"><nvpair id="ip-mt" name="migration-threshold" value="3"/></meta_attributes></primitive></group>
  <clone id="pings"><primitive id="ping" class="ocf" provider="pacemaker" type="ping"/></clone>
</resources>
<constraints>
  <rsc_location id="l1" rsc="site" node="n1" score="INFINITY"/>
  <rsc_location id="l2" rsc="pings" node="n2" score="-100" role="Started"/>
</constraints></configuration>
<status>
  <node_state id="1" uname="n1" in_ccm="true" crmd="online" join="member" expected="member"><lrm id="1"><lrm_resources>
    <lrm_resource id="ip" class="ocf" provider="heartbeat" type="IPaddr2">${operation('ip', 'start', 0)}</lrm_resource>
    <lrm_resource id="ping" class="ocf" provider="pacemaker" type="ping">${operation('ping', 'start', 0)}</lrm_resource>
  </lrm_resources></lrm><transient_attributes id="1"><instance_attributes id="s1"><nvpair id="f" name="fail-count-ip#monitor_10000" value="INFINITY"/></instance_attributes></transient_attributes></node_state>
  <node_state id="2" uname="n2" in_ccm="false" crmd="offline" join="down" expected="down"/>
</status></cib>`

function known() {
  const parsed = parseXml(cib)
  if (!parsed.ok) throw new Error(parsed.reports[0]?.message)
  return { cib: parsed.value, status: statusOfCib({ cib: parsed.value, now: 1_795_000_000, utcOffsetAt: undefined }) }
}

const member = { address: '10.0.0.1', votes: true, sbdDisks: ['/dev/sdb'] }
const link = (state: 'up' | 'down') => ({ number: 0, address: '10.0.0.1', priority: 1, state })
const state: ClusterState = {
  ...stoppedState(undefined, 'n1', true),
  configured: true,
  started: true,
  clusterName: 'shop',
  quorate: true,
  votes: { present: 2, expected: 3, needed: 2 },
  dc: 'n1',
  term: 7,
  members: [
    { ...member, node: 'n1', state: 'member', daemonVersion: '0.1.0', links: [link('down')] },
    { ...member, node: 'n2', state: 'lost', links: [link('up')] },
  ],
  fencing: [
    { id: '1', target: 'n2', action: 'reboot', begun: '', outcome: 'failed' },
    { id: '2', target: 'n2', action: 'reboot', begun: '', outcome: 'failed' },
  ],
  store: { kind: 'etcd', healthy: true },
  notes: ['The disk /dev/sdb was not read for 8 s.'],
}

/** Lines as `name{labels sorted} value`. */
async function samples(): Promise<readonly string[]> {
  const { text } = await printMetrics({ cluster: known(), state, daemon: await counted().snapshot() })
  return text.split('\n').map((line) => {
    const [, name = '', labels = '', value = ''] = /^(\w+)\{(.*)\} (\S+)$/.exec(line) ?? []
    if (name === '') return line
    return `${name}{${(labels.match(/\w+="(?:[^"\\]|\\.)*"/g) ?? []).toSorted().join(',')}} ${value}`
  })
}

const call = {
  agent: { class: 'ocf', type: 'Dummy' },
  resource: resourceId('ip'),
  operation: 'start',
  attributes: {},
  timeoutMs: 1000,
}
const outcome = (more: Partial<AgentOutcome> = {}): AgentOutcome => ({
  status: 'done',
  exitCode: 0,
  output: '',
  execTimeMs: 300,
  ...more,
})

function counted(): DaemonMetrics {
  return new DaemonMetrics(() => 1500)
}

test('nodes, resources, attributes, fail counts, constraints and votes have the names and labels of ha_cluster_exporter', async () => {
  const lines = await samples()
  const resource =
    'agent="ocf:heartbeat:IPaddr2",clone="",group="site",managed="true",node="n1",resource="ip",role="started"'
  for (const line of [
    'ha_cluster_pacemaker_stonith_enabled 1',
    `ha_cluster_pacemaker_config_last_change ${Date.parse('2026-11-20T11:00:00Z') / 1000}`,
    'ha_cluster_pacemaker_nodes{node="n1",status="online",type="member"} 1',
    'ha_cluster_pacemaker_nodes{node="n1",status="expected_up",type="member"} 1',
    'ha_cluster_pacemaker_nodes{node="n1",status="dc",type="member"} 1',
    'ha_cluster_pacemaker_nodes{node="n2",status="online",type="member"} 0',
    'ha_cluster_pacemaker_node_attributes{name="db-role",node="n1",value="true"} 1',
    `ha_cluster_pacemaker_resources{${resource},status="active"} 1`,
    `ha_cluster_pacemaker_resources{${resource},status="failed"} 0`,
    'ha_cluster_pacemaker_resources{agent="ocf:pacemaker:ping",clone="pings",group="",managed="true",node="n1",resource="ping",role="started",status="active"} 1',
    'ha_cluster_pacemaker_fail_count{node="n1",resource="ip"} +Inf',
    'ha_cluster_pacemaker_fail_count{node="n1",resource="ping"} 0',
    'ha_cluster_pacemaker_migration_threshold{node="n1",resource="ip"} 3',
    'ha_cluster_pacemaker_location_constraints{constraint="l1",node="n1",resource="site",role="started"} +Inf',
    'ha_cluster_pacemaker_location_constraints{constraint="l2",node="n2",resource="pings",role="started"} -100',
    'ha_cluster_corosync_quorate 1',
    'ha_cluster_corosync_quorum_votes{type="expected_votes"} 3',
    'ha_cluster_corosync_quorum_votes{type="total_votes"} 2',
    'ha_cluster_corosync_quorum_votes{type="quorum"} 2',
    'ha_cluster_corosync_member_votes{local="true",node="n1",node_id="1"} 1',
    'ha_cluster_corosync_ring_errors 1',
    'ha_cluster_corosync_rings{address="10.0.0.1",node_id="1",number="0",ring_id="1.1"} 0',
    'ha_cluster_sbd_devices{device="/dev/sdb",status="unhealthy"} 1',
    'ha_cluster_scrape_success{collector="pacemaker"} 1',
  ])
    expect(lines).toContain(line)
})

test('our own metrics have the DC, members, links, fencing, roles and versions', async () => {
  const lines = await samples()
  for (const line of [
    'systole_is_dc 1',
    'systole_dc_term 7',
    'systole_started{cluster="shop",node="n1"} 1',
    'systole_member_state{node="n2",state="lost"} 1',
    'systole_member_state{node="n2",state="member"} 0',
    'systole_node_version_info{node="n1",version="0.1.0"} 1',
    'systole_link_up{address="10.0.0.1",node="n1",number="0"} 0',
    'systole_fencing_actions{outcome="failed",target="n2"} 2',
    'systole_node_role{node="n1",role="db"} 1',
    'systole_role_nodes{role="db",status="all"} 1',
    'systole_role_nodes{role="db",status="online"} 1',
    'systole_role_nodes{role="db",status="available"} 1',
    'systole_role_nodes{role="api",status="all"} 2',
    'systole_role_nodes{role="api",status="online"} 1',
    'systole_role_nodes{role="gone",status="available"} 0',
    'systole_role_active_resources{resource="ip",role="db"} 1',
    'systole_role_active_resources{resource="ping",role="api"} 1',
    'systole_store_healthy{kind="etcd"} 1',
    'systole_lease_remaining_seconds 1.5',
  ])
    expect(lines).toContain(line)
  expect(lines.filter((line) => line.startsWith('systole_role_active_resources') && line.includes('gone'))).toEqual([])
})

test('the questions by role that the guide shows are answered', async () => {
  const guide = readFileSync(resolve('docs/guides/metrics.md'), 'utf8')
  const [, section = ''] = /\n## By role\n(.*?)\n## /s.exec(guide) ?? []
  const questions = section.split(/\n\n/).filter((text) => text.startsWith('    '))
  expect(questions).toHaveLength(2)
  const folder = mkdtempSync(join(tmpdir(), 'systole-metrics-'))
  try {
    const series = [
      ['ha_cluster_pacemaker_nodes{node="n1",status="online",type="member",instance="a"}', '1x20'],
      ['ha_cluster_pacemaker_nodes{node="n2",status="online",type="member",instance="a"}', '0x20'],
      // Each node says it.
      ...['a', 'b'].map((instance) => [`systole_node_role{node="n1",role="db",instance="${instance}"}`, '1x20']),
      ['systole_node_role{node="n2",role="db",instance="a"}', '1x20'],
      ['systole_node_role{node="n2",role="api",instance="a"}', '1x20'],
      ['systole_started{cluster="shop",node="n1",instance="a"}', '1x20'],
      ['systole_started{cluster="shop",node="n2",instance="b"}', '1x20'],
      [
        'systole_operation_duration_seconds_count{resource="r",operation="monitor",outcome="failed",instance="b"}',
        '0+60x20',
      ],
    ].map(([name, values]) => ({ series: name, values }))
    const answers = [
      {
        expr: questions[0],
        exp_samples: [
          { labels: '{role="db"}', value: 1 },
          { labels: '{role="api"}', value: 0 },
        ],
      },
      {
        expr: questions[1],
        exp_samples: [
          { labels: '{role="db"}', value: 1 },
          { labels: '{role="api"}', value: 1 },
        ],
      },
    ].map((one) => ({ ...one, eval_time: '10m' }))
    const tests = [{ interval: '1m', input_series: series, promql_expr_test: answers }]
    writeFileSync(join(folder, 'questions.yml'), JSON.stringify({ tests }))
    execFileSync('promtool', ['test', 'rules', 'questions.yml'], { cwd: folder })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('no metric has a secret, and a node without a cluster says that it knows nothing', async () => {
  expect((await samples()).join('\n')).not.toContain('Ohgh8ees')
  const { text } = await printMetrics({ cluster: undefined, state: stoppedState(undefined, 'n1', false), daemon: [] })
  expect(text).toContain('ha_cluster_scrape_success{collector="pacemaker"} 0\n')
  expect(text).not.toContain('ha_cluster_pacemaker_nodes')
  expect(text.endsWith('# EOF\n')).toBe(true)
})

test('a daemon counts operations by resource, operation and outcome, and forgets the oldest of too many', async () => {
  const metrics = counted()
  const run = async (resource: string, became: AgentOutcome): Promise<void> => {
    const runner = metrics.measureAgents({ run: () => ({ finished: Promise.resolve(became), kill: () => undefined }) })
    await runner.run({ ...call, resource: resourceId(resource) }).finished
  }
  await run('ip', outcome())
  await run('ip', outcome({ status: 'timeout', execTimeMs: 20_000 }))
  const text = async (): Promise<string> =>
    (await printMetrics({ cluster: undefined, state: undefined, daemon: await metrics.snapshot() })).text
  expect(await text()).toMatch(
    /^systole_operation_duration_seconds_bucket\{le="0.5",resource="ip",operation="start",outcome="ok"\} 1$/m,
  )
  expect(await text()).toMatch(/duration_seconds_count\{resource="ip",operation="start",outcome="timeout"\} 1/)
  for (let number = 0; number < 2000; number++) await run(`r${number}`, outcome())
  const names = new Set(
    [...(await text()).matchAll(/duration_seconds_count\{resource="(\w+)"/g)].map(([, name]) => name),
  )
  expect(names.size).toBe(2000)
  expect(names.has('ip')).toBe(false)
})

test('the outcome of an operation is one of five words', () => {
  expect(outcomeWord('start', outcome())).toBe('ok')
  expect(outcomeWord('monitor', outcome({ exitCode: 7 }))).toBe('not_running')
  expect(outcomeWord('start', outcome({ exitCode: 7 }))).toBe('failed')
  expect(outcomeWord('monitor', outcome({ exitCode: 8 }))).toBe('ok')
  expect(outcomeWord('stop', outcome({ status: 'timeout' }))).toBe('timeout')
  expect(outcomeWord('start', outcome({ status: 'not-installed', exitCode: 5 }))).toBe('failed')
})

test('transactions of the store and computations are timed, also those that fail', async () => {
  const metrics = counted()
  const store = metrics.measureStore({
    transaction: async () => await Promise.reject(new Error('no leader')),
    get: async (key: string) => await Promise.resolve({ key }),
  } as never)
  await expect(store.transaction({ compare: [], writes: [] })).rejects.toThrow('no leader')
  expect(await store.get('a')).toEqual({ key: 'a' })
  expect(await metrics.measureDecision(async () => await Promise.resolve(nodeName('n1')))).toBe('n1')
  const { text } = await printMetrics({ cluster: undefined, state: undefined, daemon: await metrics.snapshot() })
  expect(text).toContain('systole_store_transaction_seconds_count{outcome="failed"} 1\n')
  expect(text).toContain('systole_transition_computation_seconds_count{outcome="ok"} 1\n')
})

const packaging = resolve('packaging')

/** It reads the older form, in which a counter's help has the counter's whole name. */
test('promtool reads the metrics, and finds nothing wrong but a name of the exporter’s', async () => {
  const { text } = await printMetrics({ cluster: known(), state, daemon: await counted().snapshot() })
  const { stderr, stdout } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
  const complaints = `${stdout}${stderr}`.trim().split('\n')
  expect(text).toMatch(/^process_cpu_seconds_total \d/m)
  expect(
    complaints.filter(
      (line) => !/^(?:ha_cluster_pacemaker_fail_count |nodejs_|process_\w+_total no help text)/.test(line),
    ),
  ).toEqual([])
})

test('the alert rules raise what they are for and nothing else', () => {
  const folder = join(packaging, 'prometheus')
  execFileSync('promtool', ['check', 'rules', 'systole.rules.yml'], { cwd: folder })
  execFileSync('promtool', ['test', 'rules', 'systole.rules.test.yml'], { cwd: folder })
})

test('the dashboard and the rules ask for metrics that there are, and the guide describes all of ours', async () => {
  const { facts } = await printMetrics({ cluster: known(), state, daemon: await counted().snapshot() })
  const names = new Set(facts.map((fact) => (fact as { readonly name: string }).name))
  const dashboard = readFileSync(join(packaging, 'grafana/systole.json'), 'utf8')
  const rules = readFileSync(join(packaging, 'prometheus/systole.rules.yml'), 'utf8')
  const asked = new Set(
    [...`${dashboard}${rules}`.matchAll(/\b((?:ha_cluster|systole|process|nodejs)_\w+)/g)].map(([, name = '']) =>
      name.replace(/_(?:bucket|count)$/, (suffix) => (names.has(name) ? suffix : '')),
    ),
  )
  expect([...asked].filter((name) => !names.has(name))).toEqual([])
  const guide = readFileSync(resolve('docs/guides/metrics.md'), 'utf8')
  expect([...names].filter((name) => name.startsWith('systole_') && !guide.includes(`\`${name}\``))).toEqual([])
  expect(existsSync(join(packaging, 'prometheus/systole.rules.test.yml'))).toBe(true)
})
