/** Which rule a client's certificate falls under: a single certificate that is named, or an authority that it leads to. Pure but for the cryptography. */
import type { X509Certificate } from 'node:crypto'
import { X509Certificate as Certificate } from 'node:crypto'
import { refuse } from '../../rpc/index.ts'
import { dateOf, nameOf } from './certificate-checks.ts'

export interface ApiClientRecord {
  readonly name: string
  /** Of an authority, whose certificates count; or of one client. */
  readonly isAuthority: boolean
  /** PEM. */
  readonly certificate: string
  /** Of an authority's certificates only these; none: all. */
  readonly commonNames: readonly string[]
  readonly as: /** Empty: the common name is the user. */
    | { readonly kind: 'user'; readonly user: string }
    | { readonly kind: 'roles'; readonly roles: readonly string[] }
    | { readonly kind: 'administrator' }
  readonly createdAt: number
  readonly by: string
}

export interface ShownChain {
  /** The client's own first. */
  readonly chain: readonly X509Certificate[]
  /** By TLS: it leads to an authority that was named, and is for clients. */
  readonly isTrusted: boolean
}

const clientUse = '1.3.6.1.5.5.7.3.2'
/** What a user may be called, here and in the history. */
const userForm = /^[A-Za-z0-9_][A-Za-z0-9_.@-]{0,63}$/

export function ruleFor(
  shown: ShownChain,
  rules: readonly ApiClientRecord[],
  now: number,
): { readonly rule: ApiClientRecord; readonly commonName: string } {
  const [own] = shown.chain
  if (own === undefined) throw refuse('bad-certificate', 'The client has shown no certificate.')
  refuseOutOfDate(own, now)
  const commonName = commonNameOf(own)
  const found = singleRule(own, rules) ?? authorityRule(shown, own, { rules, commonName, now })
  if (found === undefined)
    throw refuse(
      'unknown-certificate',
      `The certificate of the client (${nameOf(own)}, SHA-256 ${own.fingerprint256}) is not one that this cluster accepts. An administrator can add it with \`systole console client add\`, or show a token instead.`,
    )
  const needsName = found.as.kind === 'user' ? found.as.user === '' : found.isAuthority
  if (needsName && !userForm.test(commonName ?? ''))
    throw refuse(
      'no-common-name',
      `The certificate of the client (${nameOf(own)}) has no single common name that could be a user: up to 64 letters, digits, dots, underscores, hyphens and @.`,
    )
  return { rule: found, commonName: commonName ?? '' }
}

const singleRule = (own: X509Certificate, rules: readonly ApiClientRecord[]): ApiClientRecord | undefined =>
  rules.find((rule) => !rule.isAuthority && new Certificate(rule.certificate).fingerprint256 === own.fingerprint256)

/** Of an authority, one that names the client before one that takes all. */
function authorityRule(
  { chain, isTrusted }: ShownChain,
  own: X509Certificate,
  {
    rules,
    commonName,
    now,
  }: { readonly rules: readonly ApiClientRecord[]; readonly commonName: string | undefined; readonly now: number },
): ApiClientRecord | undefined {
  if (!isTrusted || own.ca || !isForClients(own)) return undefined
  const fitting = rules.filter(
    ({ isAuthority, commonNames, certificate }) =>
      isAuthority &&
      (commonNames.length === 0 || (commonName !== undefined && commonNames.includes(commonName))) &&
      leadsTo(chain, new Certificate(certificate), now),
  )
  return fitting.find(({ commonNames }) => commonNames.length > 0) ?? fitting[0]
}

/** Each certificate signed by the next, and one of them by the authority. */
function leadsTo(chain: readonly X509Certificate[], authority: X509Certificate, now: number): boolean {
  if (!isCurrent(authority, now)) return false
  for (const [at, one] of chain.entries()) {
    if (!isCurrent(one, now) || (at > 0 && !one.ca)) return false
    if (isSignedBy(one, authority)) return true
    const next = chain[at + 1]
    if (next === undefined || !isSignedBy(one, next)) return false
  }
  return false
}

const isSignedBy = (one: X509Certificate, issuer: X509Certificate): boolean =>
  one.checkIssued(issuer) && one.verify(issuer.publicKey)

const isCurrent = (one: X509Certificate, now: number): boolean =>
  Date.parse(one.validFrom) <= now && now <= Date.parse(one.validTo)

function isForClients({ keyUsage }: X509Certificate): boolean {
  // Node.js names the extended uses `keyUsage`; it is undefined where there are none, which means all.
  const uses = keyUsage as readonly string[] | undefined
  return uses === undefined || uses.includes(clientUse)
}

function refuseOutOfDate(own: X509Certificate, now: number): void {
  const [from, until] = [Date.parse(own.validFrom), Date.parse(own.validTo)]
  if (now > until)
    throw refuse('expired-certificate', `The certificate of the client (${nameOf(own)}) expired on ${dateOf(until)}.`)
  if (now < from)
    throw refuse(
      'expired-certificate',
      `The certificate of the client (${nameOf(own)}) is valid from ${dateOf(from)} only.`,
    )
}

/** Undefined where it has none, or several. */
export function commonNameOf({ subject }: X509Certificate): string | undefined {
  const names = (subject ?? '').split('\n').filter((line) => line.startsWith('CN='))
  return names.length === 1 ? names[0]?.slice(3) : undefined
}
