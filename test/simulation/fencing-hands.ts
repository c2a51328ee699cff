/** The fencer's core and its hands: its records in the store, and devices that other nodes use for it. */
import { type ControllerEffect, type KeyWrite, keys } from '../../src/controller/index.ts'
import {
  type DeviceAnswer,
  type FencingEffect,
  type FencingInput,
  type FencingState,
  initialFencing,
  nextFencingAt,
  readFenceDevices,
  stepFencing,
} from '../../src/fencing/index.ts'
import { peerViews } from '../../src/membership/index.ts'
import { fenceAgentMetadata } from './configuration.ts'
import { Core } from './core.ts'
import type { SimDaemon } from './daemon.ts'

export class FencingHands {
  readonly core: Core<FencingState, FencingInput, FencingEffect>
  readonly #life: SimDaemon
  /** What was asked for, by its id. */
  readonly #fences = new Map<string, Extract<ControllerEffect, { kind: 'fence' }>>()

  constructor(life: SimDaemon) {
    this.#life = life
    this.core = new Core(life, initialFencing, stepFencing, (effect) => this.#perform(effect), nextFencingAt)
  }

  configure(): void {
    const { configuration } = this.#life.view
    if (configuration === undefined) return
    const devices = readFenceDevices(configuration.typed, { metadata: fenceAgentMetadata })
    const topology = configuration.typed.fencingLevels
    this.core.feed({ kind: 'configured', setup: { devices, topology, concurrent: true } })
  }

  fence(effect: Extract<ControllerEffect, { kind: 'fence' }>): void {
    const { id, target, action, term, timeoutMs, delayMs, reason } = effect
    this.#life.log('controller', `asks for fencing of ${target}: ${reason}`)
    this.#fences.set(id, effect)
    if (this.#life.world.mutations.has('start-before-fencing')) {
      const at = this.#life.world.calendar()
      this.#life.after(1, () =>
        this.#life.controller.feed({ kind: 'fenced', id, target, action, at, outcome: 'succeeded', message: 'a lie' }),
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
        const write: KeyWrite = { kind: 'put', key: keys.fencingHistory(progress.id), value: progress }
        this.#life.guarded(term, [write], ({ applied }) =>
          this.core.feed({ kind: 'recorded', id: progress.id, outcome: progress.outcome, written: applied }),
        )
        return
      }
      case 'run-device':
        this.#runDevice(effect)
        return
      case 'announce': {
        const { id, target, outcome, message } = effect
        this.#life.log('fencing', `${target}: ${outcome} (${message})`)
        const asked = this.#fences.get(id)
        if (asked === undefined) return
        const { action, incarnation } = asked
        const meant = incarnation === undefined ? {} : { incarnation }
        const at = this.#life.world.calendar()
        this.#life.controller.feed({ kind: 'fenced', id, target, action, ...meant, at, outcome, message })
      }
    }
  }

  #runDevice(effect: Extract<FencingEffect, { kind: 'run-device' }>): void {
    const { call, node, action, target, timeoutMs } = effect
    let answered = false
    const answer = (result: DeviceAnswer) => {
      if (answered) return
      answered = true
      this.core.feed({ kind: 'device-answered', call, answer: result })
    }
    this.#life.world.request(
      this.#life,
      node,
      (peer, reply: (result: DeviceAnswer) => void) =>
        this.#life.world.runDevice(peer.node, action, target, timeoutMs, reply),
      answer,
    )
    const message = `${node} did not answer`
    this.#life.after(timeoutMs + 1000, () => answer({ succeeded: false, timedOut: true, output: '', message }))
  }
}
