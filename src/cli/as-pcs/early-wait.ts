/** pcs looks at `--wait` before it looks at what the line names, but for a few commands that find their resource first. */
import type { Call } from '../call/command.ts'
import { checkWait } from '../change/wait.ts'

const early: ReadonlySet<string> = new Set([
  'resource create',
  'stonith create',
  'resource bundle create',
  'resource bundle reset',
  'resource bundle update',
  'resource group add',
  'resource move-with-constraint',
  'resource ban',
  'resource clear',
  'resource promotable',
  'cluster node add-remote',
  'cluster node add-guest',
  'node standby',
  'node unstandby',
  'node maintenance',
  'node unmaintenance',
])

export function refuseWait(call: Call, name: string): void {
  if (early.has(name) && call.cluster.live === undefined && call.words.length > 0) checkWait(call)
}
