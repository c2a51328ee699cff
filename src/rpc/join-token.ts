/**
 * What lets a new node in: a secret that the cluster made a short while ago, and the hash of the cluster's authority, so
 * that the new node knows whom it talks to before it says the secret. The cluster keeps only the secret's hash.
 */
import { createHash, randomBytes, timingSafeEqual, X509Certificate } from 'node:crypto'
import { failed, ok, type Result } from '../base/index.ts'

export interface JoinToken {
  readonly secret: string
  /** SHA-256 of the authority's certificate (DER), in hexadecimal. */
  readonly authorityHash: string
}

/** What the cluster remembers of a token. */
export interface IssuedToken {
  readonly secretHash: string
  /** Milliseconds since the epoch. */
  readonly validUntil: number
}

const prefix = 'systole1'

export function issueToken(
  authority: string,
  validUntil: number,
): { readonly text: string; readonly issued: IssuedToken } {
  const secret = randomBytes(24).toString('base64url')
  const text = [prefix, authorityHash(authority), secret].join('.')
  return { text, issued: { secretHash: hash(secret), validUntil } }
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

export function acceptsSecret(tokens: readonly IssuedToken[], secret: string, now: number): boolean {
  const given = Buffer.from(hash(secret))
  // Each is compared in full, so that the time it takes says nothing.
  return tokens
    .map((token) => token.validUntil > now && timingSafeEqual(Buffer.from(token.secretHash), given))
    .includes(true)
}

export const authorityHash = (certificate: string): string => hash(new X509Certificate(certificate).raw)

function hash(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex')
}
