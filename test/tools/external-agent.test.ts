/** crm_mon --external-agent, as ClusterMon starts it, on a CIB in a file that changes. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { eventWatch } from '../../src/tools/file/external-agent.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-external-'))
const shims = join(import.meta.dirname, '../../shims')
const cib = join(folder, 'cib.xml')
const env = { PATH: `${shims}:/usr/bin:/bin`, CIB_file: cib }
let monitor: ChildProcess | undefined

afterAll(() => {
  monitor?.kill()
  rmSync(folder, { recursive: true })
})

test('the agent is run for an operation that a node records, and not for what was there', async () => {
  const before = readFileSync(join(import.meta.dirname, 'cases/cluster.xml'), 'utf8')
  writeFileSync(cib, before)
  const [agent, told, page] = [join(folder, 'agent'), join(folder, 'told'), join(folder, 'page.html')]
  writeFileSync(
    agent,
    `#!/bin/sh\necho "$CRM_notify_recipient: $CRM_notify_rsc $CRM_notify_task on $CRM_notify_node: $CRM_notify_rc ($CRM_notify_desc)" >>${told}\n`,
  )
  chmodSync(agent, 0o755)
  monitor = spawn('crm_mon', ['-i', '200ms', '-E', agent, '-e', 'ops', '-h', page], { env, stdio: 'ignore' })
  // The page is written before the CIB is looked at for the first time, and again with each further look.
  await vi.waitFor(() => expect(existsSync(page)).toBe(true), { timeout: 30_000 })
  rmSync(page)
  await vi.waitFor(() => expect(existsSync(page)).toBe(true), { timeout: 30_000 })
  expect(existsSync(told)).toBe(false)
  writeFileSync(cib, before.replace('call-id="21"', 'call-id="99"'))
  await vi.waitFor(() => expect(existsSync(told)).toBe(true), { timeout: 30_000 })
  expect(readFileSync(told, 'utf8')).toBe('ops: web monitor on alpha: 1 (error (went away))\n')
}, 100_000)

test('the agent is run for a node that is fenced, once, and not for what is under way', async () => {
  const [agent, told] = [join(folder, 'fencing-agent'), join(folder, 'fenced')]
  writeFileSync(
    agent,
    `#!/bin/sh\necho "$CRM_notify_recipient: $CRM_notify_task of $CRM_notify_node: $CRM_notify_rc ($CRM_notify_desc)" >>${told}\n`,
  )
  chmodSync(agent, 0o755)
  let events = ''
  const history = (): string => `<pacemaker-result><list name="fencing history">${events}</list></pacemaker-result>`
  const event = (target: string, status: string, at: string): string =>
    `<fence_event action="reboot" target="${target}" client="controller" origin="alpha" status="${status}" completed="${at}"/>`
  const watch = eventWatch(
    { program: agent, recipient: 'ops' },
    { cib: async () => '<cib/>', fencing: async () => history() },
  )
  events = event('beta', 'success', '10:00')
  await watch()
  expect(existsSync(told)).toBe(false)
  events = event('gamma', 'pending', '10:05') + events
  await watch()
  expect(existsSync(told)).toBe(false)
  events = event('beta', 'failed', '10:07') + event('gamma', 'success', '10:06') + event('beta', 'success', '10:00')
  await watch()
  await watch()
  expect(readFileSync(told, 'utf8')).toBe(
    'ops: st_notify_fence of gamma: 0 (Operation reboot requested by controller@alpha for peer gamma: OK)\n' +
      'ops: st_notify_fence of beta: 1 (Operation reboot requested by controller@alpha for peer beta: Error)\n',
  )
})

test('without a page, a file or an agent nothing goes to the background', { timeout: 30_000 }, () => {
  const { status, stderr } = spawnSync('crm_mon', ['--daemonize'], { env, encoding: 'utf8' })
  expect(status).toBe(64)
  expect(stderr).toContain('--external-agent')
})
