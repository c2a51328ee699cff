/** crm_resource's questions about the agents that are installed where it runs. */
import { element } from '../../cib/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { type GivenOption, lastOf } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import type { ParsedCall } from '../tool.ts'

export const agentQuestions = [
  'list-standards',
  'list-agents',
  'list-ocf-providers',
  'list-ocf-alternatives',
  'show-metadata',
]

/** crmsh asks for the providers of each agent, some 130 calls: a process of its own for each took half a minute. */
export function asksForLists(given: readonly GivenOption[]): boolean {
  const question = lastOf(given, agentQuestions)
  return question !== undefined && question.name !== 'show-metadata'
}

export function asksForAgents(given: readonly GivenOption[]): boolean {
  return lastOf(given, agentQuestions) !== undefined
}

export function answerForAgents({ files, installed }: ParsedCall, { name, value = '' }: GivenOption): ToolReply {
  const agents = files?.agents ?? installed
  if (agents === undefined) return refused(exitCodes.unimplemented, 'crm_resource: agents are not known here.')
  switch (name) {
    case 'list-standards':
      return list('standards', ['ocf', 'lsb', 'service', 'systemd', 'stonith'])
    case 'list-agents': {
      const found = agents.list(value)
      const [standard = '', ...rest] = value.split(':')
      const provider = rest.length === 0 ? undefined : rest.join(':')
      const named = found.map((text) => element('agent', {}, [{ kind: 'text', text }]))
      if (found.length > 0)
        return printed(found.map((one) => `${one}\n`).join(''), [
          element('agents', { standard, ...(provider === undefined ? {} : { provider }) }, named),
        ])
      const where = provider === undefined ? '' : ` and provider '${provider}'`
      return refused(
        exitCodes.error,
        `No agents found for standard '${standard}'${where}\ncrm_resource: Error performing operation: Error occurred`,
      )
    }
    case 'show-metadata': {
      if (!/^(?:ocf:[^:]+:[^:]+|(?!ocf:)[^:]+:.+)$/.test(value))
        return refused(
          exitCodes.noSuchObject,
          `crm_resource: '${value}' is not a valid agent specification\nError performing operation: No such object`,
        )
      const text = files?.agents.metadata(value)
      return text === undefined
        ? refused(
            exitCodes.noSuchObject,
            `crm_resource: Metadata query for ${value} failed: No such device or address\nError performing operation: No such object`,
          )
        : printed(text, [element('metadata', {}, [{ kind: 'text', text }])])
    }
    default: {
      const isOfType = name === 'list-ocf-alternatives'
      const found = agents.providers(isOfType ? value : undefined)
      if (found.length === 0 && isOfType)
        return refused(
          exitCodes.noSuchObject,
          `No OCF providers found for ${value}\ncrm_resource: Error performing operation: No such object`,
        )
      const named = found.map((text) => element('provider', {}, [{ kind: 'text', text }]))
      return printed(found.map((one) => `${one}\n`).join(''), [
        element('providers', isOfType ? { for: value } : { standard: 'ocf' }, named),
      ])
    }
  }
}

function list(name: string, found: readonly string[]): ToolReply {
  const items = found.map((text) => element('item', {}, [{ kind: 'text', text }]))
  return printed(found.map((one) => `${one}\n`).join(''), [
    element('list', { name, count: String(found.length) }, items),
  ])
}
