/**
 * Which results a remote node may have recorded: its own, of resources that it can have been told to look for or to run. That its certificate
 * is good says nothing of others' history, of fence devices, or of a move that nobody has begun.
 */
import type { NodeName } from '../../base/index.ts'
import { type OperationRecord, primitiveDefinitions } from '../../cib/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import type { CallHandlers, OwnerCalls } from '../../remote/index.ts'
import { isConnectionAgent } from '../../status/index.ts'
import type { ClusterAction, ResourceAction } from '../../transition/index.ts'
import { NotAllowedError } from './remote-world.ts'
import { withoutInstance } from './runs-there.ts'

type Asked<Name extends keyof OwnerCalls> = Parameters<CallHandlers<OwnerCalls>[Name]>[0]

/** Resources that are in no configuration any more and are still to be stopped there. */
const mostUnknown = 1000
const renewalEveryMs = 10_000

export class RecordRights {
  readonly #remote: NodeName
  readonly #view: () => ClusterView
  readonly #now: () => number
  /** What this connection has told it to migrate away, and where to. */
  readonly #leaving = new Map<string, string>()
  #renewedAt = Number.NEGATIVE_INFINITY

  constructor(remote: NodeName, view: () => ClusterView, now: () => number) {
    this.#remote = remote
    this.#view = view
    this.#now = now
  }

  /** The remote node is told to do it. */
  told(action: ResourceAction | ClusterAction): void {
    if (action.kind !== 'resource') return
    const target = action.operation === 'migrate_to' ? action.attributes.CRM_meta_migrate_target : undefined
    if (target === undefined) this.#leaving.delete(action.resource)
    else this.#leaving.set(action.resource, target)
  }

  announce({ records }: Asked<'announce'>): void {
    for (const record of records) {
      this.#check(record)
      const { operation, migrate_target: target } = record.attributes
      if (operation === 'migrate_to' && target !== undefined && this.#leaving.get(record.resource) !== target)
        throw this.#mayNot(`tell of a move of ${record.resource} that nobody has asked for`)
    }
  }

  record({ records, failure }: Asked<'record'>): Asked<'record'>['failure'] {
    for (const record of records) this.#check(record)
    if (failure === undefined) return undefined
    if (records.every(({ resource }) => resource !== failure.resource))
      throw this.#mayNot(`count a failure of ${failure.resource} of which it has no result`)
    // One that was in the future would never be over.
    return { ...failure, at: Math.min(failure.at, Math.floor(this.#now() / 1000)) }
  }

  renew(): void {
    const now = this.#now()
    if (now - this.#renewedAt < renewalEveryMs) throw this.#mayNot('have another certificate yet')
    this.#renewedAt = now
  }

  #check({ node, resource, agent, recordId, container }: OperationRecord): void {
    if (node !== this.#remote) throw this.#mayNot(`write the history of ${node}`)
    if (!recordId.startsWith(`${resource}_`) && !recordId.startsWith(`${withoutInstance(resource)}_`))
      throw this.#mayNot(`write a record ${recordId} of ${resource}`)
    if (container !== undefined || agent.class === 'stonith' || isConnectionAgent({ agent }))
      throw this.#mayNot(`have a result of ${resource}, which runs on cluster nodes only`)
    const configured = this.#configured(resource)
    if (configured === 'elsewhere') throw this.#mayNot(`have a result of ${resource}, which runs on cluster nodes only`)
    if (configured === 'unknown' && this.#unknownThere(resource) >= mostUnknown)
      throw this.#mayNot('have results of so many resources that nobody knows')
  }

  #configured(resource: string): 'there' | 'elsewhere' | 'unknown' {
    const id = withoutInstance(resource)
    for (const definition of this.#view().configuration?.typed.resources ?? [])
      for (const primitive of primitiveDefinitions(definition))
        if (primitive.id === resource || primitive.id === id)
          return primitive.agent.class === 'stonith' || isConnectionAgent(primitive) ? 'elsewhere' : 'there'
    return 'unknown'
  }

  /** Others than this one that are recorded of it and configured nowhere. */
  #unknownThere(resource: string): number {
    const others = new Set<string>()
    for (const { node, resource: other } of this.#view().operations.values())
      if (node === this.#remote && other !== resource && !others.has(other) && this.#configured(other) === 'unknown')
        others.add(other)
    return others.size
  }

  #mayNot(what: string): NotAllowedError {
    return new NotAllowedError(`The remote node ${this.#remote} may not ${what}.`)
  }
}
