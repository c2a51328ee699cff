/**
 * A remote or guest node is no node any more the moment its connection is not configured: nobody knows then what runs on it, and it
 * may be started elsewhere. So what runs there is stopped before: with the connection, with the guest's container where that is
 * deleted as well, and by standby where the container stays.
 */
import { disableResources, type EditResult, readConfiguration, setStandby, type XmlElement } from '../../cib/index.ts'
import { guestNodes, remoteNodeNames } from '../../status/index.ts'
import { type Call, Refusal } from '../call/command.ts'
import { applyChange, concernedBy } from './change.ts'
import { waitUntilSettled } from './wait.ts'

/** Of these resources, those that are connections or run guest nodes. */
export async function stopConnections(call: Call, ids: readonly string[]): Promise<void> {
  if (!stopsFirst(call)) return
  const configuration = readConfiguration((await call.cluster.readCib()).cib)
  const containers = guestNodes(configuration).map(({ container }) => container)
  const nodes: readonly string[] = [...remoteNodeNames(configuration), ...containers]
  const leading = ids.filter((id) => nodes.includes(id))
  if (leading.length === 0) return
  await settle(call, {
    what: leading.join(', '),
    edit: (cib) => disableResources(cib, { ids: leading }),
    told: `${leading.join(', ')} stops.`,
  })
}

/** A guest node whose container runs on. */
export async function emptyGuest(call: Call, node: string): Promise<void> {
  if (!stopsFirst(call)) return
  await settle(call, {
    what: `what runs on ${node}`,
    edit: (cib) => setStandby(cib, { nodes: [node], standby: true }),
    told: `${node} is emptied.`,
  })
}

/** Not on a CIB in a file, for a preview, or with `--force`. */
const stopsFirst = (call: Call): boolean =>
  call.cluster.live !== undefined && !['preview', 'force', 'no-stop'].some((flag) => call.flags.has(flag))

async function settle(
  call: Call,
  {
    what,
    edit,
    told,
  }: { readonly what: string; readonly edit: (cib: XmlElement) => EditResult; readonly told: string },
): Promise<void> {
  const changed = await applyChange(call, { edit, message: () => told })
  if (changed.version === undefined) return
  const { settled, message } = await waitUntilSettled(call, {
    wait: call.flags.get('wait') ?? true,
    version: changed.version,
    concerned: concernedBy(call, changed),
  })
  if (!settled) throw new Refusal(`${what} must stop first: ${message} Add --force not to wait.`)
}
