/**
 * The daemon's log: JSON lines on standard output, for journald or a file. A line is a constant message and fields; journald is told how grave it is.
 * Fields whose names promise a secret never enter it, at whatever depth they come.
 */
import { fstatSync } from 'node:fs'
import { pino } from 'pino'
import { printable } from '../../base/index.ts'
import { isSecretName, textWithoutSecrets } from '../../cib/index.ts'

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

/** Whether standard output is the journal's: systemd says which stream that is, and a program may have been given another one since. */
function goesToJournal(stream = process.env.JOURNAL_STREAM): boolean {
  if (stream === undefined) return false
  const { dev, ino } = fstatSync(1)
  return stream === `${dev}:${ino}`
}

export function openLog(node: string, level: string): Log {
  const output = pino.destination({ fd: 1, sync: true })
  const options = {
    level,
    base: { node },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  const isJournal = goesToJournal()
  let prefix = ''
  // JSON leaves characters as they are that a terminal obeys: journalctl shows the line as it is written.
  const logger = pino(options, { write: (line: string) => void output.write(`${prefix}${printable(line)}`) })
  const write =
    (severity: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields: object = {}): void => {
      if (!logger.isLevelEnabled(severity)) return
      if (isJournal) prefix = `<${priorities[severity]}>`
      logger[severity](fieldsWithoutSecrets(fields, 0) as object, message)
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
