/**
 * Runs systemd units as agents: start and stop are jobs that are awaited, monitor reads the unit's state. A unit goes on when the
 * daemon ends; the next daemon finds it as it is. While a resource is active here, a change of its unit is told at once.
 */
import { existsSync } from 'node:fs'
import { type ResourceId, timerMs } from '../../base/index.ts'
import type { AgentCall } from '../environment.ts'
import type { AgentOutcome } from '../outcome.ts'
import { notRun, ocfExitCodes } from '../outcome.ts'
import type { AgentRunner, RunningAgent } from '../run-agent.ts'
import { unitName } from '../unit-files.ts'
import { removeDropIn, runTimeUnits, writeDropIn } from './drop-in.ts'
import { SystemBus } from './system-bus.ts'
import { afterStart, afterStop, isRunning, monitored, type UnitVerdict, unusable } from './unit-state.ts'

export interface SystemdHost {
  readonly busSocket: string
  /** Where drop-ins for this boot go. */
  readonly runTimeUnits: string
}

export const thisSystemd: SystemdHost = { busSocket: '/run/dbus/system_bus_socket', runTimeUnits }

/** A signal may be lost with the connection: the state is read again after this long in any case. */
const lookAgainMs = 2000

/** Reading its unit files takes systemd a second or more, in which it does nothing else: it is asked to when no unit has stopped for so long. */
const reloadAfterMs = 1000

type UnitOutcome = Omit<AgentOutcome, 'output' | 'execTimeMs'>

/** An operation on a unit; `ending`: it is killed, or the daemon ends. */
interface UnderWay {
  readonly path: string
  readonly unit: string
  readonly ending: AbortSignal
}

type Judge = (unit: string, state: Parameters<typeof monitored>[1]) => UnitVerdict

export class UnitRunner implements AgentRunner {
  readonly #host: SystemdHost
  readonly #bus: SystemBus
  readonly #noticed: (resource: ResourceId) => void
  /** By object path: who waits for a change of the unit. */
  readonly #waiting = new Map<string, Set<() => void>>()
  /** By object path: the resource that is active here as this unit. */
  readonly #active = new Map<string, ResourceId>()
  #reload: NodeJS.Timeout | undefined

  /** `noticed` is called when the unit of a resource has left the state in which it was last found active. */
  constructor(noticed: (resource: ResourceId) => void, host: SystemdHost = thisSystemd) {
    this.#host = host
    this.#noticed = noticed
    this.#bus = new SystemBus(`unix:path=${host.busSocket}`, (path) => this.#changed(path))
  }

  run(call: AgentCall): RunningAgent {
    const began = performance.now()
    const ending = new AbortController()
    const timer = setTimeout(() => ending.abort('timeout'), timerMs(call.timeoutMs))
    const finished = this.#outcome(call, ending.signal)
      .catch((error: unknown) => failure(error instanceof Error ? error.message : String(error)))
      .then((outcome) => ({ ...outcome, output: '', execTimeMs: Math.round(performance.now() - began) }))
      .finally(() => clearTimeout(timer))
    return { finished, kill: () => ending.abort('cancelled') }
  }

