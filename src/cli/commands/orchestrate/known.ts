/** What the verbs of the orchestrator ask the cluster and this host. */
import { join } from 'node:path'
import type { LifecycleKnown } from '../../../rollout/index.ts'
import type { ClusterStatus } from '../../../status/index.ts'
import { type Call, type Flag, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { statusOf } from '../../facts/status-view.ts'

/** A daemon that is stuck answers nobody. */
const patienceMs = 5000

export async function lifecycle(call: Call): Promise<LifecycleKnown> {
  const { known } = await liveCluster(call).getLifecycle({}, { timeoutMs: patienceMs })
  return JSON.parse(known) as LifecycleKnown
}

export async function liveStatus(call: Call): Promise<ClusterStatus> {
  liveCluster(call)
  return statusOf(call, (await call.cluster.readCib()).cib)
}

export const hostnameFlag: Flag = {
  name: 'hostname',
  value: 'node',
  summary: 'Another node than this one',
  completes: 'node',
}

export async function nodeOf(call: Call): Promise<string> {
  const named = call.flags.get('hostname')
  if (typeof named === 'string') return named
  return (await liveCluster(call).getState({})).localNode
}

/** Where the original keeps it: scripts on the node write it too. */
const versionFile = (): string => join(process.env.SYSTOLE_ROOT || '/', 'etc/current_version')

/** Empty where there is none. */
export async function localVersion({ terminal }: Call): Promise<string> {
  try {
    return (await terminal.readFile(versionFile())).trim()
  } catch (error) {
    if (error instanceof Refusal) return ''
    throw error
  }
}

export async function writeLocalVersion({ terminal }: Call, version: string): Promise<void> {
  await terminal.writeFile(versionFile(), `${version}\n`)
}
