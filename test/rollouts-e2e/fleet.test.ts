/** One cluster takes two others to a version: real clusters, by their HTTPS APIs, with a DC that leaves in the middle and a cluster that does not answer. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RolloutsKnown } from '../../src/rollout/index.ts'
import { Lab } from '../nodes/lab/lab.ts'

const north = ['n1', 'n2']
const others = { west: 'w1', east: 'e1' } as const
type Other = keyof typeof others
const lab = new Lab([...north, ...Object.values(others)])
const inFolder = (name: string): string => join(lab.folder, name)
const done = inFolder('done')
/** A file that keeps whoever looks for it waiting, or failing. */
const put = (name: string): void => writeFileSync(inFolder(name), '')
const remove = (name: string): void => rmSync(inFolder(name), { force: true })
const lines = (version: string): readonly string[] =>
  existsSync(done)
    ? readFileSync(done, 'utf8')
        .split('\n')
        .filter((line) => line.endsWith(` ${version}`))
    : []

type Fleet = NonNullable<RolloutsKnown['fleet']>[number]
/** Which of the coordinating cluster is asked. */
let asked = 'n1'
const over = async (...words: readonly string[]): Promise<string> => await lab.systole(asked, 'rollout', ...words)
async function shown(id: string): Promise<Fleet> {
  const { fleet = [] } = JSON.parse(await over('history', '--json')) as RolloutsKnown
  const found = fleet.find((one) => one.id === id)
  if (found === undefined) throw new Error(`no rollout ${id}`)
  return found
}
const partsOf = ({ parts }: Fleet) => Object.fromEntries(parts.map(({ cluster, phase }) => [cluster, phase]))
async function untilState(id: string, ...states: readonly string[]): Promise<Fleet> {
  await lab.until(`${id} is ${states.join(' or ')}`, async () => states.includes((await shown(id)).state), 120_000)
  return await shown(id)
}
/** As the cluster itself has it. */
async function statesIn(cluster: Other): Promise<readonly string[]> {
  const { rollouts } = JSON.parse(await lab.systole(others[cluster], 'rollout', 'history', '--json')) as RolloutsKnown
  return rollouts.map(({ definition, state }) => `${definition.version} ${state}`)
}

function write(version: string, more: object = {}): string {
  const path = inFolder(`${version}.yaml`)
  const note = (what: string): string => `echo "$SYSTOLE_ROLLOUT_NODE ${what} ${version}" >> ${done}`
  const run = [
    note('begins'),
    `while [ -e ${inFolder('wait')}-$SYSTOLE_ROLLOUT_NODE ]; do sleep 0.05; done`,
    `[ ! -e ${inFolder('break')}-$SYSTOLE_ROLLOUT_NODE ] || { echo no disk; exit 7; }`,
    note('installed'),
  ]
  const actions = [{ name: 'install', run: run.join('\n'), undo: note('undone') }]
  const steps = { hold: 'none', actions }
  writeFileSync(
    path,
    JSON.stringify({ rollout: 'shop', version, nodes: 'all', clusters: ['west', ['east']], steps, ...more }),
  )
  return path
}

async function start(file: string): Promise<string> {
  return (JSON.parse(await over('start', file, '--no-wait', '--json')) as { readonly id: string }).id
}

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(north, 1, 'north')
  for (const [name, node] of Object.entries(others)) {
    await lab.formCluster([node], 1, name)
    await lab.systole(node, 'property', 'set', 'stonith-enabled=false')
    await lab.systole(node, 'console', 'enable')
    await lab.systole(node, 'acl', 'role', 'create', 'upgrade', 'read', 'xpath', '/cib')
    await lab.systole(node, 'acl', 'enable')
    const token = inFolder(`${name}.token`)
    writeFileSync(token, await lab.systole(node, 'token', 'create', 'north', '--role=upgrade'), { mode: 0o600 })
    const status = JSON.parse(await lab.systole(node, 'console', 'status', '--json')) as {
      readonly authorityFingerprint: string
    }
    const trust = [`--token-file=${token}`, `--fingerprint=${status.authorityFingerprint}`]
    await lab.systole('n1', 'fleet', 'add', name, lab.network.address(node), ...trust)
  }
  await lab.systole('n1', 'property', 'set', 'stonith-enabled=false')
}, 240_000)

