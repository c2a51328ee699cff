/** The executor's core and its driver: agents on the host, and the history in the store. */
import { failureEdits } from '../../src/attributes/index.ts'
import type { NodeName, ResourceId } from '../../src/base/index.ts'
import { type OperationRecord, operationKey, recordsOfResult } from '../../src/cib/index.ts'
import { keys, writesOfEdits } from '../../src/controller/index.ts'
import { earlierArrivals, lateArrival } from '../../src/daemon/records/migration-writes.ts'
import {
  beginsToRun,
  countedFailure,
  digestsOf,
  type ExecutorEffect,
  type ExecutorInput,
  type ExecutorState,
  initialExecutor,
  nextDueAt,
  type Operation,
  OwnHistory,
  type ReportedResult,
  showsPending,
  stepExecutor,
  toldBy,
} from '../../src/executor/index.ts'
import { Core } from './core.ts'
import type { SimDaemon } from './daemon.ts'
import type { Outcome } from './host.ts'
import type { SimWrite } from './store.ts'

export class ExecutorDriver {
  readonly core: Core<ExecutorState, ExecutorInput, ExecutorEffect>
  readonly #life: SimDaemon
  readonly #onStopped: (failed: readonly ResourceId[]) => void
  #own = new OwnHistory([])
  readonly #leftFor = new Map<ResourceId, NodeName>()
  readonly #agents = new Map<number, { readonly kill: () => void }>()
  readonly #writes: { readonly write: (done: () => void) => void }[] = []
  readonly #waitingForFlush: (() => void)[] = []
  #writing = false

  constructor(life: SimDaemon, onStopped: (failed: readonly ResourceId[]) => void) {
    this.#life = life
    this.#onStopped = onStopped
    // Above the call ids of all earlier lives.
    const initial = initialExecutor(Math.floor(life.world.timeline.now) * 10 + 1)
    this.core = new Core(life, initial, stepExecutor, (effect) => this.#perform(effect), nextDueAt)
  }

  /** The store was read: what it has of this node's earlier lives is known. */
  open(earlier: readonly OperationRecord[]): void {
    this.#own = new OwnHistory(earlier)
  }

  get history(): readonly OperationRecord[] {
    return this.#own.records
  }

  get mayRun(): readonly ResourceId[] {
    return this.#own.mayRun([...this.#life.host.started])
  }

  adoptAgents(): void {
    for (const { resource, operation } of this.#life.host.busyAgents) {
      const target = operation === 'migrate_to' ? this.#own.migrationTarget(resource) : undefined
      if (target !== undefined) this.#leftFor.set(resource, target)
      this.core.feed({ kind: 'left-agent', resource })
      const check = () => {
        if (this.#life.host.busyAgents.some((agent) => agent.resource === resource)) this.#life.after(50, check)
        else this.core.feed({ kind: 'left-agent-gone', resource })
      }
      this.#life.after(50, check)
    }
  }

  #perform(effect: ExecutorEffect): void {
    switch (effect.kind) {
      case 'refuse':
        return
      case 'announce':
        this.#announce(effect)
        return
      case 'run': {
        const { callId, operation } = effect
        this.#life.world.agentBegins(this.#life, operation)
        const { resource, timeoutMs } = operation
        const { world, host } = this.#life
        if (beginsToRun(operation)) host.started.add(resource)
        const target = operation.attributes.CRM_meta_migrate_target
        const moveAway = () => target !== undefined && world.migrate(resource, host, target)
        const run = host.runAgent({ resource, operation: operation.operation, timeoutMs, moveAway }, (outcome) => {
          this.#agents.delete(callId)
          world.agentEnds(this.#life, operation, outcome)
          this.#noteStarted(operation, outcome)
          if (this.#life.isAlive) this.core.feed({ kind: 'finished', callId, resource, outcome })
        })
        this.#agents.set(callId, run)
        return
      }
      case 'kill':
        this.#agents.get(effect.callId)?.kill()
        return
      case 'record':
        this.#record(effect.result)
        return
      case 'forget-operation': {
        const { resource, operation, intervalMs } = effect
        const recordId = operationKey(resource, operation, intervalMs)
        const key = keys.history(this.#life.node, resource, recordId)
        this.#own.forget(resource, recordId)
        this.#writeHistory([{ kind: 'delete', key }])
        return
      }
      case 'forget-resource':
        this.#own.forget(effect.resource)
        this.#writeHistory([
          { kind: 'delete-prefix', prefix: keys.historyOfResource(this.#life.node, effect.resource) },
        ])
        return
      case 'stopped-locally':
        this.#onStopped(effect.failed)
    }
  }

  #noteStarted(operation: Operation, outcome: Outcome): void {
    const { isAlive, host } = this.#life
    if (!isAlive) return
    const reported = toldBy(operation, outcome)
    if (reported === 'stopped') host.started.delete(operation.resource)
    if (reported === 'runs') host.started.add(operation.resource)
  }

  #announce({ result, term, callId }: Extract<ExecutorEffect, { kind: 'announce' }>): void {
    const records = showsPending(result) ? this.#recordsOf(result) : []
    const writes = [...this.#puts(records), ...earlierArrivals(records)]
    const memberRevision = this.#life.memberRevision
    let written = false
    this.#enqueue(
      (done) =>
        this.#life.untilKnown(
          () => this.#life.world.announce(this.#life.node, { term, memberRevision, writes, key: result.key }),
          (applied) => {
            written = applied
            done()
          },
        ),
      () => {
        if (written) this.#own.take(records)
        this.core.feed({ kind: 'announced', callId, resource: result.resource, written })
      },
    )
  }

  #record(result: ReportedResult): void {
    const text = `${result.operation} ${result.resource}${result.intervalMs > 0 ? ` every ${result.intervalMs}` : ''}`
    const untold = result.intervalMs === 0 && this.#life.host.mute.has(result.resource)
    this.#life.log('executor', `${text}: ${result.status} ${result.exitCode}${untold ? ', untold' : ''}`)
    if (untold) return
    const records = this.#recordsOf(result)
    const arrival = this.#own.arrivalHiddenBy(result)
    if (arrival !== undefined) this.#leftFor.set(result.resource, arrival)
    this.#own.take(records)
    const arrived = lateArrival(result.resource, this.#leftFor.get(result.resource))
    this.#leftFor.delete(result.resource)
    this.#writeHistory([...this.#puts(records), ...this.#counted(result), ...arrived], (revision) =>
      this.core.feed({ kind: 'recorded', callId: result.callId, revision }),
    )
  }

