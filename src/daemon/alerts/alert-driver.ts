/**
 * Sends the alerts of this node: what its resources do and what becomes of its attributes; and as the DC what the store notes of nodes and
 * fencing. Nothing waits for a program that is called.
 */
import {
  type AlertCall,
  type AlertEvent,
  type AlertQueue,
  callsFor,
  emptyQueue,
  lanesOf,
  operationEvent,
  type QueuedCall,
  type QueueEffect,
  type QueueInput,
  queueNextAt,
  stepQueue,
} from '../../alerts/index.ts'
import { assertNever, type NodeName, utcOffsetAt } from '../../base/index.ts'
import type { AlertDefinition, OperationRecord } from '../../cib/index.ts'
import type { Change, ClusterView } from '../../controller/index.ts'
import type { Store } from '../../store/index.ts'
import { pacemakerVersion } from '../../tools/index.ts'
import { CoreLoop } from '../host/core-loop.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { alertEventsPrefix } from '../records/keys.ts'
import type { StoreChange, StoreView } from '../records/store-view.ts'
import { NotedEvents } from './noted-events.ts'
import { type AlertEnd, type AlertRun, runAlert } from './run-alert.ts'
import { AlertTrial } from './try-alert.ts'

export interface AlertPorts {
  readonly self: NodeName
  readonly log: Log
  readonly paths: Paths
  readonly store: () => Store
  readonly view: () => ClusterView
  readonly below: StoreView['below']
  /** Undefined: this node is not the DC. */
  readonly term: () => number | undefined
}

/** The programs that run when the node ends get this time; who hangs is ended. */
const lastWordsMs = 2000

export class AlertDriver {
  readonly #ports: AlertPorts
  readonly #queue: CoreLoop<AlertQueue, QueueInput, QueueEffect>
  readonly #running = new Map<number, AlertRun>()
  readonly #notes: NotedEvents
  readonly #trial: AlertTrial
  /** The last result of each operation that an alert was sent for: writing it may take several attempts. */
  readonly #last = new Map<string, string>()
  /** By alert, why its last call failed. */
  readonly #failures = new Map<string, string>()
  #sequence = 0
  #lastCall = 0
  #closed = false
  /** The notes are listed when they change, and when this node becomes the DC. */
  #mustLook = true
  #lookedIn: number | undefined
  /** The alerts when what waits was last held against them, by id. */
  #configuredAs: ReadonlyMap<string, string> = new Map()

