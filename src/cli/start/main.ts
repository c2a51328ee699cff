/** The program `systole`. */

import { printable } from '../../base/index.ts'
import { completionSources } from '../access/completion-sources.ts'
import { fileAccess } from '../access/file-access.ts'
import { liveAccess } from '../access/live-access.ts'
import { completeLine } from '../call/completion.ts'
import { realTerminal } from '../call/terminal.ts'
import { allCommands } from '../commands/all-commands.ts'
import { runLine } from './run.ts'

/** As a shell reports a program that SIGPIPE has ended. */
const closedPipeExit = 141

/** Whoever reads the output has had enough, as `head` in `systole status | head -1`: the command ends without a word. */
function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      process.exit(closedPipeExit)
    })
}

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
  const printed = await runLine({
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
  process.stderr.write(printable(printed.standardError))
  process.stdout.write(printable(printed.standardOutput))
  return printed.exitCode
}
