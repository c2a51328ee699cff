/** What nodes use while nothing happens: the same for both sides, which differ only in how their nodes are made. */
import { setTimeout as delay } from 'node:timers/promises'
import { CpuAccount } from './cpu-account.ts'
import { nodeUsage } from './processes.ts'

export interface IdleNode {
  readonly node: string
  /** Of one core. */
  readonly cpuPercent: number
  readonly residentMb: number
  readonly byProgram: string
}

/** `pids`: of each node's PID 1. */
export async function idleNodes(pids: ReadonlyMap<string, number>, seconds = 60): Promise<readonly IdleNode[]> {
  const accounts = new Map([...pids].map(([node, pid1]) => [node, new CpuAccount(pid1)]))
  try {
    const before = new Map([...accounts].map(([node, account]) => [node, account.seconds]))
    const begun = performance.now()
    await delay(seconds * 1000)
    const elapsed = (performance.now() - begun) / 1000
    return [...accounts].map(([node, account]) => {
      const used = account.seconds - (before.get(node) ?? 0)
      const { residentMb, byProgram } = nodeUsage(pids.get(node) ?? 0)
      const programs = [...byProgram].map(([program, usage]) => `${program} ${usage.residentMb.toFixed(0)}`)
      return { node, cpuPercent: (used / elapsed) * 100, residentMb, byProgram: programs.join(', ') }
    })
  } finally {
    for (const account of accounts.values()) account.close()
  }
}
