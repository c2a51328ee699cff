/** The program behind `agents/alerts`: the cluster calls one of them for an event, and its exit code says what became of it. */
import { hostname } from 'node:os'
import { reasonOf } from '../base/index.ts'
import type { AgentDefinition } from './definition.ts'
import { type Delivery, Undelivered } from './delivery.ts'
import { type Notice, readNotice } from './notice.ts'
import { sendMail } from './send-mail.ts'
import { sendRequest } from './send-request.ts'
import { sendTrap } from './send-trap.ts'
import { smtpAgent } from './smtp-options.ts'
import { snmpAgent } from './snmp-options.ts'
import { webhookAgent } from './webhook-options.ts'

/** Of sysexits.h: the configuration is wrong; the same may be tried again later. */
const exitCodes = { done: 0, failed: 1, misconfigured: 78, later: 75 } as const

async function deliver<Settings>(
  agent: AgentDefinition<Settings>,
  send: (settings: Settings, notice: Notice, delivery: Delivery) => Promise<void>,
): Promise<number> {
  const { env } = process
  const notice = readNotice(env)
  if (notice === undefined) return ends(exitCodes.misconfigured, 'This is an alert agent: the cluster calls it.')
  const recipient = env.CRM_alert_recipient
  if (recipient === undefined || recipient === '')
    return ends(exitCodes.misconfigured, `There is no recipient. Add one: ${agent.recipient}.`)
  const given = agent.options.flatMap(({ name }) => (env[name] === undefined ? [] : [[name, env[name]] as const]))
  const read = agent.read(Object.fromEntries(given), recipient)
  if (!read.ok) return ends(exitCodes.misconfigured, read.reports.join(' '))
  // Whoever calls ends what takes longer, and nobody would know what became of it.
  const allowedMs = Number(env.SYSTOLE_ALERT_TIMEOUT_MS) || 30_000
  try {
    await send(read.value, notice, { withinMs: Math.max(allowedMs - 1500, allowedMs / 2), node: hostname() })
    return exitCodes.done
  } catch (error) {
    if (error instanceof Undelivered) return ends(error.isLater ? exitCodes.later : exitCodes.failed, error.message)
    return ends(exitCodes.failed, reasonOf(error))
  }
}

function ends(code: number, sentence: string): number {
  process.stderr.write(`${sentence.replace(/\s+/g, ' ')}\n`)
  return code
}

const [name = ''] = process.argv.slice(2)
const programs: Readonly<Record<string, () => Promise<number>>> = {
  [smtpAgent.name]: async () => await deliver(smtpAgent, sendMail),
  [snmpAgent.name]: async () => await deliver(snmpAgent, sendTrap),
  [webhookAgent.name]: async () => await deliver(webhookAgent, sendRequest),
}
process.exitCode = (await programs[name]?.()) ?? ends(exitCodes.misconfigured, `There is no alert agent '${name}'.`)
