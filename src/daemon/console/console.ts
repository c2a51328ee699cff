/**
 * The HTTPS API of this node: a process of its own (src/web), started and watched here. It has no rights: it runs as nobody, is given the certificate
 * to show and one connection to this daemon, and each call on that says which token its client has shown. What it does holds up nothing here
 * (docs/adr/0081-the-https-api.md).
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { boolean, integer, maxValue, minValue, number, object, optional, parse, pipe } from 'valibot'
import { type ConsoleStatus, type Messages, refuse, type TlsIdentity } from '../../rpc/index.ts'
import { readIfThere, writeWhole } from '../host/files.ts'
import { programFile } from '../host/install-folder.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { certificatesIn, dateOf } from './certificate-checks.ts'
import { ShownCertificate } from './shown-certificate.ts'

export interface ConsolePorts {
  readonly paths: Pick<Paths, 'console' | 'consoleCertificate' | 'root'>
  readonly log: Log
  /** Undefined where this host belongs to no cluster. */
  readonly own: () =>
    | { readonly name: string; readonly addresses: readonly string[]; readonly usualPort: number }
    | undefined
  readonly identity: () => TlsIdentity
  /** PEM, of clients; undefined where none is asked for a certificate. */
  readonly clientAuthorities: () => readonly string[] | undefined
  readonly serveWeb: (socket: Socket) => void
}

const settingsForm = object({
  enabled: boolean(),
  port: optional(pipe(number(), integer(), minValue(1), maxValue(65_535))),
})
const firstPauseMs = 500
const longestPauseMs = 30_000
/** A process that has run as long as this has not failed at its start. */
const ranWellMs = 60_000
const endsWithinMs = 2000
const beginsWithinMs = 15_000

interface Running {
  readonly child: ChildProcess
  readonly startedAt: number
  listening: readonly string[]
}

export class Console {
  readonly #ports: ConsolePorts
  #running: Running | undefined
  #again: NodeJS.Timeout | undefined
  #pauseMs = firstPauseMs
  #trouble: string | undefined
  #closed = false
  readonly #waiting = new Set<() => void>()
  readonly #certificate: ShownCertificate

