/**
 * The osp-ha-deploy scripts, line by line, in the words of pcs 0.9 and of 0.12. What they are known to do wrong fails with a
 * sentence that names what was probably meant; everything else is done, and the result is the control plane that is meant.
 */
import { describe, expect, test } from 'vitest'
import { printXml, type XmlElement } from '../../../src/cib/index.ts'
import { constraintRows } from './constraint-rows.ts'
import { graphFacts } from './control-plane.ts'
import { overcloud, overcloudNodes } from './overcloud.ts'
import { type Failure, type Replayed, replay } from './replay.ts'
import { commandLines, isThere, missing, table } from './shared-commands.ts'

const controllers = ['rdo7-node1', 'rdo7-node2', 'rdo7-node3']

/** The name that a failing line should have used, by what it wrote (the mistakes that the scripts are known for). */
const meant: Readonly<Record<string, string>> = {
  'openstack-ceilometer-delay-clone': 'delay-clone',
  'openstack-glance-fs-clone': 'glance-fs-clone',
  'cinder-volume': 'openstack-cinder-volume',
  'glance-api-clone': 'openstack-glance-api-clone',
  'nova-conductor-clone': 'openstack-nova-conductor-clone',
  'ceilometer-notification-clone': 'openstack-ceilometer-notification-clone',
  'openstack-ceilometer-compute': 'ceilometer-compute',
}

/** The scripts ask by `resource show` whether something has been made already: no is the right answer. */
const isQuestion = ({ line }: Failure): boolean => /^resource (show|config) \S+$/.test(line)

function mistakes({ failures }: Replayed): readonly Failure[] {
  return failures.filter((failure) => !isQuestion(failure))
}

function expectNearMatch({ line, says }: Failure): void {
  const wrong = /There is no resource '([^']+)'/.exec(says)?.[1] ?? ''
  expect(Object.keys(meant), line).toContain(wrong)
  expect(says, line).toContain(`There is no resource '${wrong}'. Did you mean '${meant[wrong]}'`)
}

const replayed = new Map<string, Promise<Replayed>>()
function once(name: string, compat?: string): Promise<Replayed> {
  const key = `${name} ${compat ?? ''}`
  const known = replayed.get(key)
  if (known) return known
  const fresh = replay(commandLines(name), { nodes: controllers, ...(compat === undefined ? {} : { compat }) })
  replayed.set(key, fresh)
  return fresh
}

const patience = 180_000

describe.skipIf(!isThere)('osp-ha-deploy against a file', () => {
  test(
    'collapsed: its five known mistakes fail, each with the name that was meant',
    async () => {
      const wrong = mistakes(await once('ALL-collapsed.txt'))
      expect(wrong).toHaveLength(5)
      for (const failure of wrong) expectNearMatch(failure)
    },
    patience,
  )

  test(
    'with managed compute: ten dangling names and one resource that cannot be enabled',
    async () => {
      const wrong = mistakes(await once('ALL-collapsed-with-compute.txt'))
      expect(wrong.filter(({ line }) => line.startsWith('constraint'))).toHaveLength(10)
      expect(wrong.filter(({ line }) => line.startsWith('resource enable'))).toHaveLength(1)
      for (const failure of wrong) expectNearMatch(failure)
    },
    patience,
  )

  test(
    'with the names repaired every line is done, under any compatibility with pcs',
    async () => {
      expect(mistakes(await once('ALL-collapsed-fixed.txt'))).toEqual([])
      expect(mistakes(await once('ALL-collapsed-with-compute-fixed.txt', '0.9'))).toEqual([])
      expect(mistakes(await once('ALL-collapsed-with-compute-pcs012.txt', '0.12'))).toEqual([])
    },
    patience,
  )

  test('the words of pcs 0.9 are refused where only those of 0.12 are read', async () => {
    const { failures } = await replay(
      [['resource', 'create', 'web', 'ocf:heartbeat:Dummy', '--clone', 'interleave=true']],
      { nodes: controllers, compat: '0.12' },
    )
    expect(failures[0]?.says).toContain('syntax of an older pcs')
  })

  test(
    'both dialects leave the same configuration, but for the names of promotable clones',
    async () => {
      const old = printXml((await once('ALL-collapsed-with-compute-fixed.txt', '0.9')).cib)
      const present = printXml((await once('ALL-collapsed-with-compute-pcs012.txt', '0.12')).cib)
      expect(old.replaceAll('galera-master', 'galera-clone').replaceAll('redis-master', 'redis-clone')).toBe(present)
    },
    patience,
  )

  test(
    'its constraints are those that the scripts mean, all of them and no other',
    async () => {
      const { cib } = await once('ALL-collapsed-with-compute-fixed.txt', '0.9')
      const expected = table('constraints.tsv').map((row) =>
        [row.type, row.first_or_source, row.action, row.then_or_target, row.options].join(' '),
      )
      expect([...constraintRows(cib)].sort()).toEqual([...expected].sort())
    },
    patience,
  )

  test(
    'three controllers start 145 instances, in the order of the services',
    async () => {
      const { cib } = await once('ALL-collapsed-fixed.txt')
      const facts = graphFacts(cib)
      expect(facts.startedInstances).toBe(145)
      expect(facts.loops).toEqual([])
      // A virtual address, haproxy, keystone, seven of ceilometer and four of heat.
      expect(facts.longestChain).toHaveLength(14)
      for (const chain of startOrders) expect(facts.disorder(chain), chain.join(' ')).toEqual([])
    },
    patience,
  )
})

