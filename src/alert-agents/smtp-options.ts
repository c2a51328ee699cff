/** `alert_smtp`: what it can be told. */
import * as v from 'valibot'
import { failed } from '../base/index.ts'
import {
  type AgentDefinition,
  type AgentOption,
  filePath,
  host,
  isOwnHost,
  oneLine,
  port,
  readOptions,
} from './definition.ts'

const options: readonly AgentOption[] = [
  { name: 'smtp_host', summary: 'The mail server', default: 'localhost' },
  { name: 'smtp_port', summary: 'Its port', default: '25; 587 with starttls, 465 with tls' },
  {
    name: 'smtp_security',
    summary:
      'none, opportunistic (STARTTLS where the server offers it, whatever its certificate), starttls (required) or tls (from the first byte); the last two verify the certificate',
    default: 'opportunistic',
  },
  { name: 'smtp_ca_file', summary: 'Certificates to trust instead of those of the host, in PEM' },
  { name: 'smtp_user', summary: 'Log in to the mail server with this name' },
  { name: 'smtp_password', summary: 'The password for smtp_user' },
  { name: 'email_sender', summary: 'The address that mails come from', default: 'hacluster@ and the name of the node' },
]

const address = v.pipe(
  oneLine,
  v.regex(
    /^[^\s@<>,;:"()[\]\\]{1,64}@[^\s@<>,;:"()[\]\\]{1,255}$/,
    'is not a mail address, such as admins@example.com',
  ),
)

const schema = v.object({
  smtp_host: v.optional(host, 'localhost'),
  smtp_port: v.optional(port),
  smtp_security: v.optional(
    v.picklist(['none', 'opportunistic', 'starttls', 'tls'], 'must be none, opportunistic, starttls or tls'),
    'opportunistic',
  ),
  smtp_ca_file: v.optional(filePath),
  smtp_user: v.optional(oneLine),
  smtp_password: v.optional(oneLine),
  email_sender: v.optional(address),
})

export interface SmtpSettings {
  readonly options: v.InferOutput<typeof schema>
  readonly recipient: string | undefined
}

export const smtpAgent: AgentDefinition<SmtpSettings> = {
  name: 'alert_smtp',
  summary: 'Send a mail by SMTP',
  recipient: 'a mail address',
  example: 'value=admins@example.com',
  options,
  read: (given, recipient) => {
    const read = readOptions(schema, 'alert_smtp', options, given)
    if (!read.ok) return read
    const { smtp_user: user, smtp_password: password, smtp_security: security, smtp_host: server } = read.value
    if (recipient !== undefined && !v.safeParse(address, recipient).success)
      return failed(
        `'${recipient}' is not a mail address. Specify one address as the recipient, such as admins@example.com.`,
      )
    if ((user === undefined) !== (password === undefined))
      return failed('smtp_user and smtp_password belong together. Specify both, or neither.')
    if (password !== undefined && !['starttls', 'tls'].includes(security) && !isOwnHost(server))
      return failed('The password would be sent in clear. Specify smtp_security=starttls or smtp_security=tls.')
    return { ok: true, value: { options: read.value, recipient } }
  },
}
