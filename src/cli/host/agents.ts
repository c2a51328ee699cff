/** What is installed: the agent that a word means, its metadata, and what the metadata says of an administrator's parameters. */
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { didYouMean, parseDurationMs, similarWords } from '../../base/index.ts'
import { type Agent, fenceDeviceOption, fenceDeviceOptions, type IsSecret, type NewOperation } from '../../cib/index.ts'
import {
  type AgentHost,
  type AgentMetadata,
  agentName,
  describeAgentMetadataReport,
  findAgent,
  listAgents,
  listFenceAgents,
  listProviders,
  listScripts,
  listServices,
  metadataReader,
  supports,
} from '../../resource-agents/index.ts'
import { Refusal } from '../call/command.ts'
import type { Message } from '../call/message.ts'

export interface InstalledAgent {
  readonly agent: Agent
  readonly metadata: AgentMetadata
}

/** What the agent itself marks as secret. */
export function privateParameters({ metadata }: InstalledAgent): IsSecret {
  const names = new Set(metadata.parameters.filter((parameter) => parameter.private).map(({ name }) => name))
  return (name) => names.has(name)
}

const classes = ['ocf', 'lsb', 'systemd', 'service', 'stonith']

/** The project's own folder: the parent of `dist/` in a bundle, of `src/` in a test. */
function ownFolder(): string {
  let folder = import.meta.dirname
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder)
  return folder
}

export function agentHost(): AgentHost {
  return {
    ocfRoot: '/usr/lib/ocf',
    moreAgentFolders: [join(ownFolder(), 'agents/ocf')],
    toolsFolder: join(ownFolder(), 'shims'),
    toolsSocket: '',
    runFolder: '/run/systole',
  }
}

export const fenceAgentFolders = (): readonly string[] => [join(ownFolder(), 'agents/fence')]

interface AgentQuestion {
  /** Take one that is not installed here. */
  readonly force: boolean
  /** Only whole names, or a type alone, as pcs 0.12 reads them. */
  readonly exact?: boolean
  /** Do not ask for its metadata: whatever is said of it is taken. */
  readonly unasked?: boolean
}

/** `ocf:heartbeat:IPaddr2`, `heartbeat:IPaddr2` or `IPaddr2`, as pcs reads it. Refuses what is not installed. */
export async function resolveResourceAgent(word: string, options: AgentQuestion): Promise<InstalledAgent> {
  const host = agentHost()
  if (options.exact && word.includes(':') && !isExactName(word))
    throw new Refusal({ own: `'${word}' is not an agent name.`, about: { code: 'bad-agent-name', agent: word } })
  // pcs knows heartbeat as a class of its own, of which nothing is installed.
  if (options.exact && !options.force && word.startsWith('heartbeat:'))
    throw new Refusal({ own: `There is no agent '${word}'.`, about: { code: 'no-metadata', agent: word } })
  const agent = parseResourceAgent(word, host)
  return await withMetadata(agent, word, options, () => installedAgents(host))
}

const isExactName = (word: string): boolean =>
  /^(ocf:[^:]+:[^:]+|(lsb|systemd|service|stonith):[^:]+|heartbeat:[^:]+|(systemd|service):[^:@]+@.*)$/.test(word)

/** `ocf:heartbeat:IPaddr2`, `systemd:nginx`, `lsb:nginx`. */
function installedAgents(host: AgentHost): readonly string[] {
  const ocf = listProviders(host).flatMap((provider) =>
    listAgents(host, provider).map((type) => `ocf:${provider}:${type}`),
  )
  const scripts = listScripts().map((name) => `lsb:${name}`)
  return [...ocf, ...scripts, ...listServices().map((name) => `systemd:${name}`)]
}

export async function resolveFenceAgent(word: string, options: AgentQuestion): Promise<InstalledAgent> {
  const agent: Agent = { class: 'stonith', type: word.replace(/^(stonith|fencing):/, '') }
  return await withMetadata(agent, word, options, () => listFenceAgents(fenceAgentFolders()))
}

