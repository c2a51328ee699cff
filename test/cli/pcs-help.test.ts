/** Help, usage and version, called as pcs: where they go, how the call ends, and that nothing that is taken is missing from them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { type Printed, runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

async function pcs(...line: readonly string[]): Promise<Printed> {
  const said: string[] = []
  const printed = await runLine({
    commands: allCommands,
    line,
    terminal: scriptedTerminal(said),
    // Nothing is written: each of these calls ends before.
    openCluster: () => fileAccess(join(import.meta.dirname, 'cases/start.xml')),
    called: { program: 'pcs', environment: undefined },
  })
  return { ...printed, standardError: [...said, printed.standardError].join('\n') }
}

/** Lines are broken for a terminal. */
const unbroken = (text: string): string => text.replace(/\s+/g, ' ')

const page = readFileSync(join(import.meta.dirname, '../../docs/pcs.md'), 'utf8')
/** Commands of pcs, from the tables of docs/pcs.md: `pcs resource op add`. */
const commandsOfPcs = [...page.matchAll(/^\| `pcs ([a-z][^`]*)` \| [ABC] \|/gm)].map(([, name = '']) => name)
/** Words of docs/pcs.md that are arguments, or follow one. */
const isValue = (area: string, word: string): boolean => area === 'booth' && ['sites', 'ip'].includes(word)
const areas = [...new Set(allCommands.map(({ path: [area = ''] }) => area))]

describe('pcs without words, or with one that it does not know', () => {
  for (const line of [[], ['nosuch'], ['nosuch', 'create']])
    test(`shows all areas on standard error: pcs ${line.join(' ')}`, async () => {
      const { exitCode, standardOutput, standardError } = await pcs(...line)
      expect([exitCode, standardOutput]).toEqual([1, ''])
      expect(standardError).toContain('Usage: pcs [-f file] [-h] [commands]...')
      for (const area of areas) expect(standardError).toMatch(new RegExp(`^    ${area}\\b`, 'm'))
    })
})

describe('help is an answer', () => {
  for (const line of [['--help'], ['-h'], ['help'], ['help', 'resource']])
    test(`of pcs as a whole: pcs ${line.join(' ')}`, async () => {
      const { exitCode, standardOutput, standardError } = await pcs(...line)
      expect([exitCode, standardError]).toEqual([0, ''])
      expect(standardOutput).toContain('\nUsage: pcs [-f file] [-h] [commands]...\n')
      for (const area of areas) expect(standardOutput).toMatch(new RegExp(`^    ${area}\\b`, 'm'))
    })

  for (const area of areas.filter((name) => allCommands.some(({ path }) => path[0] === name && path.length > 1)))
    test(`of an area, with each command and each option: pcs ${area} help`, async () => {
      const { exitCode, standardOutput, standardError } = await pcs(area, 'help')
      expect([exitCode, standardError]).toEqual([0, ''])
      expect(standardOutput).toMatch(new RegExp(`^Usage: pcs ${area} `, 'm'))
      const text = unbroken(standardOutput)
      for (const { path, aliases = [], flags = [] } of allCommands)
        for (const name of [path, ...aliases].filter((one) => one[0] === area && one.length > 1)) {
          expect(text).toContain(` ${name.slice(1).join(' ')} `)
          for (const flag of name === path ? flags : []) expect(text).toContain(`--${flag.name}`)
        }
    })

  test('of one command of an area', async () => {
    const { exitCode, standardOutput } = await pcs('resource', 'help', 'op', 'add')
    expect(exitCode).toBe(0)
    expect(standardOutput).toContain('Usage: pcs resource op add...')
    expect(standardOutput).not.toContain('    create ')
  })

  test('of the area where no command has the name, and of the last that has one where more words follow', async () => {
    for (const line of ['resource help nosuch', 'resource nosuch --help', 'resource help', 'pcsd help nosuch']) {
      const { exitCode, standardOutput, standardError } = await pcs(...line.split(' '))
      expect([exitCode, standardError]).toEqual([0, ''])
      const heading = line === 'resource help' ? 'resource [commands]...' : `${line.split(' ')[0]} ...`
      expect(standardOutput.slice(0, 60)).toContain(`\nUsage: pcs ${heading}\n`)
    }
    expect((await pcs('resource', 'help', 'create', 'x')).standardOutput).toContain('Usage: pcs resource create...\n')
  })

  test('asked for in the second place or by an option alone', async () => {
    const { exitCode, standardOutput, standardError } = await pcs('constraint', 'colocation', 'help')
    expect([exitCode, standardOutput]).toEqual([1, ''])
    expect(standardError).toContain('Usage: pcs constraint [constraints]...')
  })

  for (const [line, heading] of [
    ['resource create --help', 'Usage: pcs resource create...\n    create <id> <agent>'],
    ['constraint help location', 'Usage: pcs constraint [constraints]...\n'],
    ['tag create --help', 'Usage: pcs tag <command>\n    create <tag>'],
  ] as const)
    test(`under pcs's heading: pcs ${line}`, async () =>
      expect((await pcs(...line.split(' '))).standardOutput).toContain(`\n${heading}`))

  test('of a command, with the options that every command has', async () => {
    const { standardOutput } = await pcs('resource', 'create', '--help')
    for (const option of ['--no-default-ops', '--future', '--force', '--request-timeout', '--wait'])
      expect(standardOutput).toContain(option)
  })
})

