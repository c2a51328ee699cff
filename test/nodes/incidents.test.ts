/** What an administrator finds the next morning: a node whose power was cut, as every node tells it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from './lab/lab.ts'

const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
}, 120_000)
afterAll(() => lab.close(), 60_000)

interface Listed {
  readonly incidents: readonly { readonly id: string; readonly ongoing: boolean; readonly summary: string }[]
}
const list = async (node: string): Promise<Listed> =>
  JSON.parse(await lab.systole(node, 'incident', 'list', '--json')) as Listed

interface Shown {
  readonly steps: readonly {
    readonly what: string
    readonly tookMs: number
    readonly slackMs: number
    readonly critical: boolean
  }[]
}

test('where the time of a start went: the slow one and what waited for it, on every node', async () => {
  await lab.prepare('n1', 'resource', 'create', 'slow', 'ocf:pacemaker:Dummy', 'op_sleep=1', '--disabled')
  await lab.prepare('n1', 'resource', 'create', 'quick', 'ocf:pacemaker:Dummy', '--disabled')
  await lab.prepare('n1', 'resource', 'create', 'after', 'ocf:pacemaker:Dummy', 'op_sleep=2', '--disabled')
  await lab.prepare('n1', 'constraint', 'order', 'slow', 'then', 'after')
  await lab.systole('n1', 'resource', 'enable', 'slow', 'quick', 'after', '--wait')
  const read = async (node: string): Promise<Shown> =>
    JSON.parse(await lab.systole(node, 'history', 'show', '--json')) as Shown
  // Written down when the transition is over, by whichever node is the DC. News may have made two of one.
  const all = async (): Promise<readonly Shown[]> =>
    (JSON.parse(await lab.systole('n3', 'history', 'list', '--json')) as { readonly transitions: readonly Shown[] })
      .transitions
  const having = (transitions: readonly Shown[], what: string): Shown | undefined =>
    transitions.find(({ steps }) => steps.some((one) => one.what.startsWith(what)))
  await expect.poll(async () => having(await all(), 'after monitor') !== undefined, { timeout: 60_000 }).toBe(true)
  const slow = having(await all(), 'slow start')?.steps.find(({ what }) => what.startsWith('slow start'))
  expect(slow?.tookMs).toBeGreaterThanOrEqual(1000)
  expect(slow?.slackMs === 0).toBe(slow?.critical)
  expect((await read('n1')).steps.length).toBeGreaterThan(0)
  const { steps: path } = JSON.parse(await lab.systole('n2', 'history', 'show', '--critical-path', '--json')) as Shown
  expect(path.length).toBeGreaterThan(0)
  expect(path.every(({ critical, slackMs }) => critical && slackMs === 0)).toBe(true)
  const listed = JSON.parse(await lab.systole('n1', 'history', 'list', '--json')) as {
    readonly transitions: readonly { readonly id: string }[]
  }
  const last = listed.transitions.at(-1)?.id ?? ''
  expect(await lab.systole('n2', 'history', 'show', last)).toContain(`Transition ${last}, `)
  await expect(lab.systole('n1', 'history', 'show', 't0')).rejects.toThrow(/no transition 't0'/)
  await expect(lab.systole('n1', 'history', 'list', '--since=soon')).rejects.toThrow(/24h/)
  expect(await lab.systole('n1', 'history', 'list', '--since=1ms')).toBe('No transitions.\n')
  await lab.systole('n1', 'resource', 'delete', 'slow', 'quick', 'after', '--wait')
}, 120_000)

test('the incident of a power cut has its cause, its fencing and the time that the service was away, on every node', async () => {
  expect(await lab.systole('n1', 'incident', 'list')).toBe('No incidents.\n')
  await lab.prepare('n1', 'resource', 'create', 'web', 'ocf:pacemaker:Dummy', '--wait')
  await lab.systole('n1', 'resource', 'move', 'web', 'n3')
  expect(await lab.systole('n2', 'incident', 'list')).toBe('No incidents.\n')
  await lab.power.off('n3')
  await expect
    .poll(async () => (await list('n1')).incidents.map(({ summary }) => summary).join(), { timeout: 60_000 })
    .toMatch(
      /^n3 was lost; n3 was fenced \(\w+\) after \d+\.\d s; web was away for \d+\.\d s( \(just after version \d+ of the configuration\))?$/,
    )
  // The node that was away reads of it in the others' journals.
  await expect
    .poll(async () => await lab.systole('n3', 'incident', 'list').catch(String), { timeout: 90_000 })
    .toContain('n3 was lost; n3 was fenced')
  const [own, others] = [(await list('n1')).incidents, (await list('n3')).incidents]
  expect(others.map(({ id }) => id)).toEqual(own.map(({ id }) => id))
  const id = own[0]?.id ?? ''
  // Which is what somebody asks first who sees it elsewhere than yesterday.
  const there = await lab.systole('n1', 'why', 'web')
  expect(there).toMatch(
    /^ {2}On n[12] since [\d-]+ [\d:]+ UTC \(.* ago\), from n3\. Incident i\d+: n3 was lost; n3 was fenced/m,
  )
  expect(there).toContain(`Incident ${id}: `)
  const shown = await lab.systole('n2', 'incident', 'show', id)
  expect(shown).toMatch(/\+0\.000 s\s+n3 was lost\n/)
  expect(shown).toMatch(/web: start on n[12]: ok/)
  const file = join(lab.folder, 'incident.json')
  await lab.systole('n1', 'incident', 'export', id, file)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ id })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await expect(lab.systole('n1', 'incident', 'show', 'i0')).rejects.toThrow(/no incident 'i0'/)
  await expect(lab.systole('n1', 'incident', 'list', '--since=soon')).rejects.toThrow(/24h/)
  expect(await lab.systole('n1', 'incident', 'list', '--since=1s')).toBe('No incidents.\n')
}, 240_000)

test('the recovery is sent as a trace to a collector outside, from any node', async () => {
  const id = (await list('n1')).incidents[0]?.id ?? ''
  const program = resolve(import.meta.dirname, '../cli/otlp/collector.mjs')
  const words = ['netns', 'exec', lab.network.clientSpace, process.execPath, program, '10.83.0.253', '4318']
  const collector = spawn('ip', words, { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const lines = createInterface({ input: collector.stdout })
    await once(lines, 'line')
    const heard = once(lines, 'line')
    const said = await lab.systole('n2', 'incident', 'export', id, '--otlp=http://10.83.0.253:4318')
    expect(said).toMatch(
      new RegExp(`^Sent incident ${id} to http://10.83.0.253:4318: trace [0-9a-f]{32}, \\d+ spans.\n$`),
    )
    const [line] = (await heard) as [string]
    const names = [...line.matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name)
    const expected = [/^recovery: n3 was lost/, /^detection: n3 was lost/, /^fencing: n3/, /^start: web on n[12]/]
    for (const one of expected)
      expect(
        names.some((name) => one.test(name ?? '')),
        String(one),
      ).toBe(true)
  } finally {
    collector.kill()
  }
  await expect(lab.systole('n2', 'incident', 'export', id, '--otlp=http://10.83.0.253:4318')).rejects.toThrow(
    /cannot be reached/,
  )
}, 60_000)

interface Timeline {
  readonly events: readonly {
    readonly revision: number
    readonly kind: string
    readonly text: string
    readonly by: string
  }[]
  readonly omitted: number
}
const timeline = async (node: string, ...words: readonly string[]): Promise<Timeline['events']> =>
  (JSON.parse(await lab.systole(node, 'timeline', 'list', ...words, '--json')) as Timeline).events

test('the timeline has the same events in the same order on every node, and the cluster as it was at each', async () => {
  const [own, others] = [await timeline('n1', '--kind=fencing'), await timeline('n3', '--kind=fencing')]
  expect(others).toEqual(own)
  expect(own.map(({ kind }) => kind)).not.toContain('operation')
  expect(own.length).toBeGreaterThanOrEqual(2)
  const about = await timeline('n2', '--about=web')
  expect(about.every(({ text }) => text.startsWith('web: '))).toBe(true)
  expect(await timeline('n2', '--about=web', '--most=1')).toEqual(about.slice(-1))
  expect(await timeline('n1', '--since=1s', '--kind=fencing')).toEqual([])
  await expect(lab.systole('n1', 'timeline', 'list', '--kind=weather')).rejects.toThrow(/specify one of membership/)
  await expect(lab.systole('n1', 'timeline', 'list', '--most=0')).rejects.toThrow(/1 to 20000/)
  const created = (await timeline('n1', '--kind=configuration')).find(({ text }) =>
    text.includes('resource create web'),
  )
  expect(created?.text).toMatch(/^version \d+ of the configuration, root@n1: .*resource create web ocf:pacemaker:Dummy/)
  const lost = (await timeline('n1', '--kind=membership')).find(({ text }) => text === 'n3 was lost')
  const then = await lab.systole('n2', 'timeline', 'show', String(lost?.revision))
  expect(then).toMatch(/Just now: n3 was lost/)
  expect(then).toMatch(/Node n3.*: UNCLEAN \(offline\)/)
  expect(then).toMatch(/web\s+\(ocf:pacemaker:Dummy\):\s+Started n3 \(UNCLEAN\)/)
  const back = about.findLast(({ text }) => /start on n[12]: ok/.test(text))
  expect(await lab.systole('n3', 'timeline', 'compare', String(lost?.revision), String(back?.revision))).toMatch(
    /node n3: UNCLEAN → offline\n(.*\n)*\s+resource web: Started on n3 → Started on n[12]\n/,
  )
  await expect(lab.systole('n1', 'timeline', 'show', 'soon')).rejects.toThrow(/'soon' is not a moment/)
  await expect(lab.systole('n1', 'timeline', 'show', '2001-01-01')).rejects.toThrow(/begin after 2001-01-01/)
}, 120_000)
