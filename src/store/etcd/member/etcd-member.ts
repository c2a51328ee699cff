/**
 * The local etcd member, kept running: drives the core in supervise.ts, looks at the process and asks it how it is, performs
 * the repairs. `close` stops supervising and leaves etcd alone; `stop` ends etcd too.
 */
import { isDeepStrictEqual } from 'node:util'
import { assertNever, takesNoChange } from '../../../base/index.ts'
import { type Clock, machineClock } from '../../port/clock.ts'
import { messageOf } from '../../port/errors.ts'
import { EtcdAdmin, isFull } from '../admin.ts'
import type { EndpointAddress, TlsFiles } from '../endpoint.ts'
import { endMember } from './alone.ts'
import {
  boundLog,
  coalesceTimers,
  findMember,
  hasData,
  isAlive,
  markStarted,
  obstacle,
  ownEndpoint,
  type StartedMember,
  startMember,
  whyItEnded,
} from './process.ts'
import { describeRefusal, type Refusal } from './refusal.ts'
import { replaceMember, unfinishedReplacement } from './replace.ts'
import type { MemberSettings, MemberStart } from './settings.ts'
import {
  initialSupervisor,
  type Phase,
  type SupervisorEffect,
  type SupervisorInput,
  type SupervisorState,
  supervise,
} from './supervise.ts'

const tickMs = 200
/** Once it answers. One that a former daemon started tells nobody of its end. */
const adoptedTickMs = 1000
const probeEveryMs = 5000
const terminateMs = 5000
const expendableHistory = '/systole/config/history/'
const keptHistory = 100

export interface MemberStatus {
  readonly phase: Phase['kind']
  readonly pid?: number
  /** The member answers its clients; a member without a leader does not. */
  readonly answers: boolean
  readonly refusal?: Refusal
  /** One sentence with the remedy. */
  readonly problem?: string
}

export interface MemberEvents {
  /** Also called when only `answers` changed. */
  readonly onStatus?: (status: MemberStatus) => void
  /** For the log: what stands in the way, or what a repair came to. */
  readonly onReport?: (sentence: string, refusal?: Refusal) => void
}

export class EtcdMember {
  readonly settings: MemberSettings
  readonly #tls: TlsFiles | undefined
  readonly #clock: Clock
  readonly #events: MemberEvents
  /** Made anew where a start has changed where the member listens. */
  #own: { readonly endpoint: EndpointAddress; readonly admin: EtcdAdmin } | undefined
  #state: SupervisorState
  #lastStatus = ''
  #child: number | undefined
  #probing = false
  #probedAt = Number.NEGATIVE_INFINITY
  #closed = false
  readonly #abort = new AbortController()
  /** A start or a replacement. */
  #underWay: Promise<void> = Promise.resolve()
  #cancelTick: () => void = () => undefined
  #stopped: (() => void)[] = []

  constructor(options: {
    readonly settings: MemberSettings
    readonly tls?: TlsFiles
    readonly clock?: Clock
    readonly events?: MemberEvents
  }) {
    this.settings = options.settings
    this.#tls = options.tls
    this.#clock = options.clock ?? machineClock
    this.#events = options.events ?? {}
    this.#state = initialSupervisor({ hasOthers: options.settings.otherEndpoints.length > 0 }).state
  }

  /** Adopts the member where it runs already, starts it otherwise, and keeps it running from now on. */
  run(): void {
    const { state, effects } = initialSupervisor({ hasOthers: this.settings.otherEndpoints.length > 0 })
    this.#state = state
    for (const effect of effects) this.#perform(effect)
    this.#tick()
  }

  status(): MemberStatus {
    const { phase, refusal } = this.#state
    return {
      phase: phase.kind,
      ...(phase.kind === 'running' || phase.kind === 'stopping' ? { pid: phase.pid } : {}),
      answers: phase.kind === 'running' && phase.answers,
      ...(refusal === undefined ? {} : { refusal, problem: describeRefusal(refusal, this.settings.directory) }),
    }
  }

  /** After 'given-up', or to end a wait early. */
  tryAgain(): void {
    this.#take({ kind: 'start-asked' })
  }

