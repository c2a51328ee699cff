/** The simulation's driver of what a node's core asks for to fence others: records in the store or on the host's disk, devices, the time of day. */
import type { NodeName } from '../../src/base/index.ts'
import { keys, parseMemberRecord } from '../../src/controller/index.ts'
import { RecordTimes } from '../../src/daemon/fencing/record-times.ts'
import { withRecord } from '../../src/daemon/two-node/alone-journal.ts'
import type { DeviceAnswer } from '../../src/fencing/index.ts'
import { peerViews } from '../../src/membership/index.ts'
import {
  fencedInput,
  type NodeFencingEffect,
  type NodeFencingInput,
  type RecordedFencing,
} from '../../src/node/index.ts'
import type { SimDaemon } from './daemon.ts'

/** One of two is fenced a little later than the other, so that both do not die. */
const delayMs = 1500

type EffectOf<Kind> = Extract<NodeFencingEffect, { kind: Kind }>

export class FencingDriver {
  readonly #life: SimDaemon
  readonly #times: RecordTimes
  /** Fencings of which a device was told. */
  readonly #sent = new Set<string>()
  /** What this node's controller has asked for. */
  readonly #wanted = new Set<string>()

  constructor(life: SimDaemon) {
    this.#life = life
    this.#times = new RecordTimes(() => String(Math.round(life.now())).padStart(10, '0'))
  }

