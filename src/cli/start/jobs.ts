/** The program `systole` for the commands of jobs alone, whose code is loaded in a fraction of the time (`src/program/of-jobs.ts`). */
import { liveAccess } from '../access/live-access.ts'
import { realTerminal } from '../call/terminal.ts'
import { jobCommands } from '../commands/job/job-commands.ts'
import { endWithReader } from './end-with-reader.ts'
import { printLine } from './print-line.ts'

/** Resolves to the exit code. */
export async function main(line: readonly string[]): Promise<number> {
  endWithReader()
  const root = process.env.SYSTOLE_ROOT ?? ''
  const terminal = realTerminal()
  return await printLine({
    commands: jobCommands,
    line,
    terminal,
    openCluster: () => liveAccess(root, terminal.user),
  })
}
