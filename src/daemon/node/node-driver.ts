/** The daemon's driver of a node's core: every effect is performed, and what came of it is fed back. */
import { assertNever, type NodeName } from '../../base/index.ts'
import { type Command, type Executor, ownOperationOf } from '../../executor/index.ts'
import {
  answerOf,
  initialNode,
  isQuorate,
  type NodeEffect,
  type NodeFencingEffect,
  type NodeInput,
  NodeLoop,
  type NodeState,
  nodeTimings,
  type OwnWatchdogEffect,
  type SelfEnd,
  type StartUpEffect,
  type StoreCopyEffect,
  type VotesEffect,
} from '../../node/index.ts'
import type { TermAnswer } from '../../rpc/index.ts'
import { Alarm } from '../host/alarm.ts'
import { monotonicNow } from '../host/clock.ts'
import type { Log } from '../host/log.ts'
import type { Timings } from '../node-list/cluster-file.ts'
import type { Planned } from '../planner/messages.ts'
import { load } from './commands.ts'
import { ControllerDriver, type ControllerPorts } from './controller-driver.ts'
import { type PresencePorts, performPresenceEffect } from './perform-presence.ts'

export interface NodeDriverPorts {
  readonly self: NodeName
  readonly incarnation: number
  readonly timings: Timings
  readonly list: NodeState['list']
  readonly met: boolean
  readonly wasGoingAlone?: true
  readonly slotsOfBoot?: NodeState['slotsOfBoot']
  readonly bootId: string | undefined
  readonly isolated: boolean
  readonly log: Log
  readonly controller: Omit<ControllerPorts, 'self' | 'log' | 'quorate' | 'feed' | 'takeCommand'>
  readonly presence: () => Omit<PresencePorts, 'written' | 'log'>
  readonly executor: () => Executor | undefined
  /** To a node behind a connection that this node holds. */
  readonly route: (node: NodeName, command: Command) => Promise<TermAnswer>
  /** For a cluster without quorum, from what the store shows and what this node knows of itself. */
  readonly planOwnStops: (stopEverything: boolean) => Promise<Planned>
  readonly twoNode: (effect: Extract<NodeEffect, { kind: 'two-node' }>['effect']) => void
  readonly fencing: (effect: NodeFencingEffect) => void
  readonly twoNodeSituation: (situation: NodeState['twoNode']['situation']) => void
  readonly twoNodeWaits: (message: string | undefined) => void
  readonly quorumGained: () => void
  readonly quorumLost: () => void
  readonly startUp: (effect: StartUpEffect) => void
  readonly storeCopy: (effect: StoreCopyEffect) => void
  readonly watchdog: (effect: OwnWatchdogEffect) => void
  readonly votes: (effect: VotesEffect) => void
  readonly endSelf: (how: SelfEnd, why: string) => void
  readonly restart: (why: string) => void
  readonly depart: (how: Extract<NodeEffect, { kind: 'depart' }>) => void
}

type EffectOf<Kind extends NodeEffect['kind']> = Extract<NodeEffect, { kind: Kind }>

export class NodeDriver {
  readonly #ports: NodeDriverPorts
  readonly #loop: NodeLoop
  readonly #alarm: Alarm
  readonly #controller: ControllerDriver
  readonly #answers = new Map<
    number,
    { readonly resolve: (answer: TermAnswer) => void; readonly reject: (error: unknown) => void }
  >()
  #lastCommand = 0
  #ended = false

