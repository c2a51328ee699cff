/** The command line: commands with pcs's grammar, their help and completion. The program is start/main.ts. */

export type { ClusterAccess } from './access.ts'
export { type Command, changeFlags, commonFlags, type Flag, pcsFlags, Refusal, type Terminal } from './command.ts'
export { allCommands } from './commands/all-commands.ts'
export { bashScript, zshScript } from './completion.ts'
export { describeCommand, flagUsage } from './help.ts'
export { accessThrough } from './live-access.ts'
export { presentWords } from './old-words.ts'
export { loadLate } from './start/load-late.ts'
export { commandOfLine, runLine } from './start/run.ts'
export { findCommand } from './tree.ts'
