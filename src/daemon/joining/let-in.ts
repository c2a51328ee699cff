/**
 * The side that lets hosts in: whoever shows the secret of a token is signed a certificate for its key, once, for the role and the name that
 * the token was made for. A member that has joined is never let in again, whatever the token: it is removed first, and added again.
 * The order: what can be refused is refused, the authority's key is brought together, the token is used up, and only then is there a signature.
 */
import { createPublicKey } from 'node:crypto'
import { assertNever } from '../../base/index.ts'
import {
  type Enrol,
  type EnrolmentAnswer,
  type IssuedToken,
  type JoinRole,
  keyOfPublic,
  type RefusedError,
  refuse,
  signNodeCertificate,
} from '../../rpc/index.ts'
import { isStoreFailure } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import { type ClusterFile, printClusterFile } from '../node-list/cluster-file.ts'
import { addressesOf } from '../node-list/node-links.ts'
import { remoteNameObstacle } from '../node-list/node-names.ts'
import { type SigningAuthority, trustOf, type WithAuthority } from '../pki/authority.ts'
import { AttemptLimit, mostNoted } from './attempt-limit.ts'
import type { AskedIn } from './join-book.ts'
import type { JoinTokens } from './join-tokens.ts'

export interface LetInPorts {
  readonly log: Log
  readonly tokens: JoinTokens
  readonly file: () => ClusterFile
  /** It has been a member, also where the list of an older version does not say so. */
  readonly wasSeen: (node: string) => boolean
  /** The authority is being replaced. */
  readonly isRotating: () => boolean
  /** The cluster has a remote node of that name, or a guest. */
  readonly isRemoteNode: (name: string) => boolean
  /** Brings the authority's key together for as long as that takes. */
  readonly withAuthority: WithAuthority
  /** The list of nodes, in which that node or witness is known by this key (PEM) from now on. Throws where nobody is awaited by that name any more. */
  readonly withKeyOf: (host: string, publicKey: string) => Promise<ClusterFile>
}

export function enrolHandler(ports: LetInPorts): Enrol {
  const letIn = judgedEnrolment(ports)
  return async (asked, address) => {
    try {
      return await letIn(asked, address)
    } catch (error) {
      if (!isStoreFailure(error)) throw error
      ports.log.warn('a host could not be let in: the store does not answer', { node: asked.node, address, error })
      throw refuse(
        'store-failed',
        'This node could not let the host in: the store of the cluster does not answer.',
        'Try again with the same token, or join by another cluster node.',
      )
    }
  }
}

function judgedEnrolment(ports: LetInPorts): Enrol {
  const limit = new AttemptLimit()
  return async ({ secret, node, publicKey, remote, witness }, address) => {
    const role: JoinRole = witness === true ? 'witness' : remote === true ? 'remote' : 'member'
    const key = keyTextOf(publicKey)
    const asked = { role, node, address, key: key ?? '' }
    if (!limit.mayTry(address, performance.now()))
      throw refuse('too-many-attempts', `Too many invalid tokens came from ${address}. Try again in a minute.`)
    await limit.turn(performance.now())
    const verdict = await ports.tokens.judge(secret, asked)
    if (verdict.kind === 'unseen')
      throw refuse(
        'no-quorum',
        'This node cannot check the token: it has no quorum, or the cluster is stopped on it.',
        'Try again, or join by another cluster node.',
      )
    if (verdict.kind === 'unknown') {
      const refusal = refuse(
        'token-not-valid',
        'The token is invalid or has expired. Create one with `systole cluster token` on a cluster node.',
      )
      const failed = limit.failed(address, performance.now())
      if (failed === 'too-many')
        ports.log.warn('more wrong join tokens came than are written down', { inMinute: mostNoted })
      if (failed !== 'noted') throw refusal
      return await refused(ports, asked, refusal)
    }
    const { token } = verdict
    if (verdict.kind === 'refused') {
      limit.failed(address, performance.now())
      return await refused(ports, asked, refuse('token-not-valid', verdict.why, another(asked)), token)
    }
    const obstacle = whyNot(ports, asked, token) ?? (key === undefined ? badKey() : undefined)
    if (obstacle !== undefined) return await refused(ports, asked, obstacle, token)
    const answer = await ports.withAuthority(async (authority) => {
      if (!(await ports.tokens.use(secret, asked)))
        return await refused(ports, asked, refuse('token-not-valid', 'Another host has just used the token.'), token)
      return await sign(ports, asked, publicKey, authority)
    })
    await ports.tokens.note('joined', asked, token)
    return answer
  }
}

