/** CPU time and memory of everything that runs in a lab node, its ended and reaped children included. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export interface NodeUsage {
  readonly cpuSeconds: number
  /** Resident memory of every process, shared pages counted in each. */
  readonly residentMb: number
  readonly proportionalMb: number
  readonly byProgram: ReadonlyMap<string, { readonly cpuSeconds: number; readonly residentMb: number }>
}

const ticksPerSecond = 100
/** What the lab itself runs in a node. */
const harness = new Set(['node-init.sh', 'sleep', 'python3', 'nodeinit.sh'])

export function nodeUsage(pid1: number): NodeUsage {
  const space = readlinkSync(`/proc/${pid1}/ns/pid`)
  const byProgram = new Map<string, { cpuSeconds: number; residentMb: number }>()
  let cpuSeconds = 0
  let residentMb = 0
  let proportionalMb = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const usage = processUsage(pid, space)
    if (!usage) continue
    cpuSeconds += usage.cpuSeconds
    if (harness.has(usage.program)) continue
    residentMb += usage.residentMb
    proportionalMb += usage.proportionalMb
    const before = byProgram.get(usage.program) ?? { cpuSeconds: 0, residentMb: 0 }
    byProgram.set(usage.program, {
      cpuSeconds: before.cpuSeconds + usage.cpuSeconds,
      residentMb: before.residentMb + usage.residentMb,
    })
  }
  return { cpuSeconds, residentMb, proportionalMb, byProgram }
}

interface ProcessUsage {
  readonly program: string
  readonly cpuSeconds: number
  readonly residentMb: number
  readonly proportionalMb: number
}

/** Undefined for a process elsewhere, and for one that ended while it was looked at. */
function processUsage(pid: string, space: string): ProcessUsage | undefined {
  try {
    if (readlinkSync(`/proc/${pid}/ns/pid`) !== space) return undefined
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const memory = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(memory)?.[1] ?? 0)
    return {
      program: stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')),
      cpuSeconds: fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond,
      residentMb: kilobytes('Rss') / 1024,
      proportionalMb: kilobytes('Pss') / 1024,
    }
  } catch (error) {
    const code = (error as { readonly code?: string }).code
    // Not even root may look into every process of a container's host.
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return undefined
    throw error
  }
}
