/** The program `systoled`: takes the lock, starts the pulse of a node that takes part, and only then loads the rest. */
import { mkdirSync } from 'node:fs'
import { programFile } from './host/install-folder.ts'
import { takeLock } from './host/lock.ts'
import { type Paths, pathsBelow } from './host/paths.ts'
import { beginPulseEarly } from './pulse/begin.ts'
import { daemonUsage } from './usage.ts'

if (process.argv.includes('--version')) process.stdout.write(`systoled ${process.env.SYSTOLE_VERSION}\n`)
else if (process.argv.includes('--help')) process.stdout.write(daemonUsage)
else if (process.argv.includes('--remote')) await startRemote()
else await start()

async function start(): Promise<void> {
  const paths = ownPaths()
  try {
    takeLock(paths.lock)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  }
  const pulse = beginPulseEarly(paths)
  const { runDaemon } = (await import(programFile('daemon'))) as typeof import('./run-daemon.ts')
  await runDaemon(paths, pulse)
}

async function startRemote(): Promise<void> {
  const { runRemote } = (await import(programFile('remote'))) as typeof import('./remote/run-remote.ts')
  await runRemote(ownPaths(), process.argv.slice(2))
}

function ownPaths(): Paths {
  const paths = pathsBelow(process.env.SYSTOLE_ROOT ?? '')
  for (const folder of [paths.data, paths.run]) mkdirSync(folder, { recursive: true })
  return paths
}
