/** A command of a component, in the process group of the task: whoever ends the task ends it. */
import { type ChildProcess, spawn } from 'node:child_process'

export interface Ran {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunHow {
  readonly environment: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly stdin?: string | Buffer
  readonly cwd?: string
  /** It is not waited for, and goes on when the task has ended. */
  readonly detached?: boolean
  readonly quiet?: boolean
}

const keptBytes = 1024 * 1024
const graceMs = 5000
const leftOpenMs = 500
/** As the command timeout(1) has it, and shells for what cannot be started. */
const timedOutExit = 124
const notFoundExit = 127
const cannotRunExit = 126
const bySignalExit = 128

export async function runCommand([path = '', ...words]: readonly string[], how: RunHow): Promise<Ran> {
  const child = spawn(path, words, {
    cwd: how.cwd ?? '/',
    env: { ...process.env, ...how.environment },
    detached: how.detached ?? false,
    stdio: how.detached ? 'ignore' : [how.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  if (how.detached) return await startedOnly(child)
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(how.stdin)
  const [stdout, stderr] = [new Kept(), new Kept()]
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout.add(chunk)
    if (!how.quiet) process.stdout.write(chunk)
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr.add(chunk)
    if (!how.quiet) process.stderr.write(chunk)
  })
  const exitCode = await ended(child, how.timeoutMs)
  return { exitCode, stdout: stdout.text, stderr: stderr.text }
}

async function startedOnly(child: ChildProcess): Promise<Ran> {
  return await new Promise((resolve) => {
    child.once('error', (error) => resolve({ exitCode: notFoundExit, stdout: '', stderr: error.message }))
    child.once('spawn', () => {
      child.unref()
      resolve({ exitCode: 0, stdout: '', stderr: '' })
    })
  })
}

async function ended(child: ChildProcess, timeoutMs: number): Promise<number> {
  return await new Promise((resolve) => {
    let isLate = false
    let kill: NodeJS.Timeout | undefined
    const late = setTimeout(() => {
      isLate = true
      child.kill('SIGTERM')
      kill = setTimeout(() => {
        child.kill('SIGKILL')
      }, graceMs)
    }, timeoutMs)
    const over = (code: number): void => {
      clearTimeout(late)
      clearTimeout(kill)
      resolve(isLate ? timedOutExit : code)
    }
    child.once('error', (error) => {
      process.stderr.write(`${error.message}\n`)
      over('code' in error && error.code === 'ENOENT' ? notFoundExit : cannotRunExit)
    })
    child.once('close', () => over(codeOf(child)))
    // What it has left behind may hold its output open: nobody waits for that.
    child.once('exit', () => {
      setTimeout(() => {
        for (const stream of [child.stdout, child.stderr]) stream?.destroy()
      }, leftOpenMs).unref()
    })
  })
}

const codeOf = ({ exitCode, signalCode }: ChildProcess): number =>
  exitCode ?? (signalCode === null ? cannotRunExit : bySignalExit)

class Kept {
  #chunks: Buffer[] = []
  #bytes = 0

  add(chunk: Buffer): void {
    if (this.#bytes >= keptBytes) return
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8')
  }
}
