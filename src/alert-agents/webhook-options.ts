/** `alert_webhook`: what it can be told. */
import * as v from 'valibot'
import { failed } from '../base/index.ts'
import { type AgentDefinition, type AgentOption, filePath, isOwnHost, oneLine, readOptions } from './definition.ts'

const options: readonly AgentOption[] = [
  {
    name: 'webhook_secret',
    summary:
      'Sign each request with this secret, as Standard Webhooks has it: 24 to 64 bytes in base64, whsec_ may stand before',
  },
  { name: 'webhook_token', summary: 'Send this as a bearer token; the address must be https' },
  { name: 'webhook_ca_file', summary: 'Certificates to trust instead of those of the host, in PEM' },
]

const secret = v.pipe(
  oneLine,
  v.transform((text) => text.replace(/^whsec_/, '')),
  v.check((text) => {
    const bytes = /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64').length : 0
    return bytes >= 24 && bytes <= 64
  }, 'is not a secret of 24 to 64 bytes in base64. Make one: openssl rand -base64 32'),
)

const schema = v.object({
  webhook_secret: v.optional(secret),
  webhook_token: v.optional(v.pipe(oneLine, v.regex(/^[\x21-\x7e]+$/, 'has characters that no header can have'))),
  webhook_ca_file: v.optional(filePath),
})

export interface WebhookSettings {
  readonly options: v.InferOutput<typeof schema>
  readonly recipient: string | undefined
}

export const webhookAgent: AgentDefinition<WebhookSettings> = {
  name: 'alert_webhook',
  summary: 'Send an HTTP request with the event as JSON',
  recipient: 'a URL of http or https',
  example: 'value=https://alerts.example.com/systole',
  options,
  read: (given, recipient) => {
    const read = readOptions(schema, 'alert_webhook', options, given)
    if (!read.ok) return read
    if (recipient !== undefined) {
      const problem = wrongUrl(recipient, read.value.webhook_token !== undefined)
      if (problem !== undefined) return failed(problem)
    }
    return { ok: true, value: { options: read.value, recipient } }
  },
}

function wrongUrl(text: string, hasToken: boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || text.length > 2048)
    return 'The recipient is not a URL. Specify one such as https://alerts.example.com/systole.'
  if (url.username !== '' || url.password !== '')
    return 'The recipient has a user or password in it, which anybody sees who sees the configuration. Specify a webhook_token instead.'
  if (hasToken && url.protocol === 'http:' && !isOwnHost(url.hostname))
    return 'The token would be sent in clear. Specify a recipient that begins with https://.'
  return undefined
}
