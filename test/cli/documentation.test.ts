import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { splitText } from '../../src/cli/grammar/words.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

/** What a guide shows: a command, and lines of its answer in their order; `…` stands for lines that are left out. */
interface Shown {
  readonly command: string
  readonly lines: readonly string[]
}

const project = resolve(import.meta.dirname, '../..')
const scratch = mkdtempSync(join(tmpdir(), 'systole-docs-'))
afterAll(() => rmSync(scratch, { recursive: true }))

function shownIn(page: string): readonly Shown[] {
  const text = readFileSync(join(project, page), 'utf8')
  const shown: { command: string; lines: string[] }[] = []
  let current: { command: string; lines: string[] } | undefined
  for (const line of text.split('\n')) {
    const shownLine = line.startsWith('    ') ? line.slice(4) : undefined
    if (shownLine?.startsWith('$ systole ')) {
      current = { command: shownLine.slice('$ systole '.length), lines: [] }
      shown.push(current)
    } else if (shownLine !== undefined) {
      if (shownLine !== '…') current?.lines.push(shownLine)
      // A sentence ends the answer.
    } else if (line.trim() !== '') current = undefined
  }
  return shown
}

async function answer(command: string): Promise<readonly string[]> {
  const words = splitText(command).map((word) => {
    if (word.startsWith('examples/')) return join(project, word)
    return /\.(xml|svg)$/.test(word) ? join(scratch, word) : word
  })
  const { standardOutput, standardError } = await runLine({
    commands: allCommands,
    line: words,
    terminal: scriptedTerminal(),
    openCluster: (file) => fileAccess(file ?? join(scratch, 'none.xml')),
  })
  expect(standardError).toBe('')
  return standardOutput.split('\n').map(squeezed)
}

const squeezed = (line: string): string => line.trim().replaceAll(/\s+/g, ' ')

for (const page of ['docs/guides/what-if.md', 'docs/guides/why.md'])
  describe(`${page} shows what the commands say`, () => {
    const shown = shownIn(page)
    test('there are commands', () => expect(shown.length).toBeGreaterThan(3))
    for (const { command, lines } of shown)
      test(command, async () => {
        const said = await answer(command)
        let from = 0
        for (const line of lines.map(squeezed).filter((text) => text !== '')) {
          const at = said.indexOf(line, from)
          expect(
            at,
            `'${line}' is not in the answer, or not in this place:\n${said.join('\n')}`,
          ).toBeGreaterThanOrEqual(0)
          from = at + 1
        }
      })
  })
