/**
 * What this node does to its own resources when it has no quorum: what no-quorum-policy says, by itself, since nobody may
 * lead. The answer is the scheduler's, computed for a cluster without quorum from the last known state.
 */
import { defined, type NodeName, type ResourceId } from '../../base/index.ts'
import { parseTransitionKey } from '../../cib/index.ts'
import { localStopStages, noQuorumReaction } from '../../controller/index.ts'
import { type Executor, leftRunning, type Operation, operationOfAction } from '../../executor/index.ts'
import type { ResourceAction } from '../../transition/index.ts'
import type { Log } from '../host/log.ts'
import { rebootSelf } from '../host/self-reboot.ts'
import type { Planned } from '../planner/messages.ts'

export interface QuorumLossPorts {
  readonly self: NodeName
  readonly log: Log
  /** One of several nodes on a machine: its machine is not ours to reboot. */
  readonly isolated: boolean
  /** Without quorum, and nothing is under way that will decide what becomes of this node. */
  readonly mayAct: () => boolean
  /** From what the store shows and what this node knows of itself. `stopEverything`: whatever no-quorum-policy says. */
  readonly plan: (stopEverything: boolean) => Promise<Planned>
  readonly executor: () => Executor | undefined
  readonly hasConfiguration: () => boolean
}

const retryMs = 500
const tellAgainMs = 5 * 60_000
/** A node that only stood still for a moment has its lease confirmed within this time. The lease's margin covers it. */
const momentMs = 50

export class QuorumLoss {
  readonly #ports: QuorumLossPorts
  #timer: NodeJS.Timeout | undefined
  #told: { readonly trouble: string; readonly at: number } | undefined
  #leftRunning: readonly ResourceId[] = []

  constructor(ports: QuorumLossPorts) {
    this.#ports = ports
  }

  begin(afterMs = momentMs): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#tryToAct(), Math.max(momentMs, afterMs))
  }

  #tryToAct(): void {
    if (!this.#ports.mayAct()) return
    this.#act().catch((error: unknown) => {
      this.#tell(error)
      this.#timer = setTimeout(() => this.#tryToAct(), retryMs)
    })
  }

  /** It is tried often, and the same trouble is told seldom. */
  #tell(error: unknown): void {
    const { log, hasConfiguration } = this.#ports
    const trouble = hasConfiguration() ? String(error) : ''
    const now = performance.now()
    if (trouble === this.#told?.trouble && now - this.#told.at < tellAgainMs) return
    this.#told = { trouble, at: now }
    if (trouble === '') log.info('this node has no configuration yet and therefore nothing to stop', {})
    else log.error('the actions without quorum could not be computed: retrying', { error })
  }

  /** Quorum is back: what the DC says counts again. */
  end(): void {
    clearTimeout(this.#timer)
    this.#leftRunning = []
  }

  /** What may run here since the last attempt to stop by itself, and should not. */
  get leftRunning(): readonly ResourceId[] {
    return this.#leftRunning
  }

  /** Whatever no-quorum-policy says: the node leaves, or is counted as off. */
  async stopAll(): Promise<void> {
    if (this.#ports.executor()) await this.#stop(await this.#ports.plan(true))
    else
      this.#ports.log.warn(
        'this node could not read the store yet: resources left running by an earlier daemon keep running',
      )
  }

  async #act(): Promise<void> {
    const planned = await this.#ports.plan(false)
    // It may have come back while the plan was made: what the DC says holds again.
    if (!this.#ports.mayAct()) return
    if (noQuorumReaction(planned.noQuorumPolicy) === 'fence-self') rebootSelf(this.#ports, 'no-quorum-policy=fence')
    else await this.#stop(planned)
  }

  async #stop({ graph, unmanaged }: Planned): Promise<void> {
    const { log, executor, self } = this.#ports
    const stages = localStopStages(graph, self)
    if (stages.length > 0) {
      log.warn('this node stops resources without the DC', { operations: stages.flat().map(({ key }) => key) })
      const failed = (await executor()?.stopLocally(stages.map((stage) => stage.map(operationOf)))) ?? []
      if (failed.length > 0) log.error('some resources could not be stopped', { resources: failed })
    }
    this.#leftRunning = leftRunning(executor()?.mayRun ?? [], unmanaged)
  }
}

/** Transition -1, as Pacemaker has it for what no graph asked for: the controller knows by it that the node was interrupted. */
const ownKey = defined(parseTransitionKey('0:-1:0:00000000-0000-4000-8000-000000000000'), 'the key of local operations')
const defaultTimeoutMs = 20_000

/** No DC asked for it, so it has no term. */
function operationOf(action: ResourceAction): Operation {
  const timeoutMs = Number(action.attributes.CRM_meta_timeout) || defaultTimeoutMs
  const { term: _none, ...operation } = operationOfAction(action, { key: ownKey, term: 0, timeoutMs })
  return operation
}
