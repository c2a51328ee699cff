/** examples/cloud.yaml on three nodes: it starts in the waves that are drawn, and what nothing orders starts at once. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'

const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)
const example = join(import.meta.dirname, '../../examples/cloud.yaml')

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(nodes)
  // Nobody is lost here: a slow machine is to fence no node.
  await lab.systole('n1', 'cluster', 'config', 'update', 'totem', 'token=15000')
  await lab.createFencing(nodes)
}, 480_000)

afterAll(() => lab.close(), 60_000)

test('the roles of a cloud start in the waves that the graph shows', async () => {
  await lab.systole('n1', 'apply', example, '--wait=240')
  await lab.systole('n1', 'wait', 'converged', '--timeout=120s')
  const { waves, waits } = JSON.parse(await lab.systole('n2', 'graph', '--json')) as {
    readonly waves: readonly (readonly string[])[]
    readonly waits: readonly { readonly first: string; readonly next: string }[]
  }
  expect(waves.map((wave) => wave.toSorted())).toEqual([
    ['registry-clone'],
    ['balancer', 'leader', 'network'],
    ['database', 'monitors-clone'],
    ['api-clone', 'disks-clone'],
    ['pool'],
  ])
  // In the order of the store: each result comes after those that its resource has waited for.
  const starts = await startsOf('n1')
  const revisions = (resource: string): readonly number[] => {
    const found = starts.filter((one) => `${one.resource}-clone` === resource || one.resource === resource)
    expect(found.length, resource).toBeGreaterThan(0)
    return found.map(({ revision }) => revision).toSorted((a, b) => a - b)
  }
  for (const { first, next } of waits) {
    // Two of three are enough of the registry, and of the API for the pool.
    const needed = ['registry-clone', 'api-clone'].includes(first) ? 2 : revisions(first).length
    expect(revisions(next)[0], `${next} after ${first}`).toBeGreaterThan(revisions(first)[needed - 1] ?? Infinity)
  }
  expect(starts.map(({ resource }) => resource).toSorted()).toEqual(
    ['api', 'disks', 'monitors', 'registry']
      .flatMap((one) => [one, one, one])
      .concat(['balancer', 'database', 'leader', 'network', 'pool'])
      .toSorted(),
  )
}, 400_000)

test('ten starts that nothing orders run at the same time on one node; history says which waited for a place', async () => {
  await lab.systole('n1', 'resource', 'disable', 'registry-clone', '--wait=120')
  const names = Array.from({ length: 10 }, (_, at) => `slow-${at}`)
  const file = join(lab.folder, 'slow.yaml')
  const resource = 'agent: ocf:heartbeat:Delay, parameters: {startdelay: 10, stopdelay: 0, mondelay: 0}'
  writeFileSync(
    file,
    `properties: {node-action-limit: 20, load-threshold: 0%}
resources:
${names.map((name) => `  ${name}: {${resource}}`).join('\n')}
constraints:
${names.map((name) => `  ${name}-there: {location: ${name}, node: n2, score: INFINITY}`).join('\n')}
`,
  )
  await lab.systole('n1', 'apply', file, '--wait=240')
  const starts = (await startsOf('n2')).filter(({ resource: one }) => names.includes(one))
  expect(starts.map(({ resource: one }) => one).toSorted()).toEqual(names.toSorted())
  const begun = starts.map(({ at, seconds }) => at - seconds * 1000)
  expect(Math.max(...begun)).toBeLessThan(Math.min(...starts.map(({ at }) => at)))
  // Two at a time: the last one waits for the places of the others, and that is said.
  await lab.systole('n1', 'resource', 'disable', ...names, '--wait=240')
  await lab.systole('n1', 'property', 'set', 'node-action-limit=2')
  await lab.systole('n1', 'resource', 'enable', ...names, '--wait=240')
  const shown = await lab.systole('n1', 'history', 'show')
  expect(shown).toMatch(/waited \S+ s for a place \(node-action-limit: 2\)/)
}, 900_000)

interface Start {
  readonly resource: string
  readonly revision: number
  readonly at: number
  readonly seconds: number
}

async function startsOf(node: string): Promise<readonly Start[]> {
  const listed = await lab.systole(node, 'timeline', 'list', '--kind=operation', '--most=1000', '--json')
  const { events } = JSON.parse(listed) as {
    readonly events: readonly {
      readonly revision: number
      readonly at: string
      readonly text: string
    }[]
  }
  return events.flatMap(({ revision, at, text }) => {
    const [, resource, seconds] = /^(\S+?)(?::\d+)?: start on \S+: ok, ([\d.]+) s/.exec(text) ?? []
    return resource === undefined || resource.startsWith('fence-')
      ? []
      : [{ resource, revision, at: Date.parse(at), seconds: Number(seconds) }]
  })
}
