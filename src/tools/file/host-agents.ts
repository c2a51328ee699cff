/** The agents that are installed on this host. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type AgentHost,
  baseEnvironment,
  findAgent,
  listAgents,
  listFenceAgents,
  listProviders,
  listScripts,
  listServices,
} from '../../resource-agents/index.ts'
import type { HostAgents } from '../tool.ts'

const metadataTimeoutMs = 30_000

export function hostAgents(): HostAgents {
  const host = agentHost()
  return {
    list: (spec) => {
      const [standard, provider] = spec.split(':')
      switch (standard) {
        case 'ocf':
          return provider === undefined || provider === ''
            ? [...new Set(listProviders(host).flatMap((one) => listAgents(host, one)))].sort()
            : listAgents(host, provider)
        case 'lsb':
          return listScripts()
        case 'systemd':
          return listServices()
        case 'service':
          return [...new Set([...listScripts(), ...listServices()])].sort()
        case 'stonith':
          return listFenceAgents()
        default:
          return []
      }
    },
    providers: (type) =>
      listProviders(host).filter((one) => type === undefined || listAgents(host, one).includes(type)),
    metadata: (spec) => metadata(spec, host),
  }
}

function metadata(spec: string, host: AgentHost): string | undefined {
  const [agentClass = '', ...rest] = spec.split(':')
  const type = rest.at(-1) ?? ''
  const provider = agentClass === 'ocf' ? (rest.length > 1 ? rest[0] : 'heartbeat') : undefined
  const found = findAgent({ class: agentClass, type, ...(provider === undefined ? {} : { provider }) }, host)
  if (found.kind !== 'program') return undefined
  const run = spawnSync(found.path, agentClass === 'stonith' ? ['-o', 'metadata'] : ['meta-data'], {
    env: { ...baseEnvironment(host), OCF_ROOT: host.ocfRoot, OCF_RESOURCE_INSTANCE: type, OCF_RESOURCE_TYPE: type },
    encoding: 'utf8',
    timeout: metadataTimeoutMs,
  })
  return run.status === 0 ? run.stdout : undefined
}

/** The folder in which the program is installed: the parent of `dist/` in a bundle, of `src/` in a test. */
function agentHost(): AgentHost {
  let folder = import.meta.dirname
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder)
  return {
    ocfRoot: '/usr/lib/ocf',
    moreAgentFolders: [join(folder, 'agents/ocf')],
    toolsFolder: join(folder, 'shims'),
    toolsSocket: '',
    runFolder: '/run/systole',
  }
}
