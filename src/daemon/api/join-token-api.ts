/** What the command line asks about join tokens. */
import { nodeName } from '../../base/index.ts'
import {
  type CallerIdentity,
  type Handlers,
  type IssuedToken,
  type JoinRole,
  type JoinTokenAnswer,
  joinRoles,
  type JoinTokens as ListedTokens,
  type localService,
  RefusedError,
  refuse,
} from '../../rpc/index.ts'
import type { Daemon } from '../lifecycle/daemon.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import { remoteNameObstacle } from '../node-list/node-names.ts'
import { configuredFile } from './configured-file.ts'

export function joinTokenHandlers(
  daemon: Daemon,
): Pick<Handlers<typeof localService>, 'createJoinToken' | 'listJoinTokens' | 'withdrawJoinTokens'> {
  return {
    createJoinToken: async ({ validSeconds, role: said, node }, { caller }) => {
      const role = joinRoles.find((one) => one === (said ?? 'member'))
      if (role === undefined) throw refuse('bad-role', `'${String(said)}' is not a role: ${joinRoles.join(', ')}.`)
      const file = configuredFile(daemon)
      if (node !== undefined) refuseIdle(file, role, node)
      const meant = {
        role,
        ...(node === undefined ? {} : { node }),
        ...(validSeconds === undefined ? {} : { validSeconds }),
      }
      return await daemon.joining.issuer.issue(meant, caller)
    },
    listJoinTokens: async () => {
      configuredFile(daemon)
      const { tokens, events, strangers } = await daemon.joining.tokens.list()
      const now = Date.now()
      return { tokens: tokens.map((token) => listed(token, now)), events, strangers }
    },
    withdrawJoinTokens: async ({ ids }) => {
      configuredFile(daemon)
      const known = (await daemon.joining.tokens.list()).tokens.map(({ id }) => id)
      const unknown = ids.filter((id) => !known.includes(id))
      if (unknown.length > 0)
        throw refuse(
          'no-such-token',
          ...unknown.map((id) => `There is no join token '${id}'. \`systole cluster token list\` lists the tokens.`),
        )
      return { withdrawn: await daemon.joining.tokens.withdraw(({ id }) => ids.length === 0 || ids.includes(id)) }
    },
  }
}

/** One for each node that is to join, and the first of them for older scripts. */
export async function setupTokens(daemon: Daemon, file: ClusterFile, caller: CallerIdentity): Promise<JoinTokenAnswer> {
  const nodes = []
  let validUntil = ''
  for (const { name } of file.nodes.filter((node) => node.name !== daemon.name)) {
    const made = await daemon.joining.issuer.issue({ role: 'member', node: name }, caller)
    nodes.push({ node: name, token: made.token })
    validUntil = made.validUntil
  }
  return { token: nodes[0]?.token ?? '', validUntil, nodes }
}

/**
 * Of a node that was just added. The members may stop to answer in between: whoever added it must learn that it is in the list, since
 * the same command again is refused.
 */
export async function issueForAdded(
  tokens: Pick<Daemon['joining']['issuer'], 'issue'>,
  node: string,
  caller: CallerIdentity,
): ReturnType<Daemon['joining']['issuer']['issue']> {
  try {
    return await tokens.issue({ role: 'member', node }, caller)
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    throw refuse(
      error.code,
      ...error.sentences,
      `${node} was added, and has no token yet. When this is repaired: systole cluster token --node=${node}`,
    )
  }
}

/** A token that could not be used is told now, and not on the host that was to join. */
function refuseIdle(file: ClusterFile, role: JoinRole, node: string): void {
  const names = file.nodes.map(({ name }) => name)
  if (role === 'member' && !names.includes(nodeName(node)))
    throw refuse('unknown-node', `The cluster has no node '${node}'. Add it with \`systole cluster node add ${node}\`.`)
  const entry = file.nodes.find(({ name }) => name === node)
  if (role === 'member' && (entry?.keys?.length ?? 0) > 0)
    throw refuse(
      'has-joined',
      `${node} has already joined. Run \`systole cluster node remove ${node}\` first, then add it again.`,
    )
  const why = role === 'remote' ? remoteNameObstacle(file, node) : undefined
  if (why !== undefined) throw refuse('bad-name', why)
  if (role === 'witness' && file.witness?.name !== node)
    throw refuse(
      'no-witness',
      `The cluster does not expect a witness '${node}'. Add it with \`systole quorum device add\`.`,
    )
}

const listed = (token: IssuedToken, now: number): ListedTokens['tokens'][number] => {
  const { id, role, node = '', issuedAt, validUntil, used, by } = token
  return {
    id,
    role,
    node,
    issuedAt: new Date(issuedAt).toISOString(),
    validUntil: new Date(validUntil).toISOString(),
    state: used !== undefined ? 'used' : validUntil > now ? 'open' : 'over',
    ...(by === undefined ? {} : { madeBy: by.node }),
    ...(by?.user === undefined ? {} : { madeFor: by.user }),
    ...(used === undefined
      ? {}
      : { usedBy: used.node, usedAt: new Date(used.at).toISOString(), usedFrom: used.address }),
  }
}
