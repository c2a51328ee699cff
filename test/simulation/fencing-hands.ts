/** The fencer's core and its hands: its records in the store, and devices that other nodes use for it. */
import { monotonicMs, type NodeName } from '../../src/base/index.ts'
import {
  type ControllerEffect,
  type KeyWrite,
  keys,
  lastIncarnation,
  sinceIncarnation,
  watchdogMsOf,
} from '../../src/controller/index.ts'
import { leftOffIn, type NotedFencing } from '../../src/daemon/fencing/left-off.ts'
import {
  type DeviceAnswer,
  type FencingEffect,
  type FencingInput,
  type FencingState,
  initialFencing,
  isTermOver,
  lookAtTarget,
  nextFencingAt,
  readFenceDevices,
  type SelfFencingWait,
  selfResetMs,
  stepFencing,
  watchdogDevice,
  watchdogDeviceId,
} from '../../src/fencing/index.ts'
import { peerViews } from '../../src/membership/index.ts'
import { watchdogWait } from '../../src/quorum/index.ts'
import { fenceAgentMetadata, watchdogMs } from './configuration.ts'
import { Core } from './core.ts'
import type { SimDaemon } from './daemon.ts'

export class FencingHands {
  readonly core: Core<FencingState, FencingInput, FencingEffect>
  readonly #life: SimDaemon
  /** What was asked for, by its id. */
  #waits: ReadonlyMap<NodeName, number> = new Map()
  readonly #begun = new Map<string, string>()
  /** The life of each node that was fenced last. */
  readonly #meant = new Map<NodeName, number | undefined>()
  readonly #memberChanges = new Map<NodeName, number>()
  /** Fencings of which a device was told. */
  readonly #sent = new Set<string>()
  /** Requests whose target is back after another boot. */
  readonly #rebooted = new Set<string>()
  readonly #fences = new Map<string, Extract<ControllerEffect, { kind: 'fence' }>>()

