/** The command line: commands with pcs's grammar, their help and completion. The program is start/main.ts. */

export { accessThrough } from './access/live-access.ts'
export type { ClusterAccess } from './call/access.ts'
export { type Command, changeFlags, commonFlags, type Flag, pcsFlags, Refusal, type Terminal } from './call/command.ts'
export { bashScript, zshScript } from './call/completion.ts'
export { describeCommand, flagUsage } from './call/help.ts'
export { findCommand } from './call/tree.ts'
export { allCommands } from './commands/all-commands.ts'
export type { Attention, NodeFacts, ResourceFacts, StatusFacts } from './facts/status-facts.ts'
export { presentWords } from './grammar/old-words.ts'
export { loadLate } from './start/load-late.ts'
export { commandOfLine, runLine } from './start/run.ts'
