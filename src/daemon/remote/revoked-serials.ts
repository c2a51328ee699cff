/** On a remote node: the certificates of cluster nodes that were removed. It outlives a boot, and only grows. */
import { join } from 'node:path'
import { readIfThere, writeWhole } from '../host/files.ts'
import type { Paths } from '../host/paths.ts'

export class RevokedSerials {
  readonly #path: string
  readonly #serials: Set<string>

  constructor({ pki }: Pick<Paths, 'pki'>) {
    this.#path = join(pki, 'revoked')
    this.#serials = new Set(readIfThere(this.#path)?.split('\n').filter(Boolean))
  }

  has(serial: string): boolean {
    return this.#serials.has(serial)
  }

  add(serials: readonly string[]): void {
    if (serials.every((serial) => this.#serials.has(serial))) return
    for (const serial of serials) this.#serials.add(serial)
    writeWhole(this.#path, `${[...this.#serials].sort().join('\n')}\n`)
  }
}
