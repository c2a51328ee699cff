/**
 * This node's watchdog, as the main thread sees it: armed once this node is registered, and told to the others only then; given
 * up only when the DC has taken note that nobody may count on it any more. While it is armed the main thread gives the pulse
 * thread, which feeds it, its word again and again that this node may live.
 */
import { assertNever, type MonotonicMs, type NodeName } from '../../base/index.ts'
import { type ClusterView, watchdogMsOf } from '../../controller/index.ts'
import { permitIntervalMs } from '../../quorum/index.ts'
import { clusterOptionValue } from '../configuration/cluster-option.ts'
import { monotonicNow } from '../host/clock.ts'
import type { Log } from '../host/log.ts'
import { rebootSelf } from '../host/self-reboot.ts'
import type { FromPulse, ToPulse } from '../pulse/messages.ts'
import { isWatchdogLike, kernelTimeoutMs, setKernelTimeout } from './device.ts'
import { isCountedOn, type WatchdogSetting, watchdogSetting } from './setting.ts'

export interface WatchdogPorts {
  readonly self: NodeName
  readonly incarnation: number
  readonly log: Log
  /** One of several nodes on a machine: a watchdog would reset all of them. */
  readonly isolated: boolean
  readonly view: () => ClusterView
  /** One of two nodes, which keeps what it runs without a majority. */
  readonly keepsResources: () => boolean
  readonly say: (message: ToPulse) => void
  /** What this node says of its watchdog to the others has changed. */
  readonly onChange: () => void
}

type State =
  | { readonly kind: 'off' }
  /** It could not be armed as it is set; another setting is tried. */
  | { readonly kind: 'failed'; readonly setting: string }
  /** Without a time the device has not been touched yet. */
  | { readonly kind: 'arming'; readonly setting: string; readonly timeoutMs?: number }
  | { readonly kind: 'armed'; readonly setting: string; readonly timeoutMs: number }
  /** Not told any more; fed until the DC has noted that. */
  | { readonly kind: 'giving-up'; readonly setting: string; readonly timeoutMs: number }

export class WatchdogHands {
  readonly #ports: WatchdogPorts
  #state: State = { kind: 'off' }
  #trouble: string | undefined
  #timer: NodeJS.Timeout | undefined
  #doomed = false
  #leaving = false
  #disarmed: (() => void) | undefined

  constructor(ports: WatchdogPorts) {
    this.#ports = ports
  }

  /** What the others may count on. */
  get timeoutMs(): number | undefined {
    return this.#state.kind === 'armed' ? this.#state.timeoutMs : undefined
  }

  /** Why there is none although one is wanted. */
  get trouble(): string | undefined {
    return this.#trouble
  }

