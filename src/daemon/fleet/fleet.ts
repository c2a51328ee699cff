/**
 * The other clusters of the fleet. The store has where each is, what it is believed by, and a token for it; the DC asks them, and writes down what it hears where that
 * has changed: so every node shows the same, and since when.
 */
import { X509Certificate } from 'node:crypto'
import { type Messages, refuse } from '../../rpc/index.ts'
import { type Entry, type Revision, type Store, unchanged } from '../../store/index.ts'
import { certificatesIn } from '../console/certificate-checks.ts'
import type { Log } from '../host/log.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { fleetKey, fleetNewsKey, fleetNewsPrefix, fleetPrefix, keys } from '../records/keys.ts'
import { anchorIn, placeOf } from './ask-cluster.ts'
import type { PlanAnswer } from './ask-part.ts'
import type { Asks } from './asker.ts'
import { announced, followed } from './follow-authority.ts'
import { afterAnswer, type FleetNews } from './news.ts'
import { type Anchor, type FleetTarget, type Told, wordOf } from './told.ts'

export interface FleetRecord extends FleetTarget {
  readonly name: string
  readonly addedAt: number
  readonly by: string
  /** SHA-256 of other authorities that the cluster has said it believes, over a connection that was believed: where one of them signs next, it is followed. */
  readonly next?: readonly string[]
}

export interface FleetPorts {
  readonly log: Log
  /** Of the store, as the running node sees it. */
  readonly seen: (prefix: string) => readonly Entry[] | undefined
  readonly store: () => Store | undefined
  /** Its own as the DC, where this node is it and has quorum. */
  readonly term: () => number | undefined
  /** There is a DC, and this node has quorum. */
  readonly isCurrent: () => boolean
  readonly asks: Asks
}

const most = 100
const mostAddresses = 8
const lookMs = 1000
const askEveryMs = 10_000
const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const tokenForm = /^[\w-]{1,200}$/
const fingerprintForm = /^(?:[\dA-F]{2}:){31}[\dA-F]{2}$/

export class Fleet {
  readonly #ports: FleetPorts
  readonly #timer: NodeJS.Timeout
  /** By name, when it was asked last. */
  readonly #asked = new Map<string, number>()
  readonly #asking = new Set<string>()
  /** How often in a row it was not reached, and when last it was. */
  readonly #reached = new Map<string, { readonly misses: number; readonly at: number | undefined }>()

  constructor(ports: FleetPorts) {
    this.#ports = ports
    this.#timer = setInterval(() => this.#look(), lookMs)
    this.#timer.unref()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#ports.asks.close()
  }

  /** What a cluster would do by a rollout file. */
  async plan(target: FleetTarget, file: string): Promise<PlanAnswer> {
    return await this.#ports.asks.plan(target, file)
  }

  state(): Messages['FleetState'] {
    const news = new Map(this.#news().map((one) => [one.name, one]))
    const clusters = this.#records().map((record) => factsOf(record, news.get(record.name)))
    return { clusters, isCurrent: this.#ports.isCurrent() }
  }

  async add(asked: Messages['FleetClusterRequest'], by: string): Promise<Messages['FleetCluster']> {
    if (asked.replaces) return await this.#trust(asked, by)
    const { name, addresses, token } = asked
    if (!nameForm.test(name))
      throw refuse('bad-name', `'${name}' is not a name. Use up to 64 letters, digits, dots, underscores and hyphens.`)
    const wrong = addresses.find((address) => placeOf(address) === undefined)
    if (wrong !== undefined)
      throw refuse(
        'bad-address',
        `'${wrong.slice(0, 80)}' is not an address. Specify a host or an IP address, with :<port> unless it is 7705.`,
      )
    if (addresses.length === 0 || addresses.length > mostAddresses)
      throw refuse('bad-address', `Specify the addresses of one to ${mostAddresses} nodes of the cluster.`)
    if (!tokenForm.test(token))
      throw refuse('bad-token', 'This is not a token. `systole token create` on the other cluster makes one.')
    const records = this.#records()
    if (records.some((one) => one.name === name)) throw refuse('exists', `The fleet already has a cluster '${name}'.`)
    if (records.length >= most) throw refuse('too-many', `The fleet has ${most} clusters. Remove one first.`)
    const anchor = await this.#anchorFor(asked)
    const answer = await this.#ports.asks.status({ addresses, token, anchor })
    if (answer.kind !== 'news')
      throw refuse('no-news', `The cluster cannot be added: it is ${answer.kind}. ${answer.why}`)
    const { authorities: _next, ...told } = answer
    const record: FleetRecord = { name, addresses, token, anchor, addedAt: Date.now(), by }
    const news: FleetNews = { name, told, since: Date.now(), reachedAt: Date.now() }
    const { applied } = await this.#store().transaction({
      compare: [{ kind: 'absent', key: fleetKey(name) }],
      writes: [
        { kind: 'put', key: fleetKey(name), value: toBytes(record) },
        { kind: 'put', key: fleetNewsKey(name), value: toBytes(news) },
      ],
    })
    if (!applied) throw refuse('exists', `The fleet already has a cluster '${name}'.`)
    this.#ports.log.info('a cluster was added to the fleet', { name, addresses, by })
    return factsOf(record, news)
  }

