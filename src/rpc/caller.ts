/** Who is at the other end of a connection: by the certificate between nodes, by the socket's credentials on the host. */
import { createHash, type KeyObject, X509Certificate } from 'node:crypto'
import type { PeerCertificate } from 'node:tls'
import { isWitness } from './tls-identity.ts'

export type CallerRole = 'member' | 'remote' | 'witness'

export interface NodeCaller {
  readonly kind: 'node'
  /** The one that its certificate names. */
  readonly name: string
  /** As `keyOf` has it. */
  readonly key: string
  /** What its certificate was signed for. */
  readonly role: CallerRole
}

export interface UserCaller {
  readonly kind: 'user'
  readonly uid: number
  readonly gid: number
  readonly pid: number
}

/** Somebody who has called the HTTPS API: its process passes on what he has shown, and the daemon finds out who he is. */
export interface WebCaller {
  readonly kind: 'web'
  /** A token; empty where he has shown none. */
  readonly token: string
  /** His address. */
  readonly from: string
  /** The witness at whose HTTPS API he has called, which has passed it on. Absent: that of this node. */
  readonly through?: string
}

export type CallerIdentity = NodeCaller | UserCaller | WebCaller | { readonly kind: 'unknown' }

/** What the list of nodes knows a node by: base64 of the SHA-256 of its public key (SPKI). It outlives a certificate that is renewed for the same key. */
export function keyOf(certificate: string | Buffer): string {
  return keyOfPublic(new X509Certificate(certificate).publicKey)
}

export function keyOfPublic(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64')
}

/**
 * The serial number of every certificate for that key, in hexadecimal: from what the list of nodes knows a node by follows what its certificates are revoked by,
 * however many there were. Positive, as RFC 5280 wants it: the first bit is clear and the first byte is not zero.
 */
export function serialOf(key: string): string {
  const bytes = Buffer.from(key, 'base64').subarray(0, 16)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes.toString('hex')
}

const clientAuth = '1.3.6.1.5.5.7.3.2'

/** Of a certificate that TLS has found to be signed by the cluster's authority. */
export function callerOf(
  certificate: Pick<PeerCertificate, 'subject' | 'raw' | 'ext_key_usage'> | undefined,
): CallerIdentity {
  const name = certificate?.subject?.CN
  if (certificate?.raw === undefined || typeof name !== 'string') return { kind: 'unknown' }
  return { kind: 'node', name, key: keyOf(certificate.raw), role: roleOf(certificate) }
}

function roleOf(certificate: Pick<PeerCertificate, 'subject' | 'ext_key_usage'>): CallerRole {
  if (isWitness(certificate.subject)) return 'witness'
  return certificate.ext_key_usage?.includes(clientAuth) === true ? 'member' : 'remote'
}
