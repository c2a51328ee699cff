/** The acting edge of fencing on the DC: performs what `fencing.ts` decides, with the daemon's store and connections. */
import { assertNever, monotonicMs, type NodeName, timerMs } from '../base/index.ts'
import { machineMs } from '../resource-agents/index.ts'
import { initialFencing, nextFencingAt, stepFencing } from './fencing.ts'
import type { FencingDemand } from './request.ts'
import type {
  Announcement,
  DeviceAnswer,
  FencingEffect,
  FencingInput,
  FencingProgress,
  FencingSetup,
  FencingState,
} from './state.ts'

/** `fencing/history/<id>`. Times are ISO 8601. */
export interface FencingRecord extends FencingProgress {
  readonly begun: string
  readonly ended?: string
}

export interface DeviceCommand {
  readonly id: string
  readonly term: number
  readonly device: string
  readonly action: Extract<FencingEffect, { kind: 'run-device' }>['action']
  readonly target: NodeName
  readonly timeoutMs: number
}

interface LeftOffResult {
  readonly outcome: FencingProgress['outcome']
  readonly ended?: string | undefined
  readonly message?: string | undefined
}

export interface FencerPorts {
  /** In a transaction that compares the DC's term. Repeated by the store's side until it is known; a rejection is `refused`. */
  record(record: FencingRecord, term: number): Promise<'written' | 'refused'>
  /** On that node: by the local half, or by a call to its daemon. A rejection is a failed attempt. */
  runDevice(node: NodeName, command: DeviceCommand): Promise<DeviceAnswer>
  announce(result: Announcement): void
  readonly log: { warn(message: string, fields: Readonly<Record<string, unknown>>): void }
}

export class Fencer {
  readonly #ports: FencerPorts
  readonly #begun = new Map<string, string>()
  /** Of those that have had a result. */
  readonly #ended = new Map<string, string>()
  #state: FencingState = initialFencing
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<unknown> = Promise.resolve()

  constructor(ports: FencerPorts) {
    this.#ports = ports
  }

  configure(setup: FencingSetup): void {
    this.#input({ kind: 'configured', setup })
  }

  demand(demand: FencingDemand): void {
    this.#input({ kind: 'demanded', demand })
  }

  /** It is off by the word of an administrator, or of the survivor of two. */
  confirm(target: NodeName, bySurvivor: boolean): void {
    this.#input({ kind: 'confirmed', target, bySurvivor })
  }

  /** Whoever asked for it does not want it any more. It ends as a failure where nothing was done to the node yet. */
  withdraw(id: string): void {
    this.#input({ kind: 'withdrawn', id })
  }

  /** As it stands in the history: the node was switched off, and is to be switched on by these devices. */
  leftOff(
    record: Pick<FencingRecord, 'begun'> & LeftOffResult,
    demand: FencingDemand,
    devices: readonly string[],
  ): void {
    const { begun, ended, outcome } = record
    this.#begun.set(demand.id, begun)
    if (ended !== undefined) this.#ended.set(demand.id, ended)
    const result = outcome === 'succeeded' ? { result: record.message ?? '' } : {}
    this.#input({ kind: 'left-off', demand, devices, ...result })
  }

  /** The node runs, or is to stay off: nobody needs to switch it on. */
  leaveAsItIs(target: NodeName): void {
    if (this.#state.requests.some((request) => request.target === target))
      this.#input({ kind: 'left-as-it-is', target })
  }

  /** A device is at work on the node. */
  isAtWork(target: NodeName): boolean {
    return this.#state.requests.some(
      ({ target: other, phase }) =>
        other === target && (phase.kind === 'acting' || (phase.kind === 'powering-on' && phase.call !== undefined)),
    )
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #input(input: FencingInput): void {
    const { state, effects } = stepFencing(this.#state, input, monotonicMs(machineMs()))
    this.#state = state
    for (const effect of effects) this.#perform(effect)
    clearTimeout(this.#timer)
    const next = nextFencingAt(state)
    if (next !== undefined) this.#timer = setTimeout(() => this.#input({ kind: 'tick' }), timerMs(next - machineMs()))
  }

  #perform(effect: FencingEffect): void {
    switch (effect.kind) {
      case 'record':
        this.#record(effect)
        return
      case 'run-device':
        this.#runDevice(effect)
        return
      case 'announce': {
        const { kind: _, ...result } = effect
        this.#ports.announce(result)
        return
      }
      default:
        assertNever(effect)
    }
  }

  /** In the order of the effects, so that a pending record never replaces a result. */
  #record({ progress, term }: Extract<FencingEffect, { kind: 'record' }>): void {
    const { id, outcome } = progress
    const begun = this.#begun.get(id) ?? new Date().toISOString()
    this.#begun.set(id, begun)
    const written = this.#writing
      .then(() => this.#ports.record({ ...progress, begun, ...this.#endOf(id, outcome) }, term))
      .catch((error) => {
        this.#ports.log.warn('a fencing action could not be recorded', { id, outcome, error })
        return 'refused' as const
      })
    this.#writing = written
    void written.then((answer) => this.#input({ kind: 'recorded', id, outcome, written: answer === 'written' }))
  }

  /** When it had its result, whatever is told of it afterwards. */
  #endOf(id: string, outcome: FencingProgress['outcome']): Pick<FencingRecord, 'ended'> {
    if (outcome === 'pending') return {}
    const ended = this.#ended.get(id) ?? new Date().toISOString()
    this.#ended.set(id, ended)
    return { ended }
  }

  #runDevice(effect: Extract<FencingEffect, { kind: 'run-device' }>): void {
    const { kind: _, call, node, ...command } = effect
    const answered = this.#ports.runDevice(node, command).catch((error: unknown): DeviceAnswer => {
      const message = `${node} could not be asked: ${error instanceof Error ? error.message : String(error)}`
      return { succeeded: false, timedOut: false, output: '', message }
    })
    void answered.then((answer) => {
      if (!answer.succeeded)
        this.#ports.log.warn('a fence device failed', {
          node,
          device: command.device,
          action: command.action,
          message: answer.message,
        })
      this.#input({ kind: 'device-answered', call, answer })
    })
  }
}
