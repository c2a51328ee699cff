/** Where the demonstration lives while it runs: one folder, which is removed with everything in it at the end. */
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Short, because the names of Unix sockets in it have a limit of some hundred characters. */
export const demoFolder = process.env.SYSTOLE_DEMO ?? '/tmp/systole-demo'

const pidFile = join(demoFolder, 'demo.pid')

export function takeFolder(): void {
  if (existsSync(demoFolder)) {
    const { uid } = lstatSync(demoFolder)
    if (uid !== process.getuid?.()) throw new Error(`${demoFolder} belongs to somebody else: set SYSTOLE_DEMO.`)
    const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0
    if (pid > 0 && existsSync(`/proc/${pid}`))
      throw new Error(`The demonstration runs already (process ${pid}, ${demoFolder}). Stop it first.`)
    killEverythingIn(demoFolder)
    rmSync(demoFolder, { recursive: true, force: true })
  }
  mkdirSync(demoFolder, { mode: 0o700 })
  writeFileSync(pidFile, String(process.pid))
}

export function leaveFolder(): void {
  killEverythingIn(demoFolder)
  rmSync(demoFolder, { recursive: true, force: true, maxRetries: 5 })
}

/**
 * Kills the daemons, agents and services of one node or of all, as a power cut would: they carry the node's folder in
 * their environment. Looks again until none is left, since a process may have started another one meanwhile.
 */
export function killEverythingIn(folder: string): void {
  for (let left = processesOf(folder); left.length > 0; left = processesOf(folder))
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    }
}

function processesOf(folder: string): readonly number[] {
  return pids().filter((pid) => pid !== process.pid && environmentOf(pid).some((entry) => belongsTo(entry, folder)))
}

function belongsTo(entry: string, folder: string): boolean {
  const [name, value = ''] = entry.split('=', 2)
  return (name === 'SYSTOLE_ROOT' || name === 'SYSTOLE_TOOLS_SOCKET') && `${value}/`.startsWith(`${folder}/`)
}

function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    // It has ended meanwhile, or belongs to somebody else: in both cases it is none of ours.
    return []
  }
}

function pids(): readonly number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger)
}