  constructor(ports: ConsolePorts) {
    this.#ports = ports
    this.#certificate = new ShownCertificate({
      file: ports.paths.consoleCertificate,
      log: ports.log,
      own: ports.own,
      onChange: () => this.tell(),
    })
  }

  /** What an administrator should know of it, a sentence each; nothing where it is closed. */
  get warnings(): readonly string[] {
    return this.#settings().enabled ? this.#certificate.warnings(Date.now()) : []
  }

  get isEnabled(): boolean {
    return this.#settings().enabled
  }

  changeCertificate({ certificate, key, ...files }: Messages['ConsoleCertificateRequest']): ConsoleStatus {
    this.#refuseWithoutCluster()
    if (certificate === undefined || key === undefined) this.#certificate.unset()
    else {
      const { certificateFile, keyFile } = files
      const from = certificateFile && keyFile ? { files: { certificate: certificateFile, key: keyFile } } : {}
      this.#certificate.set({ certificate, key, ...from })
    }
    return this.status()
  }

  /** Starts it where it is to run and does not, and ends it where it is not to. */
  look(): void {
    const own = this.#ports.own()
    const isWanted = !this.#closed && own !== undefined && this.#settings().enabled
    if (!isWanted) void this.#end()
    else if (this.#running === undefined && this.#again === undefined) this.#start()
  }

  async change({ enabled, port }: { readonly enabled: boolean; readonly port?: number }): Promise<ConsoleStatus> {
    this.#refuseWithoutCluster()
    if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536))
      throw refuse('bad-port', `${port} is not a port. Specify a number from 1 to 65535.`)
    const settings = { enabled, ...(port === undefined ? {} : { port }) }
    if (enabled) writeWhole(this.#ports.paths.console, `${JSON.stringify(settings)}\n`)
    else rmSync(this.#ports.paths.console, { force: true })
    this.#ports.log.info(enabled ? 'the HTTPS API is enabled' : 'the HTTPS API is disabled', settings)
    await this.#end()
    this.#pauseMs = firstPauseMs
    this.look()
    if (enabled) await this.#begun()
    return this.status()
  }

  #refuseWithoutCluster(): void {
    if (this.#ports.own() === undefined)
      throw refuse(
        'not-configured',
        'This host does not belong to a cluster. Run `systole cluster setup` or `cluster join`.',
      )
  }

  status(): ConsoleStatus {
    const own = this.#ports.own()
    const { enabled, port = own?.usualPort ?? 0 } = this.#settings()
    const addresses = this.#running?.listening ?? []
    return {
      enabled,
      running: addresses.length > 0,
      port,
      addresses,
      ...(enabled && this.#trouble !== undefined ? { trouble: this.#trouble } : {}),
      ...(own === undefined ? {} : this.#shownNow()),
      warnings: this.#certificate.warnings(Date.now()),
    }
  }

  #shownNow(): Pick<ConsoleStatus, 'fingerprint' | 'authorityFingerprint' | 'certificate'> {
    const identity = this.#ports.identity()
    const { facts } = this.#certificate
    const fingerprint = new X509Certificate(this.#certificate.identity?.certificate ?? identity.certificate)
      .fingerprint256
    if (facts === undefined) {
      const [authority] = certificatesIn(identity.authority, 'authority.crt')
      return { fingerprint, ...(authority && { authorityFingerprint: authority.fingerprint256 }) }
    }
    const { subject, issuer, names, validUntil, files } = facts
    return { fingerprint, certificate: { subject, issuer, names, validUntil: dateOf(validUntil), files } }
  }

  /** Another certificate, or other addresses. */
  tell(): void {
    if (this.#running !== undefined) this.#say(this.#running.child)
    else this.look()
  }

  /** A certificate of the administrator's own stays with the host. */
  async forget(): Promise<void> {
    rmSync(this.#ports.paths.console, { force: true })
    await this.#end()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#certificate.close()
    await this.#end()
  }

  #settings(): { readonly enabled: boolean; readonly port?: number | undefined } {
    const text = readIfThere(this.#ports.paths.console)
    if (text === undefined) return { enabled: false }
    try {
      return parse(settingsForm, JSON.parse(text))
    } catch {
      this.#trouble = `${this.#ports.paths.console} cannot be read. Run \`systole console enable\` again.`
      return { enabled: false }
    }
  }

  #start(): void {
    const { root } = this.#ports.paths
    const child = spawn(process.execPath, ['--max-old-space-size=512', programFile('web')], {
      cwd: '/',
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH ?? '', TZ: process.env.TZ ?? '', SYSTOLE_ROOT: root, SYSTOLE_FILTER: 'process' },
    })
    const running: Running = { child, startedAt: performance.now(), listening: [] }
    this.#running = running
    const way = child.stdio[3]
    if (way instanceof Socket) this.#ports.serveWeb(way)
    if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => this.#hear(running, line))
    if (child.stderr)
      createInterface({ input: child.stderr }).on('line', (line) =>
        this.#ports.log.warn('the process of the HTTPS API', { says: line.slice(0, 500) }),
      )
    child.stdin?.on('error', () => undefined)
    child.once('error', (error) => this.#ended(running, error.message))
    child.once('exit', (code, signal) => this.#ended(running, `it ended with ${signal ?? code}`))
    this.#say(child)
  }

  #say(child: ChildProcess): void {
    const own = this.#ports.own()
    if (own === undefined) return
    const { port = own.usualPort } = this.#settings()
    const isRoot = process.getuid?.() === 0
    const clientAuthorities = this.#ports.clientAuthorities()
    const said = {
      port,
      addresses: own.addresses,
      identity: this.#ports.identity(),
      ...(this.#certificate.identity === undefined ? {} : { own: this.#certificate.identity }),
      ...(clientAuthorities === undefined ? {} : { clientAuthorities }),
      ...(isRoot ? { become: nobody } : {}),
    }
    child.stdin?.write(`${JSON.stringify(said)}\n`)
  }

  #hear(running: Running, line: string): void {
    let message: {
      readonly kind?: unknown
      readonly addresses?: unknown
      readonly trouble?: unknown
      readonly what?: unknown
      readonly from?: unknown
    }
    try {
      message = JSON.parse(line) as typeof message
    } catch {
      this.#ports.log.warn('the process of the HTTPS API', { says: line.slice(0, 500) })
      return
    }
    if (message.kind === 'listening' && Array.isArray(message.addresses)) {
      const before = { addresses: running.listening.join(), trouble: this.#trouble }
      running.listening = message.addresses.map(String)
      this.#trouble = typeof message.trouble === 'string' ? message.trouble : undefined
      if (running.listening.length > 0 && running.listening.join() !== before.addresses)
        this.#ports.log.info('the HTTPS API is open', { addresses: running.listening })
      if (this.#trouble !== undefined && this.#trouble !== before.trouble)
        this.#ports.log.warn('the HTTPS API is not open everywhere', { why: this.#trouble })
      for (const tell of this.#waiting) tell()
    } else if (message.kind === 'refused')
      this.#ports.log.warn('requests to the HTTPS API were refused', { what: message.what, from: message.from })
  }

  #ended(running: Running, why: string): void {
    if (this.#running !== running) return
    this.#running = undefined
    if (this.#closed) return
    if (performance.now() - running.startedAt > ranWellMs) this.#pauseMs = firstPauseMs
    this.#trouble = `The process of the HTTPS API does not run: ${why}. The log of systoled has more.`
    this.#ports.log.warn('the process of the HTTPS API has ended', { why, againInMs: this.#pauseMs })
    for (const tell of this.#waiting) tell()
    this.#again = setTimeout(() => {
      this.#again = undefined
      this.look()
    }, this.#pauseMs)
    this.#again.unref()
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs)
  }

  async #begun(): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(done, beginsWithinMs)
      this.#waiting.add(done)
    })
  }

  async #end(): Promise<void> {
    clearTimeout(this.#again)
    this.#again = undefined
    const running = this.#running
    this.#running = undefined
    if (running === undefined) return
    const { child } = running
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    const force = setTimeout(() => child.kill('SIGKILL'), endsWithinMs)
    child.kill('SIGTERM')
    await gone
    clearTimeout(force)
  }
}

/** Debian's nobody and nogroup: the process needs no name, and no user of the host is asked for one. */
const nobody = { uid: 65_534, gid: 65_534 } as const
