import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'

/** What a node shows the others, and what it believes: PEM texts. */
export interface TlsIdentity {
  readonly certificate: string
  readonly key: string
  /** The cluster's own authority, the only one that is believed. */
  readonly authority: string
}

/** The identity as Node's TLS takes it. */
export function tlsSecrets({ authority, certificate, key }: TlsIdentity): {
  readonly ca: string
  readonly cert: string
  readonly key: string
  readonly minVersion: 'TLSv1.3'
} {
  return { ca: authority, cert: certificate, key, minVersion: 'TLSv1.3' }
}

/** In the subject of the certificate of a host that only votes. */
export const witnessUnit = 'witness'

/** Of whoever calls: a witness has a certificate for its etcd, and calls no daemon. */
export const isWitness = (subject: { readonly OU?: unknown } | undefined): boolean => subject?.OU === witnessUnit

/**
 * What a node's certificate is checked by, whatever the address. A node may be named by an address, which TLS allows as no server
 * name (RFC 6066, section 3): its certificate has one that is made of it.
 */
export function tlsName(node: string): string {
  return isIP(node) === 0 ? node : `ip-${node.replaceAll(/[.:]/g, '-')}.systole`
}

/** A certificate's use to call others with, which a remote node's lacks. */
const clientAuthentication = '1.3.6.1.5.5.7.3.2'

/** By what the authority has signed: a remote node's opens nothing, and a witness's says what it is. */
export const isMemberCertificate = ({ ca, keyUsage, subject }: X509Certificate): boolean =>
  // Node.js names the extended uses `keyUsage`; it is undefined where there are none.
  !ca &&
  ((keyUsage as readonly string[] | undefined)?.includes(clientAuthentication) ?? false) &&
  !subject.split('\n').includes(`OU=${witnessUnit}`)

/** Reading keys and certificates takes 10 ms: a node that tries ten times a second to reach a lost one must not do it each time. */
const contexts = new WeakMap<TlsIdentity, SecureContext>()

export function contextOf(identity: TlsIdentity): SecureContext {
  const context = contexts.get(identity) ?? createSecureContext(tlsSecrets(identity))
  contexts.set(identity, context)
  return context
}
