/**
 * What this node has done and found itself: the records of its operations, whether or not the store has them, or shows them to this node. Where it
 * decides by itself it relies on these. The store's copy may be old, or its history may have been deleted: a node that is integrated anew,
 * refreshed, or counted as down starts without one, and runs what it ran all the same.
 */
import { type NodeName, nodeName, type ResourceId } from '../base/index.ts'
import type { OperationRecord } from '../cib/index.ts'
import { ocfExitCodes } from '../resource-agents/index.ts'
import type { ReportedResult } from './operation.ts'

/** The number of a transition that no DC has made. */
const withoutDc = -1

export class OwnHistory {
  readonly #records = new Map<ResourceId, Map<string, OperationRecord>>()

  /** `earlier`: what the store has of this node's earlier lives. */
  constructor(earlier: readonly OperationRecord[]) {
    for (const record of earlier) this.#recordsOf(record.resource).set(record.recordId, record)
  }

  /** Of one result. They replace those of the same names, and a probe replaces all: it has looked anew. */
  take(records: readonly OperationRecord[]): void {
    for (const record of records) if (isProbe(record)) this.#records.delete(record.resource)
    for (const record of records) this.#recordsOf(record.resource).set(record.recordId, record)
  }

  /** As the DC asks for it. What may run here is remembered until a stop or a probe has told otherwise. */
  forget(resource: ResourceId, recordId?: string): void {
    if (recordId !== undefined) this.#records.get(resource)?.delete(recordId)
    else if (!this.#mayRun(resource)) this.#records.delete(resource)
  }

  get records(): readonly OperationRecord[] {
    return [...this.#records.values()].flatMap((records) => [...records.values()])
  }

  /**
   * Everything but fence devices of which it is not known that it does not run here. `started`: in this boot, by this daemon or an earlier one; that
   * counts where no record tells more.
   */
  mayRun(started: readonly ResourceId[]): readonly ResourceId[] {
    const recorded = [...this.#records.keys()].filter((resource) => this.#mayRun(resource))
    return [...recorded, ...started.filter((resource) => !this.#records.has(resource))]
  }

  /** Where it was to migrate, if that is what was begun last. */
  migrationTarget(resource: ResourceId): NodeName | undefined {
    const { operation, migrate_target: target } = this.#last(resource)?.attributes ?? {}
    return operation === 'migrate_to' && target !== undefined ? nodeName(target) : undefined
  }

  /**
   * Where a resource may have arrived that this node now stops by itself, after it had sent it away: the record of the stop takes the place of the
   * one that said so.
   */
  arrivalHiddenBy({
    operation,
    resource,
    key,
  }: Pick<ReportedResult, 'operation' | 'resource' | 'key'>): NodeName | undefined {
    return operation === 'stop' && key.transition === withoutDc ? this.migrationTarget(resource) : undefined
  }

  #recordsOf(resource: ResourceId): Map<string, OperationRecord> {
    const known = this.#records.get(resource) ?? new Map<string, OperationRecord>()
    this.#records.set(resource, known)
    return known
  }

  #mayRun(resource: ResourceId): boolean {
    const last = this.#last(resource)
    return last !== undefined && last.agent.class !== 'stonith' && !saysStopped(last)
  }

  #last(resource: ResourceId): OperationRecord | undefined {
    return [...(this.#records.get(resource)?.values() ?? [])]
      .filter(({ attributes }) => attributes.interval === '0' && attributes.operation !== 'notify')
      .reduce<OperationRecord | undefined>(
        (best, one) => (best && callIdOf(best) > callIdOf(one) ? best : one),
        undefined,
      )
  }
}

/** What may run here although it should not. `unmanaged`: what is left alone on purpose, by its names in the configuration. */
export function leftRunning(mayRun: readonly ResourceId[], unmanaged: readonly ResourceId[]): readonly ResourceId[] {
  const alone = new Set<string>(unmanaged)
  return mayRun.filter((resource) => !alone.has(resource.replace(/:\d+$/, '')))
}

const isProbe = ({ attributes }: OperationRecord): boolean =>
  attributes.operation === 'monitor' && attributes.interval === '0'

const callIdOf = ({ attributes }: OperationRecord): number => Number(attributes['call-id'] ?? 0)

function saysStopped({ attributes }: OperationRecord): boolean {
  const { operation, 'rc-code': code, 'op-status': status } = attributes
  if (operation === 'stop') return status === '0' && Number(code) === ocfExitCodes.ok
  return operation === 'monitor' && Number(code) === ocfExitCodes.notRunning
}
