/**
 * Keeps leases alive over one stream to each member, which stays open: a call of its own for each renewal was the largest
 * part of what an idle node asked of etcd. A renewal that is given up takes its stream along, for it may hang.
 */
import type { ClientDuplexStream } from '@grpc/grpc-js'
import type { LeaseId } from '../port/store.ts'
import { api, keyBytes } from './api.ts'
import type { Endpoint, PendingCall } from './endpoint.ts'
import { sessionPrefix } from './session.ts'

type Renewal = ReturnType<typeof api.leaseKeepAlive.decode>

interface Waiting {
  readonly resolve: (renewal: Renewal) => void
  readonly reject: (error: unknown) => void
}

interface OpenStream {
  readonly stream: ClientDuplexStream<{ readonly ID: string }, Renewal>
  /** etcd answers in the order of the requests. */
  readonly waiting: Waiting[]
}

export class LeaseRenewal {
  readonly #streams = new Map<Endpoint, OpenStream>()

  /** The seconds that the lease now lasts, 0 where the member does not know it. */
  keepAlive(endpoint: Endpoint, lease: LeaseId): PendingCall<number | 'unconfirmed'> {
    const open = this.#streams.get(endpoint) ?? this.#open(endpoint)
    let cancel = () => this.#end(endpoint, open, new Error(`${endpoint.address} did not renew a lease in time`))
    const renewed = new Promise<Renewal>((resolve, reject) => open.waiting.push({ resolve, reject }))
    open.stream.write({ ID: lease })
    const answer = renewed.then(async (renewal) => {
      const confirmation = confirmLeader(endpoint, renewal)
      cancel = confirmation.cancel
      return (await confirmation.answer) ? Number(renewal.TTL) : 'unconfirmed'
    })
    return { answer, cancel: () => cancel() }
  }

  close(): void {
    for (const [endpoint, open] of this.#streams) this.#end(endpoint, open, new Error('the store is closed'))
  }

  #open(endpoint: Endpoint): OpenStream {
    const open: OpenStream = { stream: endpoint.stream(api.leaseKeepAlive, { hasLeader: false }), waiting: [] }
    this.#streams.set(endpoint, open)
    open.stream.on('data', (renewal: Renewal) => open.waiting.shift()?.resolve(renewal))
    open.stream.on('error', (error) => this.#end(endpoint, open, error))
    open.stream.on('end', () => this.#end(endpoint, open, new Error(`${endpoint.address} ended the renewals`)))
    return open
  }

  #end(endpoint: Endpoint, open: OpenStream, error: unknown): void {
    if (this.#streams.get(endpoint) === open) this.#streams.delete(endpoint)
    open.stream.cancel()
    for (const { reject } of open.waiting.splice(0)) reject(error)
  }
}

/**
 * A leader that has been deposed and does not know it yet (it was stopped, or cut off) would still renew a lease by itself.
 * A linearizable read in the same Raft term, begun after the renewal, proves that it was the leader then: etcd fills the
 * renewal's term in before it renews.
 */
function confirmLeader(endpoint: Endpoint, renewal: Renewal): PendingCall<boolean> {
  const read = endpoint.call(api.range, { key: keyBytes(sessionPrefix), count_only: true })
  const answer = read.answer.then(({ header }) => header.raft_term === renewal.header.raft_term)
  return { answer, cancel: read.cancel }
}
