/** Tells results: into this node's own history at once, and to the store until it has them. */
import { isDefect, type NodeName, type ResourceId, resourceId } from '../base/index.ts'
import { type OperationRecord, type OperationResult, recordsOfResult } from '../cib/index.ts'
import {
  type AgentMetadata,
  describeAgentMetadataReport,
  ocfExitCodes,
  type ReadMetadata,
} from '../resource-agents/index.ts'
import { attempt } from './made-sure.ts'
import { type CountedFailure, countedFailure, type Operation, type ReportedResult } from './operation.ts'
import type { ExecutorLog } from './operation-log.ts'
import type { OwnHistory } from './own-history.ts'
import { digestsOf } from './result-digests.ts'
import type { WritingLine } from './writing-line.ts'

const metadataWaitMs = 2000

/** Where this node's results go. Each answers when it is done; a rejection means that it is not known and is tried again. */
export interface ResultStore {
  /** In a transaction that compares the DC's term, also where there is nothing to write; `refused` where that term is over. */
  announce(records: readonly OperationRecord[], term: number): Promise<'written' | 'refused'>
  /**
   * With the failure that the result is, where it counts: a result whose count comes later would be decided upon twice.
   * Answers with the store's revision. `arrival`: where the resource may have come meanwhile, so that it is probed there again.
   */
  record(records: readonly OperationRecord[], failure?: CountedFailure, arrival?: NodeName): Promise<number>
  /** Deletes one record of a resource, or all of them. */
  forget(resource: ResourceId, recordId?: string): Promise<void>
}

export interface ResultsPorts {
  readonly node: NodeName
  readonly metadata: ReadMetadata
  readonly store: ResultStore
  readonly log: ExecutorLog
  readonly own: OwnHistory
  readonly writing: WritingLine
  readonly onRecorded: (callId: number, revision: number) => void
}

export class Results {
  /** Where resources may have arrived of which nobody else knows: sent by a former daemon's agents, or stopped here without the DC after they had left. */
  readonly leftFor = new Map<ResourceId, NodeName>()
  readonly #ports: ResultsPorts

  constructor(ports: ResultsPorts) {
    this.#ports = ports
  }

  record(result: ReportedResult): void {
    const { own, log, writing, onRecorded } = this.#ports
    const at = wallSeconds()
    const arrival = attempt(() => own.arrivalHiddenBy(result), log, 'where a resource may have arrived')
    if (arrival !== undefined) this.leftFor.set(result.resource, arrival)
    attempt(() => own.take(this.recordsOf(result, undefined, at)), log, 'the history of this node')
    let revision: number | undefined
    let plain = false
    const done = writing.add(result.resource, async () => {
      try {
        revision = plain ? await this.#writePlain(result, at) : await this.#write(result, at)
      } catch (error) {
        plain ||= isDefect(error)
        throw error
      }
    })
    void done.then(() => {
      if (revision !== undefined) onRecorded(result.callId, revision)
    })
  }

  recordsOf(
    result: ReportedResult,
    metadata: AgentMetadata | undefined,
    at = wallSeconds(),
  ): readonly OperationRecord[] {
    return recordsOfResult({ ...this.#factsOf(result, at), digests: digestsOf(result, metadata) })
  }

  async metadataOf(agent: Operation['agent']): Promise<Awaited<ReturnType<ReadMetadata>> | undefined> {
    try {
      return await this.#ports.metadata(agent)
    } catch (error) {
      attempt(() => this.#ports.log.warn('the metadata of an agent could not be read', { agent, error }))
      return undefined
    }
  }

  async #write(result: ReportedResult, at: number): Promise<number> {
    const { log, store } = this.#ports
    const metadata = wantsMetadata(result) ? await soon(this.metadataOf(result.agent)) : undefined
    const remark = metadata && !metadata.ok ? metadata.reports.map(describeAgentMetadataReport).join(' ') : undefined
    if (remark !== undefined) log.warn('an agent has no metadata', { resource: result.resource, remark })
    const told = remark === undefined ? result : { ...result, remark }
    const records = this.recordsOf(told, metadata?.ok ? metadata.value : undefined, at)
    const revision = await store.record(records, countedFailure(result, at), this.leftFor.get(result.resource))
    this.leftFor.delete(result.resource)
    return revision
  }

  /** Of a guest node's connection with its container: once neither is configured, the history alone says that the node needs no fence device. */
  #factsOf({ attributes, timeoutMs: _timeoutMs, ...facts }: ReportedResult, at: number): OperationResult {
    const container = attributes.CRM_meta_container
    return {
      ...facts,
      node: this.#ports.node,
      lastChange: at,
      ...(container === undefined ? {} : { container: resourceId(container) }),
    }
  }

  /** Without what else is told with it, which may be what cannot be told: the digests, and the failure that it counts as. */
  async #writePlain(result: ReportedResult, at: number): Promise<number> {
    const records = recordsOfResult(this.#factsOf(result, at))
    return await this.#ports.store.record(records, undefined, this.leftFor.get(result.resource))
  }
}

/** Digests are compared for what runs: of a resource that is not active they mean nothing. */
function wantsMetadata({ operation, intervalMs, status, exitCode }: ReportedResult): boolean {
  const active = exitCode === ocfExitCodes.ok || exitCode === ocfExitCodes.runningPromoted
  return intervalMs === 0 && status === 'done' && active && !['stop', 'notify', 'migrate_to'].includes(operation)
}

/** Undefined where it takes too long: a result waits for it no longer than a moment. */
async function soon<T>(answer: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), metadataWaitMs)
  })
  const first = await Promise.race([answer, late])
  clearTimeout(timer)
  return first
}

const wallSeconds = (): number => Math.floor(Date.now() / 1000)
