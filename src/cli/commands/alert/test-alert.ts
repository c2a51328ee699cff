/** `alert test`: a marked event through the real program, and what became of it. */
import { type Command, done } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { expectWords } from '../../grammar/words.ts'

/** A program may take a minute; the daemon ends it then. */
const waitMs = 75_000

interface Result {
  readonly recipient?: string
  readonly value?: string
  readonly outcome: string
  readonly why?: string
}

export const alertTest: Command = {
  path: ['alert', 'test'],
  usage: '<alert> [--recipient <recipient>]...',
  summary: 'Send a test event through an alert from this node, and report whether it arrived',
  details:
    'The event is marked: CRM_alert_kind is test. It is sent once, whatever retry-for and repeat-interval say. A mail server or web server that takes it, or an SNMP receiver that acknowledges it, is reported; that a trap has come, or what another program does, nobody knows.',
  examples: ['systole alert test mail', 'systole alert test mail --recipient=admins@example.com'],
  flags: [
    {
      name: 'recipient',
      value: 'recipient',
      repeats: true,
      summary: 'Send it to this recipient only, by id or value (default: all)',
    },
  ],
  completes: ['anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'alert test <alert>' })
    const [alert = ''] = call.words
    const given = call.flags.get('recipient')
    const recipients = typeof given === 'string' ? given.split('\n') : []
    const { node, results } = await liveCluster(call).testAlert({ alert, recipients }, { timeoutMs: waitMs })
    const lines = results.map((result) => `${sentenceOf(alert, result)}\n`)
    const hasFailed = results.some(({ outcome }) => outcome === 'failed')
    return done(
      `Sent from ${node}:\n${lines.map((line) => `  ${line}`).join('')}`,
      { alert, node, results },
      hasFailed ? 1 : 0,
    )
  },
}

function sentenceOf(alert: string, { value, outcome, why = '' }: Result): string {
  const to = value ?? alert
  if (outcome === 'accepted') return `${to}: it was accepted.`
  if (outcome === 'failed') return `${to}: it did not arrive: ${why.replace(/\.$/, '')}.`
  return `${to}: the program ended without a failure. Look at the receiver: nothing confirms that it arrived.`
}
