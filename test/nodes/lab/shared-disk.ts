/**
 * A disk that all nodes of a lab see: a loop device, since they share a kernel. It goes with its file when it is detached, even where a test
 * has failed.
 */
import { execFileSync } from 'node:child_process'
import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const bytes = 2 * 1024 * 1024

export class SharedDisk {
  readonly device: string
  readonly #file: string

  constructor(folder: string, name: string) {
    this.#file = join(folder, `${name}.img`)
    writeFileSync(this.#file, '')
    truncateSync(this.#file, bytes)
    this.device = losetup('--find', '--show', this.#file).trim()
  }

  /** From here on whoever reads it gets an error: the end of its file has moved before its header. */
  break(): void {
    truncateSync(this.#file, 0)
    losetup('--set-capacity', this.device)
  }

  /** As it was, with nothing on it. */
  repair(): void {
    truncateSync(this.#file, bytes)
    losetup('--set-capacity', this.device)
  }

  close(): void {
    losetup('--detach', this.device)
    rmSync(this.#file, { force: true })
  }
}

/** Why there can be none on this machine, such as in a container without loop devices. */
export function whyNoSharedDisk(): string | undefined {
  try {
    losetup('--find')
    return undefined
  } catch (error) {
    return `this machine has no free loop device (${String(error).split('\n')[0]})`
  }
}

const losetup = (...args: readonly string[]): string => execFileSync('losetup', args, { encoding: 'utf8' })
