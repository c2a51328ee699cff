/**
 * A remote node is no node any more the moment its connection is not configured: what runs on it could then only be fenced. So the
 * connection, and with it what it leads to, is stopped before it is deleted.
 */
import { disableResources, readConfiguration } from '../cib/index.ts'
import { remoteNodeNames } from '../status/index.ts'
import { applyChange } from './change.ts'
import { type Call, Refusal } from './command.ts'
import { waitUntilSettled } from './wait.ts'

/** Of these resources, those that are connections. Nothing on a CIB in a file, for a preview, or with `--force`. */
export async function stopConnections(call: Call, ids: readonly string[]): Promise<void> {
  if (!call.cluster.live || ['preview', 'force', 'no-stop'].some((flag) => call.flags.has(flag))) return
  const remotes: readonly string[] = remoteNodeNames(readConfiguration((await call.cluster.readCib()).cib))
  const connections = ids.filter((id) => remotes.includes(id))
  if (connections.length === 0) return
  const names = connections.join(', ')
  const stopped = await applyChange(call, {
    edit: (cib) => disableResources(cib, { ids: connections }),
    message: () => `${names} stops.`,
  })
  if (stopped.version === undefined) return
  const { settled, message } = await waitUntilSettled(call, call.flags.get('wait') ?? true, stopped.version)
  if (!settled)
    throw new Refusal(`${names} is to stop before it is deleted: ${message} Add --force not to wait for it.`)
}