function parseResourceAgent(word: string, host: AgentHost): Agent {
  // The name of an instance of a unit may hold colons.
  const instance = /^(systemd|service):([^:@]+@.*)$/.exec(word)
  if (instance) return { class: instance[1] ?? '', type: instance[2] ?? '' }
  const parts = word.replace('::', ':').split(':')
  const [first = '', second, third] = parts
  if (parts.length > 3 || parts.some((part) => part === ''))
    throw new Refusal(`'${word}' is not an agent name. Example: ocf:heartbeat:IPaddr2.`)
  const hasProvider = third !== undefined
  if (hasProvider && first !== 'ocf')
    throw new Refusal(`'${word}' is not an agent name: only agents of class ocf have a provider.`)
  if (hasProvider && second !== undefined) return { class: first, provider: second, type: third }
  if (second !== undefined)
    return classes.includes(first) ? { class: first, type: second } : { class: 'ocf', provider: first, type: second }
  // As pcs finds a type alone: written in any case.
  const alike = listProviders(host).flatMap((provider) =>
    listAgents(host, provider)
      .filter((type) => type.toLowerCase() === first.toLowerCase())
      .map((type): Agent => ({ class: 'ocf', provider, type })),
  )
  const [agent, other] = alike
  if (agent === undefined)
    throw new Refusal({
      own: `There is no agent '${word}'.${suggestion(
        first,
        listProviders(host).flatMap((name) => listAgents(host, name)),
      )}`,
      about: { code: 'no-agent', agent: word },
    })
  if (other !== undefined) {
    const names = alike.map(agentName)
    throw new Refusal({
      own: `'${word}' matches several agents. Specify ${names.join(' or ')}.`,
      about: { code: 'many-agents', agent: word, names },
    })
  }
  return agent
}

async function withMetadata(
  agent: Agent,
  word: string,
  options: AgentQuestion,
  installed: () => readonly string[],
): Promise<InstalledAgent> {
  const name = agentName(agent)
  if (options.unasked) return { agent, metadata: noMetadata(name) }
  const read = await metadataReader(agentHost(), fenceAgentFolders())(agent)
  if (read.ok) return { agent, metadata: read.value }
  if (options.force) return { agent, metadata: noMetadata(name) }
  const names = installed()
  const known = names.includes(agent.class === 'stonith' ? agent.type : name)
  if (known) throw new Refusal(...read.reports.map(describeAgentMetadataReport))
  const found = findAgent(agent, agentHost(), fenceAgentFolders())
  if (found.kind === 'missing' && found.file !== undefined)
    throw new Refusal(
      `The agent '${word}' cannot be run on this node: make ${found.file} executable (chmod +x), or add --force.`,
    )
  throw new Refusal({
    own: `There is no agent '${word}' on this node.${suggestion(agent.class === 'stonith' ? agent.type : name, names)} Add --force if it is installed elsewhere.`,
    about: { code: 'no-metadata', agent: name },
  })
}

function suggestion(word: string, names: readonly string[]): string {
  return didYouMean(similarWords(word, names))
}

function noMetadata(name: string): AgentMetadata {
  return { name, shortDescription: '', longDescription: '', parameters: [], actions: [] }
}

/** What fence agents are given by the cluster itself, required or not. */
const givenByFencer = new Set(['action', 'port', 'plug', 'nodename', 'nodeid'])

/** What every fence device takes, whatever its agent. */
const devicesNames = fenceDeviceOptions.map(({ name }) => name)

const fixedAction = ({ isNew }: { readonly isNew: boolean }): Message => ({
  own: "With 'action' set, the device performs that action for every request, even for a monitor. Use pcmk_reboot_action or pcmk_off_action to replace a single action.",
  about: {
    code: 'said-by-pcs',
    errors: [
      "stonith option 'action' is deprecated and might be removed in a future release, therefore it should not be used, use 'pcmk_off_action', 'pcmk_reboot_action' instead, use --force to override",
    ],
    closes: isNew,
  },
})

/** Names that the agent does not know, and required ones that are missing. Each sentence can be forced. */
export function parameterMistakes(
  { agent, metadata }: InstalledAgent,
  parameters: ReadonlyMap<string, string>,
  options: { readonly required: boolean },
): readonly (string | Message)[] {
  // Nothing is known of an agent that is installed elsewhere; a unit or a script takes no parameters.
  if (metadata.parameters.length + metadata.actions.length === 0) return []
  const names = metadata.parameters.map(({ name }) => name)
  const isFencing = agent.class === 'stonith'
  const unknown = [...parameters.keys()]
    .filter((name) => !names.includes(name) && !(isFencing && fenceDeviceOption(name) !== undefined))
    // The shell functions of OCF agents read these, whatever the metadata says.
    .filter((name) => !(agent.class === 'ocf' && ['trace_ra', 'trace_file'].includes(name)))
    .map(
      (name): Message => ({
        own: `${agentName(agent)} has no parameter '${name}'.${suggestion(name, isFencing ? [...names, ...devicesNames] : names)}`,
        about: { code: 'unknown-parameter', name, known: names, standard: agent.class, provider: agent.provider },
      }),
    )
  const missing = options.required ? requiredMistakes({ agent, metadata }, new Set(parameters.keys())) : []
  const fixed = isFencing && (parameters.get('action') ?? '') !== '' ? [fixedAction({ isNew: options.required })] : []
  return [...unknown, ...missing, ...fixed]
}

/**
 * Required ones of which neither the present name nor an older one is among those that the resource has in the end. Of a change: only those that
 * it is about. Each sentence can be forced.
 */
