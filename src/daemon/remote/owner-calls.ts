/** What a remote node asks of the member that holds its connection: its results are recorded, its agents' calls answered, each only as far as it may. */
import type { NodeName } from '../../base/index.ts'
import type { OperationRecord } from '../../cib/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import type { CallHandlers, OwnerCalls } from '../../remote/index.ts'
import type { Comparison, Store } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import { Seldom } from '../host/seldom.ts'
import { toBytes } from '../records/json-value.ts'
import { keys } from '../records/keys.ts'
import { resultStore } from '../records/result-store.ts'
import type { ConnectionRecords } from './connection-records.ts'
import type { ToolRequest } from './host-callers.ts'
import type { RecordRights } from './record-rights.ts'
import { NotAllowedError } from './remote-world.ts'

type AnswerTo<Name extends keyof OwnerCalls> = OwnerCalls[Name]['answer']

export interface OwnerCallsPorts {
  readonly self: NodeName
  readonly log: Log
  readonly store: () => Store
  readonly view: () => ClusterView
  /** With the key of the cluster's authority. */
  readonly sign: (remote: NodeName, publicKey: string) => Promise<AnswerTo<'renew'>>
  readonly runTool: (remote: NodeName, call: ToolRequest) => Promise<AnswerTo<'tool'>>
  /** A result of the remote node is in the store. */
  readonly alertFor: (records: readonly OperationRecord[]) => void
}

interface Held {
  readonly rights: RecordRights
  readonly records: ConnectionRecords
  /** Of this member's claim, now. */
  readonly token: () => number
}

export class OwnerCallHandlers {
  readonly #ports: OwnerCallsPorts
  readonly #node: NodeName
  readonly #held: Held
  readonly #refusals = new Seldom()

  constructor(ports: OwnerCallsPorts, node: NodeName, held: Held) {
    this.#ports = ports
    this.#node = node
    this.#held = held
  }

  /** `taken`: what is made of it is the connection's. */
  handlers(taken: (by: string) => void): CallHandlers<OwnerCalls> {
    const { rights, records, token } = this.#held
    const { runTool, alertFor, sign } = this.#ports
    const node = this.#node
    return {
      announce: async (asked) => {
        if (!this.#allow(() => rights.announce(asked))) return { written: this.#dropped(asked.records) }
        return { written: (await this.#results().announce(asked.records, asked.term)) === 'written' }
      },
      record: async (asked) => {
        const { records: allowed, failure } = this.#allow(() => rights.record(asked))
        if (allowed.length < asked.records.length) this.#dropped(asked.records)
        const revision = await this.#results().record(allowed, failure)
        rights.recorded(allowed)
        alertFor(allowed)
        return { revision }
      },
      forget: async ({ resource, recordId }) => {
        await this.#results().forget(resource, recordId)
        return {}
      },
      tool: async (call) => await runTool(node, call),
      taken: async ({ by }) => {
        taken(by)
        return {}
      },
      renew: async ({ publicKey }) => {
        this.#allow(() => rights.renew())
        return await sign(node, publicKey)
      },
      leave: async () => {
        const value = String(Math.floor(Date.now() / 1000))
        const record = { node, set: '', name: 'shutdown', value }
        await records.write(token(), [
          { kind: 'put', key: keys.attribute(node, '', 'shutdown'), value: toBytes(record) },
        ])
        return {}
      },
    }
  }

  #results() {
    const { self, store, view } = this.#ports
    const { records, token } = this.#held
    const owned: Comparison = records.owned(token())
    return resultStore({
      store: store(),
      node: this.#node,
      attributes: () => [...view().attributes.values()],
      mayBegin: [{ kind: 'present', key: keys.member(self) }, owned],
      mayTell: [owned],
    })
  }

  /** Told as taken, or the remote node would tell it again and again. */
  #dropped(records: readonly OperationRecord[]): false {
    const [{ resource, attributes } = { resource: '', attributes: { operation: '' } }] = records
    const why = `The ${attributes.operation} of ${resource} was not asked for over this connection.`
    if (this.#refusals.mayTell(why, performance.now()))
      this.#ports.log.info('a result of a remote node was dropped', { remote: this.#node, why })
    return false
  }

  #allow<Allowed>(ask: () => Allowed): Allowed {
    try {
      return ask()
    } catch (error) {
      if (error instanceof NotAllowedError && this.#refusals.mayTell(error.message, performance.now()))
        this.#ports.log.warn('a remote node was refused', { remote: this.#node, why: error.message })
      throw error
    }
  }
}
