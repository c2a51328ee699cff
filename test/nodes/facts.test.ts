import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from './lab/lab.ts'

/** Facts of three nodes: recorded when they join, followed when they change, and obeyed by constraints. */
const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)
const shim = (tool: string): string => join(lab.folder, 'systole/shims', tool)

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
}, 180_000)

afterAll(() => lab.close(), 60_000)

type Facts = Readonly<Record<string, string | number>>

async function facts(seenFrom = 'n1'): Promise<ReadonlyMap<string, Facts>> {
  const { nodes: seen } = JSON.parse(await lab.systole(seenFrom, 'node', 'facts', '--json')) as {
    readonly nodes: readonly { readonly node: string; readonly facts: Facts }[]
  }
  return new Map(seen.map(({ node, facts: own }) => [node, own]))
}

test('each node records what its machine is, every node sees it, and Pacemaker accepts the CIB', async () => {
  await lab.until(
    'all have facts',
    async () => [...(await facts('n3')).values()].every((own) => '#facts-kernel' in own),
    60_000,
  )
  const [own] = (await facts()).values()
  expect(own?.['#facts-cpus']).toBe(Number((await lab.inNode('n1', 'nproc', '--all')).trim()))
  expect(own?.['#facts-memory-mib']).toBeGreaterThan(100)
  const cib = join(lab.folder, 'cib.xml')
  writeFileSync(cib, await lab.inNode('n1', 'systole', 'cluster', 'cib'))
  await lab.inNode('n1', 'crm_verify', '-x', cib)
  expect(await lab.inNode('n1', shim('crm_attribute'), '-N', 'n2', '-n', '#facts-cpus', '-l', 'reboot', '-Gq')).toBe(
    `${own?.['#facts-cpus']}\n`,
  )
  expect(await lab.systole('n1', 'node', 'facts', '--differences')).toBe('The nodes with facts do not differ.\n')
}, 90_000)

test('a resource runs where its profile is met, and why names what no node has', async () => {
  await lab.prepare('n1', 'resource', 'create', 'web', 'ocf:pacemaker:Dummy', '--wait')
  await lab.systole('n1', 'profile', 'create', 'small', 'cpus >= 1 and memory >= 100 MiB')
  await lab.systole('n1', 'profile', 'create', 'huge', 'memory >= 1000 TiB')
  await lab.systole('n1', 'profile', 'require', 'small', 'web', '--wait')
  expect(await lab.whereIs('web', 'n1')).toHaveLength(1)
  await lab.systole('n1', 'profile', 'require', 'huge', 'web')
  await lab.until('it stops', async () => (await lab.whereIs('web', 'n1')).length === 0)
  expect(await lab.systole('n2', 'why', 'web')).toMatch(/No node has memory >= 1000 TiB\. The nearest is n\d with /)
  expect(await lab.try('n2', 'profile', 'match', 'huge')).toBeUndefined()
  expect(lab.lastFailure).toContain('No node has memory >= 1000 TiB.')
  const cib = join(lab.folder, 'ruled.xml')
  writeFileSync(cib, await lab.inNode('n1', 'systole', 'cluster', 'cib'))
  await lab.inNode('n1', 'crm_verify', '-x', cib)
  await lab.systole('n1', 'constraint', 'delete', 'profile-huge-web')
  await lab.until('it runs again', async () => (await lab.whereIs('web', 'n1')).length === 1)
}, 90_000)

test('a machine that changes has other facts, which differ from those of the others, and a rule follows them', async () => {
  await lab.prepare('n1', 'property', 'set', 'facts-interval=10s')
  await lab.systole('n1', 'profile', 'create', 'other', "os = 'Otheros 7'")
  await lab.systole('n1', 'profile', 'require', 'other', 'web')
  const release = join(lab.folder, 'os-release')
  writeFileSync(release, 'NAME=Otheros\nID=other\nVERSION_ID=7\n')
  for (const file of ['/etc/os-release', '/usr/lib/os-release'])
    await lab.inNode('n2', 'mount', '--bind', release, file)
  await lab.until('the fact has changed', async () => (await facts()).get('n2')?.['#facts-os'] === 'Otheros 7', 60_000)
  expect(await lab.systole('n3', 'node', 'facts', '--differences')).toMatch(
    /^os:\n {5}n1 .*\n {2}! {2}n2 {2}Otheros 7\n {5}n3 /,
  )
  await lab.until('the resource has moved there', async () => (await lab.whereIs('web', 'n1'))[0] === 'n2')
}, 120_000)