  #feed(input: NodeFencingInput): void {
    this.#life.core.feed({ kind: 'fencing', input })
  }

  /** The controller has asked for it. */
  wants(id: string): void {
    this.#wanted.add(id)
  }

  /** This node is the DC of that term. */
  takeUpLeftOff(term: number): void {
    const { world } = this.#life
    const records = [...world.store.entries]
      .filter(([key]) => key.startsWith(keys.fencingHistory('')))
      .map(([, { value }]) => value as RecordedFencing)
    this.#times.know(records)
    if (!world.mutations.has('leave-off')) this.#feed({ kind: 'history', term, records })
  }

  perform(effect: NodeFencingEffect): void {
    const { world, host } = this.#life
    switch (effect.kind) {
      case 'use-devices':
        return
      case 'read-recorded-alone':
        this.#times.know(host.journal)
        this.#feed({ kind: 'recorded-alone', records: world.mutations.has('leave-off') ? [] : host.journal })
        return
      case 'record':
        this.#record(effect)
        return
      case 'run-device':
        this.#runDevice(effect)
        return
      case 'look-at-target':
        this.#lookAtTarget(effect)
        return
      case 'write-disk-word':
        this.#writeDiskWord(effect)
        return
      case 'ask-to-end':
        this.#askToEnd(effect)
        return
      case 'announce': {
        const { target, outcome, message } = effect.result
        this.#life.log('fencing', `${target}: ${outcome} (${message})`)
        this.#life.toController(fencedInput(effect, world.calendar()))
        return
      }
      case 'plan-peer':
        this.#planPeer(effect)
    }
  }

  /** Computing takes a moment. */
  #planPeer({ attempt, target }: EffectOf<'plan-peer'>): void {
    const { chance } = this.#life.world
    const first = this.#life.host.list.nodes.find(({ votes }) => votes)?.name
    this.#life.twoNode.fences(target, attempt)
    const action = chance.happens(0.5) ? 'reboot' : 'off'
    const planned = { action, delayMs: target === first ? delayMs : 0, random: chance.real() } as const
    this.#life.after(chance.between(1, 40), () => this.#feed({ kind: 'peer-planned', attempt, ...planned }))
  }

  #record({ by, progress, term, ifAway }: EffectOf<'record'>): void {
    const { id, outcome, target } = progress
    const record = this.#times.recordOf(progress)
    const { host } = this.#life
    if (by === 'alone') {
      const isNews = outcome === 'succeeded' && !host.journal.some((one) => one.id === id && one.outcome === outcome)
      host.journal = withRecord(host.journal, record)
      this.#life.after(1, () => {
        this.#feed({ kind: 'recorded', by, id, outcome, written: true })
        if (isNews) this.#life.twoNode.fenced(target)
      })
      return
    }
    const absent = ifAway ? [{ kind: 'absent', key: keys.member(target) } as const] : []
    this.#life.guarded(
      term,
      [{ kind: 'put', key: keys.fencingHistory(id), value: record }],
      ({ applied }) => this.#feed({ kind: 'recorded', by, id, outcome, written: applied }),
      absent,
    )
  }

  #lookAtTarget({ call, target }: EffectOf<'look-at-target'>): void {
    const { store } = this.#life.world
    this.#life.ask(
      () => ({ entry: store.entries.get(keys.member(target)) }),
      (seen) => {
        if (seen === undefined) {
          this.#feed({ kind: 'target-not-seen', call, why: 'no answer' })
          return
        }
        const record = parseMemberRecord(seen.entry?.value)
        const found = seen.entry === undefined ? {} : { revision: seen.entry.modRevision, ...(record && { record }) }
        this.#feed({ kind: 'target-seen', call, ...found })
      },
    )
  }

  #writeDiskWord({ call, target, term, word, ifRevision }: EffectOf<'write-disk-word'>): void {
    const id = this.#life.core.state.fencing.throughDisks.find(({ asked }) => asked.call === call)?.asked.id
    if (id !== undefined) this.#sends('dc', { id, target })
    const key = keys.member(target)
    const unchanged =
      ifRevision === undefined
        ? ({ kind: 'absent', key } as const)
        : ({ kind: 'mod-revision', key, equals: ifRevision } as const)
    const written = ({ applied }: { readonly applied: boolean }): void =>
      this.#feed({ kind: 'disk-word-written', call, written: applied })
    if (this.#life.world.mutations.has('write-no-disk-word')) written({ applied: true })
    else this.#life.guarded(term, [{ kind: 'put', key: keys.diskFencing(target), value: word }], written, [unchanged])
  }

  #askToEnd({ call, target, incarnation, term }: EffectOf<'ask-to-end'>): void {
    this.#life.guarded(term, [{ kind: 'put', key: keys.selfFencing(target), value: { incarnation } }], ({ applied }) =>
      this.#feed({ kind: 'asked-to-end', call, ...(applied ? {} : { refused: 'the term is over' }) }),
    )
  }

  #runDevice({ by, call, node, id, action, target, timeoutMs }: EffectOf<'run-device'>): void {
    if (action === 'off' || action === 'reboot') this.#sends(by, { id, target })
    let answered = false
    const answer = (given: DeviceAnswer) => {
      if (answered) return
      answered = true
      this.#feed({ kind: 'device-answered', by, call, answer: given })
    }
    const life = this.#life
    // Only then it is switched on again by whoever has switched it off.
    const isReboot = life.core.state.fencing[by].requests.find((request) => request.id === id)?.action === 'reboot'
    const asked = { action, target, timeoutMs, isReboot }
    if (node === life.node) {
      life.world.runDevice(node, asked, (given) => life.after(0, () => answer(given)))
      return
    }
    life.world.request(
      life,
      node,
      (peer, reply: (given: DeviceAnswer) => void) => life.world.runDevice(peer.node, asked, reply),
      answer,
    )
    const message = `${node} did not answer`
    life.after(timeoutMs + 1000, () => answer({ succeeded: false, timedOut: true, output: '', message }))
  }

  /** A node that was lost, and is here again before its device is told. */
  #sends(by: 'dc' | 'alone', { id, target }: { readonly id: string; readonly target: NodeName }): void {
    const { world, node } = this.#life
    const isWrong = by === 'alone' ? this.#life.twoNode.hears(target) : this.#isHereAgain(id, target)
    if (!this.#sent.has(id) && isWrong)
      world.checkers.violated('who is heard again is not fenced', `${node} has ${target} fenced`)
    this.#sent.add(id)
  }

  #isHereAgain(id: string, target: NodeName): boolean {
    const { view, heartbeat } = this.#life
    const heard = peerViews(heartbeat.state, this.#life.now()).some(
      (one) => one.node === target && one.state === 'heard',
    )
    const state = view.nodeStates.get(target)
    const wasLost = state?.expected === 'member' && state.join !== 'member' && !/reported|tell/.test(state.reason ?? '')
    return this.#wanted.has(id) && heard && view.members.has(target) && wasLost
  }
}
