/** crm_report with nodes that answer and nodes that do not: a shell stands for ssh. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { archive } from '../../src/tools/file/report-archive.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-report-'))
const shims = join(import.meta.dirname, '../../shims')
const shell = join(folder, 'shell')
const cib = join(import.meta.dirname, 'cases/cluster.xml')

beforeAll(() => {
  // `ssh -l USER NODE COMMAND`: beta runs it with a CIB of its own, gamma cannot be reached.
  const there = join(folder, 'beta.xml')
  writeFileSync(
    there,
    readFileSync(cib, 'utf8').replace('name="cluster-name" value="test"', 'name="cluster-name" value="other"'),
  )
  writeFileSync(
    shell,
    `#!/bin/sh\n[ "$3" = beta ] || { echo "no route to $3" >&2; exit 255; }\nCIB_file=${there} exec sh -c "$4"\n`,
  )
  chmodSync(shell, 0o755)
  mkdirSync(join(folder, 'bin'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function report(...words: readonly string[]): { readonly code: number | null; readonly errors: string } {
  const env = {
    PATH: `${join(folder, 'bin')}:${shims}:/usr/bin:/bin`,
    CIB_file: cib,
    SYSTOLE_ROOT: folder,
  }
  const { status, stderr } = spawnSync('crm_report', ['--rsh', shell, ...words], { encoding: 'utf8', env, cwd: folder })
  return { code: status, errors: stderr }
}

test('a report holds those of the other nodes, and tells who gave none', { timeout: 60_000 }, () => {
  const { code, errors } = report('--nodes', 'beta gamma', 'all')
  expect(code).toBe(0)
  expect(errors).toContain('crm_report: gamma gave no report by')
  expect(errors).toContain('no route to gamma')
  expect(errors).not.toContain('beta gave')
  const listed = execFileSync('tar', ['-tzf', join(folder, 'all.tar.gz')], { encoding: 'utf8' }).split('\n')
  expect(listed).toEqual(expect.arrayContaining(['all/cib.xml', 'all/crm_mon.txt', 'all/beta/cib.xml']))
  expect(listed.filter((file) => file.includes('gamma'))).toEqual([])
  const analysis = execFileSync('tar', ['-xzOf', join(folder, 'all.tar.gz'), 'all/analysis.txt'], { encoding: 'utf8' })
  expect(analysis).toMatch(/Differences of cib.xml:\n {2}beta, compared with \S+:\n.*cluster-name/)
  expect(analysis).toContain('Differences of members.txt:\n  none\n')
})

test('a folder is left where that was asked for, with log files that were named', { timeout: 60_000 }, () => {
  writeFileSync(join(folder, 'agent.log'), 'password=secret ok\n')
  expect(report('--single-node', '--as-directory', '--logfile', join(folder, 'agent.log'), 'one').code).toBe(0)
  expect(readdirSync(join(folder, 'one'))).toEqual(expect.arrayContaining(['cib.xml', 'agent.log', 'systoled.log']))
  expect(readFileSync(join(folder, 'one/agent.log'), 'utf8')).toBe('password=****** ok\n')
})

test('the log is asked for from one moment to another, of the other nodes as the user that is named', {
  timeout: 60_000,
}, () => {
  const told = join(folder, 'asked')
  journal(`echo "journalctl $*" >>${told}`)
  const asking = join(folder, 'asking')
  writeFileSync(asking, `#!/bin/sh\necho "$*" >>${told}; exit 1\n`, { mode: 0o755 })
  const words = ['--from', '2026-11-20 10:00:00', '--to', '2026-11-20 11:00:00', '--user', 'alice', '--rsh', asking]
  expect(report(...words, '--nodes', 'beta', '--as-directory', 'spanned').code).toBe(0)
  const asked = readFileSync(told, 'utf8')
  expect(asked).toMatch(/journalctl .*--since=@1795168800 --until=@1795172400/)
  expect(asked).toMatch(/-l alice beta .*--from=.*2026-11-20 10:00:00.*--to=.*2026-11-20 11:00:00/)
})

test('more names may be told as secret, and more lines as trouble', { timeout: 60_000 }, () => {
  writeFileSync(join(folder, 'agent.log'), 'pincode=1234 ok\nthe flux is low\n')
  const words = ['--single-node', '--as-directory', '--logfile', join(folder, 'agent.log')]
  expect(report(...words, '--sanitize', 'pincode', '-L', 'flux', 'more').code).toBe(0)
  expect(readFileSync(join(folder, 'more/agent.log'), 'utf8')).toContain('pincode=****** ok')
  expect(readFileSync(join(folder, 'more/analysis.txt'), 'utf8')).toContain('the flux is low')
  expect(report(...words, 'less').code).toBe(0)
  expect(readFileSync(join(folder, 'less/agent.log'), 'utf8')).toContain('pincode=1234 ok')
  expect(readFileSync(join(folder, 'less/analysis.txt'), 'utf8')).not.toContain('the flux is low')
})

function journal(script: string): void {
  writeFileSync(join(folder, 'bin/journalctl'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

test('a long log is there as a whole, and what it tells is in the analysis', { timeout: 60_000 }, () => {
  const line = JSON.stringify({ level: 'error', time: '2026-11-22T10:00:00Z', msg: 'a call failed', token: 'x' })
  journal(`yes '${line}' | head -n 30000`)
  expect(report('--single-node', '--as-directory', 'long').code).toBe(0)
  const log = readFileSync(join(folder, 'long/systoled.log'), 'utf8')
  expect(log).toBe(`${line.replace('"x"', '"******"')}\n`.repeat(30_000))
  expect(readFileSync(join(folder, 'long/analysis.txt'), 'utf8')).toContain('… and 29800 more')
})

test('a log that is missing is told in the analysis, with the reason', { timeout: 60_000 }, () => {
  journal('echo no journal here >&2; exit 1')
  expect(report('--single-node', '--as-directory', 'none').code).toBe(0)
  expect(readFileSync(join(folder, 'none/analysis.txt'), 'utf8')).toMatch(
    /Lines of trouble in the logs of .*:\n {2}systoled.log: No log was found: journalctl.*\(no journal here\)/,
  )
})

test('events are told in the order of time', { timeout: 60_000 }, () => {
  const [later, earlier] = ['03', '01'].map((second) =>
    JSON.stringify({ level: 'info', time: `2026-11-22T10:00:${second}Z`, msg: `said at ${second}` }),
  )
  journal(`echo '${later}'; echo '${earlier}'`)
  expect(report('--single-node', '--as-directory', 'order').code).toBe(0)
  expect(readFileSync(join(folder, 'order/events.txt'), 'utf8')).toMatch(/ said at 01\n.* said at 03\n$/)
})

test('an analysis that fails loses nothing of what was collected', { timeout: 60_000 }, () => {
  const { path, missing } = archive(
    {
      dest: join(folder, 'kept'),
      asFolder: true,
      node: 'alpha',
      texts: { 'cib.xml': '<cib/>' },
      analysis: () => {
        throw new Error('too long')
      },
      events: () => [],
      log: { files: [], mask: (line) => line },
      others: { names: [], shell: '', user: '', arguments: [] },
    },
    { SYSTOLE_ROOT: folder },
  )
  expect(readFileSync(join(path, 'cib.xml'), 'utf8')).toBe('<cib/>')
  expect(missing).toEqual(['what was collected could not be analysed: too long'])
})
