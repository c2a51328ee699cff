/**
 * What a node keeps in order for those who use the cluster: locks, holds, tasks, jobs, plays, rollouts, services, and what is known of its hardware.
 * Each compares the state anew after every change; most of them act on the DC alone.
 */
import type { MonotonicMs } from '../../base/index.ts'
import type { Configuration } from '../../cib/index.ts'
import type { AttributeChanges } from '../attributes/attribute-changes.ts'
import { historyBounds } from '../configuration/history-bounds.ts'
import { UnconfirmedKeeper } from '../configuration/unconfirmed-keeper.ts'
import { FactsKeeper } from '../hardware/facts-keeper.ts'
import { HealthKeeper } from '../hardware/health-keeper.ts'
import { readHardware } from '../hardware/read-hardware.ts'
import { bmcAccess, emptyMemory, readHealth } from '../hardware/read-health.ts'
import { RemoteHardware } from '../hardware/remote-hardware.ts'
import { HoldKeeper } from '../holds/hold-keeper.ts'
import { monotonicNow } from '../host/clock.ts'
import type { Paths } from '../host/paths.ts'
import { JobKeeper } from '../jobs/job-keeper.ts'
import { type HeldRemote, RemoteTaskKeeper } from '../jobs/remote-task-keeper.ts'
import { TaskRunners } from '../jobs/start-runner.ts'
import { TaskCleaner } from '../jobs/task-cleaner.ts'
import { tasksFolder } from '../jobs/task-files.ts'
import { TaskKeeper } from '../jobs/task-keeper.ts'
import { LockKeeper } from '../locks/lock-keeper.ts'
import type { ServiceAnswer, ServiceQuestion } from '../planner/messages.ts'
import { componentsCommand } from '../plays/components-command.ts'
import { PlayKeeper } from '../plays/play-keeper.ts'
import { secretsOfView } from '../records/secrets-of-view.ts'
import { Rollouts } from '../rollout/rollouts.ts'
import { ServiceDriver } from '../services/service-driver.ts'
import type { NodeSources } from './node-sources.ts'

export interface WorkPorts extends NodeSources {
  readonly paths: Paths
  readonly incarnation: number
  readonly bootId: string | undefined
  readonly attributes: AttributeChanges
  /** The connections to remote nodes that this node holds. */
  readonly held: () => readonly HeldRemote[]
  readonly quorateUntil: () => MonotonicMs
  readonly services: (asked: Omit<ServiceQuestion, 'now'>) => Promise<ServiceAnswer>
  readonly witnessUp: () => boolean
  /** The DC finds nothing left to do. */
  readonly settled: () => boolean
}

interface Keeper {
  readonly look: () => void
  readonly close: () => void
}

export class WorkKeepers {
  readonly runners = new TaskRunners()
  readonly rollouts: Rollouts
  readonly #services: ServiceDriver
  readonly #remoteTasks: RemoteTaskKeeper
  readonly #remoteHardware: RemoteHardware
  #hasBegun = false
  /** They write records only, also while this node may not run anything yet. */
  readonly #always: readonly Keeper[]
  /** Once this node may be given work. */
  readonly #begun: readonly Keeper[]

  constructor(ports: WorkPorts) {
    const { paths } = ports
    this.rollouts = new Rollouts({ ...ports, data: paths.data })
    this.#services = openServices(ports)
    this.#remoteTasks = new RemoteTaskKeeper({ ...ports, secretNames: () => secretsOfView(ports.view()) })
    this.#remoteHardware = new RemoteHardware(ports)
    this.#always = [
      new LockKeeper({ ...ports, now: monotonicNow }),
      new HoldKeeper({ ...ports, now: monotonicNow, calendarMs: Date.now }),
      new UnconfirmedKeeper({
        ...ports,
        now: monotonicNow,
        calendarMs: Date.now,
        versionsKept: () => historyBounds(ports.view().configuration?.typed).versions,
      }),
    ]
    this.#begun = [
      this.#services,
      new FactsKeeper({ ...ports, read: readHardware }),
      openHealth(ports),
      this.#remoteHardware,
      openTasks(ports, this.runners),
      this.#remoteTasks,
      new JobKeeper(ports),
      new PlayKeeper(ports),
      new TaskCleaner(ports),
      this.rollouts,
    ]
  }

  get troubles(): readonly string[] {
    return this.#services.troubles
  }

  /** Without a change of the store: its tasks are followed and its machine is asked for from now on. */
  remoteNodeConnected(): void {
    if (!this.#hasBegun) return
    this.#remoteTasks.look()
    this.#remoteHardware.look()
  }

  look(hasBegun: boolean): void {
    this.#hasBegun = hasBegun
    for (const keeper of this.#always) keeper.look()
    if (hasBegun) for (const keeper of this.#begun) keeper.look()
  }

  close(): void {
    for (const keeper of [...this.#always, ...this.#begun]) keeper.close()
    this.runners.close()
  }
}

function openServices(ports: WorkPorts): ServiceDriver {
  const { paths, services } = ports
  return new ServiceDriver({
    ...ports,
    folder: paths.checks,
    watches: paths.watches,
    done: paths.watchesDone,
    catalogue: services,
  })
}

function openHealth(ports: WorkPorts): HealthKeeper {
  const memory = emptyMemory()
  const read = async (configuration: Configuration) => await readHealth(bmcAccess(ports.self, configuration), memory)
  return new HealthKeeper({ ...ports, read })
}

function openTasks(ports: WorkPorts, runners: TaskRunners): TaskKeeper {
  const { self, incarnation, bootId, paths, view } = ports
  return new TaskKeeper({
    ...ports,
    self: { node: self, incarnation, ...(bootId !== undefined && { bootId }) },
    folder: tasksFolder(paths.data),
    componentsCommand: componentsCommand(paths.data),
    startRunner: runners.start,
    warmRunner: runners.warm,
    secretNames: () => secretsOfView(view()),
  })
}
