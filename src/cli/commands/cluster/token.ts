/** The tokens that let hosts in: made, looked at, taken back. */
import { parseDurationMs } from '../../../base/index.ts'
import type { JoinTokens } from '../../../rpc/index.ts'
import { type Call, type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { alignColumns } from '../../call/table.ts'
import { expectWords } from '../../grammar/words.ts'

const usage = '[--remote | --witness] [--node=<name>] [--valid-for=<duration>]'

export const clusterToken: Command = {
  path: ['cluster', 'token'],
  usage,
  summary: 'Create a one-time token that lets a host join',
  details:
    'The token is for a member unless --remote or --witness is given. Without --node, any host can use it for that role. It is valid for one hour by default.',
  examples: [
    'systole cluster token --node=n4',
    'systole cluster token --remote --node=east-05',
    'systole cluster token --remote --node=east-05 --valid-for=10min',
  ],
  flags: [
    { name: 'remote', summary: 'For a remote node or guest node' },
    { name: 'witness', summary: 'For the witness' },
    { name: 'node', value: 'name', summary: 'The name of the only host that may use the token' },
    {
      name: 'valid-for',
      value: 'duration',
      summary: 'How long the token is valid (default: one hour, maximum: seven days)',
    },
  ],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: `cluster token ${usage}` })
    if (call.flags.has('remote') && call.flags.has('witness'))
      throw new Refusal('--remote and --witness exclude each other.')
    const role = call.flags.has('remote') ? 'remote' : call.flags.has('witness') ? 'witness' : 'member'
    const node = call.flags.get('node')
    const validSeconds = readValidity(call)
    const { token, validUntil } = await liveCluster(call).createJoinToken({
      role,
      ...(typeof node === 'string' ? { node } : {}),
      ...(validSeconds === undefined ? {} : { validSeconds }),
    })
    return done(`${token}\n`, { token, validUntil, role, ...(typeof node === 'string' ? { node } : {}) })
  },
}

/** Older scripts write the seconds as a word. */
function readValidity({ words, flags }: Call): number | undefined {
  const written = flags.get('valid-for') ?? words[0]
  if (typeof written !== 'string') return undefined
  const ms = parseDurationMs(written)
  if (ms === undefined || ms <= 0) throw new Refusal(`'${written}' is not a duration. Examples: 10min, 1h, 3600.`)
  return ms / 1000
}

export const clusterTokenList: Command = {
  path: ['cluster', 'token', 'list'],
  usage: '',
  summary: 'Show join tokens and the hosts that joined or were refused with them',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'cluster token list' })
    const { tokens, events, strangers } = await liveCluster(call).listJoinTokens({})
    return done(describe({ tokens, events, strangers }), { tokens, events, strangers })
  },
}

const roleNames: Readonly<Record<string, string>> = {
  member: 'a member',
  remote: 'a remote node',
  witness: 'the witness',
}

function describe({ tokens, events, strangers }: JoinTokens): string {
  const open = tokens.map((token) => [
    token.id,
    token.madeBy === undefined
      ? ''
      : `made on ${token.madeBy}${token.madeFor === undefined ? '' : ` by ${token.madeFor}`}`,
    `for ${token.node === '' ? `any host that is to be ${roleNames[token.role] ?? token.role}` : `${token.node} as ${roleNames[token.role] ?? token.role}`}`,
    token.state === 'used'
      ? `used by ${token.usedBy ?? ''} (${token.usedFrom ?? ''}) at ${token.usedAt ?? ''}`
      : `${token.state === 'open' ? 'valid' : 'was valid'} until ${token.validUntil}`,
  ])
  const history = [...events, ...strangers]
    .sort((one, other) => Date.parse(one.time) - Date.parse(other.time))
    .map(({ time, kind, token, node, address, by, why }) => [
      time,
      kind,
      `${node || 'any host'}${address === undefined ? '' : ` (${address})`}`,
      token ?? 'unknown token',
      `on ${by}${why === undefined ? '' : `: ${why}`}`,
    ])
  const tokenText = open.length === 0 ? '  none\n' : alignColumns(open)
  const eventText = history.length === 0 ? '  none\n' : alignColumns(history)
  return `Join tokens:\n${tokenText}Used or withdrawn:\n${eventText}`
}

export const clusterTokenWithdraw: Command = {
  path: ['cluster', 'token', 'withdraw'],
  usage: '<id>... | --all',
  summary: 'Withdraw unused join tokens',
  flags: [{ name: 'all', summary: 'All of them' }],
  run: async (call) => {
    if (call.flags.has('all') === call.words.length > 0)
      throw new Refusal("Specify token ids ('systole cluster token list' shows them) or --all.")
    const { withdrawn } = await liveCluster(call).withdrawJoinTokens({ ids: [...call.words] })
    return done(`${withdrawn === 1 ? '1 join token was' : `${withdrawn} join tokens were`} withdrawn.\n`, { withdrawn })
  },
}
