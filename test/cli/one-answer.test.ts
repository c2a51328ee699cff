/** A fact has one answer, whichever command or tool is asked for it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import type { Terminal } from '../../src/cli/call/command.ts'
import { splitShellLine } from '../../src/cli/call/shell-words.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { callerFiles } from '../../src/tools/file/caller-files.ts'
import { replyTo } from '../../src/tools/file/run-command.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-one-answer-'))
afterAll(() => rmSync(folder, { recursive: true }))

const start = readFileSync(join(import.meta.dirname, 'cases/start.xml'), 'utf8')

const file = join(folder, 'cib.xml')

async function typed(cib: string, line: string, terminal: Terminal = scriptedTerminal()): Promise<string> {
  writeFileSync(file, cib)
  const printed = await runLine({
    commands: allCommands,
    line: splitShellLine(line),
    terminal,
    openCluster: () => fileAccess(file),
    called: { program: 'systole', environment: undefined },
  })
  return `${printed.standardOutput}${printed.standardError}`
}

async function asked(cib: string, line: string): Promise<string> {
  writeFileSync(file, cib)
  const [tool = '', ...words] = line.split(' ')
  const environment = { CIB_file: file }
  const { output, errors } = await replyTo({ tool, arguments: words, files: callerFiles(environment) }, environment)
  return `${output}${errors}`
}

const pair = (id: string, name: string, value: string): string => `<nvpair id="${id}" name="${name}" value="${value}"/>`

/** Each option is written three times: before the set of the cluster, in it, and behind it. The cluster's set counts. */
function withOptions(values: Readonly<Record<string, readonly [string, string, string]>>): string {
  const set = (id: string, at: 0 | 1 | 2): string =>
    `<cluster_property_set id="${id}">${Object.entries(values)
      .map(([name, each]) => pair(`${id}-${name}`, name, each[at]))
      .join('')}</cluster_property_set>`
  return start.replace(
    '<crm_config/>',
    `<crm_config>${set('early', 0)}${set('cib-bootstrap-options', 1)}${set('late', 2)}</crm_config>`,
  )
}

test('a cluster option has the value of the set that comes first by precedence', async () => {
  const cib = withOptions({
    'watchdog-device': ['/dev/a', '/dev/b', '/dev/c'],
    'watchdog-timeout': ['99s', '11s', '88s'],
    'enable-acl': ['true', 'false', 'true'],
    'placement-strategy': ['default', 'balanced', 'default'],
  })
  expect(JSON.parse(await typed(cib, 'property config --json'))).toMatchObject({
    'watchdog-device': '/dev/b',
    'watchdog-timeout': '11s',
    'enable-acl': 'false',
  })
  expect(JSON.parse(await typed(cib, 'stonith sbd config --json'))).toMatchObject({
    watchdogs: { n1: '/dev/b', n2: '/dev/b', n3: '/dev/b' },
    timeout: '11s',
  })
  expect(await typed(cib, 'acl config')).toContain('disabled')
  expect(await typed(cib, 'node utilization n1 cpu=1')).not.toContain('placement-strategy')
})

test("a node's own watchdog is that of the set with the higher score", async () => {
  const sets = [`<instance_attributes id="low">${pair('l', 'watchdog-device', '/dev/low')}</instance_attributes>`]
  const high = `<instance_attributes id="high" score="5">${pair('h', 'watchdog-device', '/dev/high')}</instance_attributes>`
  const cib = start.replace('<node id="1" uname="n1"/>', `<node id="1" uname="n1">${sets.join('')}${high}</node>`)
  expect(JSON.parse(await typed(cib, 'stonith sbd config --json'))).toMatchObject({ watchdogs: { n1: '/dev/high' } })
})

/** Of one resource on one node: a million, and one more. */
const failed = (counts: Readonly<Record<string, string>>): string =>
  start.replace(
    /<instance_attributes id="status-1">.*?<\/instance_attributes>/,
    `<instance_attributes id="status-1">${Object.entries(counts)
      .map(([name, value], at) => pair(`f${at}`, `fail-count-web#${name}`, value))
      .join('')}</instance_attributes>`,
  )

test.each([
  { counts: { monitor_10000: '1000000', start_0: '200000' }, is: 'INFINITY' },
  { counts: { monitor_10000: 'INFINITY', start_0: '7' }, is: 'INFINITY' },
  { counts: { monitor_10000: '2', start_0: '+3' }, is: '5' },
  { counts: { Check2_10000: '4' }, is: '4' },
])('a fail count of $is', async ({ counts, is }) => {
  expect(await typed(failed(counts), 'resource failcount web')).toContain(`n1: ${is}\n`)
  expect(await asked(failed(counts), 'crm_failcount -G -r web -N n1')).toContain(`value=${is}\n`)
  expect(await asked(failed(counts), 'crm_mon -1 --failcounts')).toContain(
    `fail-count=${is === 'INFINITY' ? 1000000 : is}`,
  )
})

test('an interval is a duration, in any unit', async () => {
  const cib = failed({ monitor_60000: '3' })
  for (const interval of ['60', '60s', '1min', '60000ms'])
    expect(await typed(cib, `resource failcount web operation=monitor interval=${interval}`)).toContain('n1: 3')
  expect(await typed(cib, 'resource failcount web operation=monitor interval=10')).toContain('No failcounts')
})

/** Moments without a zone are those of the host: in Tokyo the year 2030 begins nine hours before it does in UTC. */
test('a rule without a time zone means the zone of the host, whoever asks', async () => {
  const zone = process.env.TZ
  process.env.TZ = 'Asia/Tokyo'
  vi.useFakeTimers({ now: new Date('2029-12-31T18:00:00Z'), toFake: ['Date'] })
  try {
    const rule = '<rule id="r" score="0"><date_expression id="d" operation="gt" start="2030-01-01 00:00:00"/></rule>'
    const cib = start.replace(
      '<crm_config/>',
      `<crm_config><cluster_property_set id="o">${rule}${pair('p', 'maintenance-mode', 'true')}</cluster_property_set></crm_config>`,
    )
    const now = { ...scriptedTerminal(), now: () => new Date() }
    expect(await typed(cib, 'status', now)).toContain('maintenance')
    expect(await asked(cib, 'crm_mon -1')).toContain('maintenance')
    expect(await asked(cib, 'crm_resource -L')).toContain('maintenance')
  } finally {
    vi.useRealTimers()
    process.env.TZ = zone
  }
})
