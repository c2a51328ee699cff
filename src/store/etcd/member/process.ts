/**
 * The etcd process itself: started detached, in a session of its own, so that it outlives the daemon; found again by its pid
 * file, its start time (process ids are used again) and its command line.
 */
import { spawn } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { takesNoChange } from '../../../base/index.ts'
import { messageOf } from '../../port/errors.ts'
import { livingProcess, processIdentity, textIfThere } from '../../port/process-identity.ts'
import type { EndpointAddress } from '../endpoint.ts'
import { describeRefusal, type Refusal, refusalIn } from './refusal.ts'
import {
  clientUrl,
  commas,
  configurationFile,
  dataDirectory,
  etcdConfiguration,
  etcdEnvironment,
  fromCommas,
  logFile,
  type MemberSettings,
  type MemberStart,
  peerUrl,
  peerUrls,
  pidFile,
  startedMark,
} from './settings.ts'

const defaultBinary = '/usr/bin/etcd'
const maxLogBytes = 4 * 1024 * 1024
const logTailBytes = 64 * 1024

/** The running member's process id, or undefined. */
export function findMember(settings: MemberSettings): number | undefined {
  const pid = livingProcess(textIfThere(pidFile(settings)))
  return pid !== undefined && isMember(settings, pid) ? pid : undefined
}

/**
 * Whether this member was started last with the addresses of these settings and the authorities that are believed now, and listens on each that this host has now. That one has gone
 * since then is no reason to start it anew: it listens there again as soon as the address is back.
 */
export function listensAsConfigured(settings: MemberSettings): boolean {
  const started = startedWith(settings)
  if (started === undefined) return true
  const listening = fromCommas(started['listen-peer-urls'])
  const wanted = settings.listenOn ?? settings.addresses
  return (
    started['initial-advertise-peer-urls'] === commas(peerUrls(settings)) &&
    believesAsConfigured(settings) &&
    wanted.every((address) => listening.includes(peerUrl(settings, address)))
  )
}

/** Whether it was started with the authorities that are believed now: it reads them only when it starts. */
export function believesAsConfigured(settings: MemberSettings): boolean {
  const started = startedWith(settings)
  return started === undefined || started['peer-transport-security']?.['trusted-ca-file'] === settings.tls?.ca
}

/** One that an earlier build has started does not: it is started anew before anything is revoked. */
export function readsRevocations(settings: MemberSettings): boolean {
  const started = startedWith(settings)
  return started === undefined || started.PeerTLSInfo?.CRLFile === settings.tls?.revoked
}

/** How this node's own client reaches the member: where it listens since its last start. */
export function ownEndpoint(settings: MemberSettings): EndpointAddress {
  const [first = ''] = settings.addresses
  const [listening = ''] = fromCommas(startedWith(settings)?.['listen-client-urls'] ?? clientUrl(settings, first))
  const address = listening.replace(/^https?:\/\//, '')
  return settings.serverName === undefined ? address : { address, serverName: settings.serverName }
}

type StartedWith = Readonly<
  Record<'listen-peer-urls' | 'listen-client-urls' | 'initial-advertise-peer-urls', string>
> & {
  readonly PeerTLSInfo?: { readonly CRLFile?: string }
  readonly 'peer-transport-security'?: { readonly 'trusted-ca-file'?: string }
}

/** Undefined before its first start. */
function startedWith(settings: MemberSettings): StartedWith | undefined {
  const text = textIfThere(configurationFile(settings))
  return text === undefined ? undefined : (JSON.parse(text) as StartedWith)
}

export function isAlive(settings: MemberSettings, pid: number): boolean {
  return livingProcess(String(pid)) !== undefined && isMember(settings, pid)
}

/** Why no member can run on this host, for people. */
export function missingEtcd(): string | undefined {
  return existsSync(defaultBinary) ? undefined : describeRefusal({ kind: 'not-installed', binary: defaultBinary }, '')
}

/** What forbids a start, looked at before it is tried. */
export function obstacle(settings: MemberSettings): Refusal | undefined {
  const binary = settings.binary ?? defaultBinary
  if (!existsSync(binary)) return { kind: 'not-installed', binary }
  if (existsSync(startedMark(settings)) && !hasData(settings)) return { kind: 'data-missing' }
  return undefined
}

export function hasData(settings: MemberSettings): boolean {
  return existsSync(`${dataDirectory(settings)}/member/wal`)
}

export interface StartedMember {
  readonly pid: number
  readonly exited: Promise<void>
}

export async function startMember(settings: MemberSettings, start: MemberStart): Promise<StartedMember> {
  mkdirSync(settings.directory, { recursive: true, mode: 0o700 })
  const configuration = configurationFile(settings)
  writeFileSync(`${configuration}.new`, JSON.stringify(etcdConfiguration(settings, start), undefined, 2), {
    mode: 0o600,
  })
  renameSync(`${configuration}.new`, configuration)
  boundLog(settings)
  noteStart(settings)
  const log = openSync(logFile(settings), 'a', 0o600)
  try {
    const child = spawn(settings.binary ?? defaultBinary, ['--config-file', configuration], {
      detached: true,
      stdio: ['ignore', log, log],
      env: etcdEnvironment(),
      cwd: settings.directory,
    })
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
    const pid = child.pid ?? 0
    writeFileSync(pidFile(settings), `${processIdentity(pid)}\n`, { mode: 0o600 })
    child.unref()
    return { pid, exited }
  } finally {
    closeSync(log)
  }
}

/**
 * Nanoseconds: timers that are due so close to each other wake etcd once. Go's monitor thread would wake it 300 times a second to see
 * whether a system call takes long; what waits for such a call waits up to two milliseconds longer with this.
 */
const timerSlack = String(2_000_000)

/** For all its threads: those that come later have it from these. Not where the kernel does not let this process, as in some containers. */
export function coalesceTimers(pid: number): void {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) writeFileSync(`/proc/${thread}/timerslack_ns`, timerSlack)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && noAccess.has(String(error.code)))) throw error
  }
}