  /** After every change that may matter. */
  look(): void {
    if (this.#isAskedToEnd()) this.#end()
    const wanted = this.#wanted()
    const setting = wanted === undefined ? '' : JSON.stringify(wanted)
    const state = this.#state
    switch (state.kind) {
      case 'off':
      case 'failed':
        if (wanted === undefined) this.#become({ kind: 'off' })
        else if (this.#leaseOfRecord() !== undefined && !this.#leaving && !this.#hasFailed(setting))
          void this.#arm(wanted, setting)
        return
      case 'armed':
        if (state.setting !== setting) this.#become({ ...state, kind: 'giving-up' })
        return
      case 'giving-up':
        if (state.setting === setting) this.#become({ ...state, kind: 'armed' })
        else if (this.#isForgotten()) this.#ports.say({ kind: 'watchdog-disarm' })
        return
      case 'arming':
        return
      default:
        assertNever(state)
    }
  }

  take(message: Extract<FromPulse, { kind: 'watchdog' | 'watchdog-starving' }>): void {
    const { log } = this.#ports
    if (message.kind === 'watchdog-starving') {
      log.error('the watchdog is not fed any more: it will reset this machine', { why: message.why })
      return
    }
    if (message.error !== undefined) log.error('the watchdog does not work', { error: message.error })
    const state = this.#state
    if (!message.armed) {
      clearInterval(this.#timer)
      this.#disarmed?.()
      if (state.kind === 'arming') this.#fail(state.setting, message.error ?? 'it was not opened')
      else this.#become({ kind: 'off' })
      // Another one may be wanted.
      this.look()
    } else if (state.kind === 'arming') {
      const { setting, timeoutMs = 0 } = state
      log.info('the watchdog is armed', { timeoutMs })
      this.#become({ kind: 'armed', setting, timeoutMs })
    }
  }

  /** Nothing of the cluster's runs here any more, and the others know. */
  async disarm(): Promise<void> {
    this.#leaving = true
    const { kind } = this.#state
    if (kind === 'off' || kind === 'failed' || (kind === 'arming' && this.#state.timeoutMs === undefined)) return
    const disarmed = new Promise<void>((resolve) => {
      this.#disarmed = resolve
    })
    this.#ports.say({ kind: 'watchdog-disarm' })
    await disarmed
    this.#ports.log.info('the watchdog is stopped')
  }

  /** The word is not given any more; the device is left as it is. */
  close(): void {
    clearInterval(this.#timer)
  }

  #wanted(): WatchdogSetting | undefined {
    return watchdogSetting(this.#ports.view().configuration?.typed, this.#ports.self)
  }

  #hasFailed(setting: string): boolean {
    return this.#state.kind === 'failed' && this.#state.setting === setting
  }

  /** Under which the store shows this very life of this node. */
  #leaseOfRecord(): string | undefined {
    const record = this.#ports.view().members.get(this.#ports.self)
    return record?.incarnation === this.#ports.incarnation ? record.lease : undefined
  }

  #isForgotten(): boolean {
    const { view, self } = this.#ports
    const record = view().members.get(self)
    return record?.watchdogMs === undefined && watchdogMsOf(view().nodeStates.get(self)) === undefined
  }

  async #arm({ device, timeoutMs: wantedMs }: WatchdogSetting, setting: string): Promise<void> {
    const { log, say, isolated } = this.#ports
    this.#state = { kind: 'arming', setting }
    if (isolated) return this.#fail(setting, 'this node shares its machine (SYSTOLE_ROOT)')
    if (!isWatchdogLike(device)) return this.#fail(setting, `${device} is no watchdog device`)
    const before = kernelTimeoutMs(device)
    if (before !== undefined && wantedMs !== undefined && before !== wantedMs)
      await setKernelTimeout(device, wantedMs).catch((error: unknown) =>
        log.warn('the time of the watchdog could not be set: it stays as it is', { device, timeoutMs: before, error }),
      )
    // What is not the kernel's, such as a pipe to a program, cannot be asked: it is what the option says.
    const timeoutMs = before === undefined ? wantedMs : kernelTimeoutMs(device)
    if (timeoutMs === undefined)
      return this.#fail(setting, `the time of ${device} is not known: set watchdog-timeout to it`)
    if (this.#leaving) return
    this.#state = { kind: 'arming', setting, timeoutMs }
    say({ kind: 'watchdog-arm', device, timeoutMs })
    this.#giveWord()
    clearInterval(this.#timer)
    this.#timer = setInterval(() => this.#giveWord(), permitIntervalMs(timeoutMs))
  }

  #giveWord(): void {
    const lease = this.#leaseOfRecord()
    const at = monotonicNow()
    if (this.#doomed) return
    if (lease !== undefined) this.#permit({ lease, at })
    else if (this.#ports.keepsResources() && !this.#isCountedOn()) this.#permit({ at })
  }

  #permit(permit: { readonly lease?: string; readonly at: MonotonicMs }): void {
    this.#ports.say({ kind: 'watchdog-permit', permit })
  }

  #isCountedOn(): boolean {
    const option = clusterOptionValue(this.#ports.view().configuration?.typed, 'fencing-watchdog-timeout')
    return isCountedOn(option)
  }

  #isAskedToEnd(): boolean {
    const { view, self, incarnation } = this.#ports
    return !this.#doomed && view().selfFencing.get(self) === incarnation
  }

  /** The reboot is the quick way; the watchdog is the sure one. */
  #end(): void {
    this.#doomed = true
    clearInterval(this.#timer)
    rebootSelf(this.#ports, 'the cluster fences this node by its watchdog')
  }

  #fail(setting: string, why: string): void {
    this.#ports.log.error('this node has no watchdog although one is configured', { why })
    this.#become({ kind: 'failed', setting }, why)
  }

  #become(state: State, trouble?: string): void {
    const changed = state.kind !== this.#state.kind || trouble !== this.#trouble
    this.#state = state
    this.#trouble = trouble
    if (changed) this.#ports.onChange()
  }
}
