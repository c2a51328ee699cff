/**
 * Tokens for the HTTPS API. The store has the hash of each, so that all nodes know them; a file of this host has a copy for the time when the cluster
 * is stopped here or has no quorum. A token has rights of its own: those of its roles, whatever access control is set to, or without roles those of
 * an administrator. It never runs jobs unless access control is on and a role says so.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { ReplicatedConfiguration } from '../../controller/index.ts'
import { refuse, type WebCaller } from '../../rpc/index.ts'
import type { Store } from '../../store/index.ts'
import type { Rights } from '../access/rights.ts'
import type { Log } from '../host/log.ts'
import { toBytes } from '../records/json-value.ts'
import { apiTokenKey } from '../records/keys.ts'
import { type KeptRecordPorts, KeptRecords } from './kept-records.ts'
import { refuseUnknownRoles, rightsOfRoles } from './rights-of-roles.ts'

export interface ApiTokenRecord {
  readonly name: string
  /** SHA-256 of the whole token, in hexadecimal: 256 random bits need no slower one. */
  readonly hash: string
  /** None: everything that an administrator may do. */
  readonly roles: readonly string[]
  readonly createdAt: number
  readonly validUntil: number
  readonly by: string
}

export interface ApiTokenPorts extends KeptRecordPorts {
  readonly log: Log
  readonly store: () => Store | undefined
  readonly configuration: () => ReplicatedConfiguration | undefined
}

const mostTokens = 200
const longestMs = 366 * 24 * 3_600_000
/** Of a join token of which nothing is said. */
const usualJoinSeconds = 3600
const prefix = 'systole_'
/** Wrong ones are in the log no more often, with how many there were. */
const tellEveryMs = 10_000
const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

export class ApiTokens {
  readonly #ports: ApiTokenPorts
  readonly #records: KeptRecords<ApiTokenRecord>
  #wrong = { count: 0, toldAt: Number.NEGATIVE_INFINITY }

  constructor(ports: ApiTokenPorts) {
    this.#ports = ports
    this.#records = new KeptRecords(ports)
  }

  list(): readonly ApiTokenRecord[] {
    return this.#records.list()
  }

  async create(
    asked: { readonly name: string; readonly roles: readonly string[]; readonly validSeconds: number },
    by: string,
  ): Promise<{ readonly token: string; readonly validUntil: number }> {
    const { name, roles, validSeconds } = asked
    const validMs = validSeconds * 1000
    if (!nameForm.test(name))
      throw refuse(
        'bad-name',
        `'${name}' is not a name for a token. Use up to 64 letters, digits, dots, underscores and hyphens.`,
      )
    if (!(validMs > 0 && validMs <= longestMs))
      throw refuse('bad-time', 'A token can be valid for one second to 366 days.')
    refuseUnknownRoles(roles, this.#ports.configuration())
    const store = this.#store()
    const now = Date.now()
    const known = this.list()
    if (known.length >= mostTokens)
      throw refuse('too-many', `The cluster has ${mostTokens} tokens. Revoke one with \`systole token revoke\`.`)
    const token = `${prefix}${randomBytes(32).toString('base64url')}`
    const record: ApiTokenRecord = { name, hash: hashOf(token), roles, createdAt: now, validUntil: now + validMs, by }
    const key = apiTokenKey(name)
    const { applied } = await store.transaction({
      compare: [{ kind: 'absent', key }],
      writes: [{ kind: 'put', key, value: toBytes(record) }],
    })
    if (!applied) throw refuse('exists', `There is already a token '${name}'. Revoke it first, or use another name.`)
    this.#ports.log.info('a token for the HTTPS API was made', {
      name,
      roles,
      by,
      validUntil: new Date(record.validUntil).toISOString(),
    })
    return { token, validUntil: record.validUntil }
  }

  async revoke(name: string, by: string): Promise<void> {
    const key = apiTokenKey(name)
    const { applied } = await this.#store().transaction({
      compare: [{ kind: 'present', key }],
      writes: [{ kind: 'delete', key }],
    })
    if (!applied) throw refuse('no-such-token', `There is no token '${name}'. \`systole token list\` lists the tokens.`)
    this.#ports.log.info('a token for the HTTPS API was revoked', { name, by })
  }

  /** Of whoever has shown a token. */
  rightsOf({ token, from }: WebCaller): Rights {
    const record = token.startsWith(prefix) ? this.#find(hashOf(token)) : undefined
    if (record === undefined) {
      if (token !== '') this.#noteWrong(from)
      throw refuse('unknown-token', 'This token is not known to the cluster. `systole token create` makes one.')
    }
    const { name, roles, validUntil } = record
    if (validUntil <= Date.now())
      throw refuse('expired-token', `The token '${name}' expired on ${new Date(validUntil).toISOString()}.`)
    const user = `token:${name}`
    return rightsOfRoles({ user, roles, shown: 'the token' }, this.#ports.configuration())
  }

  /** Undefined for what is no token. */
  endOf({ token }: Pick<WebCaller, 'token'>): number | undefined {
    return this.#find(hashOf(token))?.validUntil
  }

  /** For a join token that this caller makes: it does not outlive the one that he has shown. */
  joinTokenSeconds({ token }: Pick<WebCaller, 'token'>, asked: number | undefined): number | undefined {
    const record = this.#find(hashOf(token))
    if (record === undefined) return asked
    const left = Math.floor((record.validUntil - Date.now()) / 1000)
    if (asked === undefined) return Math.min(usualJoinSeconds, left)
    if (asked <= left) return asked
    throw refuse(
      'bad-time',
      `The token '${record.name}' expires on ${new Date(record.validUntil).toISOString()}, and a join token that it makes cannot be valid for longer. Specify at most ${left}s.`,
    )
  }

  /** They are those of another cluster from now on. */
  forget(): void {
    this.#records.forget()
  }

  #find(hash: string): ApiTokenRecord | undefined {
    return this.list().find((record) => record.hash === hash)
  }

  #store(): Store {
    const store = this.#ports.store()
    if (store !== undefined) return store
    throw refuse('no-quorum', 'This node has no quorum and cannot change tokens.')
  }

  #noteWrong(from: string): void {
    this.#wrong.count += 1
    const now = performance.now()
    if (now - this.#wrong.toldAt < tellEveryMs) return
    this.#ports.log.warn('a token that nobody knows was shown to the HTTPS API', { from, times: this.#wrong.count })
    this.#wrong = { count: 0, toldAt: now }
  }
}
