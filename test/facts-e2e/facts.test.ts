import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'

/** What facts are for: capacities from hardware, more nodes planned, and the real smartctl. */
const members = ['n1', 'n2', 'n3']
const lab = new Lab(members)

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await lab.createFencing()
}, 180_000)
afterAll(() => lab.close(), 60_000)

type Facts = Readonly<Record<string, string | number>>

async function facts(): Promise<ReadonlyMap<string, Facts>> {
  const { nodes } = JSON.parse(await lab.systole('n1', 'node', 'facts', '--json')) as {
    readonly nodes: readonly { readonly node: string; readonly facts: Facts }[]
  }
  return new Map(nodes.map(({ node, facts: own }) => [node, own]))
}
const have = async (nodes: readonly string[]): Promise<void> =>
  await lab.until(
    `${nodes.join(', ')} have facts`,
    async () => {
      const known = await facts()
      return nodes.every((node) => known.get(node)?.['#facts-cpus'] !== undefined)
    },
    90_000,
  )

test('capacities are those of the hardware less a reserve, and what needs more than there is does not run', async () => {
  await have(members)
  const cpus = Number((await lab.inNode('n1', 'nproc', '--all')).trim())
  await lab.systole('n1', 'utilization', 'auto', '--reserve-memory=100')
  await lab.systole('n1', 'property', 'set', 'placement-strategy=utilization')
  for (const name of ['a', 'b', 'c', 'd']) {
    await lab.systole('n1', 'resource', 'create', name, 'ocf:pacemaker:Dummy')
    await lab.systole('n1', 'resource', 'utilization', name, `cpu=${cpus}`)
  }
  // Three nodes have room for three of them.
  const running = async (): Promise<readonly string[]> => {
    const places = await Promise.all(['a', 'b', 'c', 'd'].map(async (name) => await lab.whereIs(name, 'n1')))
    return places.flat().sort()
  }
  await lab.until('three run', async () => (await running()).length === 3)
  expect(await running()).toEqual(members)
  const places = await Promise.all(
    ['a', 'b', 'c', 'd'].map(async (name) => [name, await lab.whereIs(name, 'n1')] as const),
  )
  const left = places.find(([, at]) => at.length === 0)?.[0] ?? ''
  expect(await lab.systole('n1', 'why', left)).toContain('not enough free capacity')
  // More nodes would take it, and the plan says so.
  const planned = await lab.try('n1', 'cluster', 'node', 'plan', '--add=3', '--like=n1')
  const said = planned ?? lab.lastFailure
  expect(said).toContain(`start ${left} on `)
  expect(said).toMatch(/votes/i)
  expect(await lab.systole('n1', 'status', 'nodes')).not.toContain('new')
  await lab.systole('n1', 'utilization', 'auto', '--remove')
  await lab.systole('n1', 'property', 'set', 'placement-strategy=')
  await lab.until('all run', async () => (await running()).length === 4)
  for (const name of ['a', 'b', 'c', 'd']) await lab.systole('n1', 'resource', 'delete', name)
}, 180_000)

test('the real smartctl is asked; no disk that it knows fails', async () => {
  const { devices = [] } = JSON.parse(await lab.inNode('n1', 'smartctl', '--scan', '--json')) as {
    readonly devices?: readonly unknown[]
  }
  await lab.systole('n1', 'property', 'set', 'hardware-health=true', 'hardware-health-interval=1s')
  const seen = async (): Promise<ReadonlyMap<string, string>> => {
    const { nodes } = JSON.parse(await lab.systole('n1', 'node', 'health', 'n1', '--json')) as {
      readonly nodes: readonly { readonly health: readonly { readonly what: string; readonly value: string }[] }[]
    }
    return new Map(nodes.flatMap(({ health }) => health.map(({ what, value }) => [what, value] as const)))
  }
  await lab.until('it has a health', async () => (await seen()).get('temperature') === 'green', 60_000)
  expect([devices.length >= 0, (await seen()).get('disks')]).toEqual([true, 'green'])
}, 120_000)
