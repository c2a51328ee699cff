/** What a change leaves without a place is told before it is made. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-left-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** In this cluster the group `site` has `ip`, which runs, and `web`, which could be started nowhere. */
const cluster = join(import.meta.dirname, '../scheduler/cases/why/group-member-failed/cib.xml')

async function preview(...line: readonly string[]): Promise<string> {
  const file = join(folder, 'cib.xml')
  copyFileSync(cluster, file)
  const printed = await run(file, [...line, '--preview', '--force'])
  return printed.standardOutput
}

async function run(file: string, line: readonly string[]): ReturnType<typeof runLine> {
  return await runLine({
    commands: allCommands,
    line,
    terminal: scriptedTerminal([]),
    openCluster: (other) => fileAccess(other ?? file),
    called: { program: 'systole', environment: undefined },
  })
}

test('a new resource behind one that cannot run, with the cause at the end of the chain', async () => {
  expect(await preview('resource', 'create', 'late', 'ocf:pacemaker:Dummy', '--group', 'site')).toContain(
    'This would not run:\n  * late: n1, n2: must be placed with web (members of a group) ← web runs nowhere ← ' +
      'n1, n2: its fail count there is INFINITY (start failed: cannot bind to port 80)\n',
  )
})

test('what runs and is banned from everywhere', async () => {
  const facts = JSON.parse(
    await preview('constraint', 'location', 'ip', 'rule', 'score=-INFINITY', '#uname', 'ne', 'x', '--json'),
  )
  expect(facts.leftStopped).toMatchObject([{ resource: 'ip', causes: [expect.stringContaining('location-ip')] }])
})

test.each([
  ['what is stopped on purpose', ['resource', 'disable', 'site']],
  ['what has a place', ['resource', 'create', 'fresh', 'ocf:pacemaker:Dummy']],
  ['anything while all is stopped on purpose', ['property', 'set', 'stop-all-resources=true']],
  ['what ran nowhere before', ['resource', 'meta', 'web', 'priority=5']],
])('not a word about %s', async (_, line) => {
  expect(JSON.parse(await preview(...line, '--json')).leftStopped).toEqual([])
})

test('not a word about what the end of maintenance leaves as it was', async () => {
  const file = join(folder, 'maintenance.xml')
  copyFileSync(cluster, file)
  await run(file, ['property', 'set', 'maintenance-mode=true'])
  const ended = await run(file, ['property', 'set', 'maintenance-mode=false', '--preview', '--json'])
  expect(JSON.parse(ended.standardOutput).leftStopped).toEqual([])
})

test('what another value lets run again, though the transition that clears the failure does not place it yet', async () => {
  const file = join(folder, 'not-configured.xml')
  copyFileSync(join(import.meta.dirname, 'not-configured.xml'), file)
  const facts = JSON.parse(
    (await run(file, ['resource', 'update', 'web', 'fake=good', '--preview', '--json'])).standardOutput,
  )
  expect(facts).toMatchObject({
    actions: [{ text: 'start web on n1' }, { text: 'move fence-all from n1 to n2' }],
    leftStopped: [],
  })
})

test('a status names what ought to run and does not, with the cause, and what to type', async () => {
  const file = join(folder, 'status.xml')
  copyFileSync(cluster, file)
  await run(file, ['resource', 'create', 'late', 'ocf:pacemaker:Dummy', '--group', 'site', '--force'])
  const { standardOutput } = await run(file, ['status'])
  expect(standardOutput).toContain(
    'Not Running:\n  * web, late: n1, n2: its fail count there is INFINITY (start failed: cannot bind to port 80)\n\nFailed Resource Actions:',
  )
  await run(file, ['resource', 'create', 'alone', 'ocf:pacemaker:Dummy', '--force'])
  await run(file, ['constraint', 'location', 'alone', 'avoids', 'n1', 'n2'])
  expect((await run(file, ['status'])).standardOutput).toContain('  > systole why alone\n')
})

test.each([
  ['maintenance-mode', 'maintenance-mode is set: no resource is started, stopped, monitored or recovered.'],
  ['stop-all-resources', 'stop-all-resources is set: all resources are stopped.'],
])('a status begins with a forgotten %s', async (option, sentence) => {
  const file = join(folder, 'forgotten.xml')
  copyFileSync(cluster, file)
  await run(file, ['property', 'set', `${option}=true`])
  const { standardOutput } = await run(file, ['status'])
  expect(standardOutput).toMatch(new RegExp(`^${sentence}\n  > systole property set ${option}=false\n`))
  const asCrmMon = await runLine({
    commands: allCommands,
    line: ['status', '--corosync_conf', 'corosync.conf'],
    terminal: scriptedTerminal([]),
    openCluster: () => fileAccess(file),
    called: { program: 'pcs', environment: undefined },
  })
  expect(asCrmMon.standardOutput).toContain('*** Resource management is DISABLED ***\n  The cluster will ')
})
