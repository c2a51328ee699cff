/**
 * The cluster's own authority. Each node has a certificate with its name and its addresses, good for serving and for
 * calling; nothing but this authority is believed. Its key is whole only on the node that founds a cluster, until another has joined;
 * from then on each member has a share of it (authority-shares.ts in the daemon).
 */
import { createPublicKey, randomBytes, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import { keyOfPublic, serialOf } from './caller.ts'
import { tlsName, witnessUnit } from './tls-identity.ts'

export interface KeyPair {
  readonly certificate: string
  readonly key: string
}

/** Loaded when a certificate is made, which is rare, and not at each start of the daemon or the command line. */
async function loadX509(): Promise<typeof import('@peculiar/x509')> {
  await import('reflect-metadata')
  return await import('@peculiar/x509')
}

const day = 24 * 3600 * 1000
/** Twenty years: the authority outlives the cluster's hardware. */
const authorityLifeMs = 7300 * day
/** A year: each is renewed by itself with a third of it left. */
const nodeLifeMs = 366 * day
/** Clocks of hosts that have just been installed differ. */
const clockToleranceMs = day

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256' }
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' }

export async function createAuthority(clusterName: string): Promise<KeyPair> {
  const x509 = await loadX509()
  const keys = await webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ CN: [clusterName] }, { O: ['Systole cluster authority'] }],
    notBefore: new Date(Date.now() - clockToleranceMs),
    notAfter: new Date(Date.now() + authorityLifeMs),
    signingAlgorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { certificate: certificate.toString('pem'), key: await exportKey(keys.privateKey) }
}

/** A year where nothing else is said. */
export interface CertificateLife {
  readonly from: Date
  readonly until: Date
}

/** A key pair for a node, signed at once; for the first node of a cluster. */
export async function createNodeCertificate(
  authority: KeyPair,
  node: { readonly name: string; readonly addresses: readonly string[]; readonly valid?: CertificateLife },
): Promise<KeyPair> {
  const { publicKey, key } = await createKeys()
  return { certificate: await signNodeCertificate(authority, { ...node, publicKey }), key }
}

/** For a joining node: its private key never leaves it. */
export async function createKeys(): Promise<{ readonly publicKey: string; readonly key: string }> {
  const keys = await webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify'])
  const spki = await webcrypto.subtle.exportKey('spki', keys.publicKey)
  return { publicKey: pem('PUBLIC KEY', spki), key: await exportKey(keys.privateKey) }
}

export async function signNodeCertificate(
  authority: KeyPair,
  node: {
    readonly name: string
    readonly addresses: readonly string[]
    readonly publicKey: string
    readonly valid?: CertificateLife
    /** A remote node is called and calls nobody: its certificate opens neither a daemon of the cluster nor its etcd. */
    readonly servesOnly?: boolean
    /** The witness's etcd calls the other members, but no daemon listens to it. */
    readonly isWitness?: boolean
  },
): Promise<string> {
  const x509 = await loadX509()
  const issuer = new x509.X509Certificate(authority.certificate)
  const publicKey = await webcrypto.subtle.importKey('spki', derOf(node.publicKey), keyAlgorithm, true, ['verify'])
  const signingKey = await webcrypto.subtle.importKey('pkcs8', derOf(authority.key), keyAlgorithm, false, ['sign'])
  // etcd and its client reach the local member by a loopback address. A remote node has no etcd, and its certificate nothing but its name.
  const loopback = node.servesOnly === true ? [] : ['localhost', '127.0.0.1', '::1']
  const hosts = [...new Set([node.name, tlsName(node.name), ...node.addresses, ...loopback])]
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialOf(keyOfPublic(createPublicKey(node.publicKey))),
    subject: [{ CN: [node.name] }, ...(node.isWitness === true ? [{ OU: [witnessUnit] }] : [])],
    issuer: issuer.subject,
    notBefore: node.valid?.from ?? new Date(Date.now() - clockToleranceMs),
    notAfter: node.valid?.until ?? new Date(Date.now() + nodeLifeMs),
    signingAlgorithm,
    publicKey,
    signingKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyAgreement, true),
      new x509.ExtendedKeyUsageExtension(
        node.servesOnly === true
          ? [x509.ExtendedKeyUsage.serverAuth]
          : [x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth],
      ),
      new x509.SubjectAlternativeNameExtension(
        hosts.map((host) => ({ type: isIP(host) === 0 ? ('dns' as const) : ('ip' as const), value: host })),
      ),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  })
  return certificate.toString('pem')
}

function serialNumber(): string {
  // Positive, as RFC 5280 wants it: the first bit is clear and the first byte is not zero.
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes.toString('hex')
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return pem('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', key))
}

function pem(label: string, der: ArrayBuffer): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}

function derOf(text: string): Buffer {
  return Buffer.from(text.replace(/-----[^-]+-----/g, ''), 'base64')
}
