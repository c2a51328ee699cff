/**
 * The daemon's log: JSON lines on standard output, to a file or a terminal; to the journal with fields of its own and an id for each kind of message
 * (message-kinds.ts); to syslog where there is no journal and standard output leads nowhere, or where SYSTOLE_LOG_TO says so. A line is a constant message and fields.
 * Fields whose names promise a secret never enter it, at whatever depth they come.
 */
import { fstatSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { pino } from 'pino'
import { OutsideError, printable } from '../../base/index.ts'
import { isSecretName, textWithoutSecrets } from '../../cib/index.ts'
import { openDatagrams } from './datagram-socket.ts'
import { journalDatagram, type LogLine, oldSyslogDatagram, syslogDatagram } from './log-targets.ts'

export interface Log {
  readonly debug: (message: string, fields?: object) => void
  readonly info: (message: string, fields?: object) => void
  readonly warn: (message: string, fields?: object) => void
  readonly error: (message: string, fields?: object) => void
}

/** Not secret, though the name looks like it. */
const harmless = new Set(['transitionKey'])

/** Those of syslog(3), which journald takes off the line again (sd-daemon(3)). */
const priorities = { debug: 7, info: 6, warn: 4, error: 3 } as const
type Level = keyof typeof priorities

const isLevel = (word: string): word is Level => Object.hasOwn(priorities, word)

/** What SYSTOLE_LOG says: no level of pino's beside these, of which one is silent. */
function levelOf(said = process.env.SYSTOLE_LOG): Level {
  if (said === undefined || said === '') return 'info'
  if (isLevel(said)) return said
  throw new OutsideError(`SYSTOLE_LOG is '${said}'. Set it to ${Object.keys(priorities).join(', ')}, or unset it.`)
}

/** Whether standard output is the journal's: systemd says which stream that is, and a program may have been given another one since. */
function goesToJournal(stream = process.env.JOURNAL_STREAM): boolean {
  if (stream === undefined) return false
  const { dev, ino } = fstatSync(1)
  return stream === `${dev}:${ino}`
}

const targets = ['journal', 'syslog', 'syslog-3164', 'stdout'] as const
type Target = (typeof targets)[number]

const journalSocket = '/run/systemd/journal/socket'
const syslogSocket = '/dev/log'

/** What SYSTOLE_LOG_TO says; else the journal where standard output is its, syslog where it leads nowhere. */
function targetOf(said = process.env.SYSTOLE_LOG_TO): Target {
  const target = targets.find((one) => one === said)
  if (target !== undefined) return target
  if (said !== undefined && said !== '')
    throw new OutsideError(`SYSTOLE_LOG_TO is '${said}'. Set it to ${targets.join(', ')}, or unset it.`)
  if (goesToJournal()) return 'journal'
  return isNowhere() ? 'syslog' : 'stdout'
}

function isNowhere(): boolean {
  try {
    return fstatSync(1).rdev === statSync('/dev/null').rdev && fstatSync(1).isCharacterDevice()
  } catch {
    return true
  }
}

/** Whether it was taken; what was not is written to standard output, so that nothing is lost while a receiver restarts. */
function senderTo(target: Target): (line: LogLine) => boolean {
  if (target === 'stdout') return () => false
  const send = openDatagrams(target === 'journal' ? journalSocket : syslogSocket)
  if (send === undefined) return () => false
  if (target === 'journal') return (line) => send(journalDatagram(line))
  if (target === 'syslog-3164') return (line) => send(oldSyslogDatagram(line, new Date()))
  const host = hostname()
  return (line) => send(syslogDatagram(line, new Date(), host))
}

/** Refuses what SYSTOLE_LOG and SYSTOLE_LOG_TO do not know. */
export function openLog(node: string, level: Level | 'silent' = levelOf()): Log {
  const output = pino.destination({ fd: 1, sync: true })
  const options = {
    level,
    base: { node },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  const isJournal = goesToJournal()
  const send = senderTo(targetOf())
  let now: Omit<LogLine, 'text'> = { message: '', priority: priorities.info, node, fields: {} }
  const logger = pino(options, {
    write: (line: string) => {
      // JSON leaves characters as they are that a terminal obeys: journalctl shows the line as it is written.
      const shown = printable(line)
      if (send({ ...now, text: shown.trimEnd() })) return
      output.write(`${isJournal ? `<${now.priority}>` : ''}${shown}`)
    },
  })
  const write =
    (severity: Level) =>
    (message: string, given: object = {}): void => {
      if (!logger.isLevelEnabled(severity)) return
      const fields = fieldsWithoutSecrets(given, 0) as Readonly<Record<string, unknown>>
      now = { message, priority: priorities[severity], node, fields }
      logger[severity](fields, message)
    }
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

export function fieldsWithoutSecrets(value: unknown, depth: number): unknown {
  if (value instanceof Error) return describeError(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth > 6) return '…'
  if (Array.isArray(value)) return value.map((item) => fieldsWithoutSecrets(item, depth + 1))
  if (value instanceof Map) return fieldsWithoutSecrets(Object.fromEntries(value), depth)
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      isSecretName(name) && !harmless.has(name) ? '[secret]' : fieldsWithoutSecrets(field, depth + 1),
    ]),
  )
}

function describeError(error: Error): object {
  const cause = error.cause instanceof Error ? { cause: describeError(error.cause) } : {}
  return {
    type: error.name,
    message: textWithoutSecrets(error.message, isSecretName),
    stack: error.stack?.split('\n').slice(1, 6).join('\n'),
    ...cause,
  }
}
