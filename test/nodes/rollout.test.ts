import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from './lab/lab.ts'

/** Rollouts of a versioned service on three nodes; a client, a DC, a target and all power lost in between. */
const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)
const software = join(lab.folder, 'software')
const runs = join(lab.folder, 'runs')

beforeAll(async () => {
  mkdirSync(software)
  writeFileSync(runs, '')
  for (const node of nodes) writeFileSync(join(software, node), '1')
  await lab.start()
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
  await lab.systole('n1', 'resource', 'create', 'web', 'ocf:pacemaker:Dummy', 'op', 'monitor', 'interval=10s')
  await lab.systole('n1', 'resource', 'create', 'agent', 'ocf:pacemaker:Dummy', 'clone', '--wait')
}, 120_000)

afterAll(() => lab.close(), 60_000)

interface Rollout {
  readonly id: string
  readonly state: string
  readonly why?: string
  readonly nodes: readonly { readonly node: string; readonly phase: string; readonly command: number }[]
}

const fileOf = (name: string): string => join(lab.folder, `${name}.yaml`)

interface More {
  readonly names?: readonly string[]
  /** A file for which the action waits. */
  readonly gate?: string
  /** What the action does in the end. */
  readonly last?: string
  readonly stops?: boolean
  /** How many at once. */
  readonly most?: number
}

/** The action takes the node's software to the version. */
function writeRollout(
  name: string,
  version: string,
  { names = nodes, gate, last = 'true', stops, most = 1 }: More = {},
): string {
  const note = (what: string): string => `echo "$SYSTOLE_ROLLOUT_NODE ${what}" >> ${runs}`
  const file = join(software, '$SYSTOLE_ROLLOUT_NODE')
  const steps = {
    before: [{ name: 'remember', run: `cp ${file} ${file}.before` }],
    actions: [
      {
        name: 'install',
        run: [
          note(`begins ${name}`),
          stops ? 'systole cluster stop || exit 9' : 'true',
          note(`waits ${name}`),
          gate === undefined ? 'true' : `until [ -e ${gate} ]; do sleep 0.1; done`,
          `echo ${version} > ${file}`,
          last,
        ].join('\n'),
        undo: `${note(`undoes ${name}`)}; cp ${file}.before ${file}`,
        timeout: '60s',
        ...(stops && { 'stops-cluster': true }),
      },
    ],
    validate: [{ name: 'check', run: `test "$(cat ${file})" = ${version}` }],
  }
  writeFileSync(
    fileOf(name),
    JSON.stringify({ rollout: name, version, nodes: [{ name: names }], waves: { 'max-unavailable': most }, steps }),
  )
  return fileOf(name)
}

const versionOf = (node: string): string => readFileSync(join(software, node), 'utf8').trim()
const versionsOf = (): readonly string[] => nodes.map(versionOf)
const runsOf = (what: string): readonly string[] =>
  readFileSync(runs, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith(` ${what}`))

async function rollouts(seenFrom: string): Promise<readonly Rollout[]> {
  const text = await lab.try(seenFrom, 'rollout', 'history', '--json')
  return text === undefined ? [] : (JSON.parse(text) as { readonly rollouts: readonly Rollout[] }).rollouts
}

async function untilState(id: string, state: string, seenFrom = 'n1'): Promise<Rollout> {
  let last: Rollout | undefined
  await lab.until(
    `${id} is ${state}`,
    async () => {
      last = (await rollouts(seenFrom)).find((one) => one.id === id)
      return last?.state === state
    },
    90_000,
  )
  if (!last) throw new Error(id)
  return last
}

async function begin(file: string, seenFrom = 'n1'): Promise<string> {
  const { id } = JSON.parse(await lab.systole(seenFrom, 'rollout', 'start', file, '--no-wait', '--json')) as Rollout
  return id
}

const isAtGate = (name: string): boolean => runsOf(`waits ${name}`).length > 0

/** Everything that a rollout may change, but for where the cluster placed what may run anywhere. */
async function everything(): Promise<unknown> {
  const { nodes: members, resources } = await lab.status('n1')
  const { versions } = JSON.parse(await lab.systole('n1', 'rollout', 'versions', '--json')) as {
    readonly versions: readonly { readonly node: string; readonly version?: string; readonly state: string }[]
  }
  const cib = await lab.systole('n1', 'cluster', 'cib')
  return {
    members: members.map(({ name, online, standby }) => ({ name, online, standby })),
    resources: resources.map(({ id, role, failed }) => ({ id, role, failed })),
    versions: versions.map(({ node, version, state }) => ({ node, version, state })),
    software: versionsOf(),
    configuration: cib.slice(cib.indexOf('<configuration>'), cib.indexOf('<status')),
  }
}

const isQuiet = async (): Promise<boolean> => {
  const { nodes: members, resources } = await lab.status('n1')
  return (
    members.every(({ online, standby }) => online && !standby) &&
    resources.every(({ role, failed }) => role !== 'Stopped' && !failed)
  )
}