  #recordsOf(result: ReportedResult): readonly OperationRecord[] {
    const { attributes: _attributes, timeoutMs: _timeoutMs, ...facts } = result
    return recordsOfResult({
      ...facts,
      node: this.#life.node,
      lastChange: this.#life.world.calendar(),
      digests: digestsOf(result),
    })
  }

  #puts(records: readonly OperationRecord[]): readonly SimWrite[] {
    return records.map((record) => ({
      kind: 'put',
      key: keys.history(record.node, record.resource, record.recordId),
      value: record,
    }))
  }

  #counted(result: ReportedResult): readonly SimWrite[] {
    const { node, world } = this.#life
    const failure = countedFailure(result, world.calendar())
    const attributes = [...this.#life.view.attributes.values()]
    return failure === undefined ? [] : writesOfEdits(failureEdits(attributes, [{ ...failure, node, by: 'one' }]))
  }

  #writeHistory(writes: readonly SimWrite[], written: (revision: number) => void = () => undefined): void {
    let at = 0
    this.#enqueue(
      (done) =>
        this.#life.untilKnown(
          () => this.#life.world.store.transaction([], writes),
          ({ revision }) => {
            at = revision
            done()
          },
        ),
      () => written(at),
    )
  }

  /** One write of history after the other, so that an older result never replaces a newer one. */
  #enqueue(write: (done: () => void) => void, after: () => void): void {
    this.#writes.push({
      write: (done) =>
        write(() => {
          after()
          done()
        }),
    })
    if (!this.#writing) this.#writeNext()
  }

  #writeNext(): void {
    const next = this.#writes.shift()
    this.#writing = next !== undefined
    if (next !== undefined) next.write(() => this.#writeNext())
    else for (const run of this.#waitingForFlush.splice(0)) run()
  }

  whenFlushed(run: () => void): void {
    if (this.#writing) this.#waitingForFlush.push(run)
    else run()
  }
}
