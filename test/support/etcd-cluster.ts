/** Real etcd members on loopback for tests. Each dies with the test process, whatever ends it. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readTlsFiles } from '../../src/store/create-store.ts'
import { EtcdAdmin } from '../../src/store/etcd/admin.ts'
import { EtcdStore } from '../../src/store/etcd/etcd-store.ts'
import { findMember, type StartedMember, startMember } from '../../src/store/etcd/member/process.ts'
import type { MemberSettings } from '../../src/store/etcd/member/settings.ts'
import { makeCertificates } from './certificates.ts'
import { freePorts } from './free-ports.ts'

export class EtcdCluster {
  readonly directory: string
  readonly settings: readonly MemberSettings[]
  readonly #running = new Map<number, StartedMember>()

  private constructor(directory: string, settings: readonly MemberSettings[]) {
    this.directory = directory
    this.settings = settings
  }

  static async prepare(
    options: { readonly size: number; readonly tls: boolean; readonly spare?: number } & Partial<
      Omit<MemberSettings, 'tls'>
    >,
  ): Promise<EtcdCluster> {
    const { size, tls: withTls, spare = 0, ...overrides } = options
    const directory = mkdtempSync(join(tmpdir(), 'systole-etcd-'))
    const ports = await freePorts(2 * (size + spare))
    const binary = join(directory, 'etcd')
    writeFileSync(binary, '#!/bin/sh\nexec setpriv --pdeathsig KILL /usr/bin/etcd "$@"\n')
    chmodSync(binary, 0o755)
    const tls = withTls ? makeCertificates(directory) : undefined
    const all = Array.from({ length: size + spare }, (_, i) => ({
      name: `node${i + 1}`,
      clientPort: ports[2 * i] ?? 0,
      peerPort: ports[2 * i + 1] ?? 0,
    }))
    const founders = all.slice(0, size).map(({ name, peerPort }) => ({
      name,
      peerUrl: `${withTls ? 'https' : 'http'}://127.0.0.1:${peerPort}`,
    }))
    const settings = all.map(
      (member): MemberSettings => ({
        ...member,
        directory: join(directory, member.name),
        addresses: ['127.0.0.1'],
        ...(tls === undefined ? {} : { tls }),
        founders,
        token: 'systole-test',
        otherEndpoints: all
          .filter(({ name }) => name !== member.name)
          .slice(0, size)
          .map(({ clientPort }) => `127.0.0.1:${clientPort}`),
        binary,
        ...overrides,
      }),
    )
    return new EtcdCluster(directory, settings)
  }

  static async start(
    options: { readonly size: number; readonly tls: boolean } & Partial<Omit<MemberSettings, 'tls'>>,
  ): Promise<EtcdCluster> {
    const cluster = await EtcdCluster.prepare(options)
    await Promise.all(cluster.settings.map((_, i) => cluster.startMember(i)))
    const store = cluster.store()
    await store.get('/systole/ready')
    await store.close()
    return cluster
  }

  async startMember(i: number): Promise<void> {
    this.#running.set(i, await startMember(this.member(i), { kind: 'found' }))
  }

  member(i: number): MemberSettings {
    const settings = this.settings[i]
    if (settings === undefined) throw new Error(`there is no member ${i}`)
    return settings
  }

  get endpoints(): readonly string[] {
    return this.settings.map(({ clientPort }) => `127.0.0.1:${clientPort}`)
  }

  store(options: { readonly endpoints?: readonly string[]; readonly timeoutMs?: number } = {}): EtcdStore {
    return new EtcdStore({ endpoints: this.endpoints, ...this.#tls(), ...options })
  }

  admin(endpoints = this.endpoints): EtcdAdmin {
    return new EtcdAdmin({ endpoints, ...this.#tls() })
  }

  #tls() {
    const { tls } = this.member(0)
    return tls === undefined ? {} : { tls: readTlsFiles(tls) }
  }

  get tls() {
    return this.#tls().tls
  }

  /** The index of the member that leads, asked of each until one says so of itself. */
  async leader(): Promise<number> {
    const end = performance.now() + 15_000
    while (performance.now() < end) {
      for (const [i, endpoint] of this.endpoints.entries()) {
        const admin = this.admin([endpoint])
        const status = await admin.status(300).catch(() => undefined)
        admin.close()
        if (status !== undefined && status.leader === status.header.member_id) return i
      }
    }
    throw new Error('there is no leader')
  }

  signal(i: number, name: NodeJS.Signals): void {
    const pid = findMember(this.member(i))
    if (pid !== undefined) process.kill(pid, name)
  }

  /** Holds a member still, and answers when every thread of it is: until then it may yet acknowledge a write. */
  async stop(i: number): Promise<void> {
    this.signal(i, 'SIGSTOP')
    const pid = findMember(this.member(i))
    if (pid === undefined) throw new Error(`member ${i} does not run`)
    for (let attempt = 0; attempt < 1000; attempt++) {
      const states = readdirSync(`/proc/${pid}/task`).map((task) => threadState(pid, task))
      if (states.every((state) => state === 'T')) return
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    throw new Error(`member ${i} does not stop`)
  }

  async kill(i: number): Promise<void> {
    this.signal(i, 'SIGKILL')
    await this.#running.get(i)?.exited
    this.#running.delete(i)
  }

  async end(): Promise<void> {
    for (const i of this.settings.keys()) {
      this.signal(i, 'SIGCONT')
      this.signal(i, 'SIGKILL')
    }
    await Promise.all([...this.#running.values()].map(({ exited }) => exited))
    const end = performance.now() + 5000
    while (this.settings.some((settings) => findMember(settings) !== undefined)) {
      if (performance.now() > end) throw new Error('a member of a test is left behind')
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The letter after the name, which stands in parentheses (proc(5)). A thread that has ended does nothing either. */
function threadState(pid: number, task: string): string {
  try {
    const stat = readFileSync(`/proc/${pid}/task/${task}/stat`, 'latin1')
    return stat.charAt(stat.lastIndexOf(')') + 2)
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return 'T'
    throw error
  }
}
