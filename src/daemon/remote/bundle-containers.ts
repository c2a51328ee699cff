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
import type { WithAuthority } from '../pki/authority.ts'
import { signForRemote, validityOf } from '../pki/certificates.ts'
import { readIdentity, writeRemoteIdentity } from '../pki/identity.ts'
import { beliefOf } from '../pki/own-pki.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { bundleIdentityKey } from '../records/keys.ts'

export interface BundlePorts extends SigningPorts {
  readonly paths: Paths
}

interface SigningPorts {
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

const nodeIn = (view: ClusterView, container: ResourceId): NodeName | undefined =>
  replicasIn(view).find((replica) => replica.container === container)?.name

const replicasIn = (view: ClusterView): ReturnType<typeof bundleNodes> =>
  (view.configuration?.typed.resources ?? []).flatMap((resource) =>
    resource.kind === 'bundle' ? bundleNodes(resource) : [],
  )

/** After another authority has taken the place of the one before: what each replica would start with where too few members are left to sign. */
export async function renewBundleIdentities(ports: SigningPorts): Promise<void> {
  for (const { name } of replicasIn(ports.view()))
    if ((await ports.store().get(bundleIdentityKey(name))) !== undefined) await keepIdentity(ports, name)
}

/**
 * As a remote node gets it with a token. The last one of each replica is in the store as well: where too few members are left to sign, as when
 * one of two takes over, its container starts with that one.
 */
async function issue(ports: BundlePorts, node: NodeName, folder: string): Promise<void> {
  const fresh = await keepIdentity(ports, node).catch((error: unknown) => error as Error)
  if (!(fresh instanceof Error)) return writeRemoteIdentity(folder, fresh)
  const last = await lastIdentity(ports, node)
  if (last === undefined) throw fresh
  writeRemoteIdentity(folder, last)
}

async function keepIdentity({ store, withAuthority }: SigningPorts, node: NodeName): Promise<TlsIdentity> {
  const { publicKey, key } = await createKeys()
  const identity = { ...(await signForRemote(withAuthority, node, publicKey)), key }
  const value = toBytes(identity)
  await store().transaction({ compare: [], writes: [{ kind: 'put', key: bundleIdentityKey(node), value }] })
  return identity
}

/** By the authorities that count now, where it is of one of them. */
async function lastIdentity({ store, paths }: BundlePorts, node: NodeName): Promise<TlsIdentity | undefined> {
  const entry = await store().get(bundleIdentityKey(node))
  if (entry === undefined) return undefined
  const { authority } = readIdentity(paths.pki)
  const identity = { ...(fromBytes(entry.value) as TlsIdentity), authority }
  return validityOf(identity.certificate).until > Date.now() && beliefOf(identity).certifiedBy !== ''
    ? identity
    : undefined
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
