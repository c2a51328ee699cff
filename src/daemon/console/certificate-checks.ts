/** Whether the HTTPS API can show a certificate with this key, and what clients make of it. Pure but for the cryptography. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { refuse } from '../../rpc/index.ts'

const longestText = 64 * 1024
const mostCertificates = 8
const serverUse = '1.3.6.1.5.5.7.3.1'
const dayMs = 24 * 3_600_000
/** Those who renew by a program do so a month before; of a short life it is a fifth. */
const mostWarnedMs = 21 * dayMs

export interface ShownFacts {
  readonly subject: string
  readonly issuer: string
  readonly names: readonly string[]
  readonly validFrom: number
  readonly validUntil: number
}

/** The certificates of a PEM text, in their order. */
export function certificatesIn(pem: string, called: string): readonly X509Certificate[] {
  if (pem.length > longestText) throw refuse('bad-certificate', `${called} has more than ${longestText} characters.`)
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0)
    throw refuse('bad-certificate', `${called} has no certificate. Specify a PEM file with 'BEGIN CERTIFICATE'.`)
  if (blocks.length > mostCertificates)
    throw refuse(
      'bad-certificate',
      `${called} has ${blocks.length} certificates; at most ${mostCertificates} are taken.`,
    )
  return blocks.map((block, at) => {
    try {
      return new X509Certificate(block)
    } catch {
      throw refuse('bad-certificate', `Certificate ${at + 1} of ${called} cannot be read.`)
    }
  })
}

/** Refuses what no client would accept, or what TLS would not begin with. */
export function checkServerCertificate(
  { certificate, key }: { readonly certificate: string; readonly key: string },
  now: number,
): ShownFacts {
  const chain = certificatesIn(certificate, 'The certificate file')
  const [own] = chain
  if (own === undefined) throw refuse('bad-certificate', 'The certificate file has no certificate.')
  refuseOtherKey(chain, own, keyIn(key))
  for (const [at, one] of chain.entries()) {
    const next = chain[at + 1]
    if (next !== undefined && !(one.checkIssued(next) && one.verify(next.publicKey)))
      throw refuse(
        'bad-chain',
        `Certificate ${at + 2} of the file (${nameOf(next)}) did not sign certificate ${at + 1} (${nameOf(one)}). Put the own certificate first, and after each the one that signed it.`,
      )
  }
  const facts = factsOf(own)
  if (now > facts.validUntil)
    throw refuse(
      'expired-certificate',
      `The certificate expired on ${dateOf(facts.validUntil)}. Specify a current one.`,
    )
  if (now < facts.validFrom)
    throw refuse('early-certificate', `The certificate is valid from ${dateOf(facts.validFrom)} only.`)
  if (facts.names.length === 0)
    throw refuse(
      'no-names',
      'The certificate has no subjectAltName, and clients look at nothing else. Specify one with the DNS names or addresses by which this node is reached.',
    )
  const uses = own.keyUsage as readonly string[] | undefined
  if (uses !== undefined && !uses.includes(serverUse))
    throw refuse('not-for-servers', 'The certificate is not for servers: its extended key usage lacks serverAuth.')
  try {
    createSecureContext({ cert: certificate, key })
  } catch (error) {
    throw refuse('bad-certificate', `TLS cannot use the certificate (${error instanceof Error ? error.message : ''}).`)
  }
  return facts
}

function keyIn(text: string): KeyObject {
  if (text.length > longestText) throw refuse('bad-key', `The key file has more than ${longestText} characters.`)
  if (/ENCRYPTED/.test(text))
    throw refuse(
      'bad-key',
      'The key is encrypted, and nobody types a passphrase when a daemon starts. Specify it decrypted.',
    )
  try {
    return createPrivateKey(text)
  } catch {
    throw refuse('bad-key', "The key file has no private key. Specify a PEM file with 'BEGIN PRIVATE KEY'.")
  }
}

function refuseOtherKey(chain: readonly X509Certificate[], own: X509Certificate, key: KeyObject): void {
  if (own.checkPrivateKey(key)) return
  if (chain.some((one) => one.checkPrivateKey(key)))
    throw refuse('bad-chain', 'The certificate of this key is not the first in its file. Put it first.')
  throw refuse('other-key', `The key does not belong to the certificate of ${nameOf(own)}.`)
}

export function factsOf(one: X509Certificate): ShownFacts {
  return {
    subject: nameOf(one),
    issuer: plain(one.issuer),
    names: namesOf(one),
    validFrom: Date.parse(one.validFrom),
    validUntil: Date.parse(one.validTo),
  }
}

/** Such as `CN=n1, O=Shop`: one line, without what a terminal would obey. */
export const nameOf = ({ subject }: X509Certificate): string => plain(subject)

const plain = (name: string | undefined): string =>
  (name ?? '')
    .trim()
    .replaceAll(/\s*\n/g, ', ')
    .replaceAll(/\p{Cc}|\p{Cf}/gu, '?')
    .slice(0, 200)

const namesOf = ({ subjectAltName = '' }: X509Certificate): readonly string[] =>
  subjectAltName.split(/, (?=DNS:|IP Address:|email:|URI:)/).flatMap((one) => {
    const [, name] = /^(?:DNS|IP Address):(.{1,255})$/.exec(one.trim()) ?? []
    return name === undefined ? [] : [plain(name)]
  })

export const dateOf = (ms: number): string => new Date(ms).toISOString()

/** What an administrator should do something about, a sentence each. */
export function warningsOn(
  { validFrom, validUntil }: Pick<ShownFacts, 'validFrom' | 'validUntil'>,
  now: number,
): readonly string[] {
  const replace = 'Replace it with `systole console certificate set`.'
  if (now > validUntil)
    return [`The certificate of the HTTPS API expired on ${dateOf(validUntil)}: clients refuse it. ${replace}`]
  if (validUntil - now > Math.min(mostWarnedMs, (validUntil - validFrom) / 5)) return []
  return [`The certificate of the HTTPS API expires on ${dateOf(validUntil)}. ${replace}`]
}

/** Undefined where one of its names is one of the node's. */
export function namesNobody(
  names: readonly string[],
  own: { readonly name: string; readonly addresses: readonly string[] },
): string | undefined {
  const isOwn = (name: string): boolean =>
    own.addresses.includes(name) || name === own.name || name.startsWith(`${own.name}.`) || name.startsWith('*.')
  return names.some(isOwn)
    ? undefined
    : `The certificate of the HTTPS API is for ${names.join(', ')}, and not for ${[own.name, ...own.addresses].join(' or ')}: clients accept it under those names only.`
}
