/** The command in a process of its own: `systole-tool NAME ARGUMENTS…`, which the shims become for what the daemon cannot do. */
import { runCommand } from './run-command.ts'

/** Resolves to the exit code. */
export async function main([tool = '', ...words]: readonly string[]): Promise<number> {
  return await runCommand(tool, words, process.env)
}
