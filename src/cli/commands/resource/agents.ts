import type { Agent } from '../../../cib/index.ts'
import {
  type AgentMetadata,
  agentName,
  listAgents,
  listFenceAgents,
  listProviders,
  metadataReader,
} from '../../../resource-agents/index.ts'
import { type Call, type Command, done, type Outcome, Refusal } from '../../call/command.ts'
import { expectWords } from '../../grammar/words.ts'
import {
  agentHost,
  fenceAgentFolders,
  listInitScripts,
  resolveFenceAgent,
  resolveResourceAgent,
} from '../../host/agents.ts'

const noDescriptions = { name: 'nodesc', summary: 'Show only names, without descriptions' }
const standards = ['lsb', 'ocf', 'service', 'stonith', 'systemd'] as const

export const resourceList: Command = {
  path: ['resource', 'list'],
  aliases: [['ra', 'list']],
  usage: '[<filter>] [--nodesc]',
  summary: 'List the agents that are installed on this host, with descriptions',
  flags: [noDescriptions],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'resource list [<filter>]' })
    const host = agentHost()
    const agents: readonly Agent[] = [
      ...listProviders(host).flatMap((provider) =>
        listAgents(host, provider).map((type) => ({ class: 'ocf', provider, type })),
      ),
      ...listInitScripts().map((type) => ({ class: 'lsb', type })),
    ]
    return await list(call, agents, agentName)
  },
}

export const stonithList: Command = {
  path: ['stonith', 'list'],
  usage: '[<filter>] [--nodesc]',
  summary: 'List the fence agents that are installed on this host, with descriptions',
  flags: [noDescriptions],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'stonith list [<filter>]' })
    const agents = listFenceAgents(fenceAgentFolders()).map((type) => ({ class: 'stonith', type }))
    return await list(call, agents, ({ type }) => type)
  },
}

/** Agents that cannot say what they are stay in the list: they are installed. A few are asked at a time. */
async function list(call: Call, agents: readonly Agent[], nameOf: (agent: Agent) => string): Promise<Outcome> {
  const filter = (call.words[0] ?? '').toLowerCase()
  const shown = agents.filter((agent) => nameOf(agent).toLowerCase().includes(filter))
  if (shown.length === 0) throw new Refusal(`No installed agent has '${call.words[0] ?? ''}' in its name.`)
  if (call.flags.has('nodesc'))
    return done(
      shown.map((agent) => `${nameOf(agent)}\n`).join(''),
      shown.map((agent) => ({ name: nameOf(agent) })),
    )
  const read = metadataReader(agentHost(), fenceAgentFolders())
  const facts: { readonly name: string; readonly description: string }[] = []
  const batch = 8
  for (let at = 0; at < shown.length; at += batch)
    facts.push(
      ...(await Promise.all(
        shown.slice(at, at + batch).map(async (agent) => {
          const metadata = await read(agent)
          return { name: nameOf(agent), description: metadata.ok ? metadata.value.shortDescription : '' }
        }),
      )),
    )
  const lines = facts.map(({ name, description }) => (description === '' ? `${name}\n` : `${name} - ${description}\n`))
  return done(lines.join(''), facts)
}

export const resourceDescribe: Command = {
  path: ['resource', 'describe'],
  aliases: [['ra', 'info']],
  usage: '<agent> [--full]',
  summary: 'Show an agent’s parameters and the operations that it recommends',
  flags: [{ name: 'full', summary: 'Also show deprecated parameters' }],
  completes: ['agent'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'resource describe <agent>' })
    const { agent, metadata } = await resolveResourceAgent(call.words[0] ?? '', { force: false })
    return describe(call, agentName(agent), metadata)
  },
}

export const stonithDescribe: Command = {
  path: ['stonith', 'describe'],
  usage: '<fence agent> [--full]',
  summary: 'Show a fence agent’s parameters',
  flags: [{ name: 'full', summary: 'Also show deprecated parameters' }],
  completes: ['fence-agent'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'stonith describe <fence agent>' })
    const { agent, metadata } = await resolveFenceAgent(call.words[0] ?? '', { force: false })
    return describe(call, agent.type, metadata)
  },
}

function describe(call: Call, name: string, metadata: AgentMetadata): Outcome {
  const parameters = metadata.parameters.filter(({ deprecated }) => call.flags.has('full') || !deprecated)
  const options = parameters.map((parameter) => {
    const notes = [
      ...(parameter.required ? ['required'] : []),
      ...(parameter.unique ? ['unique'] : []),
      ...(parameter.deprecated ? ['deprecated'] : []),
    ]
    const description = (parameter.longDescription || parameter.shortDescription).replace(/\s+/g, ' ').trim()
    const type = parameter.type === 'string' ? '' : `      Type: ${parameter.type}\n`
    const choices = parameter.choices.length === 0 ? '' : `      Allowed values: ${parameter.choices.join(', ')}\n`
    const value = parameter.default === undefined ? '' : `      Default: ${parameter.default}\n`
    return `  ${parameter.name}${notes.length === 0 ? '' : ` (${notes.join(') (')})`}\n      Description: ${description}\n${type}${choices}${value}`
  })
  const seconds = (ms: number): string => `${ms / 1000}s`
  const actions = metadata.actions
    .filter(({ intervalMs, timeoutMs }) => intervalMs !== undefined || timeoutMs !== undefined)
    .map(
      ({ name: action, intervalMs, timeoutMs, role }) =>
        `  ${action}: interval=${seconds(intervalMs ?? 0)}${timeoutMs === undefined ? '' : ` timeout=${seconds(timeoutMs)}`}${role === undefined ? '' : ` role=${role}`}\n`,
    )
  const text = [
    `${name} - ${metadata.shortDescription}\n\n`,
    metadata.longDescription.trim() === '' ? '' : `${metadata.longDescription.trim()}\n\n`,
    options.length === 0 ? '' : `${name.startsWith('fence_') ? 'Stonith' : 'Resource'} options:\n${options.join('')}`,
    actions.length === 0 ? '' : `\nDefault operations:\n${actions.join('')}`,
  ]
  return done(text.join(''), { ...metadata, name, parameters })
}

export const resourceStandards: Command = {
  path: ['resource', 'standards'],
  usage: '',
  summary: 'List the agent standards',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'resource standards' })
    return done(standards.map((standard) => `${standard}\n`).join(''), standards)
  },
}

export const resourceProviders: Command = {
  path: ['resource', 'providers'],
  usage: '',
  summary: 'List the providers of OCF agents',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'resource providers' })
    const providers = listProviders(agentHost())
    return done(providers.map((provider) => `${provider}\n`).join(''), providers)
  },
}

export const resourceAgents: Command = {
  path: ['resource', 'agents'],
  usage: '[<standard>[:<provider>]]',
  summary: 'List the names of installed agents',
  completes: [{ words: standards }],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'resource agents [<standard>[:<provider>]]' })
    const host = agentHost()
    const [standard = 'ocf', provider] = (call.words[0] ?? 'ocf').split(':')
    const providers = listProviders(host).filter((name) => provider === undefined || name === provider)
    const names =
      standard === 'ocf'
        ? providers.flatMap((name) => listAgents(host, name))
        : standard === 'stonith'
          ? listFenceAgents(fenceAgentFolders())
          : standard === 'lsb' || standard === 'service'
            ? listInitScripts()
            : []
    if (names.length === 0) throw new Refusal(`No agent of '${call.words[0] ?? standard}' is installed on this host.`)
    const sorted = [...new Set(names)].sort()
    return done(sorted.map((name) => `${name}\n`).join(''), sorted)
  },
}
