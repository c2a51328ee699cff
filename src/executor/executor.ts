/**
 * The acting edge of the operation queue: runs agents, keeps the timer of recurring operations, writes results. It decides
 * nothing; `queue.ts` does.
 */
import { assertNever, isDefect, monotonicMs, type NodeName, type ResourceId, timerMs } from '../base/index.ts'
import {
  type IsSecret,
  isSecretName,
  type OperationRecord,
  operationKey,
  parseTransitionKey,
  textWithoutSecrets,
} from '../cib/index.ts'
import {
  type AgentOutcome,
  type AgentRunner,
  findLeftAgents,
  type LeftAgent,
  machineMs,
  type ReadMetadata,
  type RunningAgent,
  waitForLeftAgent,
} from '../resource-agents/index.ts'
import { type Command, type CommandInput, inputOfCommand } from './command-input.ts'
import { emptyLine } from './line.ts'
import { attempt, couldNotRun, runForSure, whyFailed } from './made-sure.ts'
import { agentParameters, type Operation, type ReportedResult, reportedResult, showsPending } from './operation.ts'
import { type ExecutorLog, OperationLog } from './operation-log.ts'
import { OwnHistory } from './own-history.ts'
import { nextDueAt, stepExecutor } from './queue.ts'
import { type ResultStore, Results } from './results.ts'
import { beginsToRun, StartedWith, toldBy } from './started-with.ts'
import {
  type ExecutorEffect,
  type ExecutorInput,
  type ExecutorState,
  initialExecutor,
  lineOf,
  type RefusedFor,
  withLine,
} from './state.ts'
import { whereTooLong } from './too-long.ts'
import { WritingLine } from './writing-line.ts'

export interface ExecutorPorts {
  readonly node: NodeName
  readonly runner: AgentRunner
  readonly metadata: ReadMetadata
  readonly store: ResultStore
  readonly log: ExecutorLog
  /** Where notes on running agents are kept; the same as the runner's. */
  readonly runFolder: string
  /** Above those of all results of this node in the store. */
  readonly firstCallId: number
  /** What the store has of this node's earlier lives. */
  readonly earlier: readonly OperationRecord[]
  /** What this cluster calls secret; where left out, what names alone say. */
  readonly secretNames?: () => IsSecret
  /** What an operation that is news ended with, and printed, without secrets. */
  readonly onOutput?: (ended: EndedOperation) => void
}

export interface EndedOperation {
  readonly resource: string
  readonly operation: string
  readonly intervalMs: number
  readonly expected: number
  readonly outcome: AgentOutcome
}

export type Answer =
  /** `done`: carried out already, no record will tell it (cancel, delete, lrm_delete). */
  | { readonly kind: 'taken'; readonly done: boolean }
  | {
      readonly kind: 'refused'
      readonly why: RefusedFor | 'not-understood'
      readonly highestTerm: number
      readonly message: string
    }

const lookAgainMs = 1000

export class Executor {
  readonly #ports: ExecutorPorts
  readonly #running = new Map<number, RunningAgent>()
  readonly #operationLog: OperationLog
  readonly #writing: WritingLine
  readonly #localStops: ((failed: readonly ResourceId[]) => void)[] = []
  readonly #startedWith: StartedWith
  readonly #own: OwnHistory
  readonly #results: Results
  #state: ExecutorState
  #timer: NodeJS.Timeout | undefined

