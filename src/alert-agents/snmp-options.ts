/** `alert_snmp`: what it can be told. The names that Pacemaker's sample has mean the same here. */
import * as v from 'valibot'
import { failed, ok, type Result } from '../base/index.ts'
import { type AgentDefinition, type AgentOption, answer, isHost, oneLine, port, readOptions } from './definition.ts'

const options: readonly AgentOption[] = [
  { name: 'trap_version', summary: '2c or 3', default: '2c' },
  {
    name: 'trap_inform',
    summary: 'true: send an inform, which the receiver acknowledges and which is sent again where it does not',
    default: 'false',
  },
  { name: 'trap_community', summary: 'The community of version 2c', default: 'public' },
  { name: 'trap_user', summary: 'The user of version 3' },
  { name: 'trap_auth_protocol', summary: 'sha, sha224, sha256, sha384 or sha512', default: 'sha256' },
  { name: 'trap_auth_password', summary: 'The password that authenticates; none without authentication' },
  { name: 'trap_priv_protocol', summary: 'aes, aes256b (Blumenthal) or aes256r (Reeder)', default: 'aes' },
  { name: 'trap_priv_password', summary: 'The password that encrypts; none without encryption' },
  {
    name: 'trap_engine_id',
    summary:
      'Who the sender of a trap of version 3 is: 10 to 64 hexadecimal digits, which the receiver knows the user with',
  },
  { name: 'trap_node_states', summary: 'Of nodes only these: all, member, lost', default: 'all' },
  { name: 'trap_fencing_tasks', summary: 'Of fencing only these actions, such as reboot,off', default: 'all' },
  {
    name: 'trap_resource_tasks',
    summary: 'Of resources only these operations, such as start,stop,monitor',
    default: 'all',
  },
  { name: 'trap_monitor_success', summary: 'true: also monitors that find what is expected', default: 'false' },
]

const password = v.pipe(oneLine, v.minLength(8, 'is shorter than 8 characters'))
const list = v.pipe(
  v.string(),
  v.regex(/^[a-z_-]+([ ,]+[a-z_-]+)*$/i, 'is not a list, such as start,stop'),
  v.transform((text) => text.split(/[ ,]+/)),
  v.transform((words) => (words.includes('all') ? ('all' as const) : words)),
)

const schema = v.object({
  trap_version: v.optional(v.picklist(['2c', '3'], 'must be 2c or 3'), '2c'),
  trap_inform: v.optional(answer, 'false'),
  trap_community: v.optional(oneLine, 'public'),
  trap_user: v.optional(v.pipe(oneLine, v.regex(/^.{1,32}$/, 'is not a name of 1 to 32 characters'))),
  trap_auth_protocol: v.optional(
    v.picklist(['sha', 'sha224', 'sha256', 'sha384', 'sha512'], 'must be sha, sha224, sha256, sha384 or sha512'),
    'sha256',
  ),
  trap_auth_password: v.optional(password),
  trap_priv_protocol: v.optional(v.picklist(['aes', 'aes256b', 'aes256r'], 'must be aes, aes256b or aes256r'), 'aes'),
  trap_priv_password: v.optional(password),
  trap_engine_id: v.optional(
    v.pipe(v.string(), v.regex(/^([0-9a-f]{2}){5,32}$/i, 'is not 10 to 64 hexadecimal digits')),
  ),
  trap_node_states: v.optional(list, 'all'),
  trap_fencing_tasks: v.optional(list, 'all'),
  trap_resource_tasks: v.optional(list, 'all'),
  trap_monitor_success: v.optional(answer, 'false'),
})

type SnmpOptions = v.InferOutput<typeof schema>

export interface SnmpSettings {
  readonly options: SnmpOptions
  readonly recipient: { readonly host: string; readonly port: number } | undefined
}

export const snmpAgent: AgentDefinition<SnmpSettings> = {
  name: 'alert_snmp',
  summary: 'Send an SNMP trap or inform of PACEMAKER-MIB',
  recipient: 'a host, with a port where it is not 162',
  example: 'value=nms.example.com',
  options,
  read: (given, recipient) => {
    const read = readOptions(schema, 'alert_snmp', options, given)
    if (!read.ok) return read
    const problem = contradiction(read.value, given)
    if (problem !== undefined) return failed(problem)
    if (recipient === undefined) return ok({ options: read.value, recipient })
    const target = readTarget(recipient)
    return target.ok ? ok({ options: read.value, recipient: target.value }) : target
  },
}

function contradiction(read: SnmpOptions, given: Readonly<Record<string, string>>): string | undefined {
  const { trap_version: version, trap_user: user, trap_auth_password: auth, trap_priv_password: privacy } = read
  if (version === '2c') {
    const name = ['trap_user', 'trap_auth_password', 'trap_priv_password', 'trap_engine_id'].find((one) => given[one])
    return name === undefined ? undefined : `${name} is of version 3. Specify trap_version=3, or omit it.`
  }
  if (given.trap_community !== undefined) return 'trap_community is of version 2c. Omit it, or specify trap_version=2c.'
  if (user === undefined) return 'Version 3 has users. Specify trap_user.'
  if (privacy !== undefined && auth === undefined)
    return 'There is no encryption without authentication. Specify trap_auth_password as well.'
  if (!read.trap_inform && read.trap_engine_id === undefined)
    return 'The receiver of a trap of version 3 knows the user by the id of the engine. Specify trap_engine_id, or trap_inform=true.'
  return undefined
}

/** `host`, `host:port`, `[address of IPv6]:port`, `address of IPv6`. */
function readTarget(text: string): Result<{ readonly host: string; readonly port: number }, string> {
  const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(text)
  const named = /^([^:]+)(?::(\d+))?$/.exec(text)
  const [, name = text, number = '162'] = bracketed ?? named ?? []
  const read = v.safeParse(port, number)
  return isHost(name) && read.success
    ? ok({ host: name, port: read.output })
    : failed(
        `'${text}' is not a receiver of traps. Specify a host, such as nms.example.com, nms.example.com:1162 or [2001:db8::1]:162.`,
      )
}
