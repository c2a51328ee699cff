/**
 * The containers of bundles that hold a resource: each replica's daemon gets a certificate of its own whenever its container starts,
 * in a folder that is mounted into it. What the scheduler writes for Pacemaker's daemon in there (its key, its program) is said for ours.
 */
import { join } from 'node:path'
import type { NodeName, ResourceId } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import {
  type AgentCall,
  type AgentOutcome,
  type AgentRunner,
  notRun,
  type RunningAgent,
} from '../../resource-agents/index.ts'
import { createKeys, type TlsIdentity } from '../../rpc/index.ts'
import { bundleNodes } from '../../status/index.ts'
import type { Store } from '../../store/index.ts'
import type { Paths } from '../host/paths.ts'
import type { WithAuthority } from '../nodes/authority.ts'
import { signForRemote, validityOf } from '../nodes/certificates.ts'
import { writeRemoteIdentity } from '../nodes/identity.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { bundleIdentityKey } from '../records/keys.ts'

export interface BundlePorts {
  readonly paths: Paths
  readonly view: () => ClusterView
  readonly store: () => Store
  readonly withAuthority: WithAuthority
}

/** Runs agents as `agents` does, and prepares what a replica's container needs before it starts. */
export function bundleContainers(agents: AgentRunner, ports: BundlePorts): AgentRunner {
  const { paths, view } = ports
  return {
    run(call) {
      const node = nodeIn(view(), call.resource)
      if (node === undefined) return agents.run(call)
      const folder = join(paths.data, 'bundles', node)
      const said = { ...call, attributes: saidForOurs(call.attributes, folder) }
      return call.operation === 'start'
        ? prepared(issue(ports, node, folder), () => agents.run(said))
        : agents.run(said)
    },
  }
}

function nodeIn(view: ClusterView, container: ResourceId): NodeName | undefined {
  for (const resource of view.configuration?.typed.resources ?? [])
    if (resource.kind === 'bundle') {
      const node = bundleNodes(resource).find((replica) => replica.container === container)
      if (node) return node.name
    }
  return undefined
}

/**
 * As a remote node gets it with a token. The last one of each replica is in the store as well: where too few members are left to sign, as when
 * one of two takes over, its container starts with that one.
 */
async function issue({ store, withAuthority }: BundlePorts, node: NodeName, folder: string): Promise<void> {
  const { publicKey, key } = await createKeys()
  const fresh = await signForRemote(withAuthority, node, publicKey).catch((error: unknown) => error as Error)
  if (fresh instanceof Error) {
    const last = await lastIdentity(store(), node)
    if (last === undefined) throw fresh
    return writeRemoteIdentity(folder, last)
  }
  const identity = { ...fresh, key }
  writeRemoteIdentity(folder, identity)
  const value = toBytes(identity)
  await store().transaction({ compare: [], writes: [{ kind: 'put', key: bundleIdentityKey(node), value }] })
}

async function lastIdentity(store: Store, node: NodeName): Promise<TlsIdentity | undefined> {
  const entry = await store.get(bundleIdentityKey(node))
  if (entry === undefined) return undefined
  const identity = fromBytes(entry.value) as TlsIdentity
  return validityOf(identity.certificate).until > Date.now() ? identity : undefined
}

const pacemakerKey = '-v /etc/pacemaker/authkey:/etc/pacemaker/authkey'
const pacemakerDaemon = '/usr/sbin/pacemaker-remoted'

export function saidForOurs(attributes: AgentCall['attributes'], folder: string): AgentCall['attributes'] {
  const { run_opts: options, run_cmd: command } = attributes
  return {
    ...attributes,
    ...(options === undefined ? {} : { run_opts: options.replace(pacemakerKey, `-v ${folder}:/etc/systole/pki`) }),
    ...(command === pacemakerDaemon ? { run_cmd: 'systoled --remote' } : {}),
  }
}

/** A preparation that fails is a start that fails; one that is not wanted any more is not begun. */
function prepared(preparation: Promise<void>, begin: () => RunningAgent): RunningAgent {
  let running: RunningAgent | undefined
  let wanted = true
  const finished = preparation.then(
    async (): Promise<AgentOutcome> => {
      if (!wanted) return { ...notRun('error', 'start was interrupted'), status: 'cancelled' }
      running = begin()
      return await running.finished
    },
    (error: unknown) => notRun('error', `its daemon has no certificate: ${String(error)}`),
  )
  return {
    finished,
    kill: () => {
      wanted = false
      running?.kill()
    },
  }
}
