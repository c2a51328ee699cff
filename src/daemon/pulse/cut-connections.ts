/**
 * Gives up the connections to peers on links that are down while another link to the same peer is up. etcd has all addresses of a
 * member and uses the next one when a connection breaks; packets that are dropped break none for six seconds and more, which is longer than a
 * lease. So the kernel is asked to end them (`ss -K`), those that are just being made included, until etcd has found the other
 * address (docs/adr/0026-links.md). The heartbeats' own connections stay: they show when the link is back.
 *
 * It runs in a thread of its own (cutter.ts): whoever starts a process stands still until the program is read from the disk.
 */
import { execFile } from 'node:child_process'
import { isIP } from 'node:net'

/** Where the peer is reached on the link that is down, and the ports of both ends. */
export interface DeadEnd {
  readonly host: string
  readonly ports: readonly number[]
}

/** An attempt to connect that began meanwhile ends with the next round. */
const oftenMs = 100
const oftenForMs = 3000
const seldomMs = 500

export class CutConnections {
  readonly #onTrouble: (error: string) => void
  #ends: readonly DeadEnd[] = []
  #since = 0
  #timer: NodeJS.Timeout | undefined
  #running = false
  #lastTrouble = ''

  constructor(onTrouble: (error: string) => void) {
    this.#onTrouble = onTrouble
  }

  /** All of them, each time. */
  set(given: readonly DeadEnd[]): void {
    // ss would refuse all of them for one that it cannot look up.
    const ends = given.filter(({ host }) => isIP(host) !== 0)
    const names = given.filter(({ host }) => isIP(host) === 0).map(({ host }) => host)
    if (names.length > 0)
      this.#tell(`${names.join(', ')}: connections to a host name are not found. Use the address in cluster.json`)
    const isNew = ends.some(({ host }) => !this.#ends.some((known) => known.host === host))
    this.#ends = ends
    if (isNew) this.#since = performance.now()
    if (ends.length === 0) this.close()
    else if (isNew) this.#cut()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #cut(): void {
    if (this.#running) return
    this.close()
    this.#running = true
    execFile('ss', cutArguments(this.#ends), { timeout: seldomMs }, (error) => {
      this.#running = false
      this.#tell(error?.message ?? '')
      if (this.#ends.length === 0) return
      const often = performance.now() - this.#since < oftenForMs
      this.#timer = setTimeout(() => this.#cut(), often ? oftenMs : seldomMs)
    })
  }

  /** The same trouble once, until it is over. */
  #tell(trouble: string): void {
    if (trouble !== '' && trouble !== this.#lastTrouble) this.#onTrouble(trouble)
    this.#lastTrouble = trouble
  }
}

/** Of ss(8). */
export function cutArguments(ends: readonly DeadEnd[]): readonly string[] {
  const filters = ends.map(({ host, ports }) => {
    const either = ports.flatMap((port) => [`dport = ${port}`, `sport = ${port}`]).join(' or ')
    return `( dst ${host.includes(':') ? `[${host}]` : host} and ( ${either} ) )`
  })
  return ['-K', '-t', '-H', '-n', ...filters.join(' or ').split(' ')]
}
