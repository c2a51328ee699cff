/**
 * A table of nftables of this daemon's own, `inet systole`: new connections from hosts that the list of nodes does not name are dropped at the ports
 * that serve members alone, and limited in number at the others. It only ever drops: what the host's own rules drop stays dropped. Connections to
 * this host from itself, and those that are open, are not looked at.
 */
import { spawn } from 'node:child_process'
import { isIP } from 'node:net'
import type { Log } from './log.ts'

export interface StrangerRules {
  /** Addresses of the cluster's hosts. */
  readonly hosts: readonly string[]
  /** Ports for these hosts alone. */
  readonly closed: readonly number[]
  /** Ports for everybody, so many times in a second. */
  readonly limited: readonly number[]
}

const perSecond = 20
const atOnce = 40
/** Somebody may have loaded rules of his own, which begin with the removal of all others. */
const lookMs = 60_000
const patienceMs = 10_000

/** Empty: no table at all. */
export function tableText({ hosts, closed, limited }: StrangerRules, name = 'systole'): string {
  const ofFamily = (family: 4 | 6): string => hosts.filter((host) => isIP(host) === family).join(', ')
  const hostSet = (family: 4 | 6): string => {
    const elements = ofFamily(family)
    return `  set hosts${family} { type ipv${family}_addr; ${elements === '' ? '' : `elements = { ${elements} };`} }`
  }
  const oftenSet = (family: 4 | 6): string =>
    `  set often${family} { type ipv${family}_addr; size 4096; flags dynamic,timeout; timeout 1m; }`
  const limit = (family: 4 | 6): string => {
    const source = family === 4 ? 'ip saddr' : 'ip6 saddr'
    return `    tcp dport { ${limited.join(', ')} } add @often${family} { ${source} limit rate over ${perSecond}/second burst ${atOnce} packets } drop`
  }
  return [
    ...removalText(name),
    `table inet ${name} {`,
    ...([4, 6] as const).flatMap((family) => [hostSet(family), oftenSet(family)]),
    '  chain strangers {',
    ...(closed.length === 0 ? [] : [`    tcp dport { ${closed.join(', ')} } drop`]),
    ...(limited.length === 0 ? [] : [limit(4), limit(6)]),
    '  }',
    '  chain input {',
    '    type filter hook input priority -10; policy accept;',
    '    iif "lo" return',
    '    tcp flags & (fin | syn | rst | ack) == syn ip saddr @hosts4 return',
    '    tcp flags & (fin | syn | rst | ack) == syn ip6 saddr @hosts6 return',
    '    tcp flags & (fin | syn | rst | ack) == syn jump strangers',
    '  }',
    '}',
    '',
  ].join('\n')
}

/** It is not there to be removed the first time. */
const removalText = (name: string): readonly string[] => [`table inet ${name}`, `delete table inet ${name}`]

export class StrangerTable {
  readonly #log: Log
  readonly #name: string
  readonly #programs: string
  #wanted: string | undefined
  #turn: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #trouble: string | undefined

  /** `name`: of the table. `programs`: where nft is looked for. */
  constructor(log: Log, name = 'systole', programs = `${process.env.PATH ?? ''}:/usr/sbin:/sbin`) {
    this.#log = log
    this.#name = name
    this.#programs = programs
  }

  /** A sentence, where it could not be set. */
  get trouble(): string | undefined {
    return this.#trouble
  }

  use(rules: StrangerRules): void {
    const text = tableText(rules, this.#name)
    if (text === this.#wanted) return
    this.#wanted = text
    this.#timer ??= setInterval(() => this.#later(async () => await this.#look()), lookMs)
    this.#timer.unref()
    this.#later(async () => await this.#set())
  }

  /** The table goes, as the host belongs to no cluster any more. */
  async remove(): Promise<void> {
    this.stop()
    const wasWanted = this.#wanted !== undefined
    this.#wanted = undefined
    if (wasWanted)
      this.#later(async () => void (await this.#nft(['-f', '-'], `${removalText(this.#name).join('\n')}\n`)))
    await this.#turn
  }

  /** The table stays: the store may live on without this daemon. */
  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #later(act: () => Promise<void>): void {
    this.#turn = this.#turn.then(act)
  }

  async #look(): Promise<void> {
    if (this.#trouble !== undefined || (await this.#nft(['list', 'table', 'inet', this.#name], '')) !== undefined)
      await this.#set()
  }

  async #set(): Promise<void> {
    if (this.#wanted === undefined) return
    const error = await this.#nft(['-f', '-'], this.#wanted)
    const trouble =
      error === undefined
        ? undefined
        : `No nftables table protects the ports of the cluster from unknown hosts (${error}). Install nftables, or set SYSTOLE_FILTER=socket to do without.`
    if (trouble !== undefined && trouble !== this.#trouble)
      this.#log.warn('no nftables table protects the ports of the cluster from unknown hosts', { error })
    this.#trouble = trouble
  }

  /** Undefined, or why not. */
  #nft(words: readonly string[], input: string): Promise<string | undefined> {
    return new Promise((resolve) => {
      const env = { PATH: this.#programs, LC_ALL: 'C' }
      const child = spawn('nft', [...words], { env, stdio: ['pipe', 'ignore', 'pipe'], timeout: patienceMs })
      let errors = ''
      child.stderr.on('data', (chunk: Buffer) => {
        errors = (errors + chunk.toString()).slice(0, 500)
      })
      child.on('error', (error) =>
        resolve('code' in error && error.code === 'ENOENT' ? 'nft is not installed' : error.message),
      )
      child.on('close', (code) => resolve(code === 0 ? undefined : (errors.split('\n')[0] ?? `nft ended with ${code}`)))
      child.stdin.on('error', () => undefined)
      child.stdin.end(input)
    })
  }
}
