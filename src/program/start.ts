/** What `dist/NAME.cjs` is of each command: it runs the code of that name. The build writes the name in. */
import { join } from 'node:path'
import { loadProgram } from './load.ts'
import { isOfJobs } from './of-jobs.ts'

/** Node's own, for a program that is over although something is waited for that never comes. */
const unsettled = 13

async function start(): Promise<void> {
  process.exitCode = unsettled
  const words = process.argv.slice(2)
  const hasPart = process.env.SYSTOLE_CODE_OF_JOBS !== ''
  const code = hasPart && isOfJobs(words, process.env) ? process.env.SYSTOLE_CODE_OF_JOBS : process.env.SYSTOLE_CODE
  const { main } = loadProgram(join(__dirname, code ?? ''))
  process.exitCode = await main(words)
}

void start()
