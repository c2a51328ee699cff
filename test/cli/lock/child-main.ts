/** A process that runs a command as `lock run` does, and may be killed. */
import { runChild } from '../../../src/cli/commands/lock/run-child.ts'

const [program = '', ...args] = process.argv.slice(2)
const child = runChild(program, args, false)
process.on('SIGUSR2', child.end)
const ended = await child.ended
process.exitCode = ended.exitCode
