/** `alert_webhook`: a request as the specification Standard Webhooks has it (standardwebhooks.com), so that its libraries verify it. */
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { type Delivery, Undelivered } from './delivery.ts'
import type { Notice } from './notice.ts'
import type { WebhookSettings } from './webhook-options.ts'

/** Of an answer this much is read, for its first line. */
const longestAnswer = 4096

export async function sendRequest(
  { options, recipient = '' }: WebhookSettings,
  notice: Notice,
  { withinMs }: Delivery,
): Promise<void> {
  const body = JSON.stringify({
    type: `cluster.${notice.kind}`,
    timestamp: notice.at.toISOString(),
    data: {
      id: notice.id,
      cluster: notice.cluster,
      node: notice.node,
      message: notice.sentence,
      times: notice.times,
      event: notice.values,
    },
  })
  const id = `msg_${notice.id}`
  const seconds = String(Math.floor(Date.now() / 1000))
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'systole',
    'webhook-id': id,
    'webhook-timestamp': seconds,
  }
  const { webhook_secret: secret, webhook_token: token, webhook_ca_file: ca } = options
  if (secret !== undefined)
    headers['webhook-signature'] =
      `v1,${createHmac('sha256', Buffer.from(secret, 'base64')).update(`${id}.${seconds}.${body}`).digest('base64')}`
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  const { status, text } = await answerOf(recipient, { headers, body, withinMs, ca })
  if (status >= 200 && status < 300) return
  const said = text.split('\n')[0]?.trim().slice(0, 100) ?? ''
  const moved = status >= 300 && status < 400 ? ' Redirections are not followed.' : ''
  throw new Undelivered(
    `${new URL(recipient).origin} answered ${status}${said === '' ? '' : `: ${said}`}.${moved}`.replace(/\.$/, ''),
    status >= 500 || [408, 425, 429].includes(status),
  )
}

interface Sent {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly withinMs: number
  readonly ca: string | undefined
}

async function answerOf(
  url: string,
  { headers, body, withinMs, ca }: Sent,
): Promise<{ readonly status: number; readonly text: string }> {
  const { origin, protocol } = new URL(url)
  const signal = AbortSignal.timeout(withinMs)
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const common = { method: 'POST', headers, signal }
      const sent =
        protocol === 'https:'
          ? httpsRequest(url, { ...common, ...(ca === undefined ? {} : { ca: readFileSync(ca, 'utf8') }) })
          : httpRequest(url, common)
      sent.on('response', resolve).on('error', reject).end(body)
    })
    return { status: answer.statusCode ?? 0, text: await beginningOf(answer) }
  } catch (error) {
    const why = signal.aborted ? `no answer within ${withinMs / 1000} s` : error instanceof Error ? error.message : ''
    throw new Undelivered(`${origin}: ${why}`, true)
  }
}

async function beginningOf(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of answer) {
    text += String(chunk)
    if (text.length >= longestAnswer) break
  }
  // What comes after that is nobody's concern.
  answer.destroy()
  return text
}
