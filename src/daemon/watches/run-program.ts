/** Runs a program of an administrator's: bounded in time and output, killed with all that it has started. Undefined where it succeeds, otherwise why not. */
import { spawn } from 'node:child_process'
import { printable, reasonOf } from '../../base/index.ts'

const longestOutput = 4096
const longestReason = 200

export interface Run {
  readonly words: readonly string[]
  readonly input: string
  readonly environment: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export async function runProgram({ words, input, environment, timeoutMs, signal }: Run): Promise<string | undefined> {
  const [program = '', ...rest] = words
  return await new Promise((resolve) => {
    let output = ''
    let killed: string | undefined
    const child = spawn(program, rest, {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...environment },
    })
    const kill = (why: string): void => {
      killed = why
      if (child.pid !== undefined) killGroup(child.pid)
      // What it has started may hold its output open.
      child.stdout.destroy()
      child.stderr.destroy()
    }
    const timer = setTimeout(() => kill(`it did not end within ${timeoutMs} ms`), timeoutMs)
    const abort = (): void => kill('the daemon ends')
    signal.addEventListener('abort', abort, { once: true })
    const take = (data: Buffer): void => {
      if (output.length < longestOutput) output += data.toString()
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    // It may not read what it is given.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    const end = (reason: string | undefined): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      resolve(reason === undefined ? undefined : printable(reason.replaceAll(/\s+/g, ' ')).slice(0, longestReason))
    }
    child.once('error', (error) => end(reasonOf(error)))
    child.once('close', (code) => {
      if (killed === undefined && code === 0) end(undefined)
      else end(killed ?? `${program} ended with exit code ${code ?? 'by a signal'}: ${output.trim()}`)
    })
  })
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
