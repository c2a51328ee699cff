/**
 * What lets a new host in: a secret that the cluster made a short while ago, and the hash of the cluster's authority, so that the new host
 * knows whom it talks to before it says the secret. The cluster keeps only the secret's hash, with what the token is good for: one role,
 * one host where it names one, one use, and a short time.
 */
import { createHash, randomBytes, timingSafeEqual, X509Certificate } from 'node:crypto'
import { failed, ok, type Result } from '../base/index.ts'

export interface JoinToken {
  readonly secret: string
  /** SHA-256 of the authority's certificate (DER), in hexadecimal. */
  readonly authorityHash: string
}

/** What a host becomes with it. */
export const joinRoles = ['member', 'remote', 'witness'] as const
export type JoinRole = (typeof joinRoles)[number]

/** What the cluster remembers of a token. */
export interface IssuedToken {
  /** For people, who must not see the secret again. */
  readonly id: string
  readonly secretHash: string
  readonly role: JoinRole
  /** The only host that may use it. */
  readonly node?: string
  /** Milliseconds since the epoch. */
  readonly issuedAt: number
  readonly validUntil: number
  /** The member that has made it, and the user who has asked for it. An older build did not say. */
  readonly by?: { readonly node: string; readonly user?: string }
  /** `key`: by which the host was let in. An older build did not say. */
  readonly used?: { readonly at: number; readonly node: string; readonly address: string; readonly key?: string }
}

const prefix = 'systole1'

export function issueToken(
  authority: string,
  asked: Pick<IssuedToken, 'role' | 'node' | 'by' | 'issuedAt' | 'validUntil'>,
): { readonly text: string; readonly issued: IssuedToken } {
  const secret = randomBytes(24).toString('base64url')
  const text = [prefix, authorityHash(authority), secret].join('.')
  return { text, issued: { id: randomBytes(4).toString('hex'), secretHash: hash(secret), ...asked } }
}

export interface TokenReport {
  readonly code: 'bad-token'
  readonly message: string
}

export function parseToken(text: string): Result<JoinToken, TokenReport> {
  const [start, authority, secret, ...more] = text.trim().split('.')
  if (start === prefix && authority?.length === 64 && secret !== undefined && secret.length >= 32 && more.length === 0)
    return ok({ secret, authorityHash: authority })
  return failed({
    code: 'bad-token',
    message:
      'This is not a join token: copy it whole, as `systole cluster setup` or `systole cluster token` printed it.',
  })
}

/** Also one that is used up or whose time is over: why it is refused is said to whoever holds it. */
export function tokenOfSecret(tokens: readonly IssuedToken[], secret: string): IssuedToken | undefined {
  const given = Buffer.from(hash(secret))
  // Each is compared in full, so that the time it takes says nothing.
  return tokens.map((token) => (isSame(token, given) ? token : undefined)).find((token) => token !== undefined)
}

function isSame({ secretHash }: IssuedToken, given: Buffer): boolean {
  const known = Buffer.from(secretHash)
  return known.length === given.length && timingSafeEqual(known, given)
}

/** It was used by this very host, which has not heard the answer: whoever has another key is another host. */
export const isUsedBySame = (
  { used }: Pick<IssuedToken, 'used'>,
  asked: { readonly node: string; readonly key: string },
): boolean => used?.key !== undefined && used.key === asked.key && used.node === asked.node

/** Why a token does not let this host in; undefined where it does. */
export function tokenObstacle(
  token: IssuedToken,
  asked: { readonly role: JoinRole; readonly node: string; readonly key: string },
  now: number,
): string | undefined {
  if (token.used !== undefined && !isUsedBySame(token, asked))
    return `The token was used by ${token.used.node} at ${new Date(token.used.at).toISOString()}, and a token lets in one host, once.`
  if (token.validUntil <= now) return `The token was valid until ${new Date(token.validUntil).toISOString()}.`
  if (token.role !== asked.role) return `The token is for ${named(token.role)}, and not for ${named(asked.role)}.`
  if (token.node !== undefined && token.node !== asked.node)
    return `The token is for ${token.node}, and not for ${asked.node}.`
  return undefined
}

const named = (role: JoinRole): string => ({ member: 'a member', remote: 'a remote node', witness: 'a witness' })[role]

/** Of the last certificates: a cluster has one authority, which is asked about after every change of its store. */
const hashes = new Map<string, string>()
const mostHashes = 8

export function authorityHash(certificate: string): string {
  const known = hashes.get(certificate)
  if (known !== undefined) return known
  const made = hash(new X509Certificate(certificate).raw)
  if (hashes.size >= mostHashes) hashes.clear()
  hashes.set(certificate, made)
  return made
}

function hash(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex')
}
