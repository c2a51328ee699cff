/**
 * One life of `systoled` on a simulated host: the real cores, composed as `src/daemon` composes them, with the contracts that
 * stand at the top of each core. It ends with a crash, a restart or the host's power.
 */

import { clearFailureEdits, failureEdits } from '../../src/attributes/index.ts'
import { type MonotonicMs, monotonicMs, type NodeName, type ResourceId, type Step } from '../../src/base/index.ts'
import { operationKey, parseTransitionKey, recordsOfResult } from '../../src/cib/index.ts'
import {
  type ClusterView,
  type ControllerEffect,
  type ControllerInput,
  type ControllerState,
  controllerStep,
  defaultControllerTimings,
  emptyView,
  initialController,
  type KeyWrite,
  keys,
  localStopStages,
  nextControllerAt,
  noQuorumReaction,
  type Observation,
  observe,
  type ReplicatedConfiguration,
  writesOfEdits,
} from '../../src/controller/index.ts'
import {
  type ExecutorEffect,
  type ExecutorInput,
  type ExecutorState,
  initialExecutor,
  nextDueAt,
  operationOfAction,
  type ReportedResult,
  showsPending,
  stepExecutor,
} from '../../src/executor/index.ts'
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
import {
  agreedSilence,
  type HeartbeatEffect,
  type HeartbeatInput,
  type HeartbeatState,
  heartbeatStep,
  initialHeartbeat,
  initialPresence,
  nextHeartbeatAt,
  type OwnMember,
  type PresenceEffect,
  type PresenceInput,
  type PresenceState,
  peerViews,
  presenceStep,
} from '../../src/membership/index.ts'
import {
  initialQuorum,
  isQuorate,
  lossWait,
  nextQuorumAt,
  type QuorumEffect,
  type QuorumInput,
  type QuorumState,
  quorateUntil,
  quorumStep,
} from '../../src/quorum/index.ts'
import { fenceAgentMetadata } from './configuration.ts'
import type { Host } from './host.ts'
import type { SimEntry, SimWrite } from './store.ts'
import type { World } from './world.ts'

export const timings = {
  tokenMs: 1000,
  heartbeatIntervalMs: 200,
  restartGraceMs: 3000,
  leaseTtlMs: 4000,
  leaseMarginMs: 500,
  stopTimeMs: 5000,
}

/** A loss of quorum that is over within this time stops nothing. */
const stopAfterMs = 300

export class SimDaemon {
  readonly host: Host
  readonly node: NodeName
  readonly incarnation: number
  isAlive = true
  readonly #world: World
  readonly #agents = new Map<number, { readonly kill: () => void }>()
  readonly #fences = new Map<string, 'off' | 'reboot' | 'on'>()
  readonly #writes: { readonly write: (done: () => void) => void }[] = []
  #writing = false
  #view: ClusterView = emptyView
  #seen = 0
  #ownMemberRevision = 0
  #hasView = false
  #waitingForFlush: (() => void)[] = []
  #stopping = false

  readonly heartbeat: Core<HeartbeatState, HeartbeatInput, HeartbeatEffect>
  readonly quorum: Core<QuorumState, QuorumInput, QuorumEffect>
  readonly presence: Core<PresenceState, PresenceInput, PresenceEffect>
  readonly controller: Core<ControllerState, ControllerInput, ControllerEffect>
  readonly executor: Core<ExecutorState, ExecutorInput, ExecutorEffect>
  readonly fencing: Core<FencingState, FencingInput, FencingEffect>

