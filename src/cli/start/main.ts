/** The program `systole`. */

import { printable } from '../../base/index.ts'
import { completionSources } from '../access/completion-sources.ts'
import { fileAccess } from '../access/file-access.ts'
import { liveAccess } from '../access/live-access.ts'
import { completeLine } from '../call/completion.ts'
import { realTerminal } from '../call/terminal.ts'
import { allCommands } from '../commands/all-commands.ts'
import { endWithReader } from './end-with-reader.ts'
import { printLine } from './print-line.ts'

/** Resolves to the exit code. */
export async function main(line: readonly string[]): Promise<number> {
  endWithReader()
  const root = process.env.SYSTOLE_ROOT ?? ''
  if (line[0] === 'completion' && line[1] === 'words') {
    const typed = line.slice(line.indexOf('--') + 1)
    const words = await completeLine(allCommands, typed, completionSources(root))
    process.stdout.write(printable(words.map((word) => `${word}\n`).join('')))
    return 0
  }
  const terminal = realTerminal()
  return await printLine({
    commands: allCommands,
    line,
    terminal,
    called: {
      program: process.env.SYSTOLE_PROGRAM === 'pcs' ? 'pcs' : 'systole',
      environment: process.env.PCS_COMPAT,
    },
    openCluster: (file, makesFile) =>
      file === undefined ? liveAccess(root, terminal.user) : fileAccess(file, makesFile),
  })
}
