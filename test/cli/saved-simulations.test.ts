/** What `simulate` writes into files, and what it reads from elsewhere than a file that is named. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { splitShellLine } from '../../src/cli/call/shell-words.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-saved-'))
afterAll(() => rmSync(folder, { recursive: true }))
const start = join(import.meta.dirname, 'cases/start.xml')

async function say(line: string, input = ''): Promise<string> {
  const { standardOutput, exitCode, standardError } = await runLine({
    commands: allCommands,
    line: splitShellLine(line.replaceAll('FOLDER', folder)),
    terminal: { ...scriptedTerminal(), readInput: () => Promise.resolve(input) },
    openCluster: (other) => fileAccess(other ?? start),
  })
  expect(`${standardError}${exitCode}`).toBe('0')
  return standardOutput
}

const written = (name: string): string => readFileSync(join(folder, name), 'utf8')

test('the saved input is the CIB with what was supposed: asked again, it answers the same', async () => {
  const asked = await say('simulate --node-fail n1 --run --save-input FOLDER/input.xml')
  const again = await say('simulate --xml-file FOLDER/input.xml --run --show-next-change')
  const summary = (text: string): string => text.slice(text.indexOf('Transition Summary:'))
  expect(asked).toContain('Fence (reboot) n1')
  expect(summary(again)).toBe(summary(asked))
  expect(readFileSync(start, 'utf8')).not.toBe(written('input.xml'))
})

test('the saved graph is the transition, as XML and for Graphviz', async () => {
  await say('simulate --node-fail n1 --save-graph FOLDER/graph.xml --save-dotfile FOLDER/graph.dot')
  expect(written('graph.xml')).toMatch(/^<transition_graph .*<crm_event .*operation="stonith".*on_node="n1"/s)
  expect(written('graph.dot')).toMatch(/digraph .*stonith.*n1/s)
})