  close(): void {
    if (this.#reload === undefined) this.#bus.close()
    else void this.#reloadNow().finally(() => this.#bus.close())
  }

  async #outcome(call: AgentCall, ending: AbortSignal): Promise<UnitOutcome> {
    const unit = unitName(call.agent.type)
    if (!existsSync(this.#host.busSocket))
      return notRun('not-installed', `${unit} cannot be run: there is no system bus at ${this.#host.busSocket}.`)
    const path = await this.#bus.loadUnit(unit)
    const first = unusable(unit, await this.#bus.unitState(path))
    if (first?.kind === 'over') {
      const nothingToStop = call.operation === 'stop' && first.status === 'not-installed'
      return nothingToStop ? { status: 'done', exitCode: ocfExitCodes.ok } : first
    }
    switch (call.operation) {
      case 'start':
        return await this.#start(call, { path, unit, ending })
      case 'stop':
        this.#active.delete(path)
        await this.#bus.stopUnit(unit)
        return this.#stopped(await this.#await(call, { path, unit, ending }, afterStop), unit)
      case 'monitor':
      case 'status':
        return await this.#await(call, { path, unit, ending }, monitored)
      default:
        return notRun('not-supported', `A systemd unit has no operation '${call.operation}'.`)
    }
  }

  async #start(call: AgentCall, { path, unit, ending }: UnderWay): Promise<UnitOutcome> {
    if (writeDropIn(this.#host.runTimeUnits, unit)) {
      this.#forgetReload()
      await this.#bus.reload()
    }
    await this.#bus.keepUnit(unit)
    try {
      await this.#bus.startUnit(unit)
      return await this.#await(call, { path, unit, ending }, afterStart)
    } finally {
      // With a connection that is lost the unit is released anyway.
      await this.#bus.releaseUnit(unit).catch(() => undefined)
    }
  }

  async #await(call: AgentCall, { path, unit, ending }: UnderWay, judge: Judge): Promise<UnitOutcome> {
    for (;;) {
      const next = this.#nextChange(path, ending)
      const state = await this.#bus.unitState(path)
      const verdict = judge(unit, state)
      if (verdict.kind === 'over') {
        next.forget()
        if (isRunning(state) && call.operation !== 'stop') this.#active.set(path, call.resource)
        else this.#active.delete(path)
        const { kind: _kind, ...outcome } = verdict
        return outcome
      }
      await next.came
      if (ending.aborted) return interrupted(call, unit, ending.reason)
    }
  }

  /** The administrator's own settings of the unit hold again, soon: what comes after the stop does not wait for that. */
  #stopped(outcome: UnitOutcome, unit: string): UnitOutcome {
    if (outcome.exitCode === ocfExitCodes.ok && removeDropIn(this.#host.runTimeUnits, unit)) {
      this.#forgetReload()
      this.#reload = setTimeout(() => void this.#reloadNow(), reloadAfterMs)
      this.#reload.unref()
    }
    return outcome
  }

  #forgetReload(): void {
    clearTimeout(this.#reload)
    this.#reload = undefined
  }

  /** One that fails is made up for by the next, or by the unit's next start. */
  async #reloadNow(): Promise<void> {
    this.#forgetReload()
    await this.#bus.reload().catch(() => undefined)
  }

  /** Listens before the state is read, so that no change falls between. */
  #nextChange(path: string, ending: AbortSignal): { readonly came: Promise<void>; readonly forget: () => void } {
    const waiting = this.#waiting.get(path) ?? new Set()
    this.#waiting.set(path, waiting)
    let done = (): void => undefined
    const came = new Promise<void>((resolve) => {
      const timer = setTimeout(() => done(), lookAgainMs)
      done = () => {
        clearTimeout(timer)
        ending.removeEventListener('abort', done)
        waiting.delete(done)
        resolve()
      }
      waiting.add(done)
      ending.addEventListener('abort', done)
      if (ending.aborted) done()
    })
    return { came, forget: () => done() }
  }

  #changed(path: string): void {
    for (const tell of [...(this.#waiting.get(path) ?? [])]) tell()
    const resource = this.#active.get(path)
    if (resource !== undefined) void this.#lookAt(path, resource)
  }

  async #lookAt(path: string, resource: ResourceId): Promise<void> {
    try {
      if (isRunning(await this.#bus.unitState(path))) return
    } catch {
      // The next recurring monitor finds out, and says what is wrong.
      return
    }
    if (this.#active.get(path) !== resource) return
    this.#active.delete(path)
    this.#noticed(resource)
  }
}

function interrupted(call: AgentCall, unit: string, reason: unknown): UnitOutcome {
  if (reason === 'cancelled')
    return { status: 'cancelled', exitCode: ocfExitCodes.error, exitReason: `${call.operation} was interrupted` }
  const limit = call.timeoutMs % 1000 === 0 ? `${call.timeoutMs / 1000}s` : `${call.timeoutMs}ms`
  const exitReason = `${call.operation} of ${unit} did not complete within ${limit}`
  return { status: 'timeout', exitCode: ocfExitCodes.error, exitReason }
}

function failure(exitReason: string): UnitOutcome {
  return { status: 'error', exitCode: ocfExitCodes.error, exitReason }
}
