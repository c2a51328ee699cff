/**
 * What a witness answers at its HTTPS API: it has nothing of the cluster itself but a vote, so that it passes each call on to a node, with what the caller has
 * shown. The node decides what that is good for (docs/adr/0112-the-api-of-a-witness.md). One with quorum is asked before one without, and the same one as
 * long as it answers: sessions are a node's.
 */
import {
  type ClusterState,
  ConnectionEndedError,
  connectRelay,
  type LocalClient,
  type MemberRelay,
  RefusedError,
  refuse,
  type TlsIdentity,
  UnreachableError,
  type WebCaller,
  type WitnessHost,
} from '../../rpc/index.ts'
import type { ClusterFile, ClusterNodeEntry } from '../node-list/cluster-file.ts'
import { addressesOf } from '../node-list/node-links.ts'

export interface RelayPorts {
  readonly name: string
  readonly file: () => Pick<ClusterFile, 'clusterName' | 'nodes'>
  readonly identity: () => TlsIdentity
  readonly vote: () => Pick<WitnessHost, 'started' | 'votes' | 'counts'>
}

interface Chosen extends MemberRelay {
  readonly node: string
  /** Streams end with it, so that their clients begin again with another node. */
  readonly over: AbortController
}

interface Answered {
  readonly member: Chosen
  readonly rank: number
  readonly why?: RefusedError
}

type Name = Exclude<keyof LocalClient, 'close'>
type AnyCall = (...given: readonly unknown[]) => Promise<unknown>

/** Of a node whose own HTTPS API is closed. */
export const closedCode = 'api-closed'
const healthWithinMs = 2000
const lookEveryMs = 3000
/** Nobody has asked for so long: no connection is kept. */
const idleMs = 120_000
/**
 * A node gives the witness what one user may have, and whoever goes beyond that loses the connection. So those who have shown nothing yet, whom
 * anybody may be, get a small part of it: one look at the node's health for all of them, and a few logins.
 */
const healthForMs = 1000
const loginsPerSecond = 20
/** Calls of streams have their listener between what is asked and the options. */
const streams: ReadonlySet<Name> = new Set(['watchState'])

export class Relay {
  readonly #ports: RelayPorts
  #chosen: Chosen | undefined
  #choosing: Promise<Chosen> | undefined
  #timer: NodeJS.Timeout | undefined
  #askedAt = 0
  #streams = 0
  #health: { readonly at: number; readonly answers: Promise<boolean> } | undefined
  #logins = { since: 0, count: 0 }
  #isClosed = false

  constructor(ports: RelayPorts) {
    this.#ports = ports
  }

  /** As the handler of that call answers it; `send` of a stream. */
  async call(name: Name, request: unknown, asked: RelayedCall): Promise<unknown> {
    const { caller, signal, send } = asked
    if (name === 'openSession') this.#countLogin()
    const isReading = /^(?:get|list|read|watch|whoAmI)/.test(name)
    this.#askedAt = performance.now()
    for (let attempt = 1; ; attempt++) {
      const member = await this.#member()
      const call = member.clients(caller)[name] as unknown as AnyCall
      try {
        if (!streams.has(name)) return this.#inOwnName(name, await call(request, { signal }))
        const signals = AbortSignal.any([signal, member.over.signal])
        return await this.#stream(async () => {
          await call(request, (state: unknown) => send?.(this.#inOwnName(name, state)), { signal: signals })
        })
      } catch (error) {
        const isClosed = error instanceof RefusedError && error.code === closedCode
        const isGone = error instanceof UnreachableError || (isReading && error instanceof ConnectionEndedError)
        if (!(isGone || isClosed) || attempt > 2) throw error
        this.#leave(member)
      }
    }
  }

  /** As a witness is ready: whoever asks it gets to a node, and its vote counts. */
  async health(): Promise<Awaited<ReturnType<LocalClient['getHealth']>>> {
    const { started, votes, counts } = this.#ports.vote()
    const answers = await this.#answers()
    return { started, quorate: answers && counts, member: votes, active: '' }
  }

  async #answers(): Promise<boolean> {
    const now = performance.now()
    this.#askedAt = now
    if (this.#health !== undefined && now - this.#health.at < healthForMs) return await this.#health.answers
    const answers = this.#member()
      .then(rankOf)
      .then(
        () => true,
        () => false,
      )
    this.#health = { at: now, answers }
    return await answers
  }

