import { expect, test } from 'vitest'
import { completeLine } from '../../src/cli/call/completion.ts'
import { describeCommand, listCommands } from '../../src/cli/call/help.ts'
import { findCommand, unknownCommand } from '../../src/cli/call/tree.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'

const noNames = { candidates: () => Promise.resolve(['alpha', 'beta']) }

test('the longest name wins, aliases included', () => {
  expect(findCommand(allCommands, ['cluster', 'node', 'delete', 'n1'])?.command.path).toEqual([
    'cluster',
    'node',
    'remove',
  ])
  expect(findCommand(allCommands, ['config', 'checkpoint', 'diff'])?.command.path).toEqual(['config', 'diff'])
  expect(findCommand(allCommands, ['nonsense'])).toBeUndefined()
})

test('names of commands are unique, aliases included', () => {
  const names = allCommands.flatMap(({ path, aliases }) => [path, ...(aliases ?? [])].map((name) => name.join(' ')))
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

test('every command has a summary that fits a line, and a usage', () => {
  for (const command of allCommands) {
    if (command.refuses !== undefined) continue
    expect(command.summary.length, command.path.join(' ')).toBeLessThan(100)
    expect(describeCommand(command)).toContain(`Usage: systole ${command.path.join(' ')}`)
  }
  expect(listCommands(allCommands, [])).toContain('cluster setup')
})

test('a mistyped command says what was probably meant', () => {
  expect(unknownCommand(allCommands, ['cluster', 'strat']).message).toContain("Did you mean 'start'?")
  expect(unknownCommand(allCommands, ['clutser']).message).toContain("Did you mean 'cluster'?")
  expect(unknownCommand(allCommands, ['cluster', 'node']).message).toContain('is incomplete')
})

test('completion offers commands, flags and names', async () => {
  expect(await completeLine(allCommands, ['cluster', 'st'], noNames)).toEqual(['start', 'status', 'stop'])
  expect(await completeLine(allCommands, ['stonith', 'fence', ''], noNames)).toEqual(['alpha', 'beta'])
  expect(await completeLine(allCommands, ['stonith', 'fence', '--o'], noNames)).toEqual(['--off', '--on'])
})

test('completion offers values of flags, however the shell splits the line', async () => {
  const offered = (...typed: readonly string[]): Promise<readonly string[]> => completeLine(allCommands, typed, noNames)
  expect(await offered('simulate', '--node-fail', 'a')).toEqual(['alpha'])
  expect(await offered('simulate', '-u', '')).toEqual(['alpha', 'beta'])
  expect(await offered('simulate', '--node-fail=b')).toEqual(['--node-fail=beta'])
  expect(await offered('simulate', '--node-fail', '=', 'b')).toEqual(['beta'])
  expect(await offered('simulate', '--quorum', '')).toEqual(['false', 'true'])
  expect(await offered('simulate', '--node-f')).toEqual(['--node-fail'])
})
