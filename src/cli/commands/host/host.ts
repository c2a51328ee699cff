import { type Call, type Command, done } from '../../call/command.ts'
import { expectWords } from '../../grammar/words.ts'
import { readNodes } from '../cluster/setup.ts'

const userFlags = [
  {
    name: 'username',
    letter: 'u',
    value: 'user',
    summary: 'Without effect, accepted for compatibility with pcs: nodes authenticate with certificates',
    withoutEffect: 'nodes authenticate with certificates.',
  },
  {
    name: 'password',
    letter: 'p',
    value: 'password',
    summary: 'Without effect, accepted for compatibility with pcs: nodes authenticate with certificates',
    withoutEffect: 'nodes authenticate with certificates.',
  },
  {
    name: 'token',
    value: 'file',
    summary: 'Without effect, accepted for compatibility with pcs: nodes authenticate with certificates',
    withoutEffect: 'nodes authenticate with certificates.',
  },
  {
    name: 'force',
    summary: 'Without effect, accepted for compatibility with pcs: nodes authenticate with certificates',
    withoutEffect: 'nodes authenticate with certificates.',
  },
  {
    name: 'local',
    summary: 'Without effect, accepted for compatibility with pcs: nodes authenticate with certificates',
    withoutEffect: 'nodes authenticate with certificates.',
  },
] as const

export const hostAuth: Command = {
  path: ['host', 'auth'],
  bare: [['cluster', 'auth']],
  usage: '(<host> [addr=<address>])... [-u <user>] [-p <password>]',
  summary: 'Show whether hosts belong to the cluster; hosts join with a token, not a password',
  details:
    "For scripts written for pcs. A host becomes a node only with the command that 'cluster setup' or 'cluster node add' prints.",
  flags: userFlags,
  completes: ['node'],
  run: async (call) => {
    const members = new Set(await memberNames(call))
    const named = readNodes(call.words.map((word) => word.replace(/^(addr=[^,]+):\d+$/, '$1'))).map(({ name }) => name)
    const hosts = named.length > 0 ? named : [...members]
    const facts = hosts.map((host) => ({ host, member: members.has(host) }))
    const lines = facts.map(({ host, member }) =>
      member
        ? `${host}: Already authorized\n`
        : `${host}: joins with the token that cluster setup or cluster node add prints\n`,
    )
    return done(lines.join(''), facts)
  },
}

export const hostDeauth: Command = {
  path: ['host', 'deauth'],
  usage: '[<host>...]',
  summary: 'Does nothing: no passwords or tokens of other hosts are kept',
  completes: ['node'],
  run: (call) =>
    Promise.resolve(
      done("Nothing to do: 'cluster node remove' removes a node.\n", {
        hosts: call.words,
        forgotten: [],
      }),
    ),
}

/** Nobody where no daemon answers yet: scripts authenticate first of all. */
async function memberNames(call: Call): Promise<readonly string[]> {
  try {
    return (await call.cluster.live?.getState({}))?.members.map(({ node }) => node) ?? []
  } catch {
    // No daemon, no members; the commands that follow will say so.
    return []
  }
}

export const statusPcsd: Command = {
  path: ['status', 'pcsd'],
  aliases: [['pcsd', 'status']],
  usage: '[<node>...]',
  summary: 'Show whether the daemons of the nodes answer; the exit code is 2 if one does not',
  completes: ['node'],
  run: async (call) => {
    const state = await call.cluster.live?.getState({})
    const members = state?.members ?? []
    const wanted = call.words.length > 0 ? call.words : members.map(({ node }) => node)
    expectWords(wanted, { atLeast: 1, usage: 'status pcsd <node>...' })
    const facts = wanted.map((node) => {
      const found = members.find((member) => member.node === node)
      const online = found !== undefined && ['member', 'joining', 'leaving'].includes(found.state)
      return { node, online, known: found !== undefined }
    })
    const lines = facts.map(
      ({ node, online, known }) => `  ${node}: ${online ? 'Online' : known ? 'Offline' : 'Unable to authenticate'}\n`,
    )
    return done(lines.join(''), facts, facts.every(({ online }) => online) ? 0 : 2)
  },
}