  constructor(ports: NodeDriverPorts) {
    this.#ports = ports
    const { self, incarnation, list, met, wasGoingAlone, slotsOfBoot, bootId, log } = ports
    const timings = nodeTimings(ports.timings)
    const isolated = ports.isolated ? ({ isolated: true } as const) : {}
    const before = { met, wasGoingAlone, slotsOfBoot, bootId }
    this.#loop = new NodeLoop(
      initialNode({ self, incarnation, list, ...before, ...isolated, timings }, monotonicNow()),
      {
        now: monotonicNow,
        perform: (effect) => this.#perform(effect),
        random: Math.random,
        wakeAt: (at) => this.#alarm.set(at),
      },
    )
    this.#alarm = new Alarm(this.#loop.tick)
    this.#controller = new ControllerDriver({
      ...ports.controller,
      self,
      log,
      quorate: () => this.quorate,
      feed: (input) => this.feed({ kind: 'controller', input }),
      takeCommand: this.takeCommand,
    })
  }

  readonly feed = (input: NodeInput): void => this.#loop.feed(input)

  get state(): NodeState {
    return this.#loop.state
  }

  /** By this node's own clock, now. */
  get quorate(): boolean {
    return isQuorate(this.#loop.state, monotonicNow())
  }

  /** By this node's view, which may lag: the comparison in the transaction has the last word. */
  readonly holdsTerm = (term: number): boolean => this.#controller.holdsTerm(term)

  readonly takeCommand = async (command: Command): Promise<TermAnswer> =>
    await new Promise((resolve, reject) => {
      if (this.#ended) return resolve(closing)
      const id = ++this.#lastCommand
      this.#answers.set(id, { resolve, reject })
      this.feed({ kind: 'command', id, command, highestTerm: this.#ports.executor()?.highestTerm })
    })

  end(): void {
    this.#ended = true
    this.#loop.end()
    this.#alarm.cancel()
    for (const { resolve } of this.#answers.values()) resolve(closing)
    this.#answers.clear()
  }

  #perform(effect: NodeEffect): void {
    switch (effect.kind) {
      case 'controller':
        this.#controller.perform(effect.effect)
        return
      case 'presence':
        performPresenceEffect(effect.effect, {
          ...this.#ports.presence(),
          log: this.#ports.log,
          written: (ok) => this.feed({ kind: 'presence', input: { kind: 'written', ok } }),
        })
        return
      case 'start-up':
        this.#ports.startUp(effect.effect)
        return
      case 'store-copy':
        this.#ports.storeCopy(effect.effect)
        return
      case 'two-node':
        this.#ports.twoNode(effect.effect)
        return
      case 'fencing':
        this.#ports.fencing(effect.effect)
        return
      case 'watchdog':
        this.#ports.watchdog(effect.effect)
        return
      case 'votes':
        this.#ports.votes(effect.effect)
        return
      case 'two-node-situation':
      case 'two-node-waits':
      case 'executor-quorum':
      case 'quorum-gained':
      case 'quorum-lost':
        this.#situationChanged(effect)
        return
      case 'plan-own-stops':
        void this.#planOwnStops(effect)
        return
      case 'stop-own':
        void this.#stopOwn(effect)
        return
      case 'perform-command':
      case 'route-command':
      case 'answer-command':
        this.#answerCommand(effect)
        return
      case 'end-self':
        this.#ports.endSelf(effect.how, effect.why)
        return
      case 'restart':
        this.#ports.restart(effect.why)
        return
      case 'depart':
        this.#ports.depart(effect)
        return
      case 'log':
        this.#ports.log[effect.level](effect.message, { ...effect.fields })
        return
      default:
        assertNever(effect)
    }
  }

  #situationChanged(
    effect: EffectOf<'two-node-situation' | 'two-node-waits' | 'executor-quorum' | 'quorum-gained' | 'quorum-lost'>,
  ): void {
    switch (effect.kind) {
      case 'two-node-situation':
        this.#ports.twoNodeSituation(effect.situation)
        return
      case 'two-node-waits':
        this.#ports.twoNodeWaits(effect.message)
        return
      case 'executor-quorum':
        this.#ports.executor()?.setQuorum(effect.quorate)
        return
      case 'quorum-gained':
        this.#ports.quorumGained()
        return
      case 'quorum-lost':
        this.#ports.quorumLost()
        return
      default:
        assertNever(effect)
    }
  }

  #answerCommand(effect: EffectOf<'perform-command' | 'route-command' | 'answer-command'>): void {
    switch (effect.kind) {
      case 'perform-command':
        this.#answer(effect.id, withLoad(this.#performCommand(effect.command)))
        return
      case 'route-command':
        this.#answer(effect.id, withLoad(this.#ports.route(effect.node, effect.command)))
        return
      case 'answer-command':
        this.#answer(effect.id, Promise.resolve(effect.answer))
        return
      default:
        assertNever(effect)
    }
  }

  async #planOwnStops({ id, stopEverything }: Extract<NodeEffect, { kind: 'plan-own-stops' }>): Promise<void> {
    this.feed(
      await this.#ports.planOwnStops(stopEverything).then(
        (plan): NodeInput => ({ kind: 'own-stops-planned', id, plan }),
        (error: unknown): NodeInput => ({ kind: 'own-stops-not-planned', id, message: String(error) }),
      ),
    )
  }

  async #stopOwn(effect: Extract<NodeEffect, { kind: 'stop-own' }>): Promise<void> {
    this.feed(
      await this.#stopped(effect).catch(
        (error: unknown): NodeInput => ({ kind: 'own-stops-not-done', id: effect.id, message: String(error) }),
      ),
    )
  }

  async #stopped({ id, stages }: Extract<NodeEffect, { kind: 'stop-own' }>): Promise<NodeInput> {
    const executor = this.#ports.executor()
    const operations = stages.map((stage) => stage.map(ownOperationOf))
    const failed = operations.length === 0 ? [] : ((await executor?.stopLocally(operations)) ?? [])
    return { kind: 'own-stops-ended', id, failed, mayRun: executor?.mayRun ?? [] }
  }

  async #performCommand(command: Command): Promise<TermAnswer> {
    const executor = this.#ports.executor()
    if (executor === undefined) throw new Error('The core of the node gives nothing to an executor that is not there.')
    return answerOf(await executor.perform(command), executor.highestTerm)
  }

  #answer(id: number, answer: Promise<TermAnswer>): void {
    const asked = this.#answers.get(id)
    const over = (): boolean => this.#answers.delete(id)
    answer.then(
      (given) => over() && asked?.resolve(given),
      (error: unknown) => over() && asked?.reject(error),
    )
  }
}

const closing: TermAnswer = {
  accepted: false,
  done: false,
  why: 'closing',
  highestTerm: 0,
  message: 'The daemon of this node is ending.',
}

const withLoad = async (answer: Promise<TermAnswer>): Promise<TermAnswer> => ({ ...(await answer), ...load() })