describe('an option that nobody knows is found before anything else', () => {
  for (const line of [
    '--nosuch',
    'node --nosuch',
    'resource create --help --nosuch',
    'constraint location delete x --nosuch',
    'resource config -Z',
  ])
    test(`pcs ${line}`, async () => {
      const { exitCode, standardOutput, standardError } = await pcs(...line.split(' '))
      expect([exitCode, standardOutput]).toEqual([1, ''])
      const option = line.endsWith('-Z') ? '-Z' : '--nosuch'
      expect(standardError).toMatch(
        new RegExp(
          `^Error: option ${option} not recognized\n\nUsage: pcs \\[-f file\\] \\[-h\\] \\[commands\\]\\.\\.\\.\n`,
        ),
      )
    })
})

test('each command of pcs is in the help of its area, also where it is refused here', async () => {
  expect(commandsOfPcs.length).toBeGreaterThan(200)
  const texts = new Map<string, string>()
  const missing: string[] = []
  for (const command of commandsOfPcs) {
    const [area = '', ...words] = command.split(' ')
    // What stands for a value: NAME, x=y, [option].
    const end = words.findIndex((word) => /^[A-Z[<]|[=|@/]|\.\.\.|^--/.test(word) || isValue(area, word))
    const name = words.slice(0, end < 0 ? undefined : end).join(' ')
    if (name === '') continue
    if (!texts.has(area)) texts.set(area, unbroken((await pcs(area, 'help')).standardOutput))
    if (!texts.get(area)?.includes(` ${name} `)) missing.push(command)
  }
  expect(missing).toEqual([])
})

describe('a call without the words that it needs shows the usage on standard error', () => {
  const calls: readonly (readonly [line: string, heading: string])[] = [
    ['resource create', 'Usage: pcs resource create...'],
    ['resource create x', 'Usage: pcs resource create...'],
    ['stonith create', 'Usage: pcs stonith create...'],
    ['resource nosuch', 'Usage: pcs resource ...'],
    ['constraint location add', 'Usage: pcs constraint [constraints]...'],
    ['cluster setup', 'Usage: pcs cluster setup...'],
    ['acl role', 'Usage: pcs acl role...'],
    ['tag create', 'Usage: pcs tag <command>'],
    ['dr', 'Usage: pcs dr <command>'],
    ['dr nosuch', 'Usage: pcs dr <command>'],
    ['pcsd nosuch', 'Usage: pcs pcsd ...'],
    ['config show nosuch', 'Usage: pcs config ...'],
  ]
  for (const [line, heading] of calls)
    test(`pcs ${line}`, async () => {
      const { exitCode, standardOutput, standardError } = await pcs(...line.split(' '))
      expect([exitCode, standardOutput]).toEqual([1, ''])
      expect(standardError).toContain(heading)
    })
})

test('the version is that of the pcs that is spoken', async () => {
  const { exitCode, standardOutput } = await pcs('--version')
  expect([exitCode, standardOutput]).toEqual([0, expect.stringMatching(/^0\.12\.\d/)])
  expect((await pcs('--version', '--full')).standardOutput).toContain('pcmk.resource.create')
})
