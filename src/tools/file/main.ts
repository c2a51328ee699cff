/** The command in a process of its own: `systole-tool NAME ARGUMENTS…`, which the shims become for what the daemon cannot do. */
import { runCommand } from './run-command.ts'

const [tool = '', ...words] = process.argv.slice(2)
process.exitCode = await runCommand(tool, words, process.env)