  /** Ends etcd, and resolves when it has ended. A replacement goes no further; what a start or a replacement has brought up by then ends as well. */
  async stop(): Promise<void> {
    this.#abort.abort()
    await new Promise<void>((resolve) => {
      this.#stopped.push(resolve)
      this.#take({ kind: 'stop-asked' })
    })
    await this.#underWay
    await endMember({ settings: this.settings, clock: this.#clock }, terminateMs)
  }

  /** Leaves etcd running. A replacement goes no further, and nothing is under way any more when this resolves. */
  async close(): Promise<void> {
    this.#closed = true
    this.#cancelTick()
    this.#own?.admin.close()
    this.#abort.abort()
    await this.#underWay
  }

  #take(input: SupervisorInput): void {
    if (this.#closed) return
    const { state, effects } = supervise(this.#state, input, this.#clock.now())
    this.#state = state
    for (const effect of effects) this.#perform(effect)
    if (state.phase.kind === 'stopped') for (const resolve of this.#stopped.splice(0)) resolve()
    const status = this.status()
    const text = JSON.stringify(status)
    if (text === this.#lastStatus) return
    this.#lastStatus = text
    this.#events.onStatus?.(status)
  }

  #perform(effect: SupervisorEffect): void {
    switch (effect.kind) {
      case 'look':
        this.#look()
        return
      case 'start':
        this.#underWay = this.#start({ kind: 'found' })
        return
      case 'terminate':
        this.#terminate(effect.pid)
        return
      case 'replace':
        this.#underWay = this.#replace()
        return
      case 'free-space':
        void this.#freeSpace()
        return
      case 'report':
        this.#events.onReport?.(describeRefusal(effect.refusal, this.settings.directory), effect.refusal)
        return
      default:
        assertNever(effect)
    }
  }

  /** In a turn of its own, because the core is in the middle of a step. */
  #look(): void {
    setImmediate(() => {
      const joins = this.settings.joins === true && !hasData(this.settings)
      if (joins || unfinishedReplacement(this.settings) !== undefined) return this.#take({ kind: 'must-join' })
      const pid = findMember(this.settings)
      this.#take(pid === undefined ? { kind: 'nothing-found' } : { kind: 'found', pid })
    })
  }

  async #start(start: MemberStart): Promise<void> {
    const refusal = obstacle(this.settings)
    if (refusal !== undefined) return this.#take({ kind: 'exited', refusal })
    try {
      this.#started(await startMember(this.settings, start))
    } catch (error) {
      this.#take({ kind: 'exited', refusal: refusalOf(error) })
    }
  }

  #started(started: StartedMember): void {
    this.#child = started.pid
    this.#take({ kind: 'started', pid: started.pid })
    // A child's end is known at once; that of an adopted member shows at the next tick.
    void started.exited.then(() => this.#ended(started.pid))
  }

  #ended(pid: number): void {
    const { phase } = this.#state
    if ((phase.kind === 'running' || phase.kind === 'stopping') && phase.pid !== pid) return
    this.#take({ kind: 'exited', refusal: whyItEnded(this.settings) })
  }

  #tick(): void {
    if (this.#closed) return
    const { phase } = this.#state
    this.#cancelTick = this.#clock.after(this.#tickMs(phase), () => this.#tick())
    if ((phase.kind === 'running' || phase.kind === 'stopping') && !isAlive(this.settings, phase.pid)) {
      this.#ended(phase.pid)
      return
    }
    this.#take({ kind: 'tick' })
    const soon = phase.kind === 'running' && !phase.answers
    // A tick may come a little early.
    if (soon || this.#clock.now() - this.#probedAt > probeEveryMs - tickMs) void this.#probe()
  }

  #tickMs(phase: Phase): number {
    if (phase.kind !== 'running' || !phase.answers) return tickMs
    return phase.pid === this.#child ? probeEveryMs : adoptedTickMs
  }

  async #probe(): Promise<void> {
    const { phase } = this.#state
    if (this.#probing || phase.kind !== 'running') return
    this.#probing = true
    this.#probedAt = this.#clock.now()
    try {
      const status = await this.#ownAdmin().status()
      const hasLeader = status.leader !== '0'
      if (hasLeader) markStarted(this.settings)
      if (hasLeader && !phase.answers) coalesceTimers(phase.pid)
      this.#take({ kind: 'probed', found: hasLeader ? 'answers' : 'no-leader', storeFull: hasLeader && isFull(status) })
    } catch {
      // Not up yet, stopped, or without a certificate that it likes: whatever it is, it does not answer.
      this.#take({ kind: 'probed', found: 'silent', storeFull: false })
    } finally {
      this.#probing = false
    }
    boundLog(this.settings)
  }

  #terminate(pid: number): void {
    signal(pid, 'SIGTERM')
    this.#clock.after(terminateMs, () => {
      if (!this.#closed && isAlive(this.settings, pid)) signal(pid, 'SIGKILL')
    })
  }

  async #replace(): Promise<void> {
    const { signal } = this.#abort
    const others = this.#admin(this.settings.otherEndpoints, signal)
    try {
      await replaceMember(this.settings, others, {
        signal,
        onStarted: ({ pid, exited }) => {
          this.#child = pid
          void exited.then(() => this.#ended(pid))
        },
      })
      this.#events.onReport?.(`The etcd member of ${this.settings.name} has joined the others and caught up with them.`)
      this.#take({ kind: 'replaced', succeeded: true })
    } catch (error) {
      if (signal.aborted) return
      this.#events.onReport?.(
        `The etcd member of ${this.settings.name} could not join the others yet: ${messageOf(error)}`,
      )
      this.#take({ kind: 'replaced', succeeded: false })
    } finally {
      others.close()
    }
  }

  async #freeSpace(): Promise<void> {
    const all = this.#admin([ownEndpoint(this.settings), ...this.settings.otherEndpoints])
    try {
      await all.freeSpace({ expendable: expendableHistory, keep: keptHistory })
      this.#events.onReport?.('The store was compacted and defragmented, and takes changes again.')
    } catch (error) {
      this.#events.onReport?.(`The store could not be given room: ${messageOf(error)}`)
    } finally {
      all.close()
      this.#take({ kind: 'space-freed' })
    }
  }

  #ownAdmin(): EtcdAdmin {
    const endpoint = ownEndpoint(this.settings)
    if (this.#own !== undefined && isDeepStrictEqual(endpoint, this.#own.endpoint)) return this.#own.admin
    this.#own?.admin.close()
    const admin = this.#admin([endpoint])
    this.#own = { endpoint, admin }
    return admin
  }

  #admin(endpoints: readonly EndpointAddress[], signal?: AbortSignal): EtcdAdmin {
    return new EtcdAdmin({
      endpoints,
      clock: this.#clock,
      ...(this.#tls === undefined ? {} : { tls: this.#tls }),
      ...(signal === undefined ? {} : { signal }),
    })
  }
}

/** The process may have ended between the look and the signal. */
function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** Of what went wrong before etcd ran: a disk that takes no change takes no note of its process either. */
function refusalOf(error: unknown): Refusal {
  if (!takesNoChange(error)) return { kind: 'died', detail: messageOf(error) }
  return error instanceof Error && 'code' in error && error.code === 'EROFS'
    ? { kind: 'disk-read-only' }
    : { kind: 'disk-full' }
}
