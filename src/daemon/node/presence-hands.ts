/** This node's place among the members: the presence core with its hands. */
import type { MemberRecord } from '../../controller/index.ts'
import {
  initialPresence,
  nextPresenceAt,
  type PresenceEffect,
  type PresenceInput,
  type PresenceState,
  presenceStep,
} from '../../membership/index.ts'
import type { Store } from '../../store/index.ts'
import { monotonicNow } from '../host/clock.ts'
import type { Log } from '../host/log.ts'
import { CoreLoop } from './core-loop.ts'
import { performPresenceEffect } from './perform-presence.ts'

export interface PresencePorts {
  readonly log: Log
  readonly store: () => Store
  /** What this node says of itself now. */
  readonly member: () => Omit<MemberRecord, 'state' | 'since'>
  /** Resolves when the results that are known here have been written. */
  readonly resultsWritten: () => Promise<void>
  /** Resolves when nothing of the cluster's runs here any more. */
  readonly stopAll: () => Promise<void>
  /** `escalated`: with what still runs here. */
  readonly depart: (escalated: boolean) => void
  /** The cluster counts this node as fenced, and fencing-reaction says that its machine must not go on. */
  readonly panics: () => boolean
  readonly panic: () => void
  /** No bug: the node must come back as somebody new. */
  readonly restart: (reason: string) => void
}

export class PresenceHands {
  readonly #ports: PresencePorts
  readonly #core: CoreLoop<PresenceState, PresenceInput, PresenceEffect>

  constructor(ports: PresencePorts) {
    this.#ports = ports
    this.#core = new CoreLoop<PresenceState, PresenceInput, PresenceEffect>({
      initial: initialPresence(ports.member().node, ports.member().incarnation),
      step: presenceStep,
      perform: (effect) => this.#perform(effect),
      nextAt: (state) => nextPresenceAt(state, monotonicNow()),
      tick: { kind: 'tick' },
    })
  }

  readonly feed = (input: PresenceInput): void => this.#core.feed(input)

  end(): void {
    this.#core.end()
  }

  #perform(effect: PresenceEffect): void {
    const { log, store, member, resultsWritten, stopAll, depart } = this.#ports
    performPresenceEffect(effect, {
      store: store(),
      log,
      member: member(),
      resultsWritten,
      written: (ok) => this.feed({ kind: 'written', ok }),
      stopLocally: () => void stopAll().then(() => this.feed({ kind: 'stopped-locally' })),
      depart,
      declaredDown: () => this.#declaredDown(),
    })
  }

  /** The cluster believes that this node is off and may start its resources elsewhere. */
  #declaredDown(): void {
    const { log, stopAll, restart, panics, panic } = this.#ports
    if (panics()) {
      panic()
      return
    }
    log.error('the cluster considers this node down although it is alive: its resources are stopped')
    void stopAll().then(() => restart('the cluster considers this node down'))
  }
}
