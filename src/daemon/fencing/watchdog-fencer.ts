/**
 * Fencing by the target's own watchdog, as the DC does it: a node that is here is asked to end itself, through the store; then
 * the DC waits (`fencing/self-fencing.ts`).
 */
import { setTimeout as delay } from 'node:timers/promises'
import { monotonicMs, type NodeName } from '../../base/index.ts'
import {
  type ClusterView,
  lastIncarnation,
  type NodeIncarnation,
  sinceIncarnation,
  watchdogMsOf,
} from '../../controller/index.ts'
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

export class WatchdogFencer {
  readonly #ports: WatchdogFencerPorts
  readonly #changes = new Map<NodeName, number>()
  /** Ids of commands whose target is back after another boot. */
  readonly #rebooted = new Set<string>()

  constructor(ports: WatchdogFencerPorts) {
    this.#ports = ports
  }

  /** A member record has come, changed or gone. */
  memberChanged(node: NodeName): void {
    this.#changes.set(node, (this.#changes.get(node) ?? 0) + 1)
  }

  /** What must hold when the success of a command is recorded: that the target is still away, unless it is back after another boot. */
  mustHold({ id, target }: { readonly id: string; readonly target: NodeName }): readonly Comparison[] {
    return this.#rebooted.delete(id) ? [] : [{ kind: 'absent', key: keys.member(target) }]
  }

  /** The command's time limit holds until the lease is gone; the wait after that is known. */
  async run({ id, target, term, timeoutMs }: DeviceCommand): Promise<DeviceAnswer> {
    const { view, option, timings, log } = this.#ports
    const waitMs = watchdogWaits(view(), option(), timings()).get(target)
    if (waitMs === undefined) return failed(`${target} does not feed a reliable watchdog`)
    const life = lastIncarnation(view(), target)
    const isHere = sinceIncarnation(view(), target, life) === 'here'
    if (isHere && !(await this.#askToEnd(target, life, term))) return failed('the term is over')
    log.warn('a node is given the time to be reset by its watchdog', { target, waitMs })
    let wait: SelfFencingWait = { waitMs, giveUpAt: monotonicMs(monotonicNow() + timeoutMs) }
    for (;;) {
      const since = sinceIncarnation(view(), target, life)
      const seen = { target: since, changes: this.#changes.get(target) ?? 0, rules: this.#holds(term) }
      const verdict = lookAtTarget(wait, seen, monotonicNow())
      if (verdict.kind === 'reset') {
        if (since === 'rebooted') this.#rebooted.add(id)
        return { succeeded: true, timedOut: false, output: '', message: '' }
      }
      if (verdict.kind === 'unproven') return failed(verdict.why)
      wait = verdict.wait
      await delay(lookMs)
    }
  }

  #holds(term: number): boolean {
    return this.#ports.holdsTerm(term)
  }

  async #askToEnd(target: NodeName, { incarnation }: NodeIncarnation, term: number): Promise<boolean> {
    const { store } = this.#ports
    const value = toBytes({ incarnation })
    const write: Write = { kind: 'put', key: keys.selfFencing(target), value }
    const { outcome } = await writeAsDc(store(), term, [write], () => this.#holds(term))
    return outcome === 'applied'
  }
}

function failed(message: string): DeviceAnswer {
  return { succeeded: false, timedOut: false, output: '', message }
}