/** The last two: the thread or the whole process has ended. */
const noAccess: ReadonlySet<string> = new Set(['EPERM', 'EACCES', 'EROFS', 'ENOENT', 'ESRCH'])

/** After it has answered once, its data is known to have been made. */
export function markStarted(settings: MemberSettings): void {
  if (!existsSync(startedMark(settings))) writeFileSync(startedMark(settings), '')
}

export function wipeData(settings: MemberSettings): void {
  const data = dataDirectory(settings)
  rmSync(`${data}.damaged`, { recursive: true, force: true })
  // Kept until the next time, for whoever wants to know what happened.
  if (existsSync(data)) renameSync(data, `${data}.damaged`)
  rmSync(startedMark(settings), { force: true })
}

/** On a full disk its log may have no room for the reason. */
export function whyItEnded(settings: MemberSettings): Refusal {
  const refusal = refusalIn(logTail(settings))
  return refusal.kind === 'died' && isFull(settings.directory) ? { kind: 'disk-full' } : refusal
}

function isFull(directory: string): boolean {
  // Whoever ends a member may delete its folder before it has ended.
  if (!existsSync(directory)) return false
  const { bavail, bsize, files, ffree } = statfsSync(directory)
  return bavail * bsize < leastRoomBytes || (files > 0 && ffree === 0)
}

const leastRoomBytes = 1024 * 1024

/** The log is opened for appending, so that it may be cut while etcd writes to it. On a disk that takes no change it does not grow either. */
export function boundLog(settings: MemberSettings): void {
  const path = logFile(settings)
  try {
    if (existsSync(path) && statSync(path).size > maxLogBytes) truncateSync(path, 0)
  } catch (error) {
    if (!takesNoChange(error)) throw error
  }
}

/** Marks the place in the log from which the next end is explained. */
function noteStart(settings: MemberSettings): void {
  writeFileSync(logFile(settings), `${startLine} ${new Date().toISOString()}\n`, { flag: 'a', mode: 0o600 })
}

const startLine = '--- started by systoled'

function logTail(settings: MemberSettings): string {
  try {
    const path = logFile(settings)
    const size = statSync(path).size
    const length = Math.min(size, logTailBytes)
    const bytes = Buffer.alloc(length)
    const file = openSync(path, 'r')
    try {
      readSync(file, bytes, 0, length, size - length)
    } finally {
      closeSync(file)
    }
    const text = bytes.toString('utf8')
    const from = text.lastIndexOf(startLine)
    return from === -1 ? text : text.slice(from)
  } catch (error) {
    return `the log cannot be read: ${messageOf(error)}`
  }
}

/** By its command line, for the id may be another process's by now. */
function isMember(settings: MemberSettings, pid: number): boolean {
  const commandLine = textIfThere(`/proc/${pid}/cmdline`)?.split('\0')
  return commandLine?.[1] === '--config-file' && commandLine[2] === configurationFile(settings)
}
