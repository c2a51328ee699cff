/** Where this host has agents, and what runs them here: child processes and units of systemd. */
import { join } from 'node:path'
import type { ResourceId } from '../../base/index.ts'
import {
  type AgentHost,
  type AgentRunner,
  childProcessRunner,
  runsAsUnit,
  UnitRunner,
} from '../../resource-agents/index.ts'
import { agentToolsSocket } from './agent-tools-socket.ts'
import { installFolder } from './install-folder.ts'
import type { Paths } from './paths.ts'

export function agentHost(paths: Paths): AgentHost {
  return {
    ocfRoot: '/usr/lib/ocf',
    moreAgentFolders: [join(installFolder(), 'agents/ocf')],
    toolsFolder: join(installFolder(), 'shims'),
    toolsSocket: agentToolsSocket(paths),
    runFolder: paths.run,
  }
}

/** Where fence agents are besides the system's folders. */
export const bundledFenceAgents = (): readonly string[] => [join(installFolder(), 'agents/fence')]

/** Everything that this host runs itself: programs and systemd units. `notice`: a unit has changed by itself. */
export function hostAgents(host: AgentHost, notice: (resource: ResourceId) => void): AgentRunner {
  const programs = childProcessRunner(host)
  const units = new UnitRunner(notice)
  return { run: (call) => (runsAsUnit(call.agent) ? units : programs).run(call) }
}
