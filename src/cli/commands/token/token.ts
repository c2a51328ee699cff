/** Tokens for the HTTPS API. */
import { parseDurationMs } from '../../../base/index.ts'
import { type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { alignColumns } from '../../call/table.ts'
import { expectWords } from '../../grammar/words.ts'

const dayMs = 24 * 3_600_000
const usualMs = 90 * dayMs
const createUsage = 'token create <name> --role=<role>[,<role>]... | --administrator [--expires=<time>]'

export const tokenCreate: Command = {
  path: ['token', 'create'],
  usage: '<name> --role=<role>[,<role>]... | --administrator [--expires=<time>]',
  summary: 'Create a token for the HTTPS API, with rights of its own',
  details:
    'The token is shown once: the cluster keeps its hash only. It may do what its roles permit, also while access control is disabled. `systole acl role create` creates a role.',
  examples: [
    'systole token create prometheus --role=monitor --expires=366d',
    'systole token create ci --administrator --expires=1h',
  ],
  flags: [
    { name: 'role', value: 'roles', summary: 'The roles whose permissions the token has' },
    { name: 'administrator', summary: 'The token may do everything that an administrator may, except to run jobs' },
    {
      name: 'expires',
      value: 'time',
      summary: 'When it expires, from now: such as 30d, 12h (default 90d, at most 366d)',
    },
  ],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: createUsage })
    const [name = ''] = call.words
    const said = call.flags.get('role')
    const roles = typeof said === 'string' ? said.split(',').filter((role) => role !== '') : []
    const isAdministrator = call.flags.has('administrator')
    if (isAdministrator === roles.length > 0)
      throw new Refusal('A token has roles or is an administrator’s. Specify either --role=<role> or --administrator.')
    const validMs = timeOf(call.flags.get('expires'))
    const made = await liveCluster(call).createApiToken({ name, roles, validSeconds: validMs / 1000 })
    const who = isAdministrator ? 'It may do everything that an administrator may.' : `Its roles: ${roles.join(', ')}.`
    const text = `${made.token}\nThis is the token '${name}', which is not shown again. ${who} It expires on ${made.validUntil}.\n`
    return done(text, { name, roles, token: made.token, validUntil: made.validUntil })
  },
}

function timeOf(said: string | true | undefined): number {
  if (said === undefined) return usualMs
  const days = /^(\d+)d$/.exec(String(said))
  const validMs = days ? Number(days[1]) * dayMs : parseDurationMs(String(said))
  if (validMs !== undefined && validMs > 0 && validMs <= 366 * dayMs) return validMs
  throw new Refusal(`'${String(said)}' is not a time for a token. Specify one up to 366d, such as 30d or 12h.`)
}

export const tokenList: Command = {
  path: ['token', 'list'],
  usage: '',
  summary: 'List the tokens for the HTTPS API',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'token list' })
    const { tokens } = await liveCluster(call).listApiTokens({})
    if (tokens.length === 0) return done('There are no tokens. `systole token create` creates one.\n', { tokens })
    const rows = tokens.map((token) => [
      token.name,
      token.roles.length === 0 ? 'administrator' : token.roles.join(','),
      token.isValid ? `until ${token.validUntil}` : 'expired',
      `created by ${token.createdBy} on ${token.created}`,
    ])
    return done(alignColumns(rows), { tokens })
  },
}

export const tokenRevoke: Command = {
  path: ['token', 'revoke'],
  usage: '<name>',
  summary: 'Revoke a token for the HTTPS API at once',
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'token revoke <name>' })
    const [name = ''] = call.words
    await liveCluster(call).revokeApiToken({ name })
    return done(`Revoked the token '${name}'.\n`, { revoked: name })
  },
}