afterAll(() => lab.close(), 60_000)

test('nothing begins anywhere unless every cluster is known, answers and permits it', async () => {
  await expect(over('start', write('1', { clusters: ['west', 'eats'] }))).rejects.toThrow(/no cluster 'eats'.*east/s)
  const twice = write('1', { clusters: ['west', ['east', 'west']] })
  await expect(over('plan', twice)).rejects.toThrow(/1\.yaml:1: clusters\[1\]: The cluster 'west' is in the list twice/)
  // A token that only reads may not run jobs.
  await expect(over('start', write('1'))).rejects.toThrow(
    /west cannot say[\s\S]*only root may run[\s\S]*Nothing was begun/,
  )
  for (const node of Object.values(others)) {
    const may = '<acl_permission id="upgrade-run" kind="write" object-type="job"/>'
    const role = ['--modify', '--scope', 'acls', '--xml-text', `<acl_role id="upgrade">${may}</acl_role>`]
    await lab.inNode(node, inFolder('systole/shims/cibadmin'), ...role)
  }
  expect(await over('plan', write('1'))).toMatch(
    /2 clusters in 2 waves[\s\S]*Wave 1:\n {2}west\n {4}wave 1: w1\n[\s\S]*east/,
  )
  await expect(over('plan', write('1', { nodes: [{ name: 'w1' }] }))).rejects.toThrow(
    /Refused: east: There is no node 'w1'/,
  )
  await expect(over('plan', write('1'), '--xml-file=x')).rejects.toThrow(/Omit --xml-file/)
  expect(lines('1')).toEqual([])
  expect([...(await statesIn('west')), ...(await statesIn('east'))]).toEqual([])
}, 120_000)

test('the second wave waits for a cluster that does not answer, and another DC goes on', async () => {
  put('wait-w1')
  const id = await start(write('2'))
  await lab.until('west is at work', () => lines('2').includes('w1 begins 2'), 60_000)
  await expect(over('start', write('2'))).rejects.toThrow(/the rollout f1 has not ended there/)
  await expect(over('start', write('2'), '--force')).rejects.toThrow(/concerns west, east and has not ended/)
  await lab.systole('e1', 'console', 'disable')
  const { nodes } = await lab.status('n1')
  const dc = nodes.find((node) => node.dc)?.name ?? ''
  asked = north.find((node) => node !== dc) ?? ''
  await lab.systole(dc, 'cluster', 'stop', dc)
  await lab.until(
    'east is unreachable',
    async () => /east: unreachable/.test(await lab.systole(asked, 'fleet', 'status')),
    90_000,
  )
  remove('wait-w1')
  await lab.until('west is done', async () => partsOf(await shown(id)).west === 'done', 60_000)
  await lab.until('east waits', async () => /east does not answer/.test(await over('status').catch(String)), 30_000)
  expect(partsOf(await shown(id))).toEqual({ west: 'done', east: 'waiting' })
  await expect(statesIn('west')).resolves.toEqual(['2 unconfirmed'])
  await lab.systole('e1', 'console', 'enable')
  await untilState(id, 'complete')
  expect(lines('2')).toEqual(['w1 begins 2', 'w1 installed 2', 'e1 begins 2', 'e1 installed 2'])
  expect([await statesIn('west'), await statesIn('east')]).toEqual([['2 complete'], ['2 complete']])
  expect(await over('show', id)).toMatch(
    /west: begins[\s\S]*west: has begun it as r1[\s\S]*complete: all clusters are done/,
  )
  await lab.systole(dc, 'cluster', 'start', dc, '--wait')
}, 300_000)