  constructor(world: World, host: Host) {
    this.#world = world
    this.host = host
    this.node = host.name
    this.incarnation = Math.round(world.timeline.now * 10) + 1
    const now = this.#now()
    const self = this.node
    this.heartbeat = new Core(
      this,
      initialHeartbeat({ self, incarnation: this.incarnation, timings }, now),
      heartbeatStep,
      (effect) => this.#performHeartbeat(effect),
      nextHeartbeatAt,
    )
    const quorum = initialQuorum(timings, now)
    this.quorum = new Core(this, quorum, quorumStep, (effect) => this.#performQuorum(effect), nextQuorumAt)
    const presence = initialPresence(self, this.incarnation)
    this.presence = new Core(
      this,
      presence,
      presenceStep,
      (effect) => this.#performPresence(effect),
      () => undefined,
    )
    const controllerTimings = { ...defaultControllerTimings, startupWaitMs: 5000, lossWaitMs: lossWait(timings) }
    const controller = initialController(self, controllerTimings)
    this.controller = new Core(
      this,
      controller,
      (state: ControllerState, input: ControllerInput, at: MonotonicMs) => controllerStep(state, input, at),
      (effect) => this.#performController(effect),
      (state) => monotonicMs(nextControllerAt(state, this.#now())),
    )
    const executor = initialExecutor(Math.floor(world.timeline.now) * 10 + 1)
    this.executor = new Core(this, executor, stepExecutor, (effect) => this.#performExecutor(effect), nextDueAt)
    this.fencing = new Core(this, initialFencing, stepFencing, (effect) => this.#performFencing(effect), nextFencingAt)
  }

  start(): void {
    this.#log('daemon', `starts, incarnation ${this.incarnation}`)
    this.#adoptAgents()
    const others = this.#world.nodeNames
    this.heartbeat.feed({ kind: 'nodes', peers: others, members: others })
    this.quorum.feed({ kind: 'tick' })
    this.executor.feed({ kind: 'quorum', quorate: false })
    this.#readSnapshot()
    this.#every(250, () => this.presence.feed({ kind: 'tick' }))
  }

  /** SIGKILL, or the end of the host. Agents and what they started are not its children's children any more. */
  die(): void {
    this.isAlive = false
  }

  leave(): void {
    this.#log('daemon', 'wants to leave')
    this.controller.feed({ kind: 'leaving' })
    this.presence.feed({ kind: 'leave' })
  }

  /** In this life only. */
  after(ms: number, run: () => void): void {
    this.host.after(ms, () => {
      if (this.isAlive) run()
    })
  }

  receivePulse(pulse: Extract<HeartbeatInput, { kind: 'pulse' }>['pulse']): void {
    this.heartbeat.feed({ kind: 'pulse', pulse })
  }

  get view(): ClusterView {
    return this.#view
  }

  now(): MonotonicMs {
    return this.#now()
  }

  #now(): MonotonicMs {
    return monotonicMs(this.#world.timeline.now)
  }

  #every(ms: number, run: () => void): void {
    this.after(ms, () => {
      run()
      this.#every(ms, run)
    })
  }

  #log(part: string, text: string): void {
    this.#world.log(this.node, part, text)
  }

  // ------------------------------------------------------------------ the store

  #call<Answer>(operation: () => Answer, answer: (result: Answer | undefined) => void): void {
    this.#world.store.call(this.node, operation, (result) => this.after(0, () => answer(result)))
  }

  /** Repeated until an answer comes; the writes are idempotent. */
  #untilKnown<Answer>(operation: () => Answer, answer: (result: Answer) => void): void {
    this.#call(operation, (result) => {
      if (result !== undefined) answer(result)
      else this.after(100, () => this.#untilKnown(operation, answer))
    })
  }

