/** What a program is called for: the environment that the cluster gives it, in sentences and as data. */
import { createHash } from 'node:crypto'

type Environment = Readonly<Record<string, string | undefined>>

export interface Notice {
  /** The same for each attempt, and for whoever sends it. */
  readonly id: string
  readonly cluster: string
  readonly kind: string
  readonly node: string
  readonly at: Date
  /** One line. */
  readonly sentence: string
  /** How often the same has happened since it was sent last. */
  readonly times: number
  /** The variables of the event: `rsc`, `task`, `rc` … */
  readonly values: Readonly<Record<string, string>>
}

export function readNotice(environment: Environment): Notice | undefined {
  const values: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment))
    if (name.startsWith('CRM_alert_') && value !== undefined) values[name.slice('CRM_alert_'.length)] = value
  const { kind, node = '', timestamp_epoch: epoch } = values
  if (kind === undefined) return undefined
  const { SYSTOLE_ALERT_ID: id, SYSTOLE_ALERT_CLUSTER: cluster = '', SYSTOLE_ALERT_TIMES: times } = environment
  const seconds = Number(epoch)
  return {
    id: createHash('sha256')
      .update(JSON.stringify([cluster, id ?? JSON.stringify(values)]))
      .digest('hex')
      .slice(0, 32),
    cluster,
    kind,
    node,
    at: new Date(Number.isFinite(seconds) && epoch !== undefined ? seconds * 1000 + milliseconds(values) : Date.now()),
    sentence: oneLineOf(sentenceOf(kind, node, values)),
    times: Number(times ?? 1) || 1,
    values,
  }
}

const milliseconds = ({ timestamp_usec: usec = '0' }: Readonly<Record<string, string>>): number =>
  Math.floor((Number(usec) || 0) / 1000)

function sentenceOf(kind: string, node: string, values: Readonly<Record<string, string>>): string {
  const {
    desc = '',
    task = '',
    rsc = '',
    interval = '0',
    rc = '0',
    attribute_name: name,
    attribute_value: value,
  } = values
  switch (kind) {
    case 'node':
      return desc === 'lost' ? `Node ${node} is lost` : `Node ${node} is a member of the cluster`
    case 'fencing':
      return rc === '0' ? `Node ${node} was fenced (${task})` : `Fencing of node ${node} (${task}) failed: ${desc}`
    case 'resource':
      return `${task}${interval === '0' ? '' : ` every ${Number(interval) / 1000} s`} of ${rsc} on ${node}: ${desc}`
    case 'attribute':
      return `Attribute ${name ?? ''} of node ${node} is ${value === '' ? 'removed' : (value ?? '')}`
    case 'test':
      return `${desc} from ${node}: nothing has happened`
    default:
      return `Event ${kind} of node ${node}: ${desc}`
  }
}

/** Values come from agents and users: no line of theirs becomes one of ours, here or in the log of whoever receives them, and nothing of them steers a terminal or turns a line round. */
export const oneLineOf = (text: string): string => text.replace(notForLines, ' ').slice(0, 900)

const notForLines =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is taken out.
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]+/gu

/** Beyond the first: `3 times`. */
export const howOften = ({ times }: Notice): string => (times > 1 ? `${times} times since the last message` : '')