  constructor(ports: ExecutorPorts) {
    this.#ports = ports
    this.#operationLog = new OperationLog(ports.log)
    this.#writing = new WritingLine(ports.log)
    this.#startedWith = new StartedWith(ports.runFolder)
    this.#own = new OwnHistory(ports.earlier)
    this.#results = new Results({
      ...ports,
      own: this.#own,
      writing: this.#writing,
      onRecorded: (callId, revision) => this.#input({ kind: 'recorded', callId, revision }),
    })
    this.#state = initialExecutor(ports.firstCallId)
  }

  /** Finds what a former daemon's agents still do. To be called before the first command. */
  adopt(): void {
    const { runFolder, log, earlier } = this.#ports
    // Former versions noted fence devices too, with their secrets.
    const devices = new Set(earlier.flatMap(({ agent, resource }) => (agent.class === 'stonith' ? [resource] : [])))
    for (const device of devices) this.#keep(device, () => this.#startedWith.forget(device))
    for (const left of findLeftAgents(runFolder)) {
      log.info('an agent of the former daemon still runs', { resource: left.resource, operation: left.operation })
      const target = left.operation === 'migrate_to' ? this.#own.migrationTarget(left.resource) : undefined
      if (target !== undefined) this.#results.leftFor.set(left.resource, target)
      this.#input({ kind: 'left-agent', resource: left.resource })
      void this.#untilGone(left).then(() => this.#input({ kind: 'left-agent-gone', resource: left.resource }))
    }
  }

  async #untilGone(left: LeftAgent): Promise<void> {
    const { runFolder, log } = this.#ports
    for (;;) {
      try {
        return await waitForLeftAgent(left, runFolder)
      } catch (error) {
        attempt(() => log.warn('an agent of the former daemon cannot be looked at', { resource: left.resource, error }))
        await new Promise((resolve) => setTimeout(resolve, lookAgainMs))
      }
    }
  }

  /** An action of the graph that concerns resources: an operation, `cancel`, `delete` or `lrm_delete`. */
  async perform(command: Command): Promise<Answer> {
    try {
      return await this.#take(command)
    } catch (error) {
      return this.#failed(command, error)
    }
  }

  async #take(command: Command): Promise<Answer> {
    const input = inputOfCommand(command)
    if (typeof input === 'string') return this.#notUnderstood(input)
    if (input.kind !== 'execute') return await this.#answered(input)
    const { operation } = input
    // Asked for now, so that it is known when the operation has ended.
    if (operation.operation === 'start') void this.#results.metadataOf(operation.agent)
    return refusalIn(this.#input(input)) ?? { kind: 'taken', done: false }
  }

  /** What a step threw that nothing was prepared for is the result of an operation; of anything else, the answer. */
  #failed({ action, transitionKey, ...command }: Command, error: unknown): Answer {
    const key = parseTransitionKey(transitionKey)
    if (action.kind === 'cluster' || action.operation === 'cancel' || !key)
      return this.#notUnderstood(`${action.operation} failed: ${whyFailed(error)}.`)
    attempt(() => this.#ports.log.error('a command could not be carried out', { action: action.key, error }))
    const { resource, agent, operation, intervalMs } = action
    const asked = { resource, agent, operation, intervalMs, startDelayMs: 0, attributes: {}, key, ...command }
    this.#tellFailure(asked, this.#state.nextCallId, error)
    this.#state = { ...this.#state, nextCallId: this.#state.nextCallId + 1 }
    return { kind: 'taken', done: false }
  }

  /** Outside of the line of its resource, which begins anew: what it was about to do is not known any more. */
  #tellFailure(operation: Operation, callId: number, error: unknown): void {
    this.#state = withLine(this.#state, operation.resource, emptyLine)
    this.#results.record(reportedResult(callId, operation, { ...couldNotRun(error), queueTimeMs: 0 }))
  }

  /** Whatever runs the resource says that something has happened to it. */
  notice(resource: ResourceId): void {
    this.#input({ kind: 'noticed', resource })
  }

  setQuorum(quorate: boolean): void {
    this.#input({ kind: 'quorum', quorate })
  }

  /** For a remote node that nobody holds: what it was told and has not begun is forgotten. */
  withdraw(): void {
    this.#input({ kind: 'withdraw' })
  }

  /** Stops or demotes by this node's own decision, stage by stage; answers with the resources where it failed. */
  stopLocally(stages: readonly (readonly Operation[])[]): Promise<readonly ResourceId[]> {
    const stopped = new Promise<readonly ResourceId[]>((resolve) => this.#localStops.push(resolve))
    this.#input({ kind: 'stop-locally', stages })
    return stopped
  }

  get highestTerm(): number {
    return this.#state.term
  }

  /** The records of this node's operations, also those that are not in the store, or not any more. */
  get history(): readonly OperationRecord[] {
    return this.#own.records
  }

  /** What is not known to be stopped here. */
  get mayRun(): readonly ResourceId[] {
    return this.#own.mayRun(this.#startedWith.resources())
  }

  /** Resolves when the store has all results that are known. */
  async flushed(): Promise<void> {
    await this.#writing.flushed()
  }

  /** Nothing new begins; what runs goes on without us. Resolves when the results that are known have been written. */
  async close(): Promise<void> {
    this.#input({ kind: 'close' })
    clearTimeout(this.#timer)
    await this.#writing.close()
  }

  async #answered(input: Extract<CommandInput, { kind: 'cancel' | 'forget' }>): Promise<Answer> {
    const refusal = refusalIn(this.#input(input))
    if (refusal) return refusal
    await this.#writing.writtenOf(input.resource)
    return { kind: 'taken', done: true }
  }

  #notUnderstood(message: string): Answer {
    return { kind: 'refused', why: 'not-understood', highestTerm: this.#state.term, message }
  }

  #input(input: ExecutorInput): readonly ExecutorEffect[] {
    const { state, effects } = stepExecutor(this.#state, input, monotonicMs(machineMs()))
    this.#state = state
    for (const effect of effects) this.#perform(effect)
    this.#setTimer()
    return effects
  }

  /** Each by itself: what one throws keeps no other resource waiting. */
  #perform(effect: ExecutorEffect): void {
    try {
      this.#act(effect)
    } catch (error) {
      attempt(() => this.#ports.log.error('an effect could not be performed', { effect: effect.kind, error }))
      if (effect.kind === 'run') this.#ended(effect.callId, effect.operation, couldNotRun(error))
      if (effect.kind === 'announce') this.#ended(effect.callId, operationOf(effect.result), couldNotRun(error))
    }
  }

  #act(effect: ExecutorEffect): void {
    switch (effect.kind) {
      case 'refuse':
        this.#ports.log.warn('a command was refused', { why: effect.why, highestTerm: effect.highestTerm })
        return
      case 'announce':
        this.#announce(effect)
        return
      case 'run':
        this.#run(effect.callId, effect.operation)
        return
      case 'kill':
        this.#running.get(effect.callId)?.kill()
        return
      case 'record':
        this.#results.record(effect.result)
        return
      case 'forget-operation': {
        const recordId = operationKey(effect.resource, effect.operation, effect.intervalMs)
        this.#own.forget(effect.resource, recordId)
        void this.#writing.add(effect.resource, () => this.#ports.store.forget(effect.resource, recordId))
        return
      }
      case 'forget-resource':
        this.#own.forget(effect.resource)
        void this.#writing.add(effect.resource, () => this.#ports.store.forget(effect.resource))
        return
      case 'stopped-locally':
        for (const resolve of this.#localStops.splice(0)) resolve(effect.failed)
        return
      default:
        assertNever(effect)
    }
  }

  #announce({ result, term, callId }: Extract<ExecutorEffect, { kind: 'announce' }>): void {
    const { resource } = result
    const records = showsPending(result) ? this.#results.recordsOf(result, undefined) : []
    let written = false
    let failure: unknown
    const done = this.#writing.add(resource, async () => {
      try {
        written = (await this.#ports.store.announce(records, term)) === 'written'
      } catch (error) {
        if (!isDefect(error)) throw error
        failure = error
      }
    })
    void done.then(() => {
      if (failure !== undefined) return this.#ended(callId, operationOf(result), couldNotRun(failure))
      // What has ended meanwhile, or was given up for a stop, is told by a later record.
      if (written && lineOf(this.#state, resource).current?.callId === callId) this.#own.take(records)
      this.#input({ kind: 'announced', callId, resource, written })
    })
  }

  #run(callId: number, operation: Operation): void {
    const { agent, resource, timeoutMs } = operation
    const before = this.#keep(resource, () => this.#startedWith.parametersOf(resource))
    const attributes = this.#attributesOf(operation)
    const call = { agent, resource, operation: operation.operation, attributes, timeoutMs }
    const running = runForSure(this.#ports.runner, call)
    this.#running.set(callId, running)
    void running.finished.then((ended) => {
      const outcome = whereTooLong(operation, this.#withoutSecrets(operation, attributes, ended), before !== undefined)
      this.#running.delete(callId)
      if (outcome.tooLong && beginsToRun(operation)) this.#neverBegan(resource, before)
      const { log } = this.#ports
      attempt(() => this.#noteStarted(operation, outcome), log, 'what it was started with')
      attempt(() => this.#tell(operation, outcome), log, 'the log')
      this.#finish(callId, operation, outcome)
    })
  }

  #tell(ended: Operation, outcome: AgentOutcome): void {
    const { resource, operation, intervalMs, key } = ended
    if (this.#operationLog.ended(ended, outcome))
      this.#ports.onOutput?.({ resource, operation, intervalMs, expected: key.expectedExitCode, outcome })
  }

  /** Later, as every end of an operation: never within the step that began it. */
  #ended(callId: number, operation: Operation, outcome: AgentOutcome): void {
    queueMicrotask(() => this.#finish(callId, operation, outcome))
  }

  #finish(callId: number, operation: Operation, outcome: AgentOutcome): void {
    try {
      this.#input({ kind: 'finished', callId, resource: operation.resource, outcome })
    } catch (error) {
      this.#tellFailure(operation, callId, error)
    }
  }

  /** What an agent prints goes to the log and to everybody who reads the status: not with what it was given in secret. */
  #withoutSecrets(
    { intervalMs }: Operation,
    attributes: Readonly<Record<string, string>>,
    outcome: AgentOutcome,
  ): AgentOutcome {
    const { exitReason, output } = outcome
    // What a monitor prints while all is well is shown nowhere.
    if (outcome.exitCode === 0 && exitReason === undefined && (intervalMs > 0 || output === '')) return outcome
    try {
      const isSecret = this.#ports.secretNames?.() ?? isSecretName
      const values = Object.entries(agentParameters(attributes)).flatMap(([name, value]) =>
        isSecret(name) ? [value] : [],
      )
      const shown = (text: string): string => textWithoutSecrets(text, isSecret, values)
      return { ...outcome, output: shown(output), ...(exitReason !== undefined && { exitReason: shown(exitReason) }) }
    } catch (error) {
      // The result counts; what was printed with it may hold a secret.
      this.#ports.log.warn('what an agent printed could not be searched for secrets', { error })
      return { ...outcome, output: '', ...(exitReason !== undefined && { exitReason: 'not told' }) }
    }
  }

  /** A stop gets the parameters of the start, and everything else from the graph; a start is remembered before it begins. */
  #attributesOf(operation: Operation): Readonly<Record<string, string>> {
    const { resource, attributes } = operation
    const parameters = agentParameters(attributes)
    if (beginsToRun(operation)) this.#keep(resource, () => this.#startedWith.remember(resource, parameters))
    const started =
      operation.operation === 'stop' ? this.#keep(resource, () => this.#startedWith.parametersOf(resource)) : undefined
    if (started === undefined) return attributes
    const others = Object.entries(attributes).filter(([name]) => !Object.hasOwn(parameters, name))
    return { ...started, ...Object.fromEntries(others) }
  }

  /** It was remembered as started before that was tried. */
  #neverBegan(resource: ResourceId, before: Readonly<Record<string, string>> | undefined): void {
    this.#keep(resource, () =>
      before === undefined ? this.#startedWith.forget(resource) : this.#startedWith.remember(resource, before),
    )
  }

  /** What was started before this daemon knew of it is known by what finds it; what has stopped is forgotten. */
  #noteStarted(operation: Operation, outcome: AgentOutcome): void {
    const { resource } = operation
    const told = toldBy(operation, outcome)
    if (told === 'stopped') this.#keep(resource, () => this.#startedWith.forget(resource))
    if (told !== 'runs' || this.#startedWith.parametersOf(resource) !== undefined) return
    const { OCF_CHECK_LEVEL: _, ...parameters } = agentParameters(operation.attributes)
    this.#keep(resource, () => this.#startedWith.remember(resource, parameters))
  }

  /** A full disk stops no operation: this daemon knows the parameters all the same, the next one takes the configuration's. */
  #keep<T>(resource: ResourceId, note: () => T): T | undefined {
    return attempt(note, this.#ports.log, `what ${resource} was started with`)
  }

  #setTimer(): void {
    clearTimeout(this.#timer)
    const due = nextDueAt(this.#state)
    if (due === undefined || this.#state.closing) return
    this.#timer = setTimeout(() => this.#input({ kind: 'tick' }), timerMs(due - machineMs()))
  }
}

const operationOf = (result: ReportedResult): Operation => ({ ...result, startDelayMs: 0 })

function refusalIn(effects: readonly ExecutorEffect[]): Answer | undefined {
  const refused = effects.find((effect) => effect.kind === 'refuse')
  if (refused?.kind !== 'refuse') return undefined
  const { why, highestTerm, message } = refused
  return { kind: 'refused', why, highestTerm, message }
}
