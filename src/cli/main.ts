/** The program `systole`. */

import { setFlagsFromString } from 'node:v8'
import { allCommands } from './commands/all-commands.ts'
import { completeLine } from './completion.ts'
import { completionSources } from './completion-sources.ts'
import { fileAccess } from './file-access.ts'
import { liveAccess } from './live-access.ts'
import { runLine } from './run.ts'
import { realTerminal } from './terminal.ts'

// A command is over before most optimized code pays for its making: V8 waits for some six times as much use of a function
// first. A simulation of 1,000 resources then takes a third less CPU, and one of 5,000 a sixth.
setFlagsFromString('--interrupt-budget=800000')

const root = process.env.SYSTOLE_ROOT ?? ''
const line = process.argv.slice(2)

if (line[0] === 'completion' && line[1] === 'words') {
  const typed = line.slice(line.indexOf('--') + 1)
  const words = await completeLine(allCommands, typed, completionSources(root))
  process.stdout.write(words.map((word) => `${word}\n`).join(''))
} else {
  const terminal = realTerminal()
  const printed = await runLine({
    commands: allCommands,
    line,
    terminal,
    called: {
      program: process.env.SYSTOLE_PROGRAM === 'pcs' ? 'pcs' : 'systole',
      environment: process.env.PCS_COMPAT,
    },
    openCluster: (file) => (file === undefined ? liveAccess(root, terminal.user) : fileAccess(file)),
  })
  process.stderr.write(printed.standardError)
  process.stdout.write(printed.standardOutput)
  process.exitCode = printed.exitCode
}