  #guarded(
    term: number,
    writes: readonly KeyWrite[],
    answer: (result: { readonly applied: boolean; readonly revision: number }) => void,
  ): void {
    this.#untilKnown(() => this.#world.writeUnderTerm(this.node, term, writes), answer)
  }

  #readSnapshot(): void {
    this.#untilKnown(
      () => ({ revision: this.#world.store.revision, entries: [...this.#world.store.entries.values()] }),
      ({ revision, entries }) => {
        this.#revokeEarlierLeases(entries)
        this.#observe(entries.map(observationOf), revision)
        this.#hasView = true
        this.#watch()
      },
    )
  }

  #revokeEarlierLeases(entries: readonly SimEntry[]): void {
    const own = entries.find(({ key }) => key === keys.member(this.node))
    const { lease } = own ?? {}
    if (lease !== undefined)
      this.#untilKnown(
        () => this.#world.store.revoke(lease),
        () => undefined,
      )
  }

  /** Events arrive in order, those of one revision together; after a time without the store, all that was missed. */
  #watch(): void {
    const { store, network } = this.#world
    let asked = false
    const pull = () => {
      asked = false
      if (!store.serves(this.node)) return
      const next = store.eventsAfter(this.#seen)
      const last = next.at(-1)
      if (last === undefined) return
      const observations = next.flatMap(({ events }) =>
        events.map(
          (event): Observation => (event.entry ? observationOf(event.entry) : { kind: 'delete', key: event.key }),
        ),
      )
      this.#observe(observations, last.revision)
    }
    const ask = () => {
      if (asked) return
      asked = true
      this.after(network.delayMs(), pull)
    }
    const end = store.onWrite(() => (this.isAlive ? ask() : end()))
    this.#every(250, ask)
  }

  #observe(observations: readonly Observation[], revision: number): void {
    const { view, changes } = observe(this.#view, observations, revision)
    const before = this.#view
    this.#view = view
    this.#seen = revision
    for (const observation of observations)
      if (observation.key === keys.member(this.node))
        this.#ownMemberRevision = observation.kind === 'put' ? observation.createRevision : 0
    if (view.configuration !== before.configuration) this.#configureFencing()
    for (const node of view.confirmedDown)
      if (!before.confirmedDown.has(node)) this.fencing.feed({ kind: 'confirmed', target: node })
    this.presence.feed({ kind: 'view', own: this.#ownMember() })
    this.controller.feed({ kind: 'store', view, changes })
  }

  #ownMember(): OwnMember {
    const record = this.#view.members.get(this.node)
    const state = this.#view.nodeStates.get(this.node)
    const mine = state?.attributes?.incarnation === String(this.incarnation)
    return {
      ...(record === undefined ? {} : { record }),
      acknowledged: mine && state?.join === 'member' && state.expected === 'member',
      declaredDown: mine && state?.expected === 'down' && record?.state !== 'leaving',
    }
  }

  // ------------------------------------------------------------------ membership and quorum

  #performHeartbeat(effect: HeartbeatEffect): void {
    if (effect.kind === 'send-pulse') {
      for (const peer of effect.to) this.#world.sendPulse(this.node, peer, effect.pulse)
      return
    }
    if (effect.kind === 'doubt-own-lease') {
      this.#log('membership', `stood still for ${Math.round(effect.pausedMs)} ms`)
      this.quorum.feed({ kind: 'doubt' })
      return
    }
    const now = this.#now()
    const silent = peerViews(this.heartbeat.state, now).flatMap(({ node, state }) => (state === 'silent' ? [node] : []))
    const agreed = agreedSilence(this.heartbeat.state, now)
    this.#log('membership', `silent: ${silent.join(',') || 'nobody'}; agreed: ${agreed.join(',') || 'nobody'}`)
    this.controller.feed({ kind: 'silence', silent, agreed })
  }

  #performQuorum(effect: QuorumEffect): void {
    const askedAt = this.#now()
    const { store } = this.#world
    switch (effect.kind) {
      case 'request-lease':
        this.#call(
          () => store.grant(effect.ttlMs),
          (lease) =>
            this.#feedQuorum(
              lease === undefined ? { kind: 'no-answer' } : { kind: 'granted', lease, ttlMs: effect.ttlMs, askedAt },
            ),
        )
        return
      case 'keep-alive':
        this.#call(
          () => store.renew(effect.lease),
          (ttlMs) => this.#feedQuorum(answerToKeepAlive(effect.lease, ttlMs, askedAt)),
        )
        return
      case 'quorum-gained':
        this.#log('quorum', `quorate under ${effect.lease}`)
        return
      case 'quorum-lost':
        this.#log('quorum', `no quorum: ${effect.why}`)
        this.after(stopAfterMs, () => this.#stopWithoutQuorum())
    }
  }

  #feedQuorum(input: QuorumInput): void {
    this.quorum.feed(input)
  }

  /** After every step of the quorum core: the others learn until when this node may act. */
  tellQuorum(): void {
    const { lease } = this.quorum.state
    const until =
      this.#world.mutations.has('ignore-quorum') && lease !== undefined ? Infinity : quorateUntil(this.quorum.state)
    const quorate = this.isQuorate()
    const held = lease === undefined || !quorate ? {} : { lease }
    this.controller.feed({ kind: 'quorum', until, ...(lease === undefined ? {} : { lease }) })
    this.presence.feed({ kind: 'lease', ...held })
    if (this.executor.state.quorate !== quorate) this.executor.feed({ kind: 'quorum', quorate })
  }

  isQuorate(): boolean {
    if (this.#world.mutations.has('ignore-quorum')) return this.quorum.state.lease !== undefined
    return isQuorate(this.quorum.state, this.#now())
  }

  #stopWithoutQuorum(): void {
    if (this.isQuorate() || !this.#hasView || this.#stopping || this.#view.configuration === undefined) return
    const { graph, noQuorumPolicy } = this.#world.schedule(this.#view, false)
    this.#log('executor', `without quorum (${noQuorumPolicy}): ${describeGraph(graph)}`)
    if (noQuorumReaction(noQuorumPolicy) === 'fence-self') {
      this.#world.panic(this.node, 'no-quorum-policy=fence')
      return
    }
    if (localStopStages(graph, this.node).length > 0) this.#stopLocally(graph)
  }

  #stopLocally(graph: Parameters<typeof localStopStages>[0]): void {
    const stages = localStopStages(graph, this.node).map((stage) =>
      stage.map((action) => {
        const key = { action: action.id, transition: -1, expectedExitCode: 0, uuid: `local-${this.incarnation}` }
        const { term: _none, ...operation } = operationOfAction(action, { key, term: 0, timeoutMs: timeoutOf(action) })
        return operation
      }),
    )
    this.#stopping = true
    this.#log(
      'executor',
      `stops by itself: ${stages.map((stage) => stage.map(({ key }) => key.action).length).join(' then ')}`,
    )
    this.executor.feed({ kind: 'stop-locally', stages })
  }

  #performPresence(effect: PresenceEffect): void {
    const { store } = this.#world
    switch (effect.kind) {
      case 'register':
        this.#whenFlushed(() => {
          const value = this.#memberRecord(effect.as)
          const write: SimWrite = { kind: 'put', key: keys.member(this.node), value, lease: effect.lease }
          this.#call(
            () => store.transaction([], [write]),
            (result) => this.presence.feed({ kind: 'written', ok: result?.applied === true }),
          )
        })
        return
      case 'request-shutdown': {
        const value = String(this.#world.calendar())
        const record = { node: this.node, set: '', name: 'shutdown', value }
        const write: SimWrite = { kind: 'put', key: keys.attribute(this.node, '', 'shutdown'), value: record }
        this.#untilKnown(
          () => store.transaction([], [write]),
          () => this.presence.feed({ kind: 'written', ok: true }),
        )
        return
      }
      case 'stop-locally':
        this.#stopLocally(this.#world.schedule(this.#view, false).graph)
        return
      case 'depart': {
        const { lease } = effect
        this.#log('membership', 'leaves')
        this.quorum.feed({ kind: 'leave' })
        const end = () => this.#world.daemonLeft(this.node)
        if (lease === undefined) end()
        else this.#whenFlushed(() => this.#untilKnown(() => store.revoke(lease), end))
        return
      }
      case 'declared-down':
        this.#world.panic(this.node, 'the cluster has declared it down')
    }
  }

  #memberRecord(state: 'joining' | 'member' | 'leaving'): unknown {
    return {
      node: this.node,
      id: String(this.#world.nodeNames.indexOf(this.node) + 1),
      incarnation: this.incarnation,
      address: this.node,
      daemonVersion: 'simulated',
      state,
      since: this.#world.calendar(),
    }
  }

  // ------------------------------------------------------------------ controller

  #performController(effect: ControllerEffect): void {
    const { store } = this.#world
    switch (effect.kind) {
      case 'campaign': {
        const write: SimWrite = { kind: 'put', key: keys.dc, value: { node: this.node }, lease: effect.lease }
        this.#call(
          () => store.transaction([{ kind: 'absent', key: keys.dc }], [write]),
          () => this.controller.feed({ kind: 'campaigned' }),
        )
        return
      }
      case 'write':
        this.#answerWrite(effect.id, effect.term, writesOfEdits(effect.edits))
        return
      case 'record-failures': {
        const edits = failureEdits(this.#view.attributes.values(), effect.failures)
        this.#answerWrite(effect.id, effect.term, writesOfEdits(edits))
        return
      }
      case 'clear-failures': {
        const { node, resource } = effect
        const edits = clearFailureEdits(this.#view.attributes.values(), { resource, node })
        this.#answerWrite(effect.id, effect.term, writesOfEdits([...edits, ...effect.edits]))
        return
      }
      case 'compute':
        this.#compute(effect)
        return
      case 'execute':
        this.#execute(effect)
        return
      case 'fence':
        this.#fence(effect)
        return
      case 'revoke-lease':
        this.#log('controller', `ends the lease of ${effect.node}`)
        this.#call(
          () => store.revoke(effect.lease),
          () => undefined,
        )
        return
      case 'publish':
        this.#guarded(
          effect.record.term,
          [{ kind: 'put', key: keys.transition, value: effect.record }],
          () => undefined,
        )
        return
      case 'log':
        this.#log('controller', `${effect.message} ${JSON.stringify(effect.fields)}`)
    }
  }

  #answerWrite(id: number, term: number, writes: readonly KeyWrite[]): void {
    this.#guarded(term, writes, ({ applied, revision }) =>
      this.controller.feed({ kind: 'written', id, outcome: applied ? 'applied' : 'refused', revision }),
    )
  }

  #compute(effect: Extract<ControllerEffect, { kind: 'compute' }>): void {
    const { graph, recheckInMs } = this.#world.schedule(this.#view, true)
    this.#log('controller', `term ${effect.term}: computes (${effect.reason}): ${describeGraph(graph)}`)
    this.after(this.#world.chance.between(5, 40), () =>
      this.controller.feed({
        kind: 'computed',
        compute: effect.compute,
        graph,
        ...(recheckInMs === undefined ? {} : { recheckInMs }),
      }),
    )
  }

  #execute(effect: Extract<ControllerEffect, { kind: 'execute' }>): void {
    const { transitionKey } = effect
    let answered = false
    const answer = (input: ControllerInput | undefined) => {
      if (answered) return
      answered = true
      if (input !== undefined) this.controller.feed(input)
    }
    this.#world.request(this, effect.node, (peer, reply) => reply(peer.takeCommand(effect)), answer)
    this.after(1000, () => answer({ kind: 'not-taken', transitionKey, why: 'unknown', message: 'no answer' }))
  }

  /** A command of a DC arrives at this node. */
  takeCommand(command: Extract<ControllerEffect, { kind: 'execute' }>): ControllerInput | undefined {
    const { action, term, transitionKey } = command
    if (this.#world.mutations.has('ignore-terms')) this.executor.state = { ...this.executor.state, term: 0 }
    if (action.operation === 'do_shutdown') {
      this.presence.feed({ kind: 'shutdown-allowed' })
      return undefined
    }
    const effects = this.executor.feed(inputOf(command))
    const refused = effects.find((effect) => effect.kind === 'refuse')
    if (refused?.kind === 'refuse') {
      this.#log('executor', `refuses ${action.key} of term ${term}: ${refused.message}`)
      const why = refused.why === 'old-term' ? 'old-term' : 'refused'
      return { kind: 'not-taken', transitionKey, why, message: refused.message }
    }
    const done = ['cancel', 'lrm_delete', 'delete'].includes(action.operation)
    return done ? { kind: 'acknowledged', transitionKey } : undefined
  }

  // ------------------------------------------------------------------ executor

  #adoptAgents(): void {
    for (const resource of new Set(this.host.busyResources)) {
      this.executor.feed({ kind: 'left-agent', resource })
      const check = () => {
        if (this.host.busyResources.includes(resource)) this.after(50, check)
        else this.executor.feed({ kind: 'left-agent-gone', resource })
      }
      this.after(50, check)
    }
  }

  #performExecutor(effect: ExecutorEffect): void {
    switch (effect.kind) {
      case 'refuse':
        return
      case 'announce':
        this.#announce(effect)
        return
      case 'run': {
        const { callId, operation } = effect
        this.#world.agentBegins(this, operation)
        const { resource, timeoutMs } = operation
        const run = this.host.runAgent({ resource, operation: operation.operation, timeoutMs }, (outcome) => {
          this.#agents.delete(callId)
          if (this.isAlive) this.executor.feed({ kind: 'finished', callId, resource, outcome })
        })
        this.#agents.set(callId, run)
        return
      }
      case 'kill':
        this.#agents.get(effect.callId)?.kill()
        return
      case 'record':
        this.#record(effect.result)
        return
      case 'forget-operation': {
        const { resource, operation, intervalMs } = effect
        const key = keys.history(this.node, resource, operationKey(resource, operation, intervalMs))
        this.#writeHistory([{ kind: 'delete', key }])
        return
      }
      case 'forget-resource':
        this.#writeHistory([{ kind: 'delete-prefix', prefix: keys.historyOfResource(this.node, effect.resource) }])
        return
      case 'stopped-locally':
        this.#stopping = false
        this.presence.feed({ kind: 'stopped-locally' })
    }
  }

  #announce({ result, term, callId }: Extract<ExecutorEffect, { kind: 'announce' }>): void {
    const writes = showsPending(result) ? this.#recordsOf(result) : []
    const memberRevision = this.#ownMemberRevision
    let written = false
    this.#enqueue(
      (done) =>
        this.#untilKnown(
          () => this.#world.announce(this.node, { term, memberRevision, writes, key: result.key }),
          (applied) => {
            written = applied
            done()
          },
        ),
      () => this.executor.feed({ kind: 'announced', callId, resource: result.resource, written }),
    )
  }

  #record(result: ReportedResult): void {
    const text = `${result.operation} ${result.resource}${result.intervalMs > 0 ? ` every ${result.intervalMs}` : ''}`
    this.#log('executor', `${text}: ${result.status} ${result.exitCode}`)
    this.#writeHistory(this.#recordsOf(result))
  }

  #recordsOf(result: ReportedResult): readonly SimWrite[] {
    const { attributes: _attributes, timeoutMs: _timeoutMs, ...facts } = result
    const records = recordsOfResult({ ...facts, node: this.node, lastChange: this.#world.calendar() })
    return records.map((record) => ({
      kind: 'put',
      key: keys.history(record.node, record.resource, record.recordId),
      value: record,
    }))
  }

  #writeHistory(writes: readonly SimWrite[]): void {
    this.#enqueue(
      (done) => this.#untilKnown(() => this.#world.store.transaction([], writes), done),
      () => undefined,
    )
  }

  /** One write of history after the other, so that an older result never replaces a newer one. */
  #enqueue(write: (done: () => void) => void, after: () => void): void {
    this.#writes.push({
      write: (done) =>
        write(() => {
          after()
          done()
        }),
    })
    if (!this.#writing) this.#writeNext()
  }

  #writeNext(): void {
    const next = this.#writes.shift()
    this.#writing = next !== undefined
    if (next !== undefined) next.write(() => this.#writeNext())
    else for (const run of this.#waitingForFlush.splice(0)) run()
  }

  #whenFlushed(run: () => void): void {
    if (this.#writing) this.#waitingForFlush.push(run)
    else run()
  }

  // ------------------------------------------------------------------ fencing

  #configureFencing(): void {
    const { configuration } = this.#view
    if (configuration === undefined) return
    const devices = readFenceDevices(configuration.typed, { metadata: fenceAgentMetadata })
    const topology = configuration.typed.fencingLevels
    this.fencing.feed({ kind: 'configured', setup: { devices, topology, concurrent: true } })
  }

  #fence(effect: Extract<ControllerEffect, { kind: 'fence' }>): void {
    const { id, target, action, term, timeoutMs, delayMs, reason } = effect
    this.#log('controller', `asks for fencing of ${target}: ${reason}`)
    this.#fences.set(id, action)
    if (this.#world.mutations.has('start-before-fencing')) {
      const at = this.#world.calendar()
      this.after(1, () =>
        this.controller.feed({ kind: 'fenced', id, target, action, at, outcome: 'succeeded', message: 'a lie' }),
      )
    }
    const silent = new Set(
      peerViews(this.heartbeat.state, this.#now()).flatMap((peer) => (peer.state === 'heard' ? [] : [peer.node])),
    )
    const runners = [...this.#view.members.keys()].filter((node) => !silent.has(node))
    this.fencing.feed({
      kind: 'demanded',
      demand: {
        id,
        target,
        attributes: new Map(),
        action,
        term,
        timeoutMs: Math.min(timeoutMs, 8000),
        delayMs,
        random: this.#world.chance.real(),
        runners,
        reason,
        client: 'controller',
      },
    })
  }

  #performFencing(effect: FencingEffect): void {
    switch (effect.kind) {
      case 'record': {
        const { progress, term } = effect
        const write: KeyWrite = { kind: 'put', key: keys.fencingHistory(progress.id), value: progress }
        this.#guarded(term, [write], ({ applied }) =>
          this.fencing.feed({ kind: 'recorded', id: progress.id, outcome: progress.outcome, written: applied }),
        )
        return
      }
      case 'run-device':
        this.#runDevice(effect)
        return
      case 'announce': {
        const { id, target, outcome, message } = effect
        this.#log('fencing', `${target}: ${outcome} (${message})`)
        const action = this.#fences.get(id) ?? 'reboot'
        this.controller.feed({ kind: 'fenced', id, target, action, at: this.#world.calendar(), outcome, message })
      }
    }
  }

  #runDevice(effect: Extract<FencingEffect, { kind: 'run-device' }>): void {
    const { call, node, action, target, timeoutMs } = effect
    let answered = false
    const answer = (result: DeviceAnswer) => {
      if (answered) return
      answered = true
      this.fencing.feed({ kind: 'device-answered', call, answer: result })
    }
    this.#world.request(
      this,
      node,
      (peer, reply: (result: DeviceAnswer) => void) =>
        this.#world.runDevice(peer.node, action, target, timeoutMs, reply),
      answer,
    )
    const message = `${node} did not answer`
    this.after(timeoutMs + 1000, () => answer({ succeeded: false, timedOut: true, output: '', message }))
  }
}

