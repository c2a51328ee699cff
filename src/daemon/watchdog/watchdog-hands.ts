/**
 * This node's watchdog, as the main thread sees it: armed once this node is registered, and told to the others only then; given
 * up only when the DC has taken note that nobody may count on it any more. While it is armed the main thread gives the pulse
 * thread, which feeds it, its word again and again that this node may live.
 *
 * With disks of SBD's it is armed as soon as enough of them were read, if possible before this node registers. What is read of them is handed
 * on to the pulse thread, and a message there ends this node.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { assertNever, monotonicMs, type NodeName } from '../../base/index.ts'
import { clusterOptionValue } from '../../cib/index.ts'
import {
  type ClusterView,
  type DiskFencing,
  diskWatchOf,
  type ToldWatchdog,
  watchdogMsOf,
} from '../../controller/index.ts'
import { endingOf, type SbdHeader, type SbdLetter } from '../../fencing/index.ts'
import { type DiskTimes, diskPatienceMs, permitIntervalMs, type WatchdogPermit } from '../../quorum/index.ts'
import type { Store } from '../../store/index.ts'
import { readBootId } from '../host/boot-id.ts'
import { monotonicNow } from '../host/clock.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { endSelf, type SelfEnd } from '../host/self-reboot.ts'
import { allTellStore, endingByWord, isFenced } from '../pulse/fencing-word.ts'
import type { FromPulse, ToPulse } from '../pulse/messages.ts'
import { keys } from '../records/keys.ts'
import { isWatchdogLike, kernelTimeoutMs, setKernelTimeout } from './device.ts'
import { forgetSlots, hasSlots, SbdDisks } from './sbd-disks.ts'
import { isCountedOn, type WatchdogSetting, watchdogSetting } from './setting.ts'
import type { SlotReading } from './slot-watch.ts'

export interface WatchdogPorts {
  readonly self: NodeName
  readonly incarnation: number
  readonly log: Log
  /** One of several nodes on a machine: a watchdog would reset all of them. */
  readonly isolated: boolean
  readonly paths: Paths
  /** The other of two nodes may fence this one without the store. */
  readonly isOneOfTwo: () => boolean
  readonly store: () => Store
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

/** Longer than a slot takes that is new. */
const beginPatienceMs = 8000
const lookMs = 20

const throughDisks = 'the cluster fences this node through its disks'

export class WatchdogHands {
  readonly #ports: WatchdogPorts
  #state: State = { kind: 'off' }
  #trouble: string | undefined
  #timer: NodeJS.Timeout | undefined
  #disks: SbdDisks | undefined
  #doomed = false
  /** A word of the store for what this boot ran before it stopped in order. */
  #obeyedWord: DiskFencing | undefined
  /** A message on this disk has ended the reading. */
  #exitedBy: string | undefined
  #leaving = false
  #disarmed: (() => void) | undefined

  constructor(ports: WatchdogPorts) {
    this.#ports = ports
  }

  get told(): ToldWatchdog {
    const state = this.#state
    if (state.kind !== 'armed') return {}
    const { timeoutMs } = state
    return this.#disks ? { sbd: { watchdogMs: timeoutMs, disks: this.#disks.told } } : { watchdogMs: timeoutMs }
  }

