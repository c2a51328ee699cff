/** Commands of jobs, which are loaded by themselves, say what they say among all commands. */
import { expect, test } from 'vitest'
import { liveAccess } from '../../src/cli/access/live-access.ts'
import type { Command } from '../../src/cli/call/command.ts'
import { realTerminal } from '../../src/cli/call/terminal.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { jobCommands } from '../../src/cli/commands/job/job-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { isOfJobs, jobVerbs } from '../../src/program/of-jobs.ts'

test('each command of jobs is one of them, and no other', () => {
  expect(jobCommands.map(({ path }) => path)).toEqual(jobVerbs.map((verb) => ['job', verb]))
  const below = allCommands.filter(({ path }) => path[0] === 'job')
  // What a command would do is shown by the program as a whole.
  const own = ({ run, flags = [], ...words }: Command) => ({
    ...words,
    flags: flags.filter(({ name }) => name !== 'preview'),
  })
  expect(below.map(own)).toEqual(jobCommands.map(own))
})

test.each([
  ['job run --all -- true', true],
  ['job list --json', true],
  ['job run --on=n1 -- grep --help -f file', true],
  ['job', false],
  ['job --json list', false],
  ['--json job list', false],
  ['job runs', false],
  ['status', false],
  ['job run --help', false],
  ['job list -h', false],
  ['job list --fullhelp', false],
  ['job help', false],
  ['job list help', false],
  ['job list --version', false],
  ['job list -f cib.xml', false],
  ['job list -fcib.xml', false],
  ['job list --file=cib.xml', false],
  ['job list --file cib.xml', false],
  ['job cancel 5 --preview', false],
])('%s: %s', (line, isOne) => {
  expect(isOfJobs(line.split(' '), {})).toBe(isOne)
  expect(isOfJobs(line.split(' '), { SYSTOLE_PROGRAM: 'pcs' })).toBe(false)
  expect(isOfJobs(line.split(' '), { PCS_COMPAT: '0.11' })).toBe(false)
})

test.each([
  'job list',
  'job list --json',
  'job list x',
  'job list --debug x',
  'job list --wrong',
  'job run',
  'job run --all',
  'job run --all --json -- true',
  'job run --al -- true',
  'job run --all --serial=0 -- true',
  'job run --all --serial=1 --once -- true',
  'job run --all --timeout=soon -- true',
  'job run --on',
  'job run --all=yes -- true',
  'job run --all --force -- true',
  'job copy /etc/hostname',
  'job copy /etc/hostname --all --to=there',
  'job show',
  'job output a b',
  'job cancel',
])('systole %s', async (line) => {
  const words = line.split(' ')
  expect(isOfJobs(words, {})).toBe(true)
  const said = async (commands: readonly Command[]): Promise<unknown> => {
    const noted: string[] = []
    const terminal = { ...realTerminal(), progress: (text: string) => noted.push(text) }
    const openCluster = () => liveAccess('/no-such-root', 'root')
    const { standardError, ...rest } = await runLine({ commands, line: words, terminal, openCluster })
    // Of --debug: where it was thrown is the same place, by whatever way it was reached.
    return { ...rest, standardError: standardError.split('\n    at ')[0], noted }
  }
  expect(await said(jobCommands)).toEqual(await said(allCommands))
})
