/** The runner of a task from its source: the build has it compiled. */
import { main } from '../../../src/daemon/jobs/run-task.ts'

process.exitCode = await main(process.argv.slice(2))