  /** What is not as it is wanted. */
  get troubles(): readonly string[] {
    const { kind } = this.#state
    const none = this.#trouble ?? (this.#disks && kind === 'off' ? 'too few of its disks were read yet' : undefined)
    return [
      ...(none === undefined ? [] : [`This node has no watchdog: ${none}.`]),
      ...(this.#disks?.troubles() ?? []).map((trouble) => `${trouble}.`),
    ]
  }

  /**
   * Before this node is a member: with disks to read it is fenced through those, so that it had better read them when it comes. Resolves all
   * the same where they do not answer.
   */
  async begin(): Promise<void> {
    const { paths, view, self } = this.#ports
    if (!hasSlots(paths)) this.#obeyedWord = view().diskFencing.get(self)
    this.look()
    const giveUpAt = monotonicNow() + beginPatienceMs
    while (this.#disks && this.#state.kind !== 'armed' && this.#state.kind !== 'failed' && monotonicNow() < giveUpAt)
      await delay(lookMs)
  }

  /** After every change that may matter. */
  look(): void {
    if (this.#isAskedToEnd()) this.#end('reset', 'the cluster fences this node by its watchdog')
    const ending = this.#endingByWord()
    if (ending !== undefined) this.#end(ending, throughDisks)
    // From here on nothing keeps the watchdog from resetting this machine.
    if (this.#doomed) return
    const wanted = this.#wanted()
    if (this.#state.kind === 'off' || this.#state.kind === 'failed') this.#openDisks(wanted)
    const times = this.#disks?.times
    const setting = wanted === undefined ? '' : JSON.stringify([wanted, times])
    const state = this.#state
    switch (state.kind) {
      case 'off':
      case 'failed':
        if (wanted === undefined) this.#become({ kind: 'off' }, this.#exit())
        else if (this.#leaving || this.#hasFailed(setting)) return
        else if (wanted.disks === undefined && this.#leaseOfRecord() === undefined) return
        else if (wanted.disks === undefined || times !== undefined || this.#ports.isolated)
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
      log.error('the watchdog is no longer fed and will reset this machine', { why: message.why })
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
    if (this.#doomed) return
    if (this.#runningMs() !== undefined) {
      const disarmed = new Promise<void>((resolve) => {
        this.#disarmed = resolve
      })
      this.#ports.say({ kind: 'watchdog-disarm' })
      await disarmed
      this.#ports.log.info('the watchdog is stopped')
    }
    this.#disks?.close()
    forgetSlots(this.#ports.paths)
  }

  /** The word is not given any more; the device is left as it is. */
  close(): void {
    clearInterval(this.#timer)
    this.#disks?.close()
  }

  #wanted(): WatchdogSetting | undefined {
    if (this.#exitedBy !== undefined) return undefined
    return watchdogSetting(this.#ports.view().configuration?.typed, this.#ports.self)
  }

  /** The time of the watchdog that runs, or is being started. */
  #runningMs(): number | undefined {
    return 'timeoutMs' in this.#state ? this.#state.timeoutMs : undefined
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
    const state = view().nodeStates.get(self)
    const tells = record?.watchdogMs !== undefined || record?.sbd !== undefined
    return !tells && watchdogMsOf(state) === undefined && diskWatchOf(state) === undefined
  }

  /** Those that are open already stay so: what was read of them still holds. */
  #openDisks(wanted: WatchdogSetting | undefined): void {
    const paths = this.#ports.isolated || this.#leaving ? [] : (wanted?.disks ?? [])
    if (JSON.stringify(paths) === JSON.stringify(this.#disks?.told.map(({ path }) => path) ?? [])) return
    this.#disks?.close()
    this.#disks = undefined
    if (paths.length === 0) return
    this.#disks = new SbdDisks(paths, {
      ...this.#ports,
      misfit: (header) => this.#misfit(header),
      isCountedOn: () => this.#runningMs() !== undefined,
      onClean: (reading) => this.#handOn(reading),
      onMessage: (letter, disk) => void this.#obey(letter, disk),
      onChange: () => {
        this.look()
        this.#ports.onChange()
      },
    })
  }

  async #arm(wanted: WatchdogSetting, setting: string): Promise<void> {
    const { log, isolated } = this.#ports
    const { device } = wanted
    const times = this.#disks?.times
    const wantedMs = times?.watchdogMs ?? wanted.timeoutMs
    this.#state = { kind: 'arming', setting }
    if (isolated) return this.#fail(setting, 'this node shares its machine (SYSTOLE_ROOT)')
    if (!isWatchdogLike(device)) return this.#fail(setting, `${device} is not a watchdog device`)
    const before = kernelTimeoutMs(device)
    if (before !== undefined && wantedMs !== undefined && before !== wantedMs)
      await setKernelTimeout(device, wantedMs).catch((error: unknown) =>
        log.warn('the watchdog timeout could not be set: it is unchanged', { device, timeoutMs: before, error }),
      )
    // What is not the kernel's, such as a pipe to a program, cannot be asked: it is what the option says.
    const timeoutMs = before === undefined ? wantedMs : kernelTimeoutMs(device)
    if (timeoutMs === undefined)
      return this.#fail(setting, `the timeout of ${device} is unknown: set watchdog-timeout to its value`)
    const patienceMs = times && diskPatienceMs({ ...times, watchdogMs: timeoutMs })
    if (times && patienceMs === undefined) return this.#fail(setting, timesDoNotFit(times, timeoutMs))
    if (this.#leaving) return
    this.#state = { kind: 'arming', setting, timeoutMs }
    this.#begin({ device, timeoutMs, ...(patienceMs === undefined ? {} : { patienceMs }) })
  }

  #begin({ device, timeoutMs, patienceMs }: { device: string; timeoutMs: number; patienceMs?: number }): void {
    const { say, self } = this.#ports
    const word = { key: keys.diskFencing(self), bootId: readBootId() }
    const disks = patienceMs === undefined ? {} : { disks: { count: this.#disks?.count ?? 0, patienceMs, ...word } }
    say({ kind: 'watchdog-arm', device, timeoutMs, ...disks })
    for (const reading of this.#disks?.clean ?? []) this.#handOn(reading)
    this.#giveWord()
    clearInterval(this.#timer)
    this.#timer = setInterval(() => this.#giveWord(), permitIntervalMs(timeoutMs))
  }

  /** Before it is armed, the watchdog is to have the header's own time. */
  #misfit(header: SbdHeader): string | undefined {
    const watchdogMs = this.#runningMs() ?? header.watchdogMs
    return diskPatienceMs({ ...header, watchdogMs }) === undefined ? timesDoNotFit(header, watchdogMs) : undefined
  }

  /** A disk whose times do not fit lets nobody live. */
  #handOn({ disk, header, at }: SlotReading): void {
    const watchdogMs = this.#runningMs()
    if (watchdogMs === undefined || this.#doomed) return
    const patienceMs = diskPatienceMs({ ...header, watchdogMs })
    if (patienceMs !== undefined)
      this.#ports.say({ kind: 'watchdog-disk-read', disk, until: monotonicMs(at + patienceMs) })
  }

  async #obey(letter: SbdLetter, disk: string): Promise<void> {
    const { log } = this.#ports
    const { message, from } = letter
    log.warn('a message was read on a disk of SBD', { disk, message: message ?? 'unknown', from })
    const ending = endingOf(letter)
    if (ending !== undefined) return this.#end(ending, `${from} has sent '${ending}' through ${disk}`)
    if (message === 'test') await this.#answerTest(letter, disk)
    else if (message === 'exit') {
      this.#exitedBy = disk
      this.look()
    }
  }

  /**
   * It is taken away, which shows that it was read. What somebody else wrote at that very moment is lost with it; but if that was the
   * DC, the store knows.
   */
  async #answerTest(letter: SbdLetter, disk: string): Promise<void> {
    const { log, self, store } = this.#ports
    try {
      await this.#disks?.clear(letter, disk)
      if (await isFenced(store(), { key: keys.diskFencing(self), bootId: readBootId() }))
        this.#end('reset', throughDisks)
    } catch (error) {
      log.warn('a test message could not be deleted', { disk, error })
    }
  }

  #exit(): string | undefined {
    if (this.#exitedBy === undefined) return undefined
    return `a message on ${this.#exitedBy} stopped it (restart systoled to start it again)`
  }

  #giveWord(): void {
    const { isOneOfTwo, view } = this.#ports
    const lease = this.#leaseOfRecord()
    const at = monotonicNow()
    if (this.#doomed) return
    if (this.#disks) this.#permit({ at, storeKnows: !isOneOfTwo() && allTellStore([...view().members.values()]) })
    else if (lease !== undefined) this.#permit({ lease, at })
    else if (this.#ports.keepsResources() && !this.#isCountedOn()) this.#permit({ at })
  }

  #permit(permit: WatchdogPermit): void {
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

  /** The others write the message only once this word is in the store, so that a node that is here need not wait for it. */
  #endingByWord(): SelfEnd | undefined {
    const word = this.#ports.view().diskFencing.get(this.#ports.self)
    return this.#doomed || word === this.#obeyedWord ? undefined : endingByWord(word, readBootId())
  }

  /** The reboot is the quick way; the watchdog is the sure one. */
  #end(how: SelfEnd, why: string): void {
    if (this.#doomed) return
    this.#doomed = true
    clearInterval(this.#timer)
    endSelf(this.#ports, how, why)
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

function timesDoNotFit({ msgwaitMs, loopMs }: Pick<DiskTimes, 'msgwaitMs' | 'loopMs'>, watchdogMs: number): string {
  const [watchdog, msgwait, loop] = [watchdogMs, msgwaitMs, loopMs].map((ms) => `${ms / 1000} s`)
  return `a node counts as fenced after ${msgwait} (msgwait), which is too short for a watchdog timeout of ${watchdog} and reads every ${loop}. Initialize the disks again with a msgwait of twice the watchdog timeout (stonith sbd device setup)`
}
