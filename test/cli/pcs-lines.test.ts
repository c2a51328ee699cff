/** Called as `pcs`: a line means the same wherever its options stand, and each option that pcs knows is one that we know of. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { splitShellLine } from '../../src/cli/call/shell-words.ts'
import { findCommand } from '../../src/cli/call/tree.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { optionsOf } from '../../src/cli/pcs-words/command-options.ts'
import { isLongOption } from '../../src/cli/pcs-words/long-options.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-pcs-lines-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** FILE is one of the folder, which is not there yet. Without -f the line asks for the running cluster. */
async function type(line: string, called: { program: 'pcs' | 'systole'; environment?: string } = { program: 'pcs' }) {
  const progress: string[] = []
  const printed = await runLine({
    commands: allCommands,
    line: splitShellLine(line.replaceAll('FILE', join(folder, 'cib.xml'))),
    terminal: scriptedTerminal(progress),
    openCluster: (file, makesFile) => {
      if (file === undefined) throw new Error('This is the running cluster.')
      return fileAccess(file, makesFile)
    },
    called: { environment: undefined, ...called },
  })
  return { ...printed, errors: `${progress.map((one) => `${one}\n`).join('')}${printed.standardError}` }
}

describe('options that do not go together are refused wherever -f stands', () => {
  const lines = [
    ['property config --all --defaults', "Error: Only one of '--all', '--defaults' can be used\n"],
    ['resource disable d --safe --simulate', "Error: Only one of '--simulate', '-f' can be used\n"],
    [
      'resource defaults --full --output-format=cmd',
      "Error: option '--full' is not compatible with 'cmd' output format.\n",
    ],
    [
      'status query resource web get-nodes --quiet',
      "Error: Specified option '--quiet' is not supported in this command\n",
    ],
    ['resource config --all', "Error: Specified option '--all' is not supported in this command\n"],
  ] as const
  for (const [line, errors] of lines)
    for (const whole of [`-f FILE ${line}`, `${line} -f FILE`, `${line} -fFILE`])
      test(whole, async () => expect((await type(whole)).errors).toBe(errors))
})

describe('-f', () => {
  for (const program of ['pcs', 'systole'] as const)
    test(`without its file, at the end of a line of ${program}, takes no other option for it`, async () => {
      const { errors, exitCode } = await type('property set batch-limit=5 --force -f', { program })
      expect(errors).toContain(program === 'pcs' ? 'Error: option -f requires argument' : 'requires a value')
      expect(exitCode).toBe(1)
    })

  test('without its file is named as it was typed behind old words, too', async () => {
    const { errors } = await type('property set --node n1 a=b -f')
    expect(errors).toContain('Error: option -f requires argument\n')
  })

  for (const line of ['property set batch-limit=5 --force -fFILE', '-fFILE property set batch-limit=5'])
    test(`and its file may be one word: ${line}`, async () => {
      expect((await type(line)).errors).toBe('')
      expect(readFileSync(join(folder, 'cib.xml'), 'utf8')).toContain('value="5"')
      expect((await type('property config -fFILE', { program: 'systole' })).standardOutput).toContain('batch-limit')
    })

  test('is not read in the value of another option', async () => {
    expect((await type('host auth n1 -u hacluster -p -foo')).errors).toContain('This is the running cluster.')
  })

  test('makes a file that its owner alone may read', async () => {
    await type('-f FILE property set batch-limit=5')
    expect(statSync(join(folder, 'cib.xml')).mode & 0o777).toBe(0o600)
  })

  test('makes no file where a link leads nowhere', async () => {
    symlinkSync(join(folder, 'elsewhere.xml'), join(folder, 'cib.xml'))
    expect((await type('-f FILE property set batch-limit=5')).exitCode).toBe(1)
    expect(existsSync(join(folder, 'elsewhere.xml'))).toBe(false)
    expect(readdirSync(folder)).toEqual(['cib.xml'])
  })
})

test('older ones say nothing of what pcs 0.12 advises against, of whatever kind', async () => {
  await type('acl role create r -f FILE')
  await type('acl user create u -f FILE')
  await type('acl user create v -f FILE')
  const older = await type('acl role assign r u -f FILE', { program: 'pcs', environment: '0.10' })
  expect([older.errors, older.exitCode]).toEqual(['', 0])
  expect((await type('acl role assign r v -f FILE')).errors).toContain('Deprecation Warning: Assigning')
})

describe('what pcs refuses by its usage or by the word is refused', () => {
  for (const [line, says] of [
    ['acl role assign r user u x', 'Usage: pcs acl role assign...'],
    ['acl role assign r u x', 'Usage: pcs acl role assign...'],
    ['acl role unassign r to user u', 'Usage: pcs acl role unassign...'],
    ['alert recipient add a', 'Usage: pcs alert <command>'],
    ['resource failcount show node=n1 web', "Error: missing value of 'web' option"],
    ["resource failcount show operation=stop ''", "Error: missing value of '' option"],
  ] as const)
    test(`pcs ${line}`, async () => {
      await type('acl role create r -f FILE')
      await type('acl user create u -f FILE')
      await type('alert create path=/bin/true id=a -f FILE')
      const { errors, exitCode } = await type(`${line} -f FILE`)
      expect(exitCode).toBe(1)
      expect(errors).toContain(says)
    })
})

test('the nodes of Pacemaker are listed by name', async () => {
  const nodes = '<nodes><node id="1" uname="n2"/><node id="2" uname="n1"/></nodes>'
  writeFileSync(
    join(folder, 'cib.xml'),
    `<cib validate-with="pacemaker-3.9" epoch="1" num_updates="0" admin_epoch="0"><configuration><crm_config/>${nodes}<resources/><constraints/></configuration><status/></cib>`,
  )
  expect((await type('config -f FILE')).standardOutput).toContain('Corosync Nodes:\n n2 n1\nPacemaker Nodes:\n n1 n2\n')
})

describe('an update of defaults without values', () => {
  for (const command of ['resource defaults update', 'resource op defaults update']) {
    test(`'pcs ${command}' says nothing`, async () => {
      expect(await type(`${command} -f FILE`)).toMatchObject({ errors: '', exitCode: 0 })
    })

    test(`'systole ${command}' asks for them`, async () => {
      const { errors, exitCode } = await type(`${command} -f FILE`, { program: 'systole' })
      expect(errors).toBe(`Error: Arguments are missing. Usage: systole ${command} <name>=<value>...\n`)
      expect(exitCode).toBe(1)
    })
  }
})

test('a path that holds our name is left as it is', async () => {
  writeFileSync(join(folder, 'cib.xml'), '<cib')
  expect((await type('resource config -f FILE')).errors).toContain(join(folder, 'cib.xml'))
})

describe('the table of options', () => {
  /** `-f`, `-p` and `-u`; '' stands for none. */
  const short: ReadonlySet<string> = new Set(['f', 'p', 'u', ''])

  test('has only options that pcs knows', () => {
    const named = new Set([...optionsOf.values()].flatMap((options) => [...options]))
    expect([...named].filter((name) => !short.has(name) && !isLongOption(name))).toEqual([])
  })

  test('has only commands that are found here, or refused with a reason', () => {
    const missing = [...optionsOf.keys()].filter((name) => {
      const found = findCommand(allCommands, name.split(' '))
      const isQuery = found?.command.path.join(' ') === 'status query resource'
      return found === undefined || found.rest.length > (isQuery ? 1 : 0)
    })
    expect(missing).toEqual([])
  })
})
