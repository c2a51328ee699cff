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
import { createKeys } from '../../rpc/index.ts'
import { bundleNodes } from '../../status/index.ts'
import type { Paths } from '../host/paths.ts'
import { signForRemote } from '../nodes/certificates.ts'
import { writeRemoteIdentity } from '../nodes/identity.ts'

/** Runs agents as `agents` does, and prepares what a replica's container needs before it starts. */
export function bundleContainers(
  agents: AgentRunner,
  { paths, view }: { readonly paths: Paths; readonly view: () => ClusterView },
): AgentRunner {
  return {
    run(call) {
      const node = nodeIn(view(), call.resource)
      if (node === undefined) return agents.run(call)
      const folder = join(paths.data, 'bundles', node)
      const said = { ...call, attributes: saidForOurs(call.attributes, folder) }
      return call.operation === 'start'
        ? prepared(issue(paths, node, folder), () => agents.run(said))
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

/** As a remote node gets it with a token; here the host holds the authority's key, and the container gets none of it. */
async function issue(paths: Paths, node: NodeName, folder: string): Promise<void> {
  const { publicKey, key } = await createKeys()
  writeRemoteIdentity(folder, { ...(await signForRemote(paths.pki, node, publicKey)), key })
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
