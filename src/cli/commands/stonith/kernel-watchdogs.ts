/** The watchdogs of this machine, as the kernel tells of them without their being opened, which would start them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface KernelWatchdog {
  readonly device: string
  readonly identity: string
  /** Seconds; `?` where the kernel does not tell. */
  readonly timeout: string
}

const folder = '/sys/class/watchdog'

export function kernelWatchdogs(): readonly KernelWatchdog[] {
  const read = (name: string, file: string): string => {
    const path = join(folder, name, file)
    return existsSync(path) ? readFileSync(path, 'utf8').trim() : '?'
  }
  const names = existsSync(folder) ? readdirSync(folder).sort() : []
  return names.map((name) => ({
    device: `/dev/${name}`,
    identity: read(name, 'identity'),
    timeout: read(name, 'timeout'),
  }))
}
