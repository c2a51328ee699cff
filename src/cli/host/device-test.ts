/** A fence device that is asked before it is needed: whether its agent reaches it with these parameters, from this host. */
import { type IsSecret, isSecretName, textWithoutSecrets } from '../../cib/index.ts'
import { agentName } from '../../resource-agents/index.ts'
import { askFenceAgent } from './agent-validation.ts'
import { type InstalledAgent, privateParameters } from './agents.ts'

export const deviceTestFlag = {
  name: 'test',
  summary: 'First run the agent’s monitor from this host, and create nothing if the device does not answer',
}

/** One sentence that can be forced, or none. The monitor of a fence agent logs in and asks for the state; it switches nothing. */
export async function deviceObjections(
  installed: InstalledAgent,
  parameters: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const { exitCode, why } = await askFenceAgent(installed, parameters, 'monitor')
  if (exitCode === 0) return []
  const isPrivate = privateParameters(installed)
  const isSecret: IsSecret = (word) => isSecretName(word) || isPrivate(word)
  const values = Object.entries(parameters).flatMap(([word, value]) => (isSecret(word) ? [value] : []))
  const said = textWithoutSecrets(why, isSecret, values)
  return [
    `${agentName(installed.agent)} does not reach the device with these parameters (exit code ${exitCode})${said === '' ? '' : `: ${said}`}. Check address, user and password.`,
  ]
}
