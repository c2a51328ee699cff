/** Certificates of clients that the HTTPS API accepts. */

import type { ApiClientEntry } from '../../../rpc/index.ts'
import { type Call, type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { alignColumns } from '../../call/table.ts'
import { expectWords } from '../../grammar/words.ts'

const addUsage =
  'console client add <name> --ca=<file> | --certificate=<file> [--common-name=<name>[,<name>]...] --user[=<name>] | --role=<role>[,<role>]... | --administrator'

export const consoleClientAdd: Command = {
  path: ['console', 'client', 'add'],
  usage: addUsage.slice('console client add '.length),
  summary: 'Accept certificates of clients at the HTTPS API of all nodes',
  details:
    'A client that shows such a certificate needs no token. With --ca all certificates count that this authority has signed for clients, or those with a common name of --common-name; with --certificate this one. They have the rights of a user, as the access control lists or the group haclient of a node give them, rights of roles, or those of an administrator, except to run jobs. Other nodes accept them within 5 seconds.',
  examples: [
    'systole console client add operators --ca=/etc/ssl/operators.pem --user',
    'systole console client add prometheus --certificate=prometheus.pem --role=monitor',
    'systole console client add admins --ca=ops.pem --common-name=anna,bert --administrator',
  ],
  flags: [
    { name: 'ca', value: 'file', summary: 'The certificate of an authority (PEM)', completes: 'file' },
    { name: 'certificate', value: 'file', summary: 'The certificate of one client (PEM)', completes: 'file' },
    {
      name: 'common-name',
      value: 'names',
      summary: 'Of the authority’s certificates only those with one of these common names',
    },
    {
      name: 'user',
      value: '[name]',
      summary: 'They act as this user; with --ca and no name, as the user that the common name names',
    },
    { name: 'role', value: 'roles', summary: 'They have the permissions of these roles' },
    { name: 'administrator', summary: 'They may do everything that an administrator may, except to run jobs' },
  ],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: addUsage })
    const [name = ''] = call.words
    const [ca, certificate] = [textOf(call, 'ca'), textOf(call, 'certificate')]
    const path = ca ?? certificate
    if (path === undefined || (ca !== undefined && certificate !== undefined))
      throw new Refusal('Specify either --ca=<file> or --certificate=<file>.')
    const live = liveCluster(call)
    const entry = await live.addApiClient({
      name,
      isAuthority: ca !== undefined,
      certificate: await call.terminal.readFile(path),
      commonNames: listOf(textOf(call, 'common-name')),
      ...who(call),
    })
    const lines = [
      `The HTTPS API accepts ${ca === undefined ? 'the certificate' : 'certificates of'} ${entry.subject} as ${rightsOf(entry)}.`,
      `Its SHA-256 is ${entry.fingerprint}; it expires on ${entry.validUntil}.`,
    ]
    return done(`${lines.join('\n')}\n`, entry)
  },
}

export const consoleClientList: Command = {
  path: ['console', 'client', 'list'],
  usage: '',
  summary: 'List the certificates of clients that the HTTPS API accepts',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'console client list' })
    const { clients } = await liveCluster(call).listApiClients({})
    if (clients.length === 0)
      return done('No certificates of clients are accepted. `systole console client add` adds one.\n', { clients })
    const rows = clients.map((entry) => [
      entry.client.name,
      `${entry.client.isAuthority ? 'signed by ' : ''}${entry.subject}`,
      rightsOf(entry),
      `until ${entry.validUntil}`,
      `added by ${entry.createdBy}`,
    ])
    return done(alignColumns(rows), { clients })
  },
}

export const consoleClientRemove: Command = {
  path: ['console', 'client', 'remove'],
  usage: '<name>',
  summary: 'Stop accepting certificates of a client at once',
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'console client remove <name>' })
    const [name = ''] = call.words
    await liveCluster(call).removeApiClient({ name })
    return done(`Removed the client '${name}': its certificates are no longer accepted.\n`, { removed: name })
  },
}

function who(call: Call): { readonly kind: string; readonly user: string; readonly roles: readonly string[] } {
  const user = call.flags.get('user')
  const roles = listOf(textOf(call, 'role'))
  const isAdministrator = call.flags.has('administrator')
  if ([user !== undefined, roles.length > 0, isAdministrator].filter(Boolean).length !== 1)
    throw new Refusal('Specify who the clients are: one of --user[=<name>], --role=<role>, --administrator.')
  if (isAdministrator) return { kind: 'administrator', user: '', roles: [] }
  if (roles.length > 0) return { kind: 'roles', user: '', roles }
  return { kind: 'user', user: user === true || user === undefined ? '' : user, roles: [] }
}

function rightsOf({ client }: ApiClientEntry): string {
  const of = client.commonNames.length === 0 ? '' : ` (only ${client.commonNames.join(', ')})`
  const is =
    client.kind === 'administrator'
      ? 'administrator'
      : client.kind === 'roles'
        ? `roles ${client.roles.join(',')}`
        : client.user === ''
          ? 'the user of the common name'
          : `user ${client.user}`
  return `${is}${of}`
}

const textOf = ({ flags }: Call, name: string): string | undefined => {
  const said = flags.get(name)
  return typeof said === 'string' ? said : undefined
}

const listOf = (text = ''): readonly string[] => text.split(',').filter((one) => one !== '')
