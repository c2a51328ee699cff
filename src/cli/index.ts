/** The command line: commands with pcs's grammar, their help and completion. The program is start/main.ts. */

export { type Command, changeFlags, commonFlags, type Flag, pcsFlags } from './command.ts'
export { allCommands } from './commands/all-commands.ts'
export { bashScript, zshScript } from './completion.ts'
export { describeCommand, flagUsage } from './help.ts'
export { presentWords } from './old-words.ts'
export { findCommand } from './tree.ts'
