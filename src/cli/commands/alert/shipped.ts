/** The alert agents that come with Systole: what they are, and whether an alert that calls one is configured as it can be. */
import { type AgentDefinition, alertAgentFolder, alertAgents, checkAlert } from '../../../alert-agents/index.ts'
import { didYouMean, similarWords } from '../../../base/index.ts'
import type { EditResult } from '../../../cib/index.ts'
import { type Command, done, Refusal } from '../../call/command.ts'
import { alignColumns } from '../../call/table.ts'
import { alertFacts } from './facts.ts'

/** `id`: of the alert or recipient that was changed; without, what was created. */
export function checked(result: EditResult, id?: string): EditResult {
  if (!result.ok) return result
  const { cib, created } = result.value
  const ids = id === undefined ? created : [id]
  const alert = alertFacts(cib).find(
    (one) => ids.includes(one.id) || one.recipients.some((recipient) => ids.includes(recipient.id)),
  )
  const check = alert === undefined ? undefined : checkAlert(alert)
  if (check?.ok === false) throw new Refusal(...check.reports)
  return result
}

export const alertAgentsCommand: Command = {
  path: ['alert', 'agents'],
  usage: '[<agent>]',
  summary: 'List the alert agents that come with Systole, or show the options of one',
  details:
    'Any other program can be an alert agent as well, such as the samples of Pacemaker in /usr/share/pacemaker/alerts.',
  examples: ['systole alert agents', 'systole alert agents alert_smtp'],
  completes: [{ words: alertAgents.map(({ name }) => name) }],
  run: (call) => {
    const [wanted, ...more] = call.words
    if (more.length > 0) throw new Refusal('Specify one alert agent: systole alert agents <agent>.')
    if (wanted === undefined) {
      const rows = alertAgents.map((agent) => [pathOf(agent), agent.summary])
      return Promise.resolve(done(alignColumns(rows), { agents: alertAgents.map(agentFacts) }))
    }
    const agent = alertAgents.find((one) => wanted === one.name || wanted === pathOf(one))
    if (agent === undefined) {
      const similar = similarWords(
        wanted,
        alertAgents.map(({ name }) => name),
      )
      throw new Refusal(
        `There is no alert agent '${wanted}'.${didYouMean(similar) || " 'systole alert agents' lists them."}`,
      )
    }
    return Promise.resolve(done(describe(agent), agentFacts(agent)))
  },
}

const pathOf = ({ name }: AgentDefinition): string => `${alertAgentFolder}/${name}`

const agentFacts = (agent: AgentDefinition) => ({
  name: agent.name,
  path: pathOf(agent),
  summary: agent.summary,
  recipient: agent.recipient,
  options: agent.options,
})

function describe(agent: AgentDefinition): string {
  const options = agent.options.map(
    (option) =>
      `  ${option.name}: ${option.summary}${option.default === undefined ? '' : ` (default: ${option.default})`}`,
  )
  return [
    `${pathOf(agent)}: ${agent.summary}`,
    `Recipient: ${agent.recipient}, such as ${agent.example}`,
    'Options:',
    ...options,
    '',
  ].join('\n')
}