/** A state machine and what performs its effects; a tick comes when the core says that it needs one. */
class Core<State, Input extends { readonly kind: string }, Effect> {
  state: State
  readonly #daemon: SimDaemon
  readonly #step: (state: State, input: Input, now: MonotonicMs) => Step<State, Effect>
  readonly #perform: (effect: Effect) => void
  readonly #nextAt: (state: State) => MonotonicMs | undefined
  #timer = 0

  constructor(
    daemon: SimDaemon,
    state: State,
    step: (state: State, input: Input, now: MonotonicMs) => Step<State, Effect>,
    perform: (effect: Effect) => void,
    nextAt: (state: State) => MonotonicMs | undefined,
  ) {
    this.#daemon = daemon
    this.state = state
    this.#step = step
    this.#perform = perform
    this.#nextAt = nextAt
  }

  feed(input: Input): readonly Effect[] {
    if (!this.#daemon.isAlive) return []
    const { state, effects } = this.#step(this.state, input, this.#daemon.now())
    this.state = state
    for (const effect of effects) this.#perform(effect)
    if (isQuorumCore(this, this.#daemon)) this.#daemon.tellQuorum()
    this.#setTimer()
    return effects
  }

  #setTimer(): void {
    const at = this.#nextAt(this.state)
    const timer = ++this.#timer
    if (at === undefined || !Number.isFinite(at)) return
    this.#daemon.after(Math.max(0.5, at - this.#daemon.now()), () => {
      // Every core takes a tick; a timer that was set anew is not for this one.
      if (timer === this.#timer) this.feed({ kind: 'tick' } as unknown as Input)
    })
  }
}

function isQuorumCore(core: unknown, daemon: SimDaemon): boolean {
  return core === daemon.quorum
}

function answerToKeepAlive(lease: string, ttlMs: number | 'lost' | undefined, askedAt: MonotonicMs): QuorumInput {
  if (ttlMs === undefined) return { kind: 'no-answer' }
  return ttlMs === 'lost' ? { kind: 'lost', lease } : { kind: 'confirmed', lease, ttlMs, askedAt }
}

function inputOf(command: Extract<ControllerEffect, { kind: 'execute' }>): ExecutorInput {
  const { action, term, transitionKey, timeoutMs } = command
  const resource = action.resource as ResourceId
  if (action.operation === 'cancel') {
    const operation = action.attributes.CRM_meta_operation ?? 'monitor'
    const intervalMs = Number(action.attributes.CRM_meta_interval ?? '0')
    return { kind: 'cancel', term, resource, operation, intervalMs }
  }
  if (action.kind === 'cluster' || action.operation === 'lrm_delete' || action.operation === 'delete')
    return { kind: 'forget', term, resource }
  const key = parseTransitionKey(transitionKey)
  if (key === undefined) throw new Error(`no transition key: ${transitionKey}`)
  return { kind: 'execute', operation: operationOfAction(action, { key, term, timeoutMs }) }
}

function observationOf(entry: SimEntry): Observation {
  const { key, value, createRevision, lease } = entry
  const shared = { kind: 'put', key, createRevision, ...(lease === undefined ? {} : { lease }) } as const
  if (key !== keys.configuration) return { ...shared, value }
  return { ...shared, value: undefined, configuration: value as ReplicatedConfiguration }
}

function timeoutOf(action: { readonly attributes: Readonly<Record<string, string>> }): number {
  return Number(action.attributes.CRM_meta_timeout ?? '20000') || 20_000
}

function describeGraph(graph: {
  readonly actions: readonly { readonly kind: string; readonly key: string; readonly node?: NodeName }[]
}): string {
  const real = graph.actions.filter(({ kind }) => kind !== 'pseudo').map(({ key, node }) => `${key}@${node ?? '?'}`)
  return real.length === 0 ? 'nothing to do' : real.join(', ')
}
