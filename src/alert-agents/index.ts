/**
 * Alert agents that come with Systole: mail, webhooks and SNMP. Each is a program that the cluster calls as it calls Pacemaker's; here are their options, by
 * which the command line checks what is configured and the programs what they are given. The programs themselves (`main.ts`) are a bundle of their own.
 */
import { failed, ok, type Result, similarWords } from '../base/index.ts'
import type { AgentDefinition } from './definition.ts'
import { smtpAgent } from './smtp-options.ts'
import { snmpAgent } from './snmp-options.ts'
import { webhookAgent } from './webhook-options.ts'

export type { AgentDefinition, AgentOption } from './definition.ts'

export const alertAgents: readonly AgentDefinition[] = [smtpAgent, snmpAgent, webhookAgent]

/** Where the packages have links to them; the daemon finds its own by these names wherever it is installed. */
export const alertAgentFolder = '/usr/share/systole/alerts'

/** The name of one that comes with Systole. */
export function shippedAgent(path: string): string | undefined {
  return alertAgents.map(({ name }) => name).find((name) => path === `${alertAgentFolder}/${name}`)
}

/** What is wrong with an alert, in sentences; nothing is known of programs of others. */
export function checkAlert(alert: {
  readonly path: string
  readonly options: Readonly<Record<string, string>>
  readonly recipients: readonly { readonly value: string; readonly options: Readonly<Record<string, string>> }[]
}): Result<undefined, string> {
  const { path, options, recipients } = alert
  if (!path.startsWith(`${alertAgentFolder}/`)) return ok(undefined)
  const name = path.slice(alertAgentFolder.length + 1)
  const agent = alertAgents.find((one) => one.name === name)
  if (agent === undefined) {
    const [similar] = similarWords(
      name,
      alertAgents.map((one) => one.name),
    )
    const hint = similar === undefined ? "'systole alert agents' lists them." : `Did you mean ${similar}?`
    return failed(`There is no alert agent ${path}. ${hint}`)
  }
  const reads =
    recipients.length === 0
      ? [agent.read(options, undefined)]
      : recipients.map((recipient) => agent.read({ ...options, ...recipient.options }, recipient.value))
  const reports = [...new Set(reads.flatMap((read) => (read.ok ? [] : read.reports)))]
  return reports.length === 0 ? ok(undefined) : failed(...reports)
}
