/**
 * The agent's own check of its parameters: `validate-all` of OCF and fence agents. As with pcs it is asked for, since many
 * agents refuse what becomes right only where and when the resource runs.
 */
import { once } from 'node:events'
import { resourceId } from '../../base/index.ts'
import { type IsSecret, isSecretName, textWithoutSecrets } from '../../cib/index.ts'
import {
  agentName,
  baseEnvironment,
  findAgent,
  OutputTail,
  plainLine,
  runProgram,
  supports,
} from '../../resource-agents/index.ts'
import { agentHost, fenceAgentFolders, type InstalledAgent, privateParameters } from './agents.ts'
import { runAgentHere } from './run-agent-here.ts'

export const agentValidationFlag = {
  name: 'agent-validation',
  summary: "Also run the agent's validate-all to check its parameters",
}

const action = 'validate-all'
const timeoutMs = 30_000

/** What the agent has against these parameters, as sentences that can be forced. */
export async function agentObjections(
  installed: InstalledAgent,
  parameters: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const { agent, metadata } = installed
  const name = agentName(agent)
  if (!supports(metadata, action)) return [`${name} has no ${action}: it cannot check its parameters.`]
  const { exitCode, why } =
    agent.class === 'stonith'
      ? await askFenceAgent(installed, parameters, { action })
      : await askAgent(installed, parameters)
  if (exitCode === 0) return []
  const isPrivate = privateParameters(installed)
  const isSecret: IsSecret = (word) => isSecretName(word) || isPrivate(word)
  const values = Object.entries(parameters).flatMap(([word, value]) => (isSecret(word) ? [value] : []))
  return [
    `${name} does not take these parameters (exit code ${exitCode}): ${textWithoutSecrets(why, isSecret, values)}`,
  ]
}

interface Verdict {
  readonly exitCode: number | string
  readonly why: string
  /** It had not ended by then. */
  readonly unansweredMs?: number
}

async function askAgent({ agent }: InstalledAgent, attributes: Readonly<Record<string, string>>): Promise<Verdict> {
  const resource = resourceId('validate')
  const { exitCode, exitReason, output } = await runAgentHere({
    agent,
    resource,
    operation: action,
    attributes,
    timeoutMs,
  })
  const printed = plainLine(output.replace(/^ocf-exit-reason:.*$/gm, ''))
  return { exitCode, why: [exitReason, printed].filter(Boolean).join('; ') }
}

export async function askFenceAgent(
  { agent }: InstalledAgent,
  parameters: Readonly<Record<string, string>>,
  { action, longestMs = timeoutMs }: { readonly action: string; readonly longestMs?: number | undefined },
): Promise<Verdict> {
  const host = agentHost()
  const found = findAgent(agent, host, fenceAgentFolders())
  if (found.kind !== 'program') return { exitCode: 5, why: 'it is not installed' }
  const run = runProgram({
    path: found.path,
    arguments: [],
    environment: { ...baseEnvironment(host), PYTHONWARNINGS: 'ignore' },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeoutMs: longestMs,
  })
  const { child } = run
  if (!child?.stdin || !child.stdout || !child.stderr) return { exitCode: 5, why: 'it could not be started' }
  const output = new OutputTail()
  child.stdout.on('data', (chunk: Buffer) => output.add(chunk))
  child.stderr.on('data', (chunk: Buffer) => output.add(chunk))
  // An agent that ends without reading its options has its own reason, which its exit code tells.
  child.stdin.on('error', () => undefined)
  const given = Object.entries(parameters).filter(([name]) => !name.startsWith('pcmk_'))
  child.stdin.end([...given, ['action', action]].map(([name, value]) => `${name}=${value}\n`).join(''))
  const closed = once(child, 'close')
  const { exitCode, signal, timedOut } = await run.ended
  await closed
  return {
    exitCode: exitCode ?? signal ?? 'unknown',
    why: plainLine(output.text),
    ...(timedOut && { unansweredMs: longestMs }),
  }
}
