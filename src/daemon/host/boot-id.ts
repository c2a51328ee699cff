/** The kernel's id of this boot (random(4)); undefined where the kernel does not tell it. */
import { readIfThere } from './files.ts'

export function readBootId(): string | undefined {
  const text = readIfThere('/proc/sys/kernel/random/boot_id')?.trim()
  return text === '' ? undefined : text
}
