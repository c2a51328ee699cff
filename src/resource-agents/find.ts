/**
 * Where agents are: `ocf:PROVIDER:TYPE` below the agents' folders, `lsb:NAME` in /etc/init.d, `stonith:NAME` among the
 * system's programs, `systemd:NAME` among the units. `service:NAME` is whichever of LSB and systemd has it, in this order.
 */
import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '../cib/index.ts'
import type { AgentHost } from './environment.ts'
import { unitFile } from './unit-files.ts'

export type FoundAgent =
  | { readonly kind: 'program'; readonly path: string; readonly standard: 'ocf' | 'lsb' | 'fencing' }
  | { readonly kind: 'unit'; readonly path: string }
  /** `file`: there is one, but it cannot be run. */
  | { readonly kind: 'missing'; readonly message: string; readonly file?: string }
  | { readonly kind: 'unsupported'; readonly message: string }

const initScripts = '/etc/init.d'
const programFolders = ['/usr/sbin', '/usr/bin', '/sbin']

export function findAgent(agent: Agent, host: AgentHost, fenceFolders: readonly string[] = []): FoundAgent {
  if (!isPlainName(agent.type) || (agent.provider !== undefined && !isPlainName(agent.provider)))
    return { kind: 'missing', message: `${agentName(agent)} is not an agent name.` }
  switch (agent.class) {
    case 'ocf':
      return findOcf(agent, host)
    case 'lsb':
      return program(join(initScripts, agent.type), 'lsb') ?? missing(agent, initScripts)
    case 'service':
      return program(join(initScripts, agent.type), 'lsb') ?? findUnit(agent)
    case 'systemd':
      return findUnit(agent)
    case 'stonith':
      return findFenceAgent(agent, [...fenceFolders, ...programFolders])
    default:
      return { kind: 'unsupported', message: `There is no class of agents called '${agent.class}'.` }
  }
}

/** `ocf:heartbeat:IPaddr2`, `lsb:nginx`. */
export function agentName({ class: agentClass, provider, type }: Agent): string {
  return provider === undefined ? `${agentClass}:${type}` : `${agentClass}:${provider}:${type}`
}

/** The providers of OCF agents, sorted. */
export function listProviders(host: AgentHost): readonly string[] {
  const providers = agentFolders(host).flatMap((folder) =>
    namesIn(folder).filter((name) => isFolder(join(folder, name))),
  )
  return [...new Set(providers)].sort()
}

/** Whether systemd runs it: it alone knows which units there are. */
export function runsAsUnit(agent: Agent): boolean {
  if (agent.class === 'systemd') return isPlainName(agent.type)
  return agent.class === 'service' && isPlainName(agent.type) && !isProgram(join(initScripts, agent.type))
}

/** The LSB scripts that are installed, sorted. */
export function listScripts(): readonly string[] {
  return namesIn(initScripts).filter((name) => isPlainName(name) && isProgram(join(initScripts, name)))
}

/** The types of a provider's agents, sorted. */
export function listAgents(host: AgentHost, provider: string): readonly string[] {
  if (!isPlainName(provider)) return []
  const types = agentFolders(host).flatMap((folder) =>
    namesIn(join(folder, provider)).filter((name) => isProgram(join(folder, provider, name))),
  )
  return [...new Set(types)].sort()
}

/** The fence agents that are installed, sorted. */
export function listFenceAgents(fenceFolders: readonly string[] = []): readonly string[] {
  const names = [...fenceFolders, ...programFolders].flatMap((folder) =>
    namesIn(folder).filter((name) => name.startsWith('fence_') && isProgram(join(folder, name))),
  )
  return [...new Set(names)].sort()
}

function findOcf(agent: Agent, host: AgentHost): FoundAgent {
  const provider = agent.provider ?? 'heartbeat'
  for (const folder of agentFolders(host)) {
    const found = program(join(folder, provider, agent.type), 'ocf')
    if (found) return found
  }
  return missing(
    agent,
    join(host.ocfRoot, 'resource.d', provider),
    agentFolders(host).map((folder) => join(folder, provider)),
  )
}

function findFenceAgent(agent: Agent, folders: readonly string[]): FoundAgent {
  for (const folder of folders) {
    const found = program(join(folder, agent.type), 'fencing')
    if (found) return found
  }
  return missing(agent, '/usr/sbin', folders)
}

function agentFolders(host: AgentHost): readonly string[] {
  return [...host.moreAgentFolders, join(host.ocfRoot, 'resource.d')]
}

/** A file that is there and cannot be run is what the administrator has to hear of. */
function missing(agent: Agent, folder: string, searched: readonly string[] = [folder]): FoundAgent {
  const file = searched.map((each) => join(each, agent.type)).find(isFile)
  const name = agentName(agent)
  return file === undefined
    ? { kind: 'missing', message: `${name} is not installed: there is no program in ${folder}.` }
    : { kind: 'missing', message: `${name} is not installed: ${file} is not executable.`, file }
}

function findUnit(agent: Agent): FoundAgent {
  const path = unitFile(agent.type)
  if (path !== undefined) return { kind: 'unit', path }
  return { kind: 'missing', message: `${agentName(agent)} is not installed: there is no unit of that name.` }
}

function program(path: string, standard: 'ocf' | 'lsb' | 'fencing'): FoundAgent | undefined {
  return isProgram(path) ? { kind: 'program', path, standard } : undefined
}

/** Names come from the configuration: none may lead out of its folder. */
function isPlainName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_.@:\\+-]*$/.test(name)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch (error) {
    return absent(error)
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch (error) {
    return absent(error)
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch (error) {
    return absent(error)
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    absent(error)
    return []
  }
}

/** A path that is not there or may not be used is an answer; anything else went wrong. */
function absent(error: unknown): false {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT' || code === 'EACCES' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENAMETOOLONG')
    return false
  throw error
}
