/** What `dist/NAME.cjs` is of each command: it runs the code of that name. The build writes the name in. */
import { join } from 'node:path'
import { loadProgram } from './load.ts'

/** Node's own, for a program that is over although something is waited for that never comes. */
const unsettled = 13

async function start(): Promise<void> {
  process.exitCode = unsettled
  const { main } = loadProgram(join(__dirname, process.env.SYSTOLE_CODE ?? ''))
  process.exitCode = await main(process.argv.slice(2))
}

void start()
