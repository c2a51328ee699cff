/** What is asked of an etcd cluster beside keys: its members, its alarms, its space. Used for set-up and repair. */
import { type Clock, machineClock } from '../port/clock.ts'
import { messageOf, StoreUnavailableError } from '../port/errors.ts'
import { api, keyBytes, keyText, type Member, type Method, prefixEnd, type StatusResponse } from './api.ts'
import { Members } from './attempts.ts'
import { Endpoint, type EndpointAddress, isServiceError, type TlsFiles } from './endpoint.ts'
import { sessionPrefix } from './session.ts'

/**
 * Not refused, only too early: etcd wants its members connected for some seconds, and a learner in step. A member that was added by an
 * attempt whose answer was late has the same id in the same second; it is found the next time.
 */
const tooEarly =
  /could not write down|server stopped|unhealthy cluster|in sync with leader|not enough started members|no leader|leader changed|timed out|request timed out|member ID already exist/

export class EtcdAdmin {
  readonly #members: Members
  readonly #clock: Clock
  readonly #signal: AbortSignal | undefined

  constructor(options: {
    readonly endpoints: readonly EndpointAddress[]
    readonly tls?: TlsFiles
    readonly clock?: Clock
    /** Nothing more is asked once it is aborted. */
    readonly signal?: AbortSignal
  }) {
    this.#clock = options.clock ?? machineClock
    this.#signal = options.signal
    this.#members = new Members(
      options.endpoints.map((address) => new Endpoint(address, options.tls)),
      this.#clock,
    )
  }

  async members(timeoutMs = 5000): Promise<readonly Member[]> {
    return (await this.#ask(api.memberList, {}, 'list its members', timeoutMs)).members
  }

  /** Found by one of its peer URLs where an earlier, unanswered attempt has added it already. */
  async addLearner(peerUrls: readonly string[], timeoutMs = 30_000): Promise<readonly Member[]> {
    const there = async () => {
      const members = await this.members()
      return memberAt(members, peerUrls) === undefined ? undefined : members
    }
    return this.#insist(timeoutMs, async () => {
      const before = await there()
      if (before !== undefined) return before
      return (await this.#ask(api.memberAdd, { peerURLs: peerUrls, isLearner: true }, 'add a member', 2000)).members
    })
  }

  /** Repeated until the learner is in step with the leader. */
  async promote(peerUrls: readonly string[], timeoutMs = 30_000): Promise<void> {
    await this.#insist(timeoutMs, async () => {
      const member = memberAt(await this.members(), peerUrls)
      if (member === undefined)
        throw new StoreUnavailableError(`etcd has no member at ${peerUrls.join(', ')} to promote.`)
      if (member.isLearner) await this.#ask(api.memberPromote, { ID: member.ID }, 'promote a member', 2000)
    })
  }

  /** The member has these peer URLs from now on, and no others. One of them, or its name, is known of it. */
  async move(name: string, peerUrls: readonly string[], timeoutMs = 5000): Promise<void> {
    await this.#insist(timeoutMs, async () => {
      const members = await this.members()
      const member = members.find((one) => one.name === name) ?? memberAt(members, peerUrls)
      if (member === undefined) throw new StoreUnavailableError(`etcd has no member '${name}'.`)
      if (sameUrls(member.peerURLs, peerUrls)) return
      await this.#ask(api.memberUpdate, { ID: member.ID, peerURLs: peerUrls }, 'update a member', 2000)
    })
  }

  /** Resolves when those who stay have it on their disks. */
  async remove(peerUrls: readonly string[], timeoutMs?: number): Promise<void> {
    await this.#remove((members) => memberAt(members, peerUrls), timeoutMs)
  }

  /** Exactly this one: one that has joined at the same URL since then has another id. */
  async removeMember(id: Member['ID'], timeoutMs?: number): Promise<void> {
    await this.#remove((members) => members.find(({ ID }) => ID === id), timeoutMs)
  }

  /** An earlier attempt may have removed it although its answer was late. */
  async #remove(find: (members: readonly Member[]) => Member | undefined, timeoutMs = 10_000): Promise<void> {
    await this.#insist(timeoutMs, async () => {
      const member = find(await this.members())
      if (member !== undefined) await this.#ask(api.memberRemove, { ID: member.ID }, 'remove a member', 2000)
      await this.#writeDown()
    })
  }

  /**
   * etcd syncs an entry before it counts, but that it counts only together with the next entry. If the last voter loses power in between, which in
   * an idle cluster is minutes, it waits for the vote of the member that was removed, and that one is gone. So there is a next entry at once: a
   * lease that nobody uses.
   */
  async #writeDown(): Promise<void> {
    await this.#ask(api.leaseGrant, { TTL: 5, ID: '0' }, 'write down that a member was removed', 2000)
  }

  /** Of the first endpoint: what that member itself says. */
  async status(timeoutMs = 1000): Promise<StatusResponse> {
    const [own] = this.#members.endpoints
    if (own === undefined) throw new StoreUnavailableError('There is no etcd endpoint to ask.')
    return own.call(api.status, {}, timeoutMs).answer
  }

  /**
   * Room for a store that has reached its quota, in the one order that works: delete the oldest keys below `expendable` but
   * `keep` of them, compact the history, defragment every member, take the alarm back.
   */
  async freeSpace(options: { readonly expendable: string; readonly keep: number }): Promise<void> {
    const range = { key: keyBytes(options.expendable), range_end: prefixEnd(options.expendable), keys_only: true }
    const { kvs } = await this.#ask(api.range, range, 'list old records', 5000)
    const old = kvs.slice(0, Math.max(0, kvs.length - options.keep))
    for (const { key } of old)
      await this.#ask(
        api.txn,
        { compare: [], success: [{ request_delete_range: { key: keyBytes(keyText(key)) } }], failure: [] },
        'delete an old record',
        5000,
      )
    await this.compact()
    for (const endpoint of this.#members.endpoints) await endpoint.call(api.defragment, {}, 60_000).answer
    const { alarms } = await this.#ask(api.alarm, { action: 'GET' }, 'list its alarms', 5000)
    for (const alarm of alarms.filter(({ alarm: kind }) => kind === 'NOSPACE'))
      await this.#ask(api.alarm, { action: 'DEACTIVATE', ...alarm }, 'take back an alarm', 10_000)
  }

  /** Forgets every past revision; watches that are behind are told that they lost them. */
  async compact(): Promise<void> {
    const { header } = await this.#ask(api.range, { key: keyBytes(sessionPrefix) }, 'read its revision', 5000)
    try {
      await this.#ask(api.compact, { revision: header.revision, physical: true }, 'compact', 30_000)
    } catch (error) {
      // Somebody else compacted this far meanwhile.
      if (!/compacted/.test(messageOf(error))) throw error
    }
  }

  close(): void {
    for (const endpoint of this.#members.endpoints) endpoint.close()
  }

  async #ask<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    what: string,
    timeoutMs: number,
  ): Promise<Response> {
    this.#signal?.throwIfAborted()
    const outcome = await this.#members.attempt<Response, { response: Response } | { error: unknown }>(timeoutMs, {
      send: (endpoint) => endpoint.call(method, request),
      accept: (response) => ({ kind: 'answer', value: { response } }),
      // A refusal by the cluster is an answer; that a member can't be reached is not.
      acceptFailure: (error) =>
        isServiceError(error) &&
        error.details.startsWith('etcdserver:') &&
        !/no leader|leader changed|timed out/.test(error.details)
          ? { kind: 'answer', value: { error } }
          : undefined,
    })
    if (outcome.kind === 'none')
      throw new StoreUnavailableError(
        `etcd could not ${what} within ${timeoutMs} ms (${messageOf(outcome.lastError)}).`,
        outcome.lastError,
      )
    if ('error' in outcome.value)
      throw new StoreUnavailableError(
        `etcd refused to ${what}: ${messageOf(outcome.value.error)}.`,
        outcome.value.error,
      )
    return outcome.value.response
  }

  async #insist<T>(timeoutMs: number, action: () => Promise<T>): Promise<T> {
    const end = this.#clock.now() + timeoutMs
    for (;;) {
      try {
        return await action()
      } catch (error) {
        if (this.#clock.now() > end || !tooEarly.test(messageOf(error))) throw error
      }
      await new Promise<void>((resolve) => this.#clock.after(200, resolve))
    }
  }
}

const memberAt = (members: readonly Member[], urls: readonly string[]): Member | undefined =>
  members.find(({ peerURLs }) => urls.some((url) => peerURLs.includes(url)))

/** etcd sorts them. */
export const sameUrls = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((url) => others.includes(url))

/** The alarms stand among a status's errors. A request for the alarms themselves is an entry in everybody's log, synced to every disk. */
export function isFull({ errors }: StatusResponse): boolean {
  return errors.some((error) => error.includes('NOSPACE'))
}
