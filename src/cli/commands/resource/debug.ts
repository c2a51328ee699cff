import { hostname } from 'node:os'
import { didYouMean, nodeName, similarWords } from '../../../base/index.ts'
import type { AgentOutcome } from '../../../resource-agents/index.ts'
import { agentName } from '../../../resource-agents/index.ts'
import { describeExitCode, type PrimitiveResource } from '../../../status/index.ts'
import { type Call, type Command, done, type Outcome, Refusal } from '../../call/command.ts'
import { operationTimeout } from '../../facts/operation-timeout.ts'
import { statusOf } from '../../facts/status-view.ts'
import { expectWords } from '../../grammar/words.ts'
import { runAgentHere } from '../../host/run-agent-here.ts'

const operations = ['start', 'stop', 'monitor', 'promote', 'demote'] as const
type Operation = (typeof operations)[number]

/** `resource debug-start` and its kin: the agent is run here and now, and the cluster is not told. */
export const debugCommands: readonly Command[] = operations.map((operation) => ({
  path: ['resource', `debug-${operation}`],
  usage: '<resource> [--full] [--force]',
  summary: `Run an agent’s ${operation} on this host, outside the cluster, and show what it says`,
  details:
    'The cluster does not know about this: a running resource may be started or promoted twice, or be stopped and then recovered. Disable the resource first.',
  flags: [
    { name: 'full', summary: 'Also show the parameters passed to the agent' },
    {
      name: 'force',
      summary: 'Even if the cluster may run the resource',
      ...(operation === 'monitor' && { withoutEffect: 'a monitor changes nothing and is always allowed.' }),
    },
  ],
  completes: ['resource'],
  run: (call) => debug(call, operation),
}))

async function debug(call: Call, operation: Operation): Promise<Outcome> {
  expectWords(call.words, { atLeast: 1, atMost: 1, usage: `resource debug-${operation} <resource>` })
  const id = call.words[0] ?? ''
  const { cib } = await call.cluster.readCib()
  const local = (await call.cluster.live?.getState({}))?.localNode ?? hostname()
  const status = statusOf(call, cib)
  const primitives = [...status.primitivesById.values()]
  const found = primitives.find((primitive) => primitive.configuredId === id || primitive.id === id)
  if (!found) {
    const known = primitives.map(({ configuredId }) => String(configuredId))
    throw new Refusal(`There is no primitive '${id}'.${didYouMean(similarWords(id, known))}`)
  }
  if (operation !== 'monitor' && found.meta.targetRole !== 'Stopped' && found.meta.managed && !call.flags.has('force'))
    throw new Refusal(`The cluster manages ${id}. Disable or unmanage it first, or add --force.`)
  const parameters = Object.fromEntries(found.parametersOn(nodeName(local)))
  // As the cluster would give it: a start that needs minutes has them here as well.
  const { timeoutMs } = operationTimeout(status, found, operation)
  return await runAgent(call, { found, operation, parameters, timeoutMs })
}

async function runAgent(
  call: Call,
  what: {
    readonly found: PrimitiveResource
    readonly operation: string
    readonly parameters: Readonly<Record<string, string>>
    readonly timeoutMs: number
  },
): Promise<Outcome> {
  const { found, operation, parameters, timeoutMs } = what
  const outcome = await runAgentHere({
    agent: found.agent,
    resource: found.id,
    operation,
    attributes: parameters,
    timeoutMs,
  })
  const given = call.flags.has('full') ? Object.entries(parameters).map(([name, value]) => `  ${name}=${value}\n`) : []
  const text = `Operation ${operation} of ${found.id} (${agentName(found.agent)}):\n${given.join('')}${describeOutcome(outcome)}`
  return done(text, { resource: found.id, operation, parameters, outcome }, outcome.exitCode === 0 ? 0 : 1)
}

function describeOutcome({ status, exitCode, exitReason, output }: AgentOutcome): string {
  const why = exitReason === undefined ? '' : `: ${exitReason}`
  const printed = output.trim() === '' ? '' : `${output.trimEnd()}\n`
  const how = status === 'done' || status === 'error' ? '' : `, ${status}`
  return `It ended with ${exitCode} (${describeExitCode(exitCode)}${how})${why}\n${printed}`
}