  /** Believes it by another authority or certificate from now on; addresses and token stay. */
  async #trust(asked: Messages['FleetClusterRequest'], by: string): Promise<Messages['FleetCluster']> {
    const { name } = asked
    const key = fleetKey(name)
    const entry = (this.#ports.seen(fleetPrefix) ?? []).find((one) => one.key === key)
    if (entry === undefined)
      throw refuse('no-such-cluster', `The fleet has no cluster '${name}'. \`systole fleet list\` lists them.`)
    const { next: _done, ...record } = fromBytes(entry.value) as FleetRecord
    const anchor = await this.#anchorFor({ ...asked, addresses: record.addresses })
    const after = { ...record, anchor }
    const told = await this.#ports.asks.status(after)
    if (told.kind !== 'news')
      throw refuse('no-news', `Nothing was changed: by this the cluster ${name} is ${told.kind}. ${told.why}`)
    const { authorities: _next, ...heard } = told
    const news: FleetNews = { name, told: heard, since: Date.now(), reachedAt: Date.now() }
    const { applied } = await this.#store().transaction({
      compare: [unchanged(key, entry)],
      writes: [
        { kind: 'put', key, value: toBytes(after) },
        { kind: 'put', key: fleetNewsKey(name), value: toBytes(news) },
      ],
    })
    if (!applied) throw refuse('conflict', `Others are changing the cluster ${name} of the fleet. Try again.`)
    this.#ports.log.info('a cluster of the fleet is believed by another authority', { name, by })
    return factsOf(after, news)
  }

  async remove(name: string, by: string): Promise<void> {
    const { applied } = await this.#store().transaction({
      compare: [{ kind: 'present', key: fleetKey(name) }],
      writes: [
        { kind: 'delete', key: fleetKey(name) },
        { kind: 'delete', key: fleetNewsKey(name) },
      ],
    })
    if (!applied)
      throw refuse('no-such-cluster', `The fleet has no cluster '${name}'. \`systole fleet list\` lists them.`)
    this.#ports.log.info('a cluster was removed from the fleet', { name, by })
  }

  async #anchorFor({ addresses, fingerprint, authority }: Messages['FleetClusterRequest']): Promise<Anchor> {
    if (authority !== undefined) {
      const [own, ...others] = certificatesIn(authority, 'The file')
      if (own === undefined || others.length > 0 || !own.ca)
        throw refuse('no-authority', 'The file must have the certificate of one authority (CA:TRUE), and no other.')
      return { kind: 'authority', certificate: own.toString() }
    }
    const said = fingerprint?.toUpperCase().replaceAll(/[^\dA-F]/g, '') ?? ''
    const wanted = said.match(/../g)?.join(':') ?? ''
    if (fingerprint !== undefined && !fingerprintForm.test(wanted))
      throw refuse(
        'bad-fingerprint',
        `'${fingerprint.slice(0, 120)}' is not a SHA-256 fingerprint: 64 hexadecimal digits.`,
      )
    const { asks } = this.#ports
    const [first = ''] = addresses
    const chain = await asks.certificates(first).catch((error: unknown) => {
      throw refuse(
        'unreachable',
        `${first} cannot be reached (${error instanceof Error ? error.message : String(error)}). Nothing was added.`,
      )
    })
    const anchor = anchorIn(chain, wanted)
    if (anchor !== undefined) return anchor
    const shown = chain.map((text) => new X509Certificate(text).fingerprint256)
    throw refuse(
      'unknown-fingerprint',
      `At ${first} stands ${fingerprint === undefined ? 'a certificate' : 'another certificate'} with the SHA-256 ${shown.join(', of an authority with ')}. Compare it with \`systole console status\` on that node, and specify it with --fingerprint=<SHA-256>.`,
    )
  }

  #records(): readonly FleetRecord[] {
    return (this.#ports.seen(fleetPrefix) ?? []).map(({ value }) => fromBytes(value) as FleetRecord)
  }

  #news(): readonly FleetNews[] {
    return (this.#ports.seen(fleetNewsPrefix) ?? []).map(({ value }) => fromBytes(value) as FleetNews)
  }

  #look(): void {
    if (this.#ports.term() === undefined) {
      this.#asked.clear()
      this.#reached.clear()
      return
    }
    const now = performance.now()
    for (const record of this.#records()) {
      const last = this.#asked.get(record.name) ?? Number.NEGATIVE_INFINITY
      if (this.#asking.has(record.name) || now - last < askEveryMs) continue
      this.#asked.set(record.name, now)
      this.#asking.add(record.name)
      this.#ask(record)
        .catch((error: unknown) =>
          this.#ports.log.warn('news of the fleet were not written', { name: record.name, error }),
        )
        .finally(() => this.#asking.delete(record.name))
    }
  }

  async #ask(record: FleetRecord): Promise<void> {
    const { name } = record
    const term = this.#ports.term()
    const told = await this.#askAndFollow(record)
    const before = this.#news().find((one) => one.name === name)
    const known = this.#reached.get(name) ?? { misses: 0, at: before?.reachedAt }
    const reached = told.kind === 'news' ? { misses: 0, at: Date.now() } : { misses: known.misses + 1, at: known.at }
    this.#reached.set(name, reached)
    const after = afterAnswer(before, { name, told, misses: reached.misses, reachedAt: reached.at, now: Date.now() })
    if (after === undefined || term === undefined) return
    const outcome = await this.#ports.store()?.transaction({
      // It may have been removed meanwhile, or another node may be the DC.
      compare: [
        { kind: 'create-revision', key: keys.dc, equals: term as Revision },
        { kind: 'present', key: fleetKey(name) },
      ],
      writes: [{ kind: 'put', key: fleetNewsKey(name), value: toBytes(after) }],
    })
    if (outcome?.applied === true) this.#noteChange(name, before?.told, after.told)
  }

  /** An authority that is replaced over there: it was announced by those who were believed, and is believed when it stands there. */
  async #askAndFollow(record: FleetRecord): Promise<Told> {
    const { asks } = this.#ports
    const told = await asks.status(record)
    if (told.kind === 'news') {
      const { authorities = [], ...rest } = told
      const next = announced(record, authorities)
      if (next !== undefined) await this.#replace(record, { ...record, next })
      return rest
    }
    if (told.kind !== 'untrusted') return told
    const anchor = await followed(record, asks)
    if (anchor === undefined) return told
    const { next: _done, ...kept } = record
    const after = { ...kept, anchor }
    if (!(await this.#replace(record, after))) return told
    this.#ports.log.info('a cluster of the fleet has another authority, which it had announced', { name: record.name })
    const again = await asks.status(after)
    if (again.kind !== 'news') return again
    const { authorities: _again, ...news } = again
    return news
  }

  /** Where it is as it was read, by whoever is the DC. */
  async #replace(before: FleetRecord, after: FleetRecord): Promise<boolean> {
    const term = this.#ports.term()
    const key = fleetKey(before.name)
    const entry = this.#ports.seen(fleetPrefix)?.find((one) => one.key === key)
    if (term === undefined || entry === undefined) return false
    const outcome = await this.#ports.store()?.transaction({
      compare: [{ kind: 'create-revision', key: keys.dc, equals: term as Revision }, unchanged(key, entry)],
      writes: [{ kind: 'put', key, value: toBytes(after) }],
    })
    return outcome?.applied === true
  }

  #noteChange(name: string, before: Told | undefined, after: Told): void {
    if (before !== undefined && wordOf(before) === wordOf(after)) return
    const why = after.kind === 'news' ? {} : { why: after.why }
    this.#ports.log.info('a cluster of the fleet has changed', { name, state: wordOf(after), ...why })
  }

  #store(): Store {
    const store = this.#ports.store()
    if (store !== undefined) return store
    throw refuse('no-quorum', 'This node has no quorum and cannot change the fleet.')
  }
}

/** Without the token. */
function factsOf(record: FleetRecord, news: FleetNews | undefined): Messages['FleetCluster'] {
  const { name, addresses, anchor, addedAt, by } = record
  const iso = (ms: number): string => new Date(ms).toISOString()
  const fingerprint =
    anchor.kind === 'authority' ? new X509Certificate(anchor.certificate).fingerprint256 : anchor.fingerprint
  const own = { name, addresses, trust: anchor.kind, fingerprint, added: iso(addedAt), addedBy: by }
  if (news === undefined) return { ...own, state: 'unknown', worst: [] }
  const { told, since, reachedAt } = news
  const wasReached = told.kind !== 'news' && reachedAt !== undefined
  const times = { since: iso(since), ...(wasReached ? { lastReached: iso(reachedAt) } : {}) }
  const state = wordOf(told)
  if (told.kind !== 'news') return { ...own, ...times, state, worst: [], why: told.why }
  const { cluster, quorate, nodes, nodesOnline, urgent, worst } = told.news
  return { ...own, ...times, state, worst, known: { cluster, quorate, nodes, nodesOnline, urgent } }
}
