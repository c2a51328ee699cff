/** The program `systoled`. */
import { mkdirSync } from 'node:fs'
import { Daemon } from './daemon.ts'
import { ownName } from './enrol.ts'
import { openLog } from './log.ts'
import { pathsBelow } from './paths.ts'

const usage = `Usage: systoled [--version]
The daemon of a Systole cluster. SYSTOLE_ROOT moves all of its files, SYSTOLE_LOG sets the log's level (info).
SIGTERM ends it and leaves its resources running; \`systole cluster stop\` stops them.
`

if (process.argv.includes('--version')) process.stdout.write(`systoled ${process.env.SYSTOLE_VERSION}\n`)
else if (process.argv.includes('--help')) process.stdout.write(usage)
else await run()

async function run(): Promise<void> {
  const paths = pathsBelow(process.env.SYSTOLE_ROOT ?? '')
  const log = openLog(ownName(), process.env.SYSTOLE_LOG ?? 'info')
  // A node that is wrong about itself is worse than a node that is down: whoever supervises the daemon starts it again.
  const fail = (error: unknown): void => {
    log.error('the daemon ends because of a bug', { error })
    process.exit(1)
  }
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  for (const folder of [paths.data, paths.run]) mkdirSync(folder, { recursive: true })
  const daemon = new Daemon(paths, log, fail)
  const end = (signal: NodeJS.Signals): void => {
    log.info('ending; resources stay as they are', { signal })
    daemon.end().then(() => process.exit(0), fail)
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  try {
    await daemon.start()
  } catch (error) {
    log.error('the daemon cannot start', { error })
    process.exit(1)
  }
}
