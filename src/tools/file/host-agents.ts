/** The agents that are installed on this host. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseDurationMs, resourceId } from '../../base/index.ts'
import {
  type AgentHost,
  type AgentOutcome,
  baseEnvironment,
  childProcessRunner,
  findAgent,
  listAgents,
  listFenceAgents,
  listProviders,
  listScripts,
  listServices,
} from '../../resource-agents/index.ts'
import { exitCodes } from '../exit-codes.ts'
import type { AgentRun, FenceAgentAnswer, HostAgents, InstalledAgents } from '../tool.ts'

const metadataTimeoutMs = 30_000

export function hostAgents(): HostAgents {
  const host = agentHost()
  return {
    ...installedAgents(),
    metadata: (spec) => metadata(spec, host),
    askFenceAgent: (type, action, parameters) => askFenceAgent({ type, action, parameters }, host),
    run: (asked) => run(asked, host),
  }
}

export function installedAgents(): InstalledAgents {
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
      listProviders(host).filter(
        (provider) => type === undefined || findAgent({ class: 'ocf', provider, type }, host).kind === 'program',
      ),
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

const runTimeoutMs = 30_000

/** Its options come on standard input, so that no secret is among a process's arguments (fence agents' API). */
function askFenceAgent(
  asked: {
    readonly type: string
    readonly action: string
    readonly parameters: Readonly<Record<string, string>>
  },
  host: AgentHost,
): FenceAgentAnswer | undefined {
  const found = findAgent({ class: 'stonith', type: asked.type }, host)
  if (found.kind !== 'program') return undefined
  const options = Object.entries({ ...asked.parameters, action: asked.action })
  const ended = spawnSync(found.path, [], {
    env: { ...baseEnvironment(host), PYTHONWARNINGS: 'ignore' },
    encoding: 'utf8',
    input: options.map(([name, value]) => `${name}=${value}\n`).join(''),
    timeout: runTimeoutMs,
  })
  return { exitCode: ended.status ?? exitCodes.timeout, output: ended.stdout, errors: ended.stderr }
}

async function run(asked: AgentRun, host: AgentHost): Promise<AgentOutcome> {
  const { agent, resource, operation, parameters, checkLevel, timeout } = asked
  const runFolder = mkdtempSync(join(tmpdir(), 'crm-resource-'))
  try {
    return await childProcessRunner({ ...host, runFolder }).run({
      agent,
      resource: resourceId(resource),
      operation,
      attributes: { ...parameters, ...(checkLevel === undefined ? {} : { OCF_CHECK_LEVEL: checkLevel }) },
      timeoutMs: parseDurationMs(timeout ?? '') ?? runTimeoutMs,
    }).finished
  } finally {
    rmSync(runFolder, { recursive: true, force: true })
  }
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
