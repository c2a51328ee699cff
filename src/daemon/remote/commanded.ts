/**
 * What a remote node was told to do over this connection, and has not told the end of. By the key of each action, which its result carries: a
 * result of anything else tells of a start that nobody has asked for, or of an operation whose end was recorded before.
 */
import type { OperationRecord } from '../../cib/index.ts'
import type { Command } from '../../executor/index.ts'
import type { ResourceAction } from '../../transition/index.ts'
import { withoutInstance } from './runs-there.ts'

/** A command whose result never comes is forgotten when so many others were given since. */
const mostOpen = 10_000

/** An instance of a clone is recorded under its own name, or its resource's. */
const namesOf = ({ resource }: ResourceAction): readonly string[] => [resource, withoutInstance(resource)]

export class Commanded {
  readonly #open = new Map<string, ResourceAction>()

  told({ action, transitionKey }: Pick<Command, 'action' | 'transitionKey'>): void {
    if (action.kind !== 'resource') return
    if (action.operation === 'cancel') {
      this.#cancelled(action)
      return
    }
    this.#open.delete(transitionKey)
    this.#open.set(transitionKey, action)
    for (const key of this.#open.keys()) if (this.#open.size > mostOpen) this.#open.delete(key)
  }

  /** The command that this is a result of, or the announcement. */
  of({ resource, attributes }: OperationRecord): ResourceAction | undefined {
    const action = this.#open.get(attributes['transition-key'] ?? '')
    if (action === undefined || !namesOf(action).includes(resource)) return undefined
    // A reload that worked is recorded as a start.
    const isReload = action.operation.startsWith('reload') && attributes.operation === 'start'
    const isSame = attributes.operation === action.operation || isReload
    // As text: one number has many spellings, and each would be a record of its own.
    return isSame && attributes.interval === String(action.intervalMs) ? action : undefined
  }

  /** The results are in the store. One that repeats goes on until the resource is stopped. */
  recorded(records: readonly OperationRecord[]): void {
    for (const record of records) {
      const action = this.of(record)
      if (action === undefined || action.intervalMs > 0) continue
      this.#open.delete(record.attributes['transition-key'] ?? '')
      if (action.operation === 'stop') this.#stopped(action)
    }
  }

  #stopped({ resource }: ResourceAction): void {
    for (const [key, action] of this.#open)
      if (action.resource === resource && action.intervalMs > 0) this.#open.delete(key)
  }

  #cancelled({ resource, attributes, intervalMs }: ResourceAction): void {
    const operation = attributes.CRM_meta_operation ?? 'monitor'
    const every = Number(attributes.CRM_meta_interval ?? intervalMs)
    for (const [key, action] of this.#open)
      if (action.resource === resource && action.operation === operation && action.intervalMs === every)
        this.#open.delete(key)
  }
}
