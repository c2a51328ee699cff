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
  operationEvent,
  parseOutboxEvent,
  type QueueEffect,
  type QueueInput,
  stepQueue,
} from '../../alerts/index.ts'
import { type NodeName, utcOffsetAt } from '../../base/index.ts'
import type { AlertDefinition, OperationRecord } from '../../cib/index.ts'
import type { Change, ClusterView } from '../../controller/index.ts'
import type { Store, Write } from '../../store/index.ts'
import { pacemakerVersion } from '../../tools/index.ts'
import { CoreLoop } from '../host/core-loop.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { writeAsDc } from '../records/guarded-writes.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { alertEventsPrefix } from '../records/keys.ts'
import type { StoreChange, StoreView } from '../records/store-view.ts'
import { type AlertRun, runAlert } from './run-alert.ts'

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

interface Noted {
  /** As the store has it. */
  readonly event: object
  /** The lanes of the calls that have not begun. */
  readonly waiting: Map<number, string>
  /** The lanes that were served, here or by an earlier DC. */
  readonly served: Set<string>
  /** What is written of it follows what was written before. */
  written: Promise<unknown>
  over: boolean
}

export class AlertDriver {
  readonly #ports: AlertPorts
  readonly #queue: CoreLoop<AlertQueue, QueueInput, QueueEffect>
  readonly #running = new Map<number, AlertRun>()
  /** By key: what the store notes and this DC has taken up. */
  readonly #noted = new Map<string, Noted>()
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

  constructor(ports: AlertPorts) {
    this.#ports = ports
    this.#queue = new CoreLoop<AlertQueue, QueueInput, QueueEffect>({
      initial: emptyQueue,
      step: stepQueue,
      perform: (effect) => this.#perform(effect),
      nextAt: () => undefined,
      tick: { kind: 'calls', calls: [] },
    })
  }

  /** A sentence for each alert whose last call failed here. */
  get troubles(): readonly string[] {
    return [...this.#failures].map(([alert, why]) => `The alert ${alert} fails: ${why}.`).sort()
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
    if (term === undefined) {
      this.#leaveNotes()
      return
    }
    const notes = this.#ports.below(alertEventsPrefix)
    const keys = new Set(notes.map(({ key }) => key))
    for (const key of this.#noted.keys()) if (!keys.has(key)) this.#noted.delete(key)
    for (const { key, value } of [...notes].sort((a, b) => (a.key < b.key ? -1 : 1))) {
      if (this.#noted.has(key)) continue
      const read = fromBytes(value)
      const event = parseOutboxEvent(read)
      const noted: Noted = {
        event: event ?? {},
        waiting: new Map(),
        served: new Set(servedLanes(read)),
        written: Promise.resolve(),
        over: false,
      }
      this.#noted.set(key, noted)
      if (event) this.#send(event, noted)
      this.#noteServed(key)
    }
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
    const alerts = new Set(this.#alerts.map(({ id }) => id))
    this.#queue.feed({ kind: 'configured', alerts })
    for (const alert of this.#failures.keys()) if (!alerts.has(alert)) this.#failures.delete(alert)
  }

  /** The next DC sends what has not begun here. */
  #leaveNotes(): void {
    if (this.#noted.size === 0) return
    const ids = new Set([...this.#noted.values()].flatMap(({ waiting }) => [...waiting.keys()]))
    this.#noted.clear()
    this.#queue.feed({ kind: 'withdraw', ids })
  }

  #send(event: AlertEvent, noted?: Noted): void {
    const setting = { version: pacemakerVersion, sequence: this.#sequence + 1, utcOffsetAt }
    const calls = callsFor(event, this.#alerts, setting)
      .filter(({ lane }) => noted?.served.has(lane) !== true)
      .map((call) => {
        this.#lastCall += 1
        return { ...call, id: this.#lastCall }
      })
    if (calls.length === 0) return
    this.#sequence += 1
    for (const { id, lane } of calls) noted?.waiting.set(id, lane)
    this.#queue.feed({ kind: 'calls', calls })
  }

  #perform(effect: QueueEffect): void {
    const { call } = effect
    if (effect.kind === 'dropped') {
      if (effect.why === 'full') this.#failed(call, 'too many calls wait for it, and the oldest are dropped')
      this.#begun(call.id)
      return
    }
    const { paths, log } = this.#ports
    if (this.#isAnothers(call.id)) {
      this.#queue.feed({ kind: 'ended', id: call.id })
      return
    }
    log.debug('an alert is sent', { alert: call.alert, kind: call.environment.CRM_alert_kind })
    const run = runAlert(call, paths)
    this.#running.set(call.id, run)
    this.#begun(call.id)
    void run.ended.then((failure) => {
      this.#running.delete(call.id)
      if (failure === undefined) this.#failures.delete(call.alert)
      else this.#failed(call, failure)
      if (!this.#closed) this.#queue.feed({ kind: 'ended', id: call.id })
    })
  }

  #failed({ alert, environment }: AlertCall, why: string): void {
    const { CRM_alert_kind: event, CRM_alert_recipient: recipient } = environment
    this.#ports.log.warn('an alert could not be sent', { alert, event, recipient, why })
    this.#failures.set(alert, why)
  }

  /** This process may have been paused since it took up the note: then it is the next DC's to send. */
  #isAnothers(id: number): boolean {
    if (this.#ports.term() !== undefined) return false
    const noted = [...this.#noted].find(([, { waiting }]) => waiting.has(id))
    if (noted === undefined) return false
    this.#noted.delete(noted[0])
    this.#mustLook = true
    return true
  }

  #begun(id: number): void {
    for (const [key, { waiting, served }] of this.#noted) {
      const lane = waiting.get(id)
      if (lane === undefined) continue
      waiting.delete(id)
      served.add(lane)
      this.#noteServed(key)
      return
    }
  }

  /** With the last call the note has done its work; before that it says which lanes the next DC need not serve again. */
  #noteServed(key: string): void {
    const { store, term, log } = this.#ports
    const own = term()
    const noted = this.#noted.get(key)
    if (own === undefined || noted === undefined || noted.over) return
    const { event, waiting, served } = noted
    if (waiting.size > 0 && served.size === 0) return
    noted.over = waiting.size === 0
    const write: Write =
      waiting.size === 0
        ? { kind: 'delete', key }
        : { kind: 'put', key, value: toBytes({ ...event, served: [...served] }) }
    noted.written = noted.written
      .then(async () => await writeAsDc(store(), own, [write], () => term() === own))
      .catch((error: unknown) => log.warn('an alert that was sent may be sent again', { key, error }))
  }
}

function servedLanes(note: unknown): readonly string[] {
  const served = typeof note === 'object' && note !== null && 'served' in note ? note.served : undefined
  return Array.isArray(served) ? served.filter((lane) => typeof lane === 'string') : []
}