  #countLogin(): void {
    const now = performance.now()
    if (now - this.#logins.since >= 1000) this.#logins = { since: now, count: 0 }
    this.#logins.count += 1
    if (this.#logins.count > loginsPerSecond)
      throw refuse('too-many-logins', 'Too many logins are under way. Try again in a few seconds.')
  }

  /** After its certificate was renewed, or the authority replaced. */
  renew(): void {
    if (this.#chosen !== undefined) this.#leave(this.#chosen)
  }

  close(): void {
    this.#isClosed = true
    this.renew()
  }

  /** Whoever leaves the node out means the host that he asks, and that is no node. */
  #inOwnName(name: Name, answer: unknown): unknown {
    if (name !== 'getState' && name !== 'watchState') return answer
    return { ...(answer as ClusterState), localNode: this.#ports.name }
  }

  async #stream(follow: () => Promise<void>): Promise<void> {
    this.#streams++
    try {
      await follow()
    } finally {
      this.#streams--
      this.#askedAt = performance.now()
    }
  }

  async #member(): Promise<Chosen> {
    if (this.#chosen !== undefined) return this.#chosen
    this.#choosing ??= this.#choose().finally(() => {
      this.#choosing = undefined
    })
    return await this.#choosing
  }

  async #choose(): Promise<Chosen> {
    const { name, file, vote } = this.#ports
    const found = await Promise.all(file().nodes.map(async (node) => await this.#ask(node)))
    const answered = found.filter((one) => one !== undefined).sort((a, b) => b.rank - a.rank)
    const [best, ...others] = answered
    for (const { member } of others) member.close()
    if (best !== undefined && best.why === undefined && !this.#isClosed) {
      this.#chosen = best.member
      this.#timer ??= setInterval(() => void this.#look(), lookEveryMs).unref()
      return best.member
    }
    best?.member.close()
    if (best?.why !== undefined) throw best.why
    const { started, votes, counts } = vote()
    const own = !started
      ? 'is stopped'
      : votes && counts
        ? 'is started, and its vote counts'
        : 'is started, without a vote that counts'
    throw refuse(
      'no-node-answers',
      `No node of the cluster ${file().clusterName} answers the witness ${name}, which has nothing of the cluster itself. The witness ${own}. Ask a node, or try again once one is up.`,
    )
  }

  async #ask(node: ClusterNodeEntry): Promise<Answered | undefined> {
    for (const host of addressesOf(node)) {
      const member = await this.#connect(node, host).catch(() => undefined)
      if (member === undefined) continue
      try {
        return { member, rank: await rankOf(member) }
      } catch (error) {
        // Its HTTPS API is closed, which is worth saying where all are.
        if (error instanceof RefusedError) return { member, rank: -1, why: error }
        member.close()
      }
    }
    return undefined
  }

  async #connect(node: ClusterNodeEntry, host: string): Promise<Chosen> {
    const keys = (): readonly string[] | undefined =>
      this.#ports.file().nodes.find(({ name }) => name === node.name)?.keys
    const over = new AbortController()
    const at = { node: node.name, host, port: node.ports.peer, keys }
    const opened = await connectRelay(at, this.#ports.identity(), () => {
      over.abort()
      if (this.#chosen?.over === over) this.#leave(this.#chosen)
    })
    return { ...opened, node: node.name, over }
  }

  #leave(member: Chosen): void {
    if (this.#chosen === member) {
      this.#chosen = undefined
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    member.over.abort()
    member.close()
  }

  /** Another node may have quorum meanwhile. */
  async #look(): Promise<void> {
    const member = this.#chosen
    if (member === undefined) return
    const isIdle = this.#streams === 0 && performance.now() - this.#askedAt > idleMs
    const isListed = this.#ports.file().nodes.some(({ name }) => name === member.node)
    const rank = isIdle || !isListed ? 0 : await rankOf(member).catch(() => 0)
    // Where none is better the next call finds the same one.
    if (rank < 2 && this.#chosen === member) this.#leave(member)
  }
}

export interface RelayedCall {
  readonly caller: WebCaller
  readonly signal: AbortSignal
  readonly send?: (response: unknown) => void
}

async function rankOf({ clients }: MemberRelay): Promise<number> {
  const health = await clients({ token: '', from: '' }).getHealth({}, { timeoutMs: healthWithinMs })
  return health.quorate ? 2 : health.started ? 1 : 0
}
