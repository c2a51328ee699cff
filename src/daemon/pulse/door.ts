/** The pulse thread's handle on its door: the thread that hears the other nodes (door-thread.ts). */
import { Worker } from 'node:worker_threads'
import { assertNever, OutsideError } from '../../base/index.ts'
import type { DoorRule, Pulse, TlsIdentity } from '../../rpc/index.ts'
import { programFile } from '../host/install-folder.ts'
import type { KnownNode } from '../node-list/known-node.ts'
import type { PulseListen } from './messages.ts'

export interface DoorSetup {
  readonly identity: TlsIdentity
}

/** `call` is answered with `listening`. */
export type ToDoor =
  | { readonly kind: 'listen'; readonly call: number; readonly at: readonly PulseListen[]; readonly door: DoorRule }
  | { readonly kind: 'hear'; readonly nodes: readonly KnownNode[] }
  | { readonly kind: 'identity'; readonly identity: TlsIdentity }
  | { readonly kind: 'close'; readonly call: number }

export type FromDoor =
  | { readonly kind: 'pulse'; readonly link: number; readonly caller: string; readonly pulse: Pulse }
  | { readonly kind: 'broken'; readonly link: number; readonly caller: string }
  | { readonly kind: 'bad-message'; readonly link: number; readonly caller: string; readonly what: string }
  | { readonly kind: 'not-listening'; readonly link: number; readonly error: string }
  | { readonly kind: 'done'; readonly call: number; readonly error?: string }

export interface DoorEvents {
  readonly onPulse: (pulse: Pulse, caller: string, link: number) => void
  readonly onBroken: (caller: string, link: number) => void
  readonly onBadMessage: (caller: string, link: number, what: string) => void
  readonly onNotListening: (link: number, error: string) => void
}

export class Door {
  readonly #worker: Worker
  /** Nothing is told before somebody is let in. */
  #events: DoorEvents | undefined
  readonly #calls = new Map<number, { readonly resolve: () => void; readonly reject: (error: Error) => void }>()
  #lastCall = 0

  constructor(setup: DoorSetup) {
    this.#worker = new Worker(programFile('door'), {
      workerData: setup,
      resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 },
    })
    this.#worker.on('message', (message: FromDoor) => this.#receive(message))
    // Its failure ends this thread, and the daemon with it: a node that hears nobody must not go on as if nobody spoke.
    this.#worker.on('error', (error) => {
      throw error
    })
  }

  tell(events: DoorEvents): void {
    this.#events = events
  }

  async listen(at: readonly PulseListen[], door: DoorRule): Promise<void> {
    await this.#call((call) => ({ kind: 'listen', call, at, door }))
  }

  /** Nobody but these nodes, by their keys. */
  hear(nodes: readonly KnownNode[]): void {
    this.#worker.postMessage({ kind: 'hear', nodes } satisfies ToDoor)
  }

  /** For connections from now on. */
  useIdentity(identity: TlsIdentity): void {
    this.#worker.postMessage({ kind: 'identity', identity } satisfies ToDoor)
  }

  async close(): Promise<void> {
    await this.#call((call) => ({ kind: 'close', call }))
    await this.#worker.terminate()
  }

  async #call(message: (call: number) => ToDoor): Promise<void> {
    const call = ++this.#lastCall
    await new Promise<void>((resolve, reject) => {
      this.#calls.set(call, { resolve, reject })
      this.#worker.postMessage(message(call))
    })
  }

  #receive(message: FromDoor): void {
    switch (message.kind) {
      case 'pulse':
        this.#events?.onPulse(message.pulse, message.caller, message.link)
        return
      case 'broken':
        this.#events?.onBroken(message.caller, message.link)
        return
      case 'bad-message':
        this.#events?.onBadMessage(message.caller, message.link, message.what)
        return
      case 'not-listening':
        this.#events?.onNotListening(message.link, message.error)
        return
      case 'done': {
        const waiting = this.#calls.get(message.call)
        this.#calls.delete(message.call)
        if (message.error === undefined) waiting?.resolve()
        else waiting?.reject(new OutsideError(message.error))
        return
      }
      default:
        assertNever(message)
    }
  }
}