  constructor(life: SimDaemon) {
    this.#life = life
    this.core = new Core(life, initialFencing, stepFencing, (effect) => this.#perform(effect), nextFencingAt)
  }

  configure(): void {
    const { configuration } = this.#life.view
    if (configuration === undefined) return
    const devices = [
      ...readFenceDevices(configuration.typed, { metadata: fenceAgentMetadata(this.#life.world.splitReboot) }),
      ...(this.#waits.size > 0 ? [watchdogDevice(this.#waits)] : []),
    ]
    const topology = configuration.typed.fencingLevels
    this.core.feed({ kind: 'configured', setup: { devices, topology, concurrent: true } })
  }

  /** Which nodes feed a watchdog may have changed. */
  look(): void {
    const { view, world } = this.#life
    if (!world.watchdogs) return
    const fed = [...view.nodeStates].filter(([, state]) => watchdogMsOf(state) !== undefined)
    const same = fed.length === this.#waits.size && fed.every(([node]) => this.#waits.has(node))
    const waitMs = watchdogWait(this.#life.timings, selfResetMs('-1', watchdogMs) ?? 0)
    this.#waits = new Map(fed.map(([node]) => [node, waitMs]))
    if (!same) this.configure()
  }

  memberChanged(node: NodeName): void {
    this.#memberChanges.set(node, (this.#memberChanges.get(node) ?? 0) + 1)
    const incarnation = this.#life.view.members.get(node)?.incarnation
    if (incarnation === undefined || incarnation === this.#meant.get(node)) return
    this.core.feed({ kind: 'left-as-it-is', target: node })
  }

  fence(effect: Extract<ControllerEffect, { kind: 'fence' }>): void {
    const { id, target, action, term, timeoutMs, delayMs, reason } = effect
    this.#life.log('controller', `asks for fencing of ${target}: ${reason}`)
    this.#fences.set(id, effect)
    this.#meant.set(target, effect.incarnation)
    if (this.#life.world.mutations.has('start-before-fencing')) {
      const at = this.#life.world.calendar()
      this.#life.after(1, () =>
        this.#life.toController({ kind: 'fenced', id, target, action, at, outcome: 'succeeded', message: 'a lie' }),
      )
    }
    const silent = new Set(
      peerViews(this.#life.heartbeat.state, this.#life.now()).flatMap((peer) =>
        peer.state === 'heard' ? [] : [peer.node],
      ),
    )
    const runners = [...this.#life.view.members.keys()].filter((node) => !silent.has(node))
    this.core.feed({
      kind: 'demanded',
      demand: {
        id,
        target,
        attributes: new Map(),
        action,
        term,
        timeoutMs: Math.min(timeoutMs, 8000),
        delayMs,
        random: this.#life.world.chance.real(),
        runners,
        reason,
        client: 'controller',
      },
    })
  }

  #perform(effect: FencingEffect): void {
    switch (effect.kind) {
      case 'record': {
        const { progress, term } = effect
        const begun = this.#begun.get(progress.id) ?? String(Math.round(this.#life.now())).padStart(10, '0')
        this.#begun.set(progress.id, begun)
        const value = { ...progress, begun }
        const write: KeyWrite = { kind: 'put', key: keys.fencingHistory(progress.id), value }
        const byWatchdog = progress.device === watchdogDeviceId && progress.outcome === 'succeeded'
        const proven = this.#rebooted.has(progress.id)
        const absent = byWatchdog && !proven ? [{ kind: 'absent', key: keys.member(progress.target) } as const] : []
        this.#life.guarded(
          term,
          [write],
          ({ applied }) => {
            const { id, outcome } = progress
            this.core.feed({ kind: 'recorded', id, outcome, written: applied })
            if (!applied && this.#life.world.mutations.has('leave-off'))
              this.core.feed({ kind: 'left-as-it-is', target: progress.target })
          },
          absent,
        )
        return
      }
      case 'run-device':
        this.#runDevice(effect)
        return
      case 'announce': {
        const { id, target, outcome, message, withdrawn } = effect
        this.#life.log('fencing', `${target}: ${outcome} (${message})`)
        const asked = this.#fences.get(id)
        if (asked === undefined) return
        const { action, incarnation } = asked
        const meant = incarnation === undefined ? {} : { incarnation }
        const at = this.#life.world.calendar()
        const back = withdrawn === undefined ? {} : { withdrawn }
        this.#life.toController({ kind: 'fenced', id, target, action, ...meant, ...back, at, outcome, message })
      }
    }
  }

  #runDevice(effect: Extract<FencingEffect, { kind: 'run-device' }>): void {
    const { call, node, action, target, timeoutMs } = effect
    if (isTermOver(this.#life.view.dc, effect)) {
      const message = 'The term is over.'
      const over = { succeeded: false, timedOut: false, output: '', message }
      this.#life.after(0, () => this.core.feed({ kind: 'device-answered', call, answer: over }))
      return
    }
    if (action === 'off' || action === 'reboot') this.#sends(effect.id, target)
    let answered = false
    const answer = (result: DeviceAnswer) => {
      if (answered) return
      answered = true
      this.core.feed({ kind: 'device-answered', call, answer: result })
    }
    if (effect.device === watchdogDeviceId) {
      this.#waitForWatchdog(effect, answer)
      return
    }
    this.#life.world.request(
      this.#life,
      node,
      (peer, reply: (result: DeviceAnswer) => void) =>
        this.#life.world.runDevice(
          peer.node,
          { action, target, timeoutMs, isReboot: this.#isReboot(effect.id) },
          reply,
        ),
      answer,
    )
    const message = `${node} did not answer`
    this.#life.after(timeoutMs + 1000, () => answer({ succeeded: false, timedOut: true, output: '', message }))
  }

  /** Only then it is switched on again by whoever has switched it off. */
  #isReboot(id: string): boolean {
    return this.core.state.requests.find((request) => request.id === id)?.action === 'reboot'
  }

  /** As `daemon/fencing/fencing-hands.ts` does it, once this node knows that it is the DC. */
  takeUpLeftOff(term: number): void {
    const { view, world } = this.#life
    const history = [...world.store.entries]
      .filter(([key]) => key.startsWith(keys.fencingHistory('')))
      .map(([, { value }]) => value as NotedFencing)
    if (world.mutations.has('leave-off')) return
    for (const { record, target, devices } of leftOffIn(history, view)) {
      this.#life.log('fencing', `${target} was left off`)
      this.#begun.set(record.id, record.begun)
      const runners = [...view.members.keys()]
      const { id, reason = '', client = '' } = record
      const asked = { id, target, term, reason, client, attributes: new Map(), timeoutMs: 8000, delayMs: 0, random: 0 }
      const demand = { ...asked, action: 'reboot', runners } as const
      const result = record.outcome === 'succeeded' ? { result: record.message ?? '' } : {}
      this.core.feed({ kind: 'left-off', demand, devices: devices ?? ['fence'], ...result })
    }
  }

  /** A node that was lost, and is here again before its device is told. */
  #sends(id: string, target: NodeName): void {
    const { view, heartbeat, world, node } = this.#life
    const heard = peerViews(heartbeat.state, this.#life.now()).some(
      (one) => one.node === target && one.state === 'heard',
    )
    const state = view.nodeStates.get(target)
    const wasLost = state?.expected === 'member' && state.join !== 'member' && !/told|tell/.test(state.reason ?? '')
    const isAsked = this.#fences.has(id)
    if (!this.#sent.has(id) && isAsked && heard && view.members.has(target) && wasLost)
      world.checkers.violated('who is heard again is not fenced', `${node} has ${target} fenced`)
    this.#sent.add(id)
  }

  /** As `daemon/fencing/watchdog-fencer.ts` does it. */
  #waitForWatchdog(
    { id, target, term, timeoutMs }: Extract<FencingEffect, { kind: 'run-device' }>,
    answer: (result: DeviceAnswer) => void,
  ): void {
    const life = this.#life
    const told = (succeeded: boolean, message: string) => answer({ succeeded, timedOut: false, output: '', message })
    const waitMs = this.#waits.get(target)
    if (waitMs === undefined) {
      told(false, 'it feeds none')
      return
    }
    let wait: SelfFencingWait = { waitMs, giveUpAt: monotonicMs(life.now() + timeoutMs) }
    const targetLife = lastIncarnation(life.view, target)
    const look = (): void => {
      const since = sinceIncarnation(life.view, target, targetLife)
      const seen = {
        target: since,
        changes: this.#memberChanges.get(target) ?? 0,
        rules: life.isQuorate() && life.view.dc?.term === term,
      }
      const verdict = lookAtTarget(wait, seen, life.now())
      if (verdict.kind === 'reset' && since === 'rebooted') this.#rebooted.add(id)
      if (verdict.kind === 'reset') told(true, '')
      else if (verdict.kind === 'unproven') told(false, verdict.why)
      else {
        wait = verdict.wait
        life.after(100, look)
      }
    }
    if (sinceIncarnation(life.view, target, targetLife) !== 'here') {
      look()
      return
    }
    const value = { incarnation: targetLife.incarnation }
    life.guarded(term, [{ kind: 'put', key: keys.selfFencing(target), value }], ({ applied }) =>
      applied ? look() : told(false, 'the term is over'),
    )
  }
}
