/** What other programs read of three real nodes: metrics. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from './lab/lab.ts'

const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
  await lab.systole('n1', 'resource', 'create', 'web', 'ocf:pacemaker:Dummy', '--wait')
}, 120_000)

afterAll(() => lab.close(), 60_000)

/** The values of a metric by one of its labels. */
async function metric(node: string, name: string, label: string): Promise<ReadonlyMap<string, number>> {
  const text = await lab.systole(node, 'metrics')
  const lines = [...text.matchAll(new RegExp(`^${name}\\{(.*)\\} (\\S+)$`, 'gm'))]
  return new Map(
    lines.map(([, labels = '', value]) => [new RegExp(`\\b${label}="(.*?)"`).exec(labels)?.[1] ?? '', Number(value)]),
  )
}

test('metrics: each node shows the cluster, and counts its own operations, computations and transactions', async () => {
  const [at = ''] = await lab.whereIs('web', 'n1')
  for (const node of nodes) {
    const text = await lab.systole(node, 'metrics')
    expect(text).toMatch(/^ha_cluster_corosync_quorate 1$/m)
    expect(text).toMatch(
      new RegExp(`^ha_cluster_pacemaker_resources\\{resource="web".*node="${at}",status="active"\\} 1$`, 'm'),
    )
    expect(text).toMatch(/^systole_store_transaction_seconds_count\{outcome="ok"\} [1-9]/m)
    expect(Number(/^systole_lease_remaining_seconds (\S+)$/m.exec(text)?.[1])).toBeGreaterThan(0)
    expect(text.includes('resource="web",operation="start",outcome="ok"')).toBe(node === at)
    expect(/^systole_is_dc 1$/m.test(text)).toBe(
      /^systole_transition_computation_seconds_count\{.*\} [1-9]/m.test(text),
    )
  }
})

test('metrics: a node whose cluster is stopped says so, and fencing is counted', async () => {
  await lab.systole('n1', 'cluster', 'stop', 'n3')
  expect(await lab.systole('n3', 'metrics')).toMatch(/^systole_started\{cluster="\w+",node="n3"\} 0$/m)
  await lab.systole('n1', 'cluster', 'start', 'n3', '--wait')
  await lab.power.off('n2')
  await lab.until(
    'n2 was fenced',
    async () => (await metric('n1', 'systole_fencing_actions', 'outcome')).get('succeeded') === 1,
  )
  await lab.until(
    'n2 is back',
    async () => (await metric('n1', 'ha_cluster_corosync_member_votes', 'node')).get('n2') === 1,
  )
})