test('facts that somebody deletes come back, and those of a node that leaves return with it', async () => {
  await lab.inNode('n1', shim('attrd_updater'), '-D', '-n', '#facts-cpus', '-N', 'n3')
  await lab.until('it is back', async () => (await facts()).get('n3')?.['#facts-cpus'] !== undefined, 60_000)
  await lab.systole('n3', 'cluster', 'stop')
  await lab.until('they are gone', async () => Object.keys((await facts()).get('n3') ?? {}).length === 0)
  await lab.systole('n3', 'cluster', 'start')
  await lab.until('they are back', async () => (await facts()).get('n3')?.['#facts-cpus'] !== undefined, 60_000)
}, 150_000)

test('with facts-interval=0 nothing is recorded', async () => {
  await lab.prepare('n1', 'property', 'set', 'facts-interval=0')
  await lab.until('all are gone', async () =>
    [...(await facts()).values()].every((own) => Object.keys(own).length === 0),
  )
}, 60_000)

test('nodes are measured by a job, and each has a result', async () => {
  // Each run keeps a processor of every node busy for seconds: each asks for what it shows alone.
  const written = lab.systole('n1', 'node', 'benchmark', '--all', '--parts=disk', '--tolerance=99', '--json')
  const { results, missing, outliers } = JSON.parse(await written) as {
    readonly results: Readonly<Record<string, object>>
    readonly missing: readonly string[]
    readonly outliers: readonly unknown[]
  }
  expect([missing, outliers]).toEqual([[], []])
  expect(Object.keys(results).sort()).toEqual(nodes)
  // Who is named follows from what was measured and the tolerance: further below the median than that.
  const { results: measured, outliers: named } = JSON.parse(
    await lab
      .systole('n1', 'node', 'benchmark', '--all', '--parts=cpu', '--tolerance=3', '--json')
      .catch((error: unknown) => String(Object(Object(error).cause).stdout)),
  ) as {
    readonly results: Readonly<Record<string, { readonly cpu: number }>>
    readonly outliers: readonly { readonly node: string }[]
  }
  const speeds = Object.entries(measured).map(([node, { cpu }]) => ({ node, cpu }))
  const median = speeds.map(({ cpu }) => cpu).toSorted((a, b) => a - b)[1] ?? 0
  const slower = speeds.filter(({ cpu }) => cpu < median * 0.97).map(({ node }) => node)
  expect(named.map(({ node }) => node).toSorted()).toEqual(slower.toSorted())
  // Of three, one is below the median.
  const strict = lab.systole('n1', 'node', 'benchmark', '--all', '--parts=memory,disk', '--tolerance=0')
  await expect(strict).rejects.toMatchObject({
    cause: { code: 2, stdout: expect.stringMatching(/n\d is slow: \w+ \d+ MiB\/s, where the median is/) as unknown },
  })
  const one = JSON.parse(await lab.systole('n1', 'node', 'benchmark', '--on=n2', '--json')) as {
    readonly results: Readonly<Record<string, Readonly<Record<string, number>>>>
  }
  expect(Object.entries(one.results).map(([node, result]) => [node, Object.keys(result).sort()])).toEqual([
    ['n2', ['cpu', 'disk', 'memory']],
  ])
  for (const value of Object.values(one.results.n2 ?? {})) expect(value).toBeGreaterThan(0)
  const here = JSON.parse(await lab.systole('n2', 'node', 'benchmark', '--here', '--parts=disk', '--json')) as object
  expect(Object.keys(here)).toEqual(['disk'])
  expect((await lab.inNode('n2', 'sh', '-c', 'ls /var/lib/systole')).includes('benchmark-')).toBe(false)
}, 90_000)
