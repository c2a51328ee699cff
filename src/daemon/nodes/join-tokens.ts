/** The join tokens that this node has issued, by the hashes of their secrets. They survive a restart of the daemon. */
import { acceptsSecret, type IssuedToken, issueToken } from '../../rpc/index.ts'
import { readIfThere, writeWhole } from '../host/files.ts'
import type { Paths } from '../host/paths.ts'
import { readAuthority } from './identity.ts'

const dayMs = 24 * 3600 * 1000

export function joinToken(
  { joinTokens: file, pki }: Pick<Paths, 'joinTokens' | 'pki'>,
  validSeconds?: number,
): { readonly token: string; readonly validUntil: string } {
  const now = Date.now()
  const validUntil = now + (validSeconds === undefined ? dayMs : validSeconds * 1000)
  const { text, issued } = issueToken(readAuthority(pki).certificate, validUntil)
  const tokens = [...readTokens(file).filter((token) => token.validUntil > now), issued]
  writeWhole(file, JSON.stringify(tokens), 0o600)
  return { token: text, validUntil: new Date(validUntil).toISOString() }
}

export function isIssuedSecret(file: string, secret: string): boolean {
  return acceptsSecret(readTokens(file), secret, Date.now())
}

function readTokens(file: string): readonly IssuedToken[] {
  const text = readIfThere(file)
  return text === undefined ? [] : (JSON.parse(text) as readonly IssuedToken[])
}
