/** The acting edge of fencing on the DC: performs what `fencing.ts` decides, with the daemon's store and connections. */
import { assertNever, monotonicMs, type NodeName } from '../base/index.ts'
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

  /** An administrator says that the node is off. */
  confirm(target: NodeName): void {
    this.#input({ kind: 'confirmed', target })
  }

  /** Whoever asked for it does not want it any more. It ends as a failure where nothing was done to the node yet. */
  withdraw(id: string): void {
    this.#input({ kind: 'withdrawn', id })
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
    if (next !== undefined)
      this.#timer = setTimeout(() => this.#input({ kind: 'tick' }), Math.max(0, Math.ceil(next - machineMs())))
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
    const ended = outcome === 'pending' ? {} : { ended: new Date().toISOString() }
    const written = this.#writing
      .then(() => this.#ports.record({ ...progress, begun, ...ended }, term))
      .catch((error) => {
        this.#ports.log.warn('a fencing action could not be recorded', { id, outcome, error })
        return 'refused' as const
      })
    this.#writing = written
    void written.then((answer) => this.#input({ kind: 'recorded', id, outcome, written: answer === 'written' }))
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