  constructor(ports: AlertPorts) {
    this.#ports = ports
    this.#queue = new CoreLoop<AlertQueue, QueueInput, QueueEffect>({
      initial: emptyQueue,
      step: stepQueue,
      perform: (effect) => this.#perform(effect),
      nextAt: queueNextAt,
      tick: { kind: 'tick' },
    })
    const { log, store, below, term } = ports
    this.#notes = new NotedEvents({
      ...{ log, store, below, term },
      callsFor: (event, served) => this.#newCalls(event, served),
      send: (calls) => this.#queue.feed({ kind: 'calls', calls }),
    })
    this.#trial = new AlertTrial({
      self: ports.self,
      alerts: () => this.#alerts,
      callsFor: (event, alerts) => this.#callsFor(event, this.#sequence + 1, alerts),
      run: (call) => runAlert(call, ports.paths),
      worked: (alert) => this.#failures.delete(alert),
    })
  }

  /** Beside the queue: whoever asks waits for it. */
  readonly try: AlertTrial['try'] = async (asked) => await this.#trial.try(asked)

  /** A sentence for each alert whose last call failed here. */
  get troubles(): readonly string[] {
    return [...this.#failures].map(([alert, why]) => `The alert ${alert} fails: ${why.replace(/\.$/, '')}.`).sort()
  }

  /** A result of this node, or of a remote node whose connection it holds. The records of one result tell the same. */
  readonly result = (records: readonly OperationRecord[]): void => {
    try {
      this.#takeResult(records)
    } catch (error) {
      // The result is recorded all the same: nothing waits for an alert.
      this.#ports.log.warn('an alert could not be made of a result', { error })
    }
  }

  #takeResult(records: readonly OperationRecord[]): void {
    const [record] = records
    if (record === undefined || this.#alerts.length === 0) return
    const { node, resource, attributes } = record
    const operation = `${node} ${resource} ${attributes.operation ?? ''} ${attributes.interval ?? ''}`
    const identity = `${attributes['call-id'] ?? ''} ${attributes['transition-magic'] ?? ''}`
    if (this.#last.get(operation) === identity) return
    this.#last.set(operation, identity)
    const event = operationEvent(record, Date.now())
    if (event) this.#send(event)
  }

  /** What has changed: in the store, and with that in the view. */
  take(stored: readonly StoreChange[], changes: readonly Change[]): void {
    this.#mustLook ||= stored.some(({ key }) => key.startsWith(alertEventsPrefix))
    for (const change of changes) {
      if (change.kind === 'configuration') this.#configured()
      else if (change.kind === 'attribute' && change.before !== change.after && this.#speaksFor(change.node))
        this.#send({
          kind: 'attribute',
          at: Date.now(),
          node: change.node,
          name: change.name,
          value: change.after ?? '',
        })
    }
  }

  /** After the view has changed, or this node's place in the cluster. */
  look(): void {
    const term = this.#ports.term()
    if (term === this.#lookedIn && !this.#mustLook) return
    this.#lookedIn = term
    this.#mustLook = false
    if (term === undefined) this.#queue.feed({ kind: 'withdraw', ids: this.#notes.leave() })
    else this.#notes.takeUp()
  }

  /** Resolves once the programs have ended, or were ended. */
  async close(): Promise<void> {
    const deadline = Date.now() + lastWordsMs
    while (this.#running.size > 0 && Date.now() < deadline) {
      const timer = new Promise((resolve) => setTimeout(resolve, deadline - Date.now()).unref())
      await Promise.race([timer, ...[...this.#running.values()].map(({ ended }) => ended)])
    }
    this.#closed = true
    this.#queue.end()
    for (const run of this.#running.values()) run.kill()
    this.#trial.close()
  }

  get #alerts(): readonly AlertDefinition[] {
    return this.#ports.view().configuration?.typed.alerts ?? []
  }

  /** Cluster nodes speak for themselves, and the DC for remote nodes. */
  #speaksFor(node: NodeName): boolean {
    const { self, view, term } = this.#ports
    if (node === self) return true
    return view().nodeStates.get(node)?.attributes?.remote_node === 'true' && term() !== undefined
  }

  #configured(): void {
    const alerts = this.#alerts
    const written = new Map(alerts.map((alert) => [alert.id, JSON.stringify(alert)] as const))
    const before = this.#configuredAs
    const isAsBefore = (id: string): boolean => written.get(id) === before.get(id)
    if (written.size === before.size && [...written.keys()].every(isAsBefore)) return
    this.#configuredAs = written
    // What was wrong with another definition may be right by now. If not, the next attempt says so again.
    for (const alert of this.#failures.keys()) if (!isAsBefore(alert)) this.#failures.delete(alert)
    this.#queue.feed({ kind: 'configured', lanes: new Set(alerts.flatMap(lanesOf)) })
  }

  #callsFor(event: AlertEvent, sequence: number, alerts = this.#alerts): readonly AlertCall[] {
    const { configuration } = this.#ports.view()
    const options = (configuration?.typed.options ?? []).flatMap(({ pairs }) => pairs)
    const clusterName = options.find(({ name }) => name === 'cluster-name')?.value ?? ''
    return callsFor(event, alerts, { version: pacemakerVersion, sequence, utcOffsetAt, clusterName })
  }

  #newCalls(event: AlertEvent, served: ReadonlySet<string> = new Set()): readonly QueuedCall[] {
    const calls = this.#callsFor(event, this.#sequence + 1).filter(({ lane }) => !served.has(lane))
    if (calls.length > 0) this.#sequence += 1
    return calls.map((call) => {
      this.#lastCall += 1
      return { ...call, id: this.#lastCall }
    })
  }

  #send(event: AlertEvent): void {
    this.#queue.feed({ kind: 'calls', calls: this.#newCalls(event) })
  }

  #perform(effect: QueueEffect): void {
    switch (effect.kind) {
      case 'dropped':
        if (effect.why === 'full') this.#failed(effect.call, 'too many calls wait for it, and the oldest are dropped')
        this.#notes.served(effect.call.id)
        return
      case 'postponed':
        this.#notes.again(effect.call.id, effect.call.lane)
        return
      case 'abandoned':
        this.#givenUp(effect.call, effect.attempts)
        return
      case 'run':
        this.#run(effect.call, effect.attempts)
        return
      default:
        assertNever(effect)
    }
  }

  #run(queued: QueuedCall, attempts: number): void {
    const { id } = queued
    if (this.#notes.isAnothers(id)) {
      this.#mustLook = true
      this.#queue.feed({ kind: 'ended', id })
      return
    }
    // It may have waited for long: what is configured now counts.
    const now = this.#callsFor(queued.event, queued.sequence).find(({ lane }) => lane === queued.lane)
    if (now === undefined) {
      this.#notes.served(id)
      this.#queue.feed({ kind: 'ended', id })
      return
    }
    const call =
      queued.times === undefined
        ? now
        : { ...now, environment: { ...now.environment, SYSTOLE_ALERT_TIMES: String(queued.times) } }
    const { log, paths } = this.#ports
    log.debug('an alert is sent', { alert: call.alert, kind: call.environment.CRM_alert_kind, attempts })
    const run = runAlert(call, paths)
    const configuredAs = this.#configuredAs.get(call.alert)
    this.#running.set(id, run)
    // A call that has asked for another attempt keeps its note until it has done its work.
    if (attempts === 0) this.#notes.served(id)
    void run.ended.then((end) => this.#ended(call, id, end, this.#configuredAs.get(call.alert) === configuredAs))
  }

  /** `isCurrent`: the alert is as it was when the call began. */
  #ended(call: AlertCall, id: number, { failure, isLater }: AlertEnd, isCurrent: boolean): void {
    this.#running.delete(id)
    if (failure === undefined) this.#failures.delete(call.alert)
    else this.#failed(call, isLater ? `${failure}; it is tried again` : failure, isCurrent)
    if (!this.#closed) this.#queue.feed({ kind: 'ended', id, isLater })
    if (!isLater) this.#notes.served(id)
    this.#notes.ended(id)
  }

  #givenUp(call: QueuedCall, attempts: number): void {
    const why = this.#failures.get(call.alert)?.replace(/; it is tried again$/, '') ?? 'it could not be delivered'
    this.#failed(call, `${why}; a call was given up after ${attempts} attempts`)
    this.#notes.served(call.id)
  }

  #failed({ alert, environment }: AlertCall, why: string, isCurrent = true): void {
    const { CRM_alert_kind: event, CRM_alert_recipient: recipient } = environment
    this.#ports.log.warn('an alert could not be sent', { alert, event, recipient, why })
    if (isCurrent) this.#failures.set(alert, why)
  }
}