test('a failure halts all clusters, and abort puts back those that were done', async () => {
  put('break-e1')
  const id = await start(write('3'))
  const { why } = await untilState(id, 'halted')
  expect(why).toMatch(/^east has halted: e1: install ended with 7/)
  await expect(over('status')).rejects.toThrow(/Continue with `systole rollout resume f2`/)
  await over('resume', '--no-wait')
  await lab.until(
    'it has failed once more',
    () => lines('3').filter((line) => line === 'e1 begins 3').length === 2,
    60_000,
  )
  await untilState(id, 'halted')
  await over('abort', '--no-wait')
  const aborted = await untilState(id, 'aborted')
  expect(partsOf(aborted)).toEqual({ west: 'back', east: 'back' })
  expect(lines('3').slice(-2).toSorted()).toEqual(['e1 undone 3', 'w1 undone 3'])
  expect([(await statesIn('west'))[0], (await statesIn('east'))[0]]).toEqual(['3 aborted', '3 aborted'])
  remove('break-e1')
}, 300_000)

test('pause and resume reach the cluster at work, and all wait to be confirmed', async () => {
  put('wait-w1')
  const id = await start(write('4', { 'confirm-within': '1h', clusters: [['west', 'east']] }))
  await lab.until(
    'both are at work',
    () => lines('4').includes('w1 begins 4') && lines('4').includes('e1 installed 4'),
    60_000,
  )
  await over('pause')
  await lab.until('west has paused', async () => (await statesIn('west'))[0] === '4 paused', 60_000)
  await over('resume', '--no-wait')
  await lab.until('west goes on', async () => (await statesIn('west'))[0] === '4 running', 60_000)
  remove('wait-w1')
  await untilState(id, 'unconfirmed')
  expect([(await statesIn('west'))[0], (await statesIn('east'))[0]]).toEqual(['4 unconfirmed', '4 unconfirmed'])
  await over('confirm')
  await untilState(id, 'complete')
  expect([(await statesIn('west'))[0], (await statesIn('east'))[0]]).toEqual(['4 complete', '4 complete'])
}, 300_000)

test('a cluster that leaves the fleet is left out, and where all run the version nothing is done', async () => {
  put('wait-e1')
  const id = await start(write('5'))
  await lab.until('east is at work', () => lines('5').includes('e1 begins 5'), 60_000)
  await lab.systole('n1', 'fleet', 'remove', 'east')
  const { parts } = await untilState(id, 'complete')
  expect(parts.map(({ phase }) => phase)).toEqual(['confirmed', 'left-out'])
  remove('wait-e1')
  await lab.until('east is done', async () => (await statesIn('east'))[0] === '5 unconfirmed', 60_000)
  expect(await lab.systole('e1', 'rollout', 'status').catch(String)).toContain(
    'It is part of a rollout over several clusters',
  )
  await lab.systole('e1', 'rollout', 'confirm')
  const again = await start(write('5', { clusters: ['west'] }))
  await untilState(again, 'complete')
  expect((await statesIn('west')).filter((state) => state.startsWith('5'))).toEqual(['5 complete'])
}, 240_000)

test('a part is started once by its key', async () => {
  const part = write('6', { clusters: undefined })
  const first = await lab.systole('w1', 'rollout', 'start', part, '--part-of=other/f9/1', '--no-wait')
  await lab.until('it is done', async () => (await statesIn('west'))[0] === '6 unconfirmed', 60_000)
  expect(await lab.systole('w1', 'rollout', 'start', part, '--part-of=other/f9/1', '--no-wait')).toBe(first)
  const other = write('7', { clusters: undefined })
  await expect(lab.systole('w1', 'rollout', 'start', other, '--part-of=other/f9/2', '--force')).rejects.toThrow(
    /is part of another/,
  )
  expect(lines('6')).toEqual(['w1 begins 6', 'w1 installed 6'])
  await lab.systole('w1', 'rollout', 'abort', '--no-wait')
  await lab.until('it is undone', async () => (await statesIn('west'))[0] === '6 aborted', 60_000)
}, 120_000)
