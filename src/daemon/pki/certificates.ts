/**
 * Until when this node's certificate holds, and when it is renewed: with a third of its life left, by the daemon itself, with the
 * authority's key, which members put together for that (authority.ts). Nodes that were set up together come one after the other, because the key of
 * before is revoked, for which connections to etcd end once. Whatever connects reads the certificate then, etcd too; what is open goes on.
 */
import { X509Certificate } from 'node:crypto'
import { signNodeCertificate, type TlsIdentity } from '../../rpc/index.ts'
import type { ClusterNodeEntry, WitnessEntry } from '../node-list/cluster-file.ts'
import { addressesOf } from '../node-list/node-links.ts'
import { trustOf, type WithAuthority } from './authority.ts'
import { readIdentity, writeCertificate } from './identity.ts'

export interface Validity {
  /** Milliseconds since the epoch. */
  readonly from: number
  readonly until: number
}

export function validityOf(certificate: string): Validity {
  const { validFrom, validTo } = new X509Certificate(certificate)
  return { from: Date.parse(validFrom), until: Date.parse(validTo) }
}

const hourMs = 3_600_000

/** `turn`: the node's place in the list. */
export function renewalTime({ from, until }: Validity, turn: number): number {
  const lifeMs = until - from
  return until - lifeMs / 3 + turn * Math.min(hourMs, lifeMs / 100)
}

export interface OwnCertificates {
  readonly node: Validity
  readonly authority: Validity
}

export function ownCertificates(pki: string): OwnCertificates {
  const { authority, certificate } = readIdentity(pki)
  return { node: validityOf(certificate), authority: validityOf(authority) }
}

/** What a remote node gets: it serves and does not call, and it is given none of the authority's key. */
export async function signForRemote(
  withAuthority: WithAuthority,
  name: string,
  publicKey: string,
): Promise<{ readonly certificate: string; readonly authority: string }> {
  return await withAuthority(async (authority) => ({
    certificate: await signNodeCertificate(authority, { name, addresses: [], publicKey, servesOnly: true }),
    authority: trustOf(authority),
  }))
}

/** For its etcd, which calls the others. No daemon listens to it, and it is given none of the authority's key. */
export async function signForWitness(
  withAuthority: WithAuthority,
  { name, address }: WitnessEntry,
  publicKey: string,
): Promise<{ readonly certificate: string; readonly authority: string }> {
  return await withAuthority(async (authority) => ({
    certificate: await signNodeCertificate(authority, { name, addresses: [address], publicKey, isWitness: true }),
    authority: trustOf(authority),
  }))
}

/**
 * For the same key, where the certificate does not name all addresses of the node yet: etcd's members believe each other by them. What
 * has read the old one goes on with it.
 */
export async function certifyAddresses(
  { pki, withAuthority }: { readonly pki: string; readonly withAuthority: WithAuthority },
  own: Pick<ClusterNodeEntry, 'name' | 'address' | 'links'>,
): Promise<void> {
  const addresses = addressesOf(own)
  const { certificate } = readIdentity(pki)
  const known = new X509Certificate(certificate)
  const named = known.subjectAltName?.split(', ') ?? []
  if (addresses.every((address) => known.checkIP(address) !== undefined || named.includes(`DNS:${address}`))) return
  const publicKey = known.publicKey.export({ type: 'spki', format: 'pem' }).toString()
  await withAuthority(async (authority) =>
    writeCertificate(pki, await signNodeCertificate(authority, { name: own.name, addresses, publicKey })),
  )
}

/** For new keys. It is in nobody's files yet: the others must know the key before this node shows it. */
export async function signForNode(
  withAuthority: WithAuthority,
  own: ClusterNodeEntry,
  { publicKey, key }: { readonly publicKey: string; readonly key: string },
): Promise<TlsIdentity> {
  return await withAuthority(async (authority) => ({
    authority: trustOf(authority),
    certificate: await signNodeCertificate(authority, { name: own.name, addresses: addressesOf(own), publicKey }),
    key,
  }))
}
