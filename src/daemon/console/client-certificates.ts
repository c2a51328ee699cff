/**
 * Certificates that clients of the HTTPS API show. An administrator names an authority or single certificates, and who their owners are. The process of the API
 * has the client prove that the key is his; which certificates count is decided here, with each call, so that a rule that is removed ends what it gave.
 */
import { randomBytes, X509Certificate } from 'node:crypto'
import { superusers } from '../../cib/index.ts'
import type { ReplicatedConfiguration } from '../../controller/index.ts'
import { type Messages, RefusedError, refuse, type WebCaller } from '../../rpc/index.ts'
import type { Store } from '../../store/index.ts'
import type { LoggedIn, Rights } from '../access/rights.ts'
import type { Log } from '../host/log.ts'
import { toBytes } from '../records/json-value.ts'
import { apiClientKey } from '../records/keys.ts'
import { certificatesIn, dateOf, nameOf } from './certificate-checks.ts'
import { type ApiClientRecord, ruleFor, type ShownChain } from './client-rules.ts'
import { type KeptRecordPorts, KeptRecords } from './kept-records.ts'
import { refuseUnknownRoles, rightsOfRoles } from './rights-of-roles.ts'

export interface ClientCertificatePorts extends KeptRecordPorts {
  readonly log: Log
  readonly store: () => Store | undefined
  readonly configuration: () => ReplicatedConfiguration | undefined
  /** The cluster's own, PEM: nodes are no clients. */
  readonly authority: () => string
  readonly onChange: () => void
}

export const certificatePrefix = 'certificate_'

const most = 100
const mostChains = 500
const longestChain = 6
const longestDer = 16 * 1024
const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const lookMs = 5000

export class ClientCertificates {
  readonly #ports: ClientCertificatePorts
  readonly #records: KeptRecords<ApiClientRecord>
  /** By what the process of the API shows for it; whoever came longest ago goes first. */
  readonly #chains = new Map<string, ShownChain>()
  readonly #timer: NodeJS.Timeout
  #told = ''

  constructor(ports: ClientCertificatePorts) {
    this.#ports = ports
    this.#records = new KeptRecords(ports)
    // Another node may have changed them.
    this.#timer = setInterval(() => this.#look(), lookMs)
    this.#timer.unref()
  }

  list(): readonly ApiClientRecord[] {
    return this.#records.list()
  }

  /** For TLS: undefined where no certificate is asked for. */
  get authorities(): readonly string[] | undefined {
    const all = this.list()
    return all.length === 0 ? undefined : all.filter((one) => one.isAuthority).map(({ certificate }) => certificate)
  }

