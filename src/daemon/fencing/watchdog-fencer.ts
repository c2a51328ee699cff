/**
 * Fencing by the target's own watchdog, as the DC does it: a node that is here is asked to end itself, through the store; then
 * the DC waits (`fencing/self-fencing.ts`).
 */
import { setTimeout as delay } from 'node:timers/promises'
import { monotonicMs, type NodeName } from '../../base/index.ts'
import { type ClusterView, knownIncarnation, watchdogMsOf } from '../../controller/index.ts'
import {
  type DeviceAnswer,
  type DeviceCommand,
  lookAtTarget,
  type SelfFencingWait,
  selfResetMs,
} from '../../fencing/index.ts'
import { watchdogWait } from '../../quorum/index.ts'
import type { Comparison, Store, Write } from '../../store/index.ts'
import { monotonicNow } from '../host/clock.ts'
import type { Log } from '../host/log.ts'
import type { Timings } from '../nodes/cluster-file.ts'
import { writeAsDc } from '../records/guarded-writes.ts'
import { toBytes } from '../records/json-value.ts'
import { keys } from '../records/keys.ts'

export interface WatchdogFencerPorts {
  readonly log: Log
  readonly store: () => Store
  readonly view: () => ClusterView
  readonly holdsTerm: (term: number) => boolean
  /** The value of fencing-watchdog-timeout. */
  readonly option: () => string
  readonly timings: () => Timings
}

const lookMs = 100

/** For each node whose watchdog can be counted on: how long after the end of its lease it counts as reset. */
export function watchdogWaits(view: ClusterView, option: string, timings: Timings): ReadonlyMap<NodeName, number> {
  const waits = [...view.nodeStates].flatMap(([node, state]): readonly [NodeName, number][] => {
    const deviceMs = watchdogMsOf(state)
    const resetMs = deviceMs === undefined ? undefined : selfResetMs(option, deviceMs)
    return resetMs === undefined ? [] : [[node, watchdogWait(timings, resetMs)]]
  })
  return new Map(waits)
}

/** What must hold when such a result is recorded. */
export const isAbsent = (target: NodeName): Comparison => ({ kind: 'absent', key: keys.member(target) })

export class WatchdogFencer {
  readonly #ports: WatchdogFencerPorts
  readonly #changes = new Map<NodeName, number>()

  constructor(ports: WatchdogFencerPorts) {
    this.#ports = ports
  }

  /** A member record has come, changed or gone. */
  memberChanged(node: NodeName): void {
    this.#changes.set(node, (this.#changes.get(node) ?? 0) + 1)
  }

  /** The command's time limit holds until the lease is gone; the wait after that is known. */
  async run({ target, term, timeoutMs }: DeviceCommand): Promise<DeviceAnswer> {
    const { view, option, timings, log } = this.#ports
    const waitMs = watchdogWaits(view(), option(), timings()).get(target)
    if (waitMs === undefined) return failed(`${target} feeds no watchdog that can be counted on`)
    if (view().members.has(target) && !(await this.#askToEnd(target, term))) return failed('the term is over')
    log.warn('a node is given the time to be reset by its watchdog', { target, waitMs })
    let wait: SelfFencingWait = { waitMs, giveUpAt: monotonicMs(monotonicNow() + timeoutMs) }
    for (;;) {
      const present = view().members.has(target)
      const seen = { present, changes: this.#changes.get(target) ?? 0, rules: this.#holds(term) }
      const verdict = lookAtTarget(wait, seen, monotonicNow())
      if (verdict.kind === 'reset') return { succeeded: true, timedOut: false, output: '', message: '' }
      if (verdict.kind === 'unproven') return failed(verdict.why)
      wait = verdict.wait
      await delay(lookMs)
    }
  }

  #holds(term: number): boolean {
    return this.#ports.holdsTerm(term)
  }

  async #askToEnd(target: NodeName, term: number): Promise<boolean> {
    const { store, view } = this.#ports
    const value = toBytes({ incarnation: knownIncarnation(view(), target) })
    const write: Write = { kind: 'put', key: keys.selfFencing(target), value }
    const { outcome } = await writeAsDc(store(), term, [write], () => this.#holds(term))
    return outcome === 'applied'
  }
}

function failed(message: string): DeviceAnswer {
  return { succeeded: false, timedOut: false, output: '', message }
}