const another = ({ role, node }: AskedIn): string =>
  `Create another one: systole cluster token ${role === 'member' ? '' : `--${role} `}--node ${node}`

async function refused(
  { tokens }: LetInPorts,
  asked: AskedIn,
  refusal: RefusedError,
  token?: Parameters<JoinTokens['note']>[2],
): Promise<never> {
  await tokens.note('refused', asked, token, refusal.sentences[0])
  throw refusal
}

function whyNot(
  { file: currentFile, wasSeen, isRotating, isRemoteNode }: LetInPorts,
  { role, node, key }: AskedIn,
  token: IssuedToken,
): RefusedError | undefined {
  const file = currentFile()
  if (isRotating())
    return refuse(
      'is-rotating',
      'The cluster’s authority is being replaced. Join with another token when `systole pki status` shows that the replacement is complete.',
    )
  switch (role) {
    case 'member': {
      const entry = file.nodes.find(({ name }) => name === node)
      if (entry === undefined)
        return refuse(
          'unknown-node',
          `The cluster ${file.clusterName} has no node '${node}' (it has ${file.nodes.map(({ name }) => name).join(', ')}).`,
          `Add it with \`systole cluster node add ${node}\`, or name it with --node.`,
        )
      if (entry.leaving === true) return refuse('is-leaving', `${node} is being removed from the cluster.`)
      if (entry.keys === undefined ? !wasSeen(node) : entry.keys.length === 0) return undefined
      // The answer was lost on its way: it asks again, for the key that the list has.
      if (entry.keys?.join() === key && token.used?.key === key) return undefined
      return refuse(
        'has-joined',
        `${node} has already joined the cluster ${file.clusterName}, and a token cannot replace it.`,
        `If its host was lost or reinstalled: \`systole cluster node remove ${node}\` on another node, then \`systole cluster node add ${node}\`.`,
      )
    }
    case 'remote': {
      const why = remoteNameObstacle(file, node)
      if (why !== undefined) return refuse('bad-name', why)
      if (token.node !== undefined || !isRemoteNode(node)) return undefined
      return refuse(
        'is-remote-node',
        `The cluster ${file.clusterName} already has a remote node '${node}', and the token is not for that name.`,
        `If this host is it: systole cluster token --remote --node ${node}`,
      )
    }
    case 'witness':
      return file.witness === undefined
        ? refuse(
            'no-witness',
            `The cluster ${file.clusterName} does not expect a witness. Run \`systole quorum device add model net host=…\` with this host's name on one of its nodes first.`,
          )
        : undefined
    default:
      return assertNever(role)
  }
}

/** What the authority signs is a key of the one kind that hosts make, and nothing that breaks whoever reads it. */
function keyTextOf(publicKey: string): string | undefined {
  try {
    const key = createPublicKey(publicKey)
    const isOurs = key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
    return isOurs ? keyOfPublic(key) : undefined
  } catch {
    // OpenSSL's words are about its own functions.
    return undefined
  }
}

const badKey = (): RefusedError => refuse('bad-key', 'The public key of this host must be one on the curve P-256.')

async function sign(
  { file: currentFile, withKeyOf }: LetInPorts,
  { role, node: name }: AskedIn,
  publicKey: string,
  authority: SigningAuthority,
): Promise<EnrolmentAnswer> {
  const { nodes, witness } = currentFile()
  const answer = (certificate: string, file: ClusterFile): EnrolmentAnswer => ({
    certificate,
    authority: { certificate: trustOf(authority) },
    clusterFile: printClusterFile(file),
  })
  switch (role) {
    case 'member': {
      const entry = nodes.find((listed) => listed.name === name)
      if (entry === undefined) throw refuse('unknown-node', `${name} was removed from the cluster just now.`)
      const certificate = await signNodeCertificate(authority, { name, addresses: addressesOf(entry), publicKey })
      return answer(certificate, await withKeyOf(name, publicKey))
    }
    case 'remote':
      return answer(
        await signNodeCertificate(authority, { name, addresses: [], publicKey, servesOnly: true }),
        currentFile(),
      )
    case 'witness': {
      if (witness === undefined) throw refuse('no-witness', 'The witness was removed from the cluster just now.')
      const place = { name: witness.name, addresses: [witness.address] }
      const certificate = await signNodeCertificate(authority, { ...place, publicKey, isWitness: true })
      return answer(certificate, await withKeyOf(witness.name, publicKey))
    }
    default:
      return assertNever(role)
  }
}
