/**
 * Transcripts: each folder of cases/ has `lines.txt`, the command lines that are typed one after the other on the CIB of
 * `cases/start.xml` in a file, and `transcript.txt`, what they print. UPDATE_GOLDEN=1 writes the transcripts anew: read the
 * difference before you commit it.
 */
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { splitShellLine } from '../../src/cli/call/shell-words.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const cases = join(import.meta.dirname, 'cases')
const names = readdirSync(cases, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))

for (const name of names.sort())
  test(name, async () => {
    const transcript = await play(join(cases, name, 'lines.txt'))
    const golden = join(cases, name, 'transcript.txt')
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(golden, transcript)
    expect(existsSync(golden), `${golden} is missing: UPDATE_GOLDEN=1 writes it`).toBe(true)
    expect(transcript).toBe(readFileSync(golden, 'utf8'))
  })

/** `pcs …` and `systole …`; `PCS_COMPAT=0.9` may stand before them. FOLDER is a folder of the case's own. */
async function play(path: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'systole-case-'))
  const file = join(folder, 'cib.xml')
  copyFileSync(join(cases, 'start.xml'), file)
  const parts: string[] = []
  try {
    for (const line of readFileSync(path, 'utf8').split('\n')) {
      if (line.trim() === '' || line.startsWith('#')) {
        parts.push(`${line}\n`)
        continue
      }
      const words = splitShellLine(line.replaceAll('FOLDER', folder))
      const compat = /^PCS_COMPAT=(.*)$/.exec(words[0] ?? '')?.[1]
      const [program, ...rest] = compat === undefined ? words : words.slice(1)
      const progress: string[] = []
      const printed = await runLine({
        commands: allCommands,
        line: rest,
        terminal: scriptedTerminal(progress),
        openCluster: (other, makesFile) => fileAccess(other ?? file, makesFile),
        called: { program: program === 'pcs' ? 'pcs' : 'systole', environment: compat },
      })
      const said = [
        ...progress.map((text) => `${text.trimEnd()}\n`),
        printed.standardError,
        printed.standardOutput,
      ].join('')
      const exit = printed.exitCode === 0 ? '' : `(exit ${printed.exitCode})\n`
      parts.push(`$ ${line}\n${said.replaceAll(folder, 'FOLDER')}${exit}`)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  return `${parts.join('').trimEnd()}\n`
}
