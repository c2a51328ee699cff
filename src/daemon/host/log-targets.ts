/** A line of the log as the journal's and syslog's protocols have it: pure. */
import { messageKinds } from './message-kinds.ts'

export interface LogLine {
  /** As it stands in a file: JSON. */
  readonly text: string
  readonly message: string
  readonly priority: number
  readonly node: string
  readonly fields: Readonly<Record<string, unknown>>
}

const identifier = 'systoled'
const mostFields = 32
const longestField = 4096
const longestName = 64
/** The kernel takes larger ones from nobody without asking; the JSON is the part that may be long. */
const longestJournalText = 64 * 1024
/** What rsyslog takes unless it is told otherwise. */
const longestSyslog = 8000
/** `daemon`, of syslog(3). */
const facility = 3

/** https://systemd.io/JOURNAL_NATIVE_PROTOCOL */
export function journalDatagram({ text, message, priority, node, fields }: LogLine): Buffer {
  const kind = messageKinds.get(message)
  const own = Object.entries(fields).flatMap(([name, value]) => {
    const field = fieldName(name)
    return field === undefined || value === undefined ? [] : [[field, asText(value)] as const]
  })
  const all = new Map<string, string>([
    ['MESSAGE', cut(text, longestJournalText)],
    ['PRIORITY', String(priority)],
    ['SYSLOG_IDENTIFIER', identifier],
    ...(kind === undefined ? [] : [['MESSAGE_ID', kind.id] as const]),
    ...own.slice(0, mostFields),
    ['SYSTOLE_NODE', node],
  ])
  return Buffer.concat([...all].map(([name, value]) => journalField(name, value)))
}

/** `transitionKey` is SYSTOLE_TRANSITION_KEY; the node of a field is the node that it is about. */
function fieldName(name: string): string | undefined {
  const words = name === 'node' ? 'about_node' : name.replace(/[a-z0-9](?=[A-Z])/g, '$&_')
  const field = `SYSTOLE_${words.toUpperCase()}`
  return /^[A-Z0-9_]+$/.test(field) && field.length <= longestName ? field : undefined
}

const asText = (value: unknown): string =>
  cut(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), longestField)

/** No half of a character. */
const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`

function journalField(name: string, value: string): Buffer {
  const data = Buffer.from(value)
  if (!data.includes(10)) return Buffer.concat([Buffer.from(`${name}=`), data, Buffer.from('\n')])
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(data.length))
  return Buffer.concat([Buffer.from(`${name}\n`), length, data, Buffer.from('\n')])
}

/** RFC 5424; the JSON is the message, and MSGID is the name of its kind. */
export function syslogDatagram(line: LogLine, at: Date, host: string): Buffer {
  const kind = messageKinds.get(line.message)?.name ?? '-'
  const header = `<${facility * 8 + line.priority}>1 ${at.toISOString()} ${printUsAscii(host)} ${identifier} ${process.pid} ${kind} -`
  return Buffer.from(`${header} ${cut(line.text, longestSyslog - header.length)}`)
}

/** The older form, of syslog(3): the receiver knows the host. */
export function oldSyslogDatagram(line: LogLine, at: Date): Buffer {
  const [month = '', day = ''] = [months[at.getMonth()], String(at.getDate()).padStart(2)]
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
  const header = `<${facility * 8 + line.priority}>${month} ${day} ${time} ${identifier}[${process.pid}]:`
  return Buffer.from(`${header} ${cut(line.text, longestSyslog - header.length)}`)
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const printUsAscii = (name: string): string => name.replaceAll(/[^!-~]/g, '').slice(0, 255) || '-'