  async add(asked: Messages['ApiClient'], by: string): Promise<ApiClientRecord> {
    const { name, isAuthority, roles, commonNames, kind, user } = asked
    if (!nameForm.test(name))
      throw refuse('bad-name', `'${name}' is not a name. Use up to 64 letters, digits, dots, underscores and hyphens.`)
    const [own, ...others] = certificatesIn(asked.certificate, 'The file')
    if (own === undefined || others.length > 0)
      throw refuse(
        'bad-certificate',
        `The file has ${others.length + 1} certificates. Specify one with a single certificate.`,
      )
    this.#refuseUseless(own, isAuthority)
    if (kind !== 'user' && kind !== 'roles' && kind !== 'administrator')
      throw refuse('bad-kind', `'${kind}' is not known: a client is a user, has roles, or is an administrator.`)
    if (kind === 'user' && superusers.includes(user))
      throw refuse('no-role', `Nobody is ${user} over the net. Specify another user, or --administrator.`)
    if (kind === 'user' && user === '' && !isAuthority) throw refuse('no-role', 'Specify which user: --user=<name>.')
    if (kind === 'roles' && roles.length === 0) throw refuse('no-role', 'Specify at least one role.')
    if (isAuthority && kind === 'administrator' && commonNames.length === 0)
      throw refuse(
        'everybody',
        'Every certificate of this authority would be an administrator. Specify whose with --common-name=<name>[,<name>]...',
      )
    if (!isAuthority && commonNames.length > 0)
      throw refuse(
        'one-certificate',
        '--common-name chooses among the certificates of an authority. Omit it, or specify --ca.',
      )
    refuseUnknownRoles(roles, this.#ports.configuration())
    const record: ApiClientRecord = {
      name,
      isAuthority,
      certificate: own.toString(),
      commonNames,
      as: kind === 'user' ? { kind, user } : kind === 'roles' ? { kind, roles } : { kind },
      createdAt: Date.now(),
      by,
    }
    this.#refuseSecond(record)
    const { applied } = await this.#store().transaction({
      compare: [{ kind: 'absent', key: apiClientKey(name) }],
      writes: [{ kind: 'put', key: apiClientKey(name), value: toBytes(record) }],
    })
    if (!applied) throw refuse('exists', `There is already a client '${name}'. Remove it first, or use another name.`)
    this.#ports.log.info('the HTTPS API accepts certificates of clients', { name, subject: nameOf(own), kind, by })
    this.#look()
    return record
  }

  async remove(name: string, by: string): Promise<void> {
    const { applied } = await this.#store().transaction({
      compare: [{ kind: 'present', key: apiClientKey(name) }],
      writes: [{ kind: 'delete', key: apiClientKey(name) }],
    })
    if (!applied)
      throw refuse('no-such-client', `There is no client '${name}'. \`systole console client list\` lists the clients.`)
    this.#ports.log.info('the HTTPS API no longer accepts these certificates of clients', { name, by })
    this.#look()
  }

  /** A client has shown it, and TLS has found that the key is his. */
  open(asked: Messages['ShownChain'], from: string): string {
    const { certificates, isTrusted } = asked
    if (certificates.length === 0 || certificates.length > longestChain)
      throw refuse('bad-certificate', 'The client has shown a chain of certificates that is too long.')
    const chain = certificates.map((text) => {
      try {
        if (text.length > longestDer) throw new Error('too long')
        return new X509Certificate(Buffer.from(text, 'base64'))
      } catch {
        throw refuse('bad-certificate', 'The certificate that the client has shown cannot be read.')
      }
    })
    const shown: ShownChain = { chain, isTrusted }
    try {
      ruleFor(shown, this.list(), Date.now())
    } catch (error) {
      if (error instanceof RefusedError)
        this.#ports.log.warn('the certificate of a client was refused', { from, why: error.sentences.join(' ') })
      throw error
    }
    const session = `${certificatePrefix}${randomBytes(32).toString('base64url')}`
    this.#chains.set(session, shown)
    const [oldest] = this.#chains.keys()
    if (this.#chains.size > mostChains && oldest !== undefined) this.#chains.delete(oldest)
    return session
  }

  rightsOf({ token }: Pick<WebCaller, 'token'>): Rights | LoggedIn {
    const shown = this.#chains.get(token)
    if (shown === undefined) throw refuse('no-session', 'This connection is no longer known. Connect again.')
    const { rule, commonName } = ruleFor(shown, this.list(), Date.now())
    const { as } = rule
    if (as.kind === 'user') return { kind: 'logged-in', user: as.user === '' ? commonName : as.user, by: 'certificate' }
    const roles = as.kind === 'roles' ? as.roles : []
    const user = `certificate:${rule.name}${rule.isAuthority ? `/${commonName}` : ''}`
    return rightsOfRoles({ user, roles, shown: 'the certificate' }, this.#ports.configuration())
  }

  /** Undefined for what is no certificate. */
  subjectOf(token: string): string | undefined {
    const own = this.#chains.get(token)?.chain[0]
    return own && nameOf(own)
  }

  endOf({ token }: Pick<WebCaller, 'token'>): number | undefined {
    const own = this.#chains.get(token)?.chain[0]
    return own && Date.parse(own.validTo)
  }

  forget(): void {
    this.#records.forget()
    this.#chains.clear()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const text = JSON.stringify(this.authorities)
    if (text === this.#told) return
    const isFirst = this.#told === ''
    this.#told = text ?? ''
    if (!isFirst || text !== undefined) this.#ports.onChange()
  }

  #refuseUseless(own: X509Certificate, isAuthority: boolean): void {
    const until = Date.parse(own.validTo)
    if (until < Date.now()) throw refuse('expired-certificate', `${nameOf(own)} expired on ${dateOf(until)}.`)
    if (!isAuthority) return
    if (!own.ca)
      throw refuse(
        'no-authority',
        `${nameOf(own)} is not an authority (it lacks CA:TRUE). Specify --certificate for the certificate of one client.`,
      )
    if (
      certificatesIn(this.#ports.authority(), 'authority.crt').some((one) => one.fingerprint256 === own.fingerprint256)
    )
      throw refuse('own-authority', 'This is the authority of the cluster itself, which signs nodes and no clients.')
  }

  /** Which of two rules counts must not be a question. */
  #refuseSecond(record: ApiClientRecord): void {
    const { fingerprint256 } = new X509Certificate(record.certificate)
    const other = this.list().find(
      (one) =>
        one.isAuthority === record.isAuthority &&
        new X509Certificate(one.certificate).fingerprint256 === fingerprint256 &&
        (one.commonNames.length === 0
          ? record.commonNames.length === 0
          : one.commonNames.some((name) => record.commonNames.includes(name))),
    )
    if (other !== undefined)
      throw refuse('exists', `The client '${other.name}' is already for the same certificates. Remove it first.`)
    if (this.list().length >= most)
      throw refuse('too-many', `The cluster has ${most} clients. Remove one with \`systole console client remove\`.`)
  }

  #store(): Store {
    const store = this.#ports.store()
    if (store !== undefined) return store
    throw refuse('no-quorum', 'This node has no quorum and cannot change which clients the HTTPS API accepts.')
  }
}

/** For lists and the command line. */
export function entryOf(record: ApiClientRecord): Messages['ApiClientEntry'] {
  const { name, isAuthority, certificate, commonNames, as, by } = record
  const own = new X509Certificate(certificate)
  return {
    client: {
      name,
      isAuthority,
      certificate,
      commonNames,
      kind: as.kind,
      user: as.kind === 'user' ? as.user : '',
      roles: as.kind === 'roles' ? as.roles : [],
    },
    subject: nameOf(own),
    fingerprint: own.fingerprint256,
    validUntil: dateOf(Date.parse(own.validTo)),
    createdBy: by,
  }
}
