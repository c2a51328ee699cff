/**
 * An administrator asks whether an alert arrives: a marked event, sent from this node to some or all of its recipients, once. What is known of its arrival is
 * what the program knows: a mail server or web server has taken it, an inform was acknowledged; whether a trap has come, or a program of others has told
 * anybody, nobody knows.
 */
import { shippedAgent } from '../../alert-agents/index.ts'
import type { AlertCall, AlertEvent } from '../../alerts/index.ts'
import { didYouMean, type NodeName, similarWords } from '../../base/index.ts'
import { type AlertDefinition, parseBoolean } from '../../cib/index.ts'
import { type Messages, refuse } from '../../rpc/index.ts'
import type { AlertRun } from './run-alert.ts'

type Recipient = AlertDefinition['recipients'][number]
type Result = Messages['AlertTestAnswer']['results'][number]

export interface TryPorts {
  readonly self: NodeName
  readonly alerts: () => readonly AlertDefinition[]
  readonly callsFor: (event: AlertEvent, alerts: readonly AlertDefinition[]) => readonly AlertCall[]
  readonly run: (call: AlertCall) => AlertRun
  /** A call of the alert has worked. */
  readonly worked: (alert: string) => void
}

/** Whoever asks waits for it. */
const longestMs = 60_000
const mostRecipients = 20

export class AlertTrial {
  readonly #ports: TryPorts
  readonly #running = new Set<AlertRun>()

  constructor(ports: TryPorts) {
    this.#ports = ports
  }

  async try({ alert: id, recipients: asked }: Messages['AlertTestRequest']): Promise<Messages['AlertTestAnswer']> {
    const { self, alerts } = this.#ports
    const alert = alerts().find((one) => one.id === id)
    if (alert === undefined) throw unknown(`There is no alert '${id}'.`, id, alerts())
    const wanted = asked.length === 0 ? alert.recipients : asked.map((name) => recipientOf(alert, name))
    if (wanted.length > mostRecipients)
      throw refuse(
        'too-many',
        `${wanted.length} recipients are more than a test takes. Specify up to ${mostRecipients}: --recipient=<recipient>.`,
      )
    if (this.#running.size > 0)
      throw refuse('busy', 'Another test of an alert runs on this node. Try again when it has ended.')
    const tried = wanted.length === 0 ? [undefined] : [...new Set(wanted)]
    return { node: self, results: await Promise.all(tried.map(async (one) => await this.#tryOne(alert, one))) }
  }

  close(): void {
    for (const run of this.#running) run.kill()
  }

  async #tryOne(alert: AlertDefinition, recipient: Recipient | undefined): Promise<Result> {
    const { self, callsFor, run, worked } = this.#ports
    const told = recipient === undefined ? {} : { recipient: recipient.id, value: recipient.value }
    const event: AlertEvent = { kind: 'test', at: Date.now(), node: self, desc: `Test of the alert ${alert.id}` }
    const [call] = callsFor(event, [{ ...alert, recipients: recipient === undefined ? [] : [recipient] }])
    if (call === undefined) return { ...told, outcome: 'failed', why: 'it is disabled by the meta-attribute enabled' }
    const begun = run({ ...call, timeoutMs: Math.min(call.timeoutMs, longestMs) })
    this.#running.add(begun)
    const { failure } = await begun.ended.finally(() => this.#running.delete(begun))
    if (failure !== undefined) return { ...told, outcome: 'failed', why: failure }
    worked(alert.id)
    return { ...told, outcome: isConfirmed(call) ? 'accepted' : 'sent' }
  }
}

/** Whether an end without a failure means that somebody has taken it. */
function isConfirmed({ path, environment }: AlertCall): boolean {
  const agent = shippedAgent(path)
  return agent === 'alert_snmp' ? parseBoolean(environment.trap_inform) === true : agent !== undefined
}

function recipientOf({ id, recipients }: AlertDefinition, name: string): Recipient {
  const found = recipients.find((one) => one.id === name) ?? recipients.find(({ value }) => value === name)
  if (found !== undefined) return found
  throw unknown(`The alert ${id} has no recipient '${name}'.`, name, recipients)
}

function unknown(sentence: string, name: string, known: readonly { readonly id: string }[]): Error {
  const similar = similarWords(
    name,
    known.map(({ id }) => id),
  )
  return refuse('unknown-name', `${sentence}${didYouMean(similar)}`)
}
