/**
 * Which results a remote node may have recorded: its own, of what it was told to do over this connection. That its certificate is good says
 * nothing of others' history, of fence devices, or of a start or a move that nobody has begun. A result of what an earlier connection was told is
 * no lie, and is dropped: the history began anew with this one, and what runs is probed.
 */
import type { NodeName } from '../../base/index.ts'
import { type OperationRecord, primitiveDefinitions, textWithoutSecrets } from '../../cib/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { agentParameters, type Command } from '../../executor/index.ts'
import type { CallHandlers, OwnerCalls } from '../../remote/index.ts'
import { isConnectionAgent } from '../../status/index.ts'
import { secretsOfView } from '../records/secrets-of-view.ts'
import { Commanded } from './commanded.ts'
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
  readonly #commanded = new Commanded()
  #renewedAt = Number.NEGATIVE_INFINITY

  constructor(remote: NodeName, view: () => ClusterView, now: () => number) {
    this.#remote = remote
    this.#view = view
    this.#now = now
  }

  /** The remote node is told to do it. */
  told(command: Pick<Command, 'action' | 'transitionKey'>): void {
    this.#commanded.told(command)
  }

  /** Whether it may begin: what another connection has told it is over. */
  announce({ records }: Asked<'announce'>): boolean {
    return records.every((record) => this.#isCommanded(record))
  }

  /** What of it is written. */
  record({ records, failure }: Asked<'record'>): Pick<Asked<'record'>, 'records' | 'failure'> {
    const commanded = records
      .filter((record) => this.#isCommanded(record))
      .map((record) => this.#withoutSecrets(record))
    if (failure === undefined) return { records: commanded }
    const isOf = ({ resource, attributes }: OperationRecord): boolean =>
      resource === failure.resource &&
      attributes.operation === failure.operation &&
      Number(attributes.interval) === failure.intervalMs
    if (!records.some(isOf)) throw this.#mayNot(`count a failure of ${failure.resource} of which it has no result`)
    if (!commanded.some(isOf)) return { records: commanded }
    // One that was in the future would never be over.
    return { records: commanded, failure: { ...failure, at: Math.min(failure.at, Math.floor(this.#now() / 1000)) } }
  }

  /** The store has them. */
  recorded(records: readonly OperationRecord[]): void {
    this.#commanded.recorded(records)
  }

  renew(): void {
    const now = this.#now()
    if (now - this.#renewedAt < renewalEveryMs) throw this.#mayNot('have another certificate yet')
    this.#renewedAt = now
  }

  #isCommanded(record: OperationRecord): boolean {
    this.#check(record)
    const action = this.#commanded.of(record)
    if (action === undefined) return false
    // They change the history of the other node.
    const { migrate_source: source, migrate_target: target } = record.attributes
    const { CRM_meta_migrate_source: from, CRM_meta_migrate_target: to } = action.attributes
    if ((source !== undefined && source !== from) || (target !== undefined && target !== to))
      throw this.#mayNot(`report a move of ${record.resource} that the cluster did not request`)
    return true
  }

  /** What the agent has said is shown to everybody, and the remote node does not know the names that this cluster calls secret. */
  #withoutSecrets(record: OperationRecord): OperationRecord {
    const said = record.attributes['exit-reason'] ?? ''
    if (said === '') return record
    const isSecret = secretsOfView(this.#view())
    const given = Object.entries(agentParameters(this.#commanded.of(record)?.attributes ?? {}))
    const values = given.flatMap(([name, value]) => (isSecret(name) ? [value] : []))
    const shown = textWithoutSecrets(said, isSecret, values)
    return shown === said ? record : { ...record, attributes: { ...record.attributes, 'exit-reason': shown } }
  }

  #check(record: OperationRecord): void {
    const { node, resource, agent, recordId, container } = record
    if (node !== this.#remote) throw this.#mayNot(`write the history of ${node}`)
    if (!isRecordOf(recordId, record)) throw this.#mayNot(`write a record ${recordId} of ${resource}`)
    if (container !== undefined || agent.class === 'stonith' || isConnectionAgent({ agent }))
      throw this.#mayNot(`have a result of ${resource}, which runs on cluster nodes only`)
    const configured = this.#configured(resource)
    if (configured === 'elsewhere') throw this.#mayNot(`have a result of ${resource}, which runs on cluster nodes only`)
    if (configured === 'unknown' && this.#unknownThere(resource) >= mostUnknown)
      throw this.#mayNot('record results of this many unknown resources')
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

/** Names that results have (operation-history.ts): with others one operation would leave as many records as its node likes. */
function isRecordOf(recordId: string, { resource, attributes }: OperationRecord): boolean {
  const ids = [resource, withoutInstance(resource)]
  const name = ids.flatMap((id) => (recordId.startsWith(`${id}_`) ? [recordId.slice(id.length + 1)] : []))
  const own = `${attributes.operation}_${attributes.interval}`
  const isNotice = /^(?:pre|post)_notify_(?:start|stop|promote|demote)_0$/
  return name.some(
    (one) =>
      one === 'last_0' ||
      one === 'last_failure_0' ||
      one === own ||
      (attributes.operation === 'notify' && isNotice.test(one)),
  )
}