test('a rollout takes one node after another to the version, drained, and nothing is held afterwards', async () => {
  const said = await lab.systole('n1', 'rollout', 'start', writeRollout('shop', '2'))
  expect(said).toContain('complete')
  expect(said).toMatch(/Wave 1 .* 3 of 3/)
  expect(versionsOf()).toEqual(['2', '2', '2'])
  expect(runsOf('begins shop')).toHaveLength(3)
  expect(await lab.systole('n1', 'cluster', 'cib')).not.toContain('standby')
  expect(await lab.systole('n2', 'rollout', 'verify', '2')).toContain('All 3 nodes run 2.')
  await expect(lab.systole('n2', 'rollout', 'verify', '1', 'n1')).rejects.toMatchObject({ cause: { code: 1 } })
  expect(await lab.systole('n1', 'rollout', 'start', fileOf('shop'))).toBe('Nothing to do: n1, n2, n3 run 2 already.\n')
  expect(runsOf('begins shop')).toHaveLength(3)
})

test('a plan that is refused begins only by force; a paused rollout begins no node, and the words may be followed later', async () => {
  const gate = join(lab.folder, 'gate-forced')
  const file = writeRollout('forced', '2.1', { most: 3, gate })
  await expect(lab.systole('n1', 'rollout', 'start', file)).rejects.toThrow(
    /web would run nowhere while n1, n2, n3 are held/,
  )
  await lab.systole('n1', 'rollout', 'start', file, '--force', '--no-wait')
  await lab.systole('n2', 'rollout', 'pause')
  await expect(lab.systole('n3', 'rollout', 'start', writeRollout('other', '9', { names: ['n2'] }))).rejects.toThrow(
    /The rollout r2 concerns n2 and has not ended/,
  )
  await lab.systole('n1', 'rollout', 'resume', '--no-wait')
  await lab.systole('n3', 'rollout', 'abort', 'r2', '--no-wait')
  writeFileSync(gate, '')
  await expect(lab.systole('n2', 'rollout', 'status', 'r2', '--wait')).rejects.toMatchObject({ cause: { code: 4 } })
  expect(versionsOf()).toEqual(['2', '2', '2'])
  expect(await lab.systole('n1', 'rollout', 'versions', 'n1')).toMatch(/n1 {2}2 {2}validated/)
})

test('the daemons of the DC and of the node at work are killed: the rollout goes on, and the command runs once', async () => {
  const gate = join(lab.folder, 'gate-killed')
  const id = await begin(writeRollout('killed', '3', { names: ['n1', 'n2'], gate }))
  await lab.until('the first node is at work', () => isAtGate('killed'))
  expect(await lab.systole('n3', 'rollout', 'status').catch((error: unknown) => String(error))).toContain('install')
  const dc = (await lab.status('n3')).nodes.find((node) => node.dc)?.name ?? ''
  for (const node of new Set([dc, 'n1'])) await lab.inNode(node, 'sh', '-c', 'kill -9 $(cat /run/systoled.pid)')
  writeFileSync(gate, '')
  await untilState(id, 'complete', 'n3')
  expect(runsOf('begins killed')).toEqual(['n1 begins killed', 'n2 begins killed'])
  expect(versionsOf()).toEqual(['3', '3', '2'])
})

test('an upgrade that fails after it has stopped the cluster: the next resume completes, and in another the next abort', async () => {
  const broken = join(lab.folder, 'broken')
  writeFileSync(broken, '')
  const resumed = await begin(writeRollout('resumed', '4', { names: ['n3'], stops: true, last: `test ! -e ${broken}` }))
  expect((await untilState(resumed, 'halted')).why).toContain('install ended with 1')
  rmSync(broken)
  expect(await lab.systole('n1', 'rollout', 'resume')).toContain('complete')
  expect(versionOf('n3')).toBe('4')
  await lab.until('all is quiet', isQuiet, 60_000)
  const before = await everything()
  const aborted = await begin(writeRollout('aborted', '5', { names: ['n3'], stops: true, last: 'exit 1' }))
  await untilState(aborted, 'halted')
  await expect(lab.systole('n1', 'rollout', 'abort')).rejects.toMatchObject({ cause: { code: 4 } })
  expect(runsOf('undoes aborted')).toHaveLength(1)
  expect(await everything()).toEqual(before)
}, 150_000)

test('all power is cut while a command has stopped the cluster on its node: the node takes part again, the command does not run by itself, and abort leaves what was before', async () => {
  await lab.until('all is quiet', isQuiet, 60_000)
  const before = await everything()
  const gate = join(lab.folder, 'gate-cut')
  const id = await begin(writeRollout('cut', '6', { names: ['n1', 'n2'], gate, stops: true }))
  await lab.until('the first node is at work', () => isAtGate('cut'))
  await lab.until('the copy on the node knows it', () =>
    existsSync(join(lab.folder, 'nodes/n2/var/rollout/known.json')),
  )
  for (const node of nodes) await lab.power.off(node)
  for (const node of nodes) await lab.power.on(node)
  await untilState(id, 'halted')
  expect(runsOf('begins cut')).toEqual(['n1 begins cut'])
  await expect(lab.systole('n2', 'rollout', 'abort')).rejects.toMatchObject({ cause: { code: 4 } })
  expect(runsOf('undoes cut')).toEqual(['n1 undoes cut'])
  await lab.until('all is quiet', isQuiet, 60_000)
  expect(await everything()).toEqual(before)
  for (const node of nodes) await lab.systole(node, 'cluster', 'stop', '--force')
  expect(await lab.systole('n3', 'rollout', 'history')).toMatch(/^As n3 knew it at .*not started[\s\S]*r6 /)
}, 150_000)
