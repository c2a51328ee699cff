/** `alert_smtp`. */
import { readFileSync } from 'node:fs'
import { createTransport } from 'nodemailer'
import { codeOf, type Delivery, Undelivered } from './delivery.ts'
import { howOften, type Notice } from './notice.ts'
import type { SmtpSettings } from './smtp-options.ts'

const defaultPorts = { none: 25, opportunistic: 25, starttls: 587, tls: 465 } as const

export async function sendMail(
  { options, recipient = '' }: SmtpSettings,
  notice: Notice,
  { withinMs, node }: Delivery,
): Promise<void> {
  const { smtp_host: server, smtp_security: security, smtp_user: user, smtp_password: password } = options
  const port = options.smtp_port ?? defaultPorts[security]
  const from = options.email_sender ?? `hacluster@${node}`
  const ca = options.smtp_ca_file === undefined ? {} : { ca: readFileSync(options.smtp_ca_file, 'utf8') }
  const transport = createTransport({
    host: server,
    port,
    name: node,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    tls: { ...ca, rejectUnauthorized: security !== 'opportunistic' },
    ...(user === undefined || password === undefined ? {} : { auth: { user, pass: password } }),
    connectionTimeout: withinMs,
    greetingTimeout: withinMs,
    socketTimeout: withinMs,
    dnsTimeout: withinMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    await transport.sendMail({
      from: { name: notice.cluster === '' ? 'Cluster' : `Cluster ${notice.cluster}`, address: from },
      to: recipient,
      subject: subjectOf(notice),
      text: textOf(notice),
      messageId: `<${notice.id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    })
  } catch (error) {
    throw new Undelivered(
      `${server}:${port}: ${error instanceof Error ? error.message : String(error)}`,
      isLater(error),
    )
  } finally {
    transport.close()
  }
}

/** An answer that begins with 5 is the server's last word; without an answer nobody knows. */
function isLater(error: unknown): boolean {
  const response =
    typeof error === 'object' && error !== null && 'responseCode' in error ? Number(error.responseCode) : Number.NaN
  if (!Number.isNaN(response)) return response < 500
  return !['EAUTH', 'ENOAUTH', 'EENVELOPE', 'EMESSAGE', 'ECONFIG'].includes(codeOf(error))
}

function subjectOf(notice: Notice): string {
  const often = howOften(notice)
  return `${notice.cluster === '' ? '' : `${notice.cluster}: `}${notice.sentence}${often === '' ? '' : ` (${often})`}`
}

function textOf(notice: Notice): string {
  const often = howOften(notice)
  const lines = [
    `${notice.sentence}.`,
    ...(often === '' ? [] : [`This has happened ${often}.`]),
    '',
    ...(notice.cluster === '' ? [] : [`Cluster: ${notice.cluster}`]),
    `Time: ${notice.at.toISOString()}`,
    ...Object.entries(notice.values)
      .filter(([name]) => !['version', 'recipient', 'timestamp_epoch', 'timestamp_usec', 'timestamp'].includes(name))
      .map(([name, value]) => `${name}: ${value.replace(/\s+/g, ' ')}`)
      .sort(),
  ]
  return `${lines.join('\n')}\n`
}
