/** The executor of this node with its adapters: agents as child processes or units of systemd, results to the store. */
import { join } from 'node:path'
import type { NodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { Executor } from '../../executor/index.ts'
import {
  type AgentHost,
  type AgentRunner,
  childProcessRunner,
  metadataReader,
  runsAsUnit,
  UnitRunner,
} from '../../resource-agents/index.ts'
import type { Store } from '../../store/index.ts'
import { agentToolsSocket } from '../api/agent-tools-socket.ts'
import { installFolder } from '../host/install-folder.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { nextCallId, resultStore } from '../records/result-store.ts'

export function agentHost(paths: Paths): AgentHost {
  return {
    ocfRoot: '/usr/lib/ocf',
    moreAgentFolders: [join(installFolder(), 'agents/ocf')],
    toolsFolder: join(installFolder(), 'shims'),
    toolsSocket: agentToolsSocket(paths),
    runFolder: paths.run,
  }
}

export function openExecutor(parts: {
  readonly node: NodeName
  readonly store: Store
  readonly view: () => ClusterView
  readonly paths: Paths
  readonly log: Log
  readonly fenceDevices: AgentRunner
}): Executor {
  const { node, store, view, paths, log, fenceDevices } = parts
  const host = agentHost(paths)
  const programs = childProcessRunner(host)
  const units = new UnitRunner((resource) => executor.notice(resource))
  const runner: AgentRunner = {
    run(call) {
      if (call.agent.class === 'stonith') return fenceDevices.run(call)
      return (runsAsUnit(call.agent) ? units : programs).run(call)
    },
  }
  const executor = new Executor({
    node,
    runner,
    metadata: metadataReader(host),
    store: resultStore(store, node, () => [...view().attributes.values()]),
    log,
    runFolder: paths.run,
    firstCallId: nextCallId(view().operations.values(), node),
  })
  return executor
}