export function requiredMistakes(
  { agent, metadata }: InstalledAgent,
  inTheEnd: ReadonlySet<string>,
  changed?: ReadonlySet<string>,
): readonly Message[] {
  const isFencing = agent.class === 'stonith'
  return metadata.parameters
    .filter(({ name, required, deprecated }) => required && !deprecated && !(isFencing && givenByFencer.has(name)))
    .map(({ name }) => ({ name, older: olderNames(metadata, name) }))
    .filter(({ name, older }) => changed === undefined || [name, ...older].some((one) => changed.has(one)))
    .filter(({ name, older }) => ![name, ...older].some((one) => inTheEnd.has(one)))
    .map(({ name, older }) => ({
      own: `${agentName(agent)} needs the parameter '${name}'.`,
      about: { code: 'missing-parameter', name, older, isFencing },
    }))
}

/** Names that a parameter had, and those that they had. */
function olderNames({ parameters }: AgentMetadata, name: string): readonly string[] {
  const older = new Set<string>()
  const add = (present: string): void => {
    for (const { name: old, obsoletes } of parameters) {
      const [from, to] = obsoletes === undefined ? [undefined, undefined] : [obsoletes, old]
      if (to !== present || from === undefined || older.has(from)) continue
      older.add(from)
      add(from)
    }
  }
  add(name)
  return [...older]
}

/** Operations that the agent does not have. Each sentence can be forced. */
export function operationMistakes({ agent, metadata }: InstalledAgent, names: readonly string[]): readonly Message[] {
  if (metadata.actions.length === 0) return []
  const known = [...new Set([...metadata.actions.map(({ name }) => name), 'start', 'stop', 'monitor'])]
  return names
    .filter((name) => !known.includes(name))
    .map((name) => ({
      own: `${agentName(agent)} has no operation '${name}'.${suggestion(name, known)}`,
      about: { code: 'unknown-operation', name, known },
    }))
}

/** Agents before OCF 1.1 need not say that they can be promoted. The sentence can be forced. */
export function promotionMistakes({ agent, metadata }: InstalledAgent, resource?: string): readonly Message[] {
  const knowsHow = ['promote', 'demote'].every((action) => supports(metadata, action))
  if (metadata.apiVersion !== '1.1' || knowsHow) return []
  const name = agentName(agent)
  return [
    {
      own: `${name} does not support promote and demote, so it cannot be promoted. Add --force to create it anyway.`,
      about: { code: 'cannot-promote', agent: name, ...(resource === undefined ? {} : { resource }) },
    },
  ]
}

/** Actions that are no operations: they run once, or are an old name of the monitor. */
const notOperations: ReadonlySet<string> = new Set(['meta-data', 'validate-all', 'status'])

/** The operations that the agent advises, as pcs writes them: also those that only the agent knows, and deeper monitors. */
export function advisedOperations({ agent, metadata }: InstalledAgent): readonly NewOperation[] {
  if (agent.class === 'stonith') return []
  return metadata.actions
    .filter(({ name }) => !notOperations.has(name))
    .map(({ name, intervalMs, timeoutMs, text, role, depth }) => ({
      name,
      attributes: {
        interval: text?.interval ?? (intervalMs === undefined ? defaultInterval(name) : seconds(intervalMs)),
        ...(timeoutMs === undefined ? {} : { timeout: text?.timeout ?? seconds(timeoutMs) }),
        ...(role === undefined || role === 'Started' ? {} : { role }),
        ...(depth === undefined || depth === 0 ? {} : { OCF_CHECK_LEVEL: String(depth) }),
      },
    }))
}

const defaultInterval = (operation: string): string => (operation === 'monitor' ? '60s' : '0s')

function seconds(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`
}

/** A stop time-out below the agent's advice is what gets nodes fenced: it is said at once. */
export function timeoutWarnings(
  { agent, metadata }: InstalledAgent,
  operations: readonly { readonly name: string; readonly attributes: ReadonlyMap<string, string> }[],
): readonly string[] {
  return operations.flatMap(({ name, attributes }) => {
    const timeoutMs = parseDurationMs(attributes.get('timeout') ?? '')
    const advised = metadata.actions.find((action) => action.name === name)?.timeoutMs
    if (timeoutMs === undefined || advised === undefined || timeoutMs >= advised) return []
    return [
      `Warning: the timeout of ${name} (${seconds(timeoutMs)}) is shorter than ${agentName(agent)} recommends (${seconds(advised)}).`,
    ]
  })
}

/** The names of LSB scripts, sorted. */
export function listInitScripts(): readonly string[] {
  const folder = '/etc/init.d'
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => /^[a-z0-9][\w.-]*$/i.test(name) && name !== 'README')
    .sort()
}
