/**
 * On a remote node: from where cluster nodes come. Those addresses that the node that holds its connection has told (the list of nodes), and those
 * from which one has held it: to a guest or a container they come from an address that no list names. Kept in a file, for the daemon that follows.
 */
import { isIP } from 'node:net'
import { join } from 'node:path'
import { readIfThere, writeWhole } from '../host/files.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { plainAddress } from '../host/plain-address.ts'

/** The newest ones. */
const mostSeen = 32

export class MemberAddresses {
  readonly #path: string
  readonly #log: Log
  #told: readonly string[] = []
  #seen: readonly string[] = []

  constructor({ pki }: Pick<Paths, 'pki'>, log: Log) {
    this.#path = join(pki, 'members')
    this.#log = log
    this.#read()
  }

  get known(): readonly string[] {
    return [...new Set([...this.#told, ...this.#seen])].sort()
  }

  /** Whether a node that holds the connection has told any: an older one does not. */
  get isTold(): boolean {
    return this.#told.length > 0
  }

  /** Answers whether that is news. */
  note({ from, told }: { readonly from: string | undefined; readonly told: readonly string[] | undefined }): boolean {
    const before = this.#text()
    if (told !== undefined) this.#told = told.filter(isPlain).map(plainAddress)
    if (from !== undefined && isPlain(from))
      this.#seen = [from, ...this.#seen.filter((one) => one !== from)].slice(0, mostSeen)
    if (this.#text() === before) return false
    this.#write()
    return true
  }

  /** A line for each: `told 10.0.0.1`. */
  #text(): string {
    return [...this.#told.map((one) => `told ${one}\n`), ...this.#seen.map((one) => `seen ${one}\n`)].join('')
  }

  /** Whatever else stands there is left out: without it the next node that connects tells it again. */
  #read(): void {
    const words = (readIfThere(this.#path) ?? '').split('\n').map((line) => line.split(' '))
    const after = (word: string): readonly string[] =>
      words.flatMap(([first, address = '']) => (first === word && isPlain(address) ? [address] : []))
    this.#told = after('told')
    this.#seen = after('seen')
  }

  #write(): void {
    try {
      writeWhole(this.#path, this.#text())
    } catch (error) {
      this.#log.warn('the addresses of the cluster nodes cannot be kept', { path: this.#path, error })
    }
  }
}

const isPlain = (address: string): boolean => isIP(address) !== 0 && !address.includes('%')