/** Which starts before which, as the deployment's notes draw it. */
const startOrders: readonly (readonly string[])[] = [
  ['vip-db', 'haproxy', 'openstack-keystone'],
  ['galera', 'openstack-keystone'],
  ['rabbitmq', 'openstack-keystone'],
  ['memcached', 'openstack-keystone'],
  ['openstack-keystone', 'openstack-glance-registry', 'openstack-glance-api'],
  ['glance-fs', 'openstack-glance-registry'],
  ['openstack-keystone', 'openstack-cinder-api', 'openstack-cinder-scheduler', 'openstack-cinder-volume'],
  ['openstack-keystone', 'swift-account', 'swift-container', 'swift-object'],
  ['swift-fs', 'swift-account', 'swift-proxy', 'swift-object-expirer'],
  [
    'openstack-keystone',
    'neutron-server',
    'neutron-scale',
    'neutron-ovs-cleanup',
    'neutron-netns-cleanup',
    'neutron-openvswitch-agent',
    'neutron-dhcp-agent',
    'neutron-l3-agent',
    'neutron-metadata-agent',
  ],
  [
    'openstack-keystone',
    'openstack-nova-consoleauth',
    'openstack-nova-novncproxy',
    'openstack-nova-api',
    'openstack-nova-scheduler',
    'openstack-nova-conductor',
  ],
  ['redis', 'vip-redis', 'openstack-ceilometer-central'],
  [
    'mongod',
    'openstack-ceilometer-central',
    'openstack-ceilometer-collector',
    'openstack-ceilometer-api',
    'delay',
    'openstack-ceilometer-alarm-evaluator',
    'openstack-ceilometer-alarm-notifier',
    'openstack-ceilometer-notification',
    'openstack-heat-api',
    'openstack-heat-api-cfn',
    'openstack-heat-api-cloudwatch',
    'openstack-heat-engine',
  ],
]

const segregated = [
  { name: 'lb', wrong: 0 },
  { name: 'galera', wrong: 0 },
  { name: 'rabbitmq', wrong: 0 },
  { name: 'memcached', wrong: 0 },
  { name: 'mongodb', wrong: 0 },
  { name: 'keystone', wrong: 0 },
  { name: 'glance', wrong: 2 },
  { name: 'cinder', wrong: 0 },
  { name: 'swift', wrong: 0 },
  { name: 'swift-aco', wrong: 0 },
  { name: 'neutron-server', wrong: 0 },
  { name: 'neutron-agents', wrong: 0 },
  { name: 'nova', wrong: 0 },
  { name: 'ceilometer', wrong: 3 },
  { name: 'heat', wrong: 0 },
  { name: 'horizon', wrong: 0 },
  { name: 'compute-cluster', wrong: 0 },
]

describe.skipIf(!isThere)('osp-ha-deploy segregated: a cluster for each service', () => {
  for (const { name, wrong } of segregated)
    test(
      `${name}: ${wrong === 0 ? 'every line is done' : `${wrong} known mistakes`}`,
      async () => {
        const lines = commandLines(`segregated/${name}.txt`)
        const found = mistakes(await replay(lines, { nodes: nodesOf(lines) }))
        expect(found).toHaveLength(wrong)
        for (const failure of found) expectNearMatch(failure)
      },
      patience,
    )
})

/** The first line authenticates the nodes. */
function nodesOf(lines: readonly (readonly string[])[]): readonly string[] {
  const auth = lines.find(([area, verb]) => area === 'cluster' && verb === 'auth') ?? []
  return auth.slice(2, auth.indexOf('-u'))
}

describe.skipIf(!isThere)('Instance HA', () => {
  test(
    'of version 9 installs every line, and is uninstalled without a trace of its resources',
    async () => {
      const installed = await replay([...overcloud, ...commandLines('iha-install-9.txt')], { nodes: overcloudNodes })
      expect(installed.failures).toEqual([])
      const both = await replay(
        [...overcloud, ...commandLines('iha-install-9.txt'), ...commandLines('iha-uninstall.txt')],
        { nodes: overcloudNodes },
      )
      expect(both.failures).toEqual([])
      expect(resourceIds(both.cib)).toEqual(
        [...resourceIds((await replay(overcloud, { nodes: overcloudNodes })).cib), 'shooter', 'fence-nova'].sort(),
      )
    },
    patience,
  )

  test(
    'of version 10 names galera in two ways, of which a cluster has one',
    async () => {
      const { failures } = await replay([...overcloud, ...commandLines('iha-install-10.txt')], {
        nodes: overcloudNodes,
      })
      expect(failures).toHaveLength(1)
      expect(failures[0]?.line).toBe('constraint order start galera-clone then nova-evacuate')
      expect(failures[0]?.says).toContain("Did you mean 'galera-master'?")
    },
    patience,
  )
})

function resourceIds(cib: XmlElement): readonly string[] {
  return [...printXml(cib).matchAll(/<primitive id="([^"]+)"/g)].map(([, id]) => id ?? '').sort()
}

test.runIf(!isThere)(missing, ({ skip }) => skip(missing))
