/** A cluster file applied to three nodes: remembered, merged with what others changed, in one version of the configuration. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from './lab/lab.ts'

const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)
const file = join(lab.folder, 'shop.yaml')

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
}, 120_000)
afterAll(() => lab.close(), 60_000)

const describe = (priority: number, more = ''): void =>
  writeFileSync(
    file,
    `resources:\n  web: {agent: ocf:pacemaker:Dummy, meta: {priority: ${priority}}, operations: [{name: monitor, interval: 10s}]}\n${more}`,
  )
const shop = '  shop: {agent: ocf:pacemaker:Dummy}\n'
const versions = async (node: string): Promise<number> =>
  (JSON.parse(await lab.systole(node, 'config', 'history', '--json')) as readonly unknown[]).length

test('a file is applied in one version, by any node, and others’ changes stay', async () => {
  describe(1, shop)
  const before = await versions('n1')
  expect(await lab.systole('n1', 'apply', file, '--wait')).toContain('Applied')
  expect(await versions('n1')).toBe(before + 1)
  expect(await lab.systole('n2', 'apply', file)).toBe('Nothing to change.\n')
  expect(await versions('n2')).toBe(before + 1)

  // The cluster's own change of what the file says: left so while the file stays, a conflict when it changes.
  await lab.systole('n3', 'resource', 'meta', 'web', 'priority=5')
  const planned = await lab.systole('n1', 'plan', file)
  expect(planned).toContain("priority is '5' in the cluster and '1' in the file")
  describe(2, shop)
  await expect(lab.systole('n1', 'apply', file)).rejects.toThrow(/--overwrite/)
  expect(await lab.systole('n1', 'plan', file, '--overwrite')).toContain('"5" -> "2"')
  expect(await lab.systole('n1', 'apply', file, '--overwrite')).toContain('Applied')
  expect(await lab.systole('n2', 'resource', 'config', 'web')).toContain('priority=2')

  // What the file no longer names goes; what it never named stays.
  await lab.prepare('n2', 'resource', 'create', 'other', 'ocf:pacemaker:Dummy', '--wait')
  describe(2)
  const removal = await lab.systole('n3', 'plan', file)
  expect(removal).toContain("- resources/primitive[@id='shop']")
  expect(removal).toContain('stop shop on')
  await lab.systole('n3', 'apply', file, '--wait')
  const status = await lab.systole('n1', 'status')
  expect(status).not.toContain('shop')
  expect(status).toContain('other')
}, 120_000)

test('the configuration returns to a time: what that takes back, what differs and what it causes are shown first', async () => {
  await lab.prepare('n2', 'resource', 'create', 'early', 'ocf:pacemaker:Dummy', 'meta', 'priority=2', '--wait')
  const time = new Date().toISOString()
  const then = await lab.systole('n1', 'config', 'show', '--json')
  const last = await lab.systole('n1', 'config', 'history', '--json')
  const version = (JSON.parse(last) as readonly { readonly version: number }[]).at(-1)?.version ?? 0
  await lab.prepare('n2', 'resource', 'create', 'late', 'ocf:pacemaker:Dummy', '--wait')
  await lab.systole('n3', 'resource', 'meta', 'early', 'priority=9')
  const shown = await lab.systole('n1', 'config', 'undo', `--at=${time}`, '--preview')
  expect(shown).toContain(`Restored version ${version} of the configuration`)
  for (const part of ["- resources/primitive[@id='late']", '"9" -> "2"', 'stop late on']) expect(shown).toContain(part)
  expect(await lab.systole('n2', 'status')).toContain('late')
  const facts = JSON.parse(await lab.systole('n1', 'config', 'undo', `--at=${time}`, '--wait', '--json')) as {
    readonly restored: { readonly version: number }
    readonly takesBack: readonly { readonly version: number; readonly command: string }[]
  }
  expect(facts.restored.version).toBe(version)
  expect(facts.takesBack.map((one) => one.version)).toEqual([version + 1, version + 2])
  expect(facts.takesBack.at(-1)?.command).toBe('systole resource meta early priority=9')
  expect(await lab.systole('n3', 'config', 'show', '--json')).toBe(then)
  expect(await lab.systole('n3', 'status')).not.toContain('late')
}, 120_000)

test('every decision that the DC has kept is made again the same, with and without secrets', async () => {
  const { dc } = JSON.parse(await lab.systole('n1', 'status', '--json')) as { readonly dc: string }
  const kept = JSON.parse(await lab.systole(dc, 'state', 'list', '--json')) as readonly { readonly name: string }[]
  expect(kept.length).toBeGreaterThan(5)
  const saved = join(lab.folder, 'state.xml')
  for (const { name } of kept.slice(-10))
    for (const how of [[], ['--without-secrets']]) {
      const said = await lab.systole(dc, 'state', 'save', name, saved, ...how)
      expect(said).not.toContain('another plan')
      expect(await lab.systole('n1', 'state', 'replay', saved)).toContain('the same as decided then')
    }
}, 120_000)

test('a change that nobody confirms is taken back, also when the DC that would do it has lost power', async () => {
  await lab.prepare('n1', 'resource', 'create', 'kept', 'ocf:pacemaker:Dummy', '--wait')
  const { dc } = JSON.parse(await lab.systole('n1', 'status', '--json')) as { readonly dc: string }
  const [asked = '', other = ''] = nodes.filter((node) => node !== dc)
  const told = await lab.systole(asked, 'resource', 'disable', 'kept', '--confirm-within=15s')
  const version = /config confirm (\d+)/.exec(told)?.[1] ?? ''
  expect(await lab.systole(other, 'status')).toContain(`unless 'systole config confirm ${version}' is run`)
  await lab.power.off(dc)
  await expect
    .poll(async () => await lab.systole(other, 'config', 'history').catch(String), { timeout: 60_000 })
    .toContain(`config revert ${version} (`)
  await expect
    .poll(async () => await lab.systole(other, 'resource', 'status', 'kept').catch(String), { timeout: 60_000 })
    .toContain('Started')
  // What is confirmed stays.
  await lab.systole(other, 'resource', 'meta', 'kept', 'priority=7', '--confirm-within=5s')
  await lab.systole(asked, 'config', 'confirm')
  await expect(lab.systole(asked, 'config', 'confirm')).rejects.toThrow(/No change of the configuration waits/)
  expect(await lab.systole(asked, 'config', 'history')).not.toContain('unless confirmed')
  const confirmed = await versions(asked)
  // A revert keeps what came later.
  await lab.systole(asked, 'resource', 'meta', 'kept', 'resource-stickiness=9')
  await lab.systole(other, 'config', 'revert', String(confirmed))
  const kept = await lab.systole(asked, 'resource', 'config', 'kept')
  expect([kept.includes('priority'), kept.includes('resource-stickiness=9')]).toEqual([false, true])
}, 240_000)
