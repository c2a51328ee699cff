/** A process that runs a command as `lock run` does, and may be killed. */
import { runChild } from '../../../src/cli/commands/lock/run-child.ts'

const [program = '', ...args] = process.argv.slice(2)
let end = (): void => undefined
// Before the command starts: it may be at work before this process goes on.
process.on('SIGUSR2', () => end())
const child = runChild(program, args, false)
end = child.end
const ended = await child.ended
process.exitCode = ended.exitCode
