/** One check of one instance: undefined where it passes, otherwise why not. */
import { spawn } from 'node:child_process'
import { lstatSync, type Stats } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { printable, reasonOf } from '../../base/index.ts'
import { type DueCheck, isPlainAddress } from '../../services/index.ts'
import { enoughIn } from './dns-question.ts'
import { grpcHealth } from './grpc-health.ts'

const longestReason = 160
const longestOutput = 4096

interface Place {
  /** Where the programs of checks are. */
  readonly folder: string
  /** Nobody asks for the result any more: a program that runs is killed. */
  readonly signal: AbortSignal
}

/** Never rejects. */
export async function probe(due: DueCheck, place: Place): Promise<string | undefined> {
  const reason = await resultOf(due, place).catch(reasonOf)
  return reason === undefined ? undefined : printable(reason.replaceAll(/\s+/g, ' ')).slice(0, longestReason)
}

async function resultOf(due: DueCheck, { folder, signal }: Place): Promise<string | undefined> {
  const { check } = due
  if (check.kind === 'dns') return await enoughIn(check, signal)
  if (check.kind === 'tcp') return await tcp(due)
  if (check.kind === 'grpc') return await grpcHealth(due, check.grpcService)
  return await (check.kind === 'http' ? http(due, check.path) : command(due, join(folder, check.command), signal))
}

const tooLate = ({ check }: DueCheck): string => `no answer within ${check.timeoutMs} ms`

async function tcp(due: DueCheck): Promise<string | undefined> {
  const { address, port, check } = due
  return await new Promise((resolve) => {
    const socket = connect({ host: address, port })
    const end = (reason: string | undefined): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(reason)
    }
    const timer = setTimeout(() => end(tooLate(due)), check.timeoutMs)
    socket.once('connect', () => end(undefined))
    socket.once('error', (error) => end(reasonOf(error)))
  })
}

/** Redirections are answers: the service is there. */
async function http(due: DueCheck, path: string): Promise<string | undefined> {
  const { address, port, check } = due
  return await new Promise((resolve) => {
    const asked = request({ host: address, port, path, agent: false, headers: { 'user-agent': 'systole' } })
    const end = (reason: string | undefined): void => {
      clearTimeout(timer)
      asked.destroy()
      resolve(reason)
    }
    const timer = setTimeout(() => end(tooLate(due)), check.timeoutMs)
    asked.once('response', ({ statusCode = 0 }) =>
      end(statusCode >= 200 && statusCode < 400 ? undefined : `HTTP status ${statusCode}`),
    )
    asked.on('error', (error) => end(reasonOf(error)))
    asked.end()
  })
}

/** Exit code 0 passes, as with Consul and Nagios. It runs with the rights of the daemon, so that only root may have written it. */
async function command(due: DueCheck, path: string, signal: AbortSignal): Promise<string | undefined> {
  const unfit = whyUnfit(path)
  if (unfit !== undefined) return unfit
  // Whoever may write one parameter of the resource chooses it, and a script of root's may hand it to a shell.
  if (!isPlainAddress(due.address)) return 'the address of the service is not one that a program is given'
  return await new Promise((resolve) => {
    let output = ''
    const child = spawn(path, [], {
      cwd: '/',
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
        SYSTOLE_SERVICE: due.service,
        SYSTOLE_NODE: due.node,
        SYSTOLE_ADDRESS: due.address,
        SYSTOLE_PORT: String(due.port),
      },
    })
    let late = false
    const kill = (): void => {
      late = true
      if (child.pid !== undefined) killGroup(child.pid)
      // What it has started may hold its output open.
      child.stdout.destroy()
      child.stderr.destroy()
    }
    const timer = setTimeout(kill, due.check.timeoutMs)
    signal.addEventListener('abort', kill, { once: true })
    const ended = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', kill)
    }
    const take = (data: Buffer): void => {
      if (output.length < longestOutput) output += data.toString()
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.once('error', (error) => {
      ended()
      resolve(reasonOf(error))
    })
    child.once('close', (code) => {
      ended()
      resolve(late ? tooLate(due) : code === 0 ? undefined : output.trim() || `exit code ${code}`)
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

const isSharedWithOthers = ({ mode, uid }: Stats): boolean =>
  (mode & 0o022) !== 0 || (uid !== 0 && uid !== process.getuid?.())

function whyUnfit(path: string): string | undefined {
  try {
    const folder = lstatSync(dirname(path))
    if (!folder.isDirectory() || isSharedWithOthers(folder))
      return `${dirname(path)} can be written by others than root`
    const found = lstatSync(path)
    if (!found.isFile()) return `${path} is not a file`
    if (isSharedWithOthers(found)) return `${path} can be written by others than root`
    return (found.mode & 0o100) === 0 ? `${path} is not executable` : undefined
  } catch (error) {
    return `${path}: ${reasonOf(error)}`
  }
}
