/**
 * What the cluster says of a unit while it runs it: systemd must not restart it by itself, and at shutdown it stops the daemon,
 * which stops the resource in its order, before it stops the unit. In /run, so that nothing of it outlives a reboot.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const runTimeUnits = '/run/systemd/system'

/** Whether anything changed, so that systemd has to read it. */
export function writeDropIn(folder: string, unit: string): boolean {
  const path = pathOf(folder, unit)
  const wanted = content(unit)
  if (read(path) === wanted) return false
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
  writeFileSync(path, wanted, { mode: 0o644 })
  return true
}

export function removeDropIn(folder: string, unit: string): boolean {
  const path = pathOf(folder, unit)
  if (read(path) === undefined) return false
  rmSync(path)
  return true
}

function content(unit: string): string {
  const service = unit.endsWith('.service') ? '\n[Service]\nRestart=no\n' : ''
  return `# Written by Systole, which runs this unit.\n[Unit]\nDescription=Cluster controlled ${unit}\nBefore=systoled.service\n${service}`
}

function pathOf(folder: string, unit: string): string {
  return join(folder, `${unit}.d`, '50-systole.conf')
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
