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
      if (found.length > 0) return list('agents', found)
      return refused(
        exitCodes.noSuchObject,
        `crm_resource: No agents found for standard=${value.split(':')[0]}, provider=${value.split(':')[1] ?? '*'}\nError performing operation: No such object`,
      )
    }
    case 'show-metadata': {
      const text = files?.agents.metadata(value)
      return text === undefined
        ? refused(
            exitCodes.noSuchObject,
            `crm_resource: Metadata query for ${value} failed: No such device or address\nError performing operation: No such object`,
          )
        : printed(text, [element('metadata', {}, [{ kind: 'text', text }])])
    }
    default:
      return list('providers', agents.providers(name === 'list-ocf-alternatives' ? value : undefined))
  }
}

function list(name: string, found: readonly string[]): ToolReply {
  const items = found.map((text) => element('item', {}, [{ kind: 'text', text }]))
  return printed(found.map((one) => `${one}\n`).join(''), [
    element('list', { name, count: String(found.length) }, items),
  ])
}
