/** What the kernel tells of a watchdog without opening it, which would start it: `/sys/class/watchdog`. */
import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { readIfThere } from '../host/files.ts'

const folder = '/sys/class/watchdog'
/** `/dev/watchdog` is another name of `/dev/watchdog0`, from when there was only one (Documentation/watchdog). */
const oldName = 'watchdog'

/** Undefined where it is no watchdog of the kernel's, or the kernel does not tell. */
export function kernelTimeoutMs(device: string): number | undefined {
  const name = basename(device)
  return timeoutOf(name === oldName ? `${oldName}0` : name)
}

/** By util-linux's `wdctl`, since it takes an ioctl; the device must not be open. */
export async function setKernelTimeout(device: string, timeoutMs: number): Promise<void> {
  await promisify(execFile)('wdctl', ['--settimeout', String(Math.round(timeoutMs / 1000)), device], {
    timeout: 5000,
  })
}

/** A character device, or a pipe to a program that resets this machine. A file would take every byte and do nothing. */
export function isWatchdogLike(device: string): boolean {
  const stat = statSync(device, { throwIfNoEntry: false })
  return stat?.isCharacterDevice() === true || stat?.isFIFO() === true
}

function timeoutOf(name: string): number | undefined {
  const seconds = Number(readIfThere(join(folder, name, 'timeout')))
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined
}
