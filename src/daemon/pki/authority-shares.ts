/**
 * The authority's key in parts: so many shares that any majority of the members can put it together, and no minority, nor anybody who has
 * stolen the disks of one. Shares of one splitting (a generation) fit together and with no other. On the disk: `pki/authority-share.json`.
 */
import { createPrivateKey, createPublicKey, randomBytes, X509Certificate } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { combine, split } from 'shamir-secret-sharing'
import { type AuthorityShare, authorityHash, type KeyPair } from '../../rpc/index.ts'
import { readIfThere, writeWhole } from '../host/files.ts'

/** Members of which any may be lost without the key, as long as the others are a majority. */
export const thresholdOf = (members: number): number => Math.floor(members / 2) + 1

export const newGeneration = (number: number): string => `${number}-${randomBytes(6).toString('hex')}`

/** One for each holder; two at least. */
export async function splitKey(
  { certificate, key }: KeyPair,
  asked: { readonly holders: number; readonly generation: string },
): Promise<readonly AuthorityShare[]> {
  const secret = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' })
  const threshold = thresholdOf(asked.holders)
  try {
    const shares = await split(Uint8Array.from(secret), asked.holders, threshold)
    const authority = authorityHash(certificate)
    return shares.map((share) => ({
      generation: asked.generation,
      threshold,
      authority,
      share: Buffer.from(share).toString('base64'),
    }))
  } finally {
    secret.fill(0)
  }
}

/** By the first generation of which there are enough; nothing where there are too few, or they are not this authority's. */
export async function combineShares(
  certificate: string,
  shares: readonly AuthorityShare[],
): Promise<KeyPair | undefined> {
  const own = shares.filter(({ authority }) => authority === authorityHash(certificate))
  for (const generation of new Set(own.map((share) => share.generation))) {
    const those = own.filter((share) => share.generation === generation)
    const different = [...new Set(those.map(({ share }) => share))]
    const threshold = Math.max(2, ...those.map((share) => share.threshold))
    for (const some of choices(different, threshold)) {
      const key = await keyOf(some)
      if (key !== undefined && belongsTo(key, certificate)) return { certificate, key }
    }
  }
  return undefined
}

const mostChoices = 500

/** So many of them in every way: a member with a share that is wrong must not keep the others, who are enough, from signing. */
function choices(shares: readonly string[], count: number): readonly (readonly string[])[] {
  let begun: readonly (readonly string[])[] = [[]]
  for (const [index, share] of shares.entries()) {
    const left = shares.length - index - 1
    begun = begun
      .flatMap((some) => (some.length < count ? [[...some, share], some] : [some]))
      .filter((some) => some.length + left >= count)
      .slice(0, mostChoices)
  }
  return begun.filter((some) => some.length === count)
}

async function keyOf(shares: readonly string[]): Promise<string | undefined> {
  const parts = shares.map((share) => Uint8Array.from(Buffer.from(share, 'base64')))
  let secret: Buffer | undefined
  try {
    secret = Buffer.from(await combine(parts))
    return createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' })
      .export({ type: 'pkcs8', format: 'pem' })
      .toString()
  } catch {
    // Parts that do not fit together give a key that is none.
    return undefined
  } finally {
    secret?.fill(0)
    for (const part of parts) part.fill(0)
  }
}

export function belongsTo(key: string, certificate: string): boolean {
  const spki = (of: ReturnType<typeof createPublicKey>): Buffer => of.export({ type: 'spki', format: 'der' })
  return spki(createPublicKey(key)).equals(spki(new X509Certificate(certificate).publicKey))
}

const shareFile = (pki: string): string => join(pki, 'authority-share.json')

/** Two at most: the one that counts, and the one that may count next. */
export function readShares(pki: string): readonly AuthorityShare[] {
  const text = readIfThere(shareFile(pki))
  if (text === undefined) return []
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value.filter(isShare) : []
  } catch (error) {
    // One that was damaged is as one that is lost: the DC splits the key anew.
    if (error instanceof SyntaxError) return []
    throw error
  }
}

function isShare(value: unknown): value is AuthorityShare {
  if (typeof value !== 'object' || value === null) return false
  const { generation, threshold, authority, share } = value as Partial<Record<string, unknown>>
  return [generation, authority, share].every((part) => typeof part === 'string') && typeof threshold === 'number'
}

export function writeShares(pki: string, shares: readonly AuthorityShare[]): void {
  if (shares.length === 0) rmSync(shareFile(pki), { force: true })
  else writeWhole(shareFile(pki), JSON.stringify(shares), 0o600)
}
