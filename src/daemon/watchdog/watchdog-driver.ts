/**
 * What a node's core asks for its watchdog (`node/own-watchdog.ts`): the device is prepared here, opened and fed by the pulse thread; the disks of SBD's
 * are read and written here, and what comes of that is fed back.
 */
import { assertNever, type NodeName } from '../../base/index.ts'
import {
  diskTroubles,
  type NodeState,
  type OwnWatchdogEffect,
  type OwnWatchdogInput,
  watchdogTrouble,
} from '../../node/index.ts'
import type { Store } from '../../store/index.ts'
import { readBootId } from '../host/boot-id.ts'
import { monotonicNow } from '../host/clock.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import type { FromPulse, ToPulse } from '../pulse/messages.ts'
import { isFenced } from '../pulse/own-disk-fencing.ts'
import { keys } from '../records/keys.ts'
import { isWatchdogLike, kernelTimeoutMs, setKernelTimeout } from './device.ts'
import { Disk } from './disk.ts'
import { performSlotRequest } from './slot-requests.ts'
import { forgetSlots, noteSlot } from './slots-of-boot.ts'

export interface WatchdogPorts {
  readonly self: NodeName
  readonly log: Log
  readonly paths: Paths
  readonly store: () => Store
  readonly core: () => NodeState['watchdog']
  readonly feed: (input: OwnWatchdogInput) => void
  readonly say: (message: ToPulse) => void
  /** How it is with the watchdog has changed. */
  readonly onChange: () => void
}

type EffectOf<Kind> = Extract<OwnWatchdogEffect, { kind: Kind }>

export class WatchdogDriver {
  readonly #ports: WatchdogPorts
  readonly #disks = new Map<string, Disk>()
  #closed = false

  constructor(ports: WatchdogPorts) {
    this.#ports = ports
  }

  /** What is not as it is wanted. */
  get troubles(): readonly string[] {
    const none = watchdogTrouble(this.#ports.core())
    return [
      ...(none === undefined ? [] : [`This node has no watchdog: ${none}.`]),
      ...diskTroubles(this.#ports.core(), monotonicNow()).map((trouble) => `${trouble}.`),
    ]
  }

  perform(effect: OwnWatchdogEffect): void {
    const { say, onChange } = this.#ports
    switch (effect.kind) {
      case 'prepare':
        void this.#prepare(effect)
        return
      case 'arm':
        this.#arm(effect)
        return
      case 'permit':
        say({ kind: 'watchdog-permit', permit: effect.permit })
        return
      case 'disk-read':
        say({ kind: 'watchdog-disk-read', disk: effect.disk, until: effect.until })
        return
      case 'disarm':
        say({ kind: 'watchdog-disarm' })
        return
      case 'read-disks':
        this.#readDisks(effect.paths)
        return
      case 'disk':
        void this.#askDisk(effect)
        return
      case 'ask-fenced':
        void this.#askFenced()
        return
      case 'changed':
        onChange()
        return
      default:
        assertNever(effect)
    }
  }

  take(message: Extract<FromPulse, { kind: 'watchdog' | 'watchdog-starving' }>): void {
    const { log, feed } = this.#ports
    if (message.kind === 'watchdog-starving')
      log.error('the watchdog is no longer fed and will reset this machine', { why: message.why })
    else if (!message.armed) feed({ kind: 'stopped', ...(message.error === undefined ? {} : { error: message.error }) })
    else {
      if (message.error !== undefined) log.error('the watchdog does not work', { error: message.error })
      feed({ kind: 'armed' })
    }
  }

  /** The node has left in order. A message on its disks that is to end it stays. */
  departed(): void {
    if (this.#ports.core().doomed) return
    this.close()
    forgetSlots(this.#ports.paths)
  }

  close(): void {
    this.#closed = true
    this.#closeDisks()
  }

  async #prepare({ device, timeoutMs: wantedMs }: EffectOf<'prepare'>): Promise<void> {
    const { log, feed } = this.#ports
    if (!isWatchdogLike(device)) return feed({ kind: 'unusable', why: `${device} is not a watchdog device` })
    const before = kernelTimeoutMs(device)
    if (before !== undefined && wantedMs !== undefined && before !== wantedMs)
      await setKernelTimeout(device, wantedMs).catch((error: unknown) =>
        log.warn('the watchdog timeout could not be set: it is unchanged', { device, timeoutMs: before, error }),
      )
    // What is not the kernel's, such as a pipe to a program, cannot be asked: it is what the option says.
    const timeoutMs = before === undefined ? wantedMs : kernelTimeoutMs(device)
    if (timeoutMs !== undefined) feed({ kind: 'prepared', timeoutMs })
    else feed({ kind: 'unusable', why: `the timeout of ${device} is unknown: set watchdog-timeout to its value` })
  }

  #arm({ device, timeoutMs, disks }: EffectOf<'arm'>): void {
    const { say, self } = this.#ports
    const word = { key: keys.diskFencing(self), bootId: readBootId() }
    say({ kind: 'watchdog-arm', device, timeoutMs, ...(disks === undefined ? {} : { disks: { ...disks, ...word } }) })
  }

  #readDisks(paths: readonly string[]): void {
    this.#closeDisks()
    if (!this.#closed) for (const path of paths) this.#disks.set(path, new Disk(path))
  }

  #closeDisks(): void {
    for (const disk of this.#disks.values()) disk.close()
    this.#disks.clear()
  }

  async #askDisk({ disk: path, call, request }: EffectOf<'disk'>): Promise<void> {
    const { self: node, paths, feed } = this.#ports
    const disk = this.#disks.get(path)
    if (disk === undefined) return
    const note = (uuid: string): void => noteSlot(paths, uuid)
    const answer = await performSlotRequest({ node, disk, note }, request)
    if (this.#disks.get(path) === disk) feed({ kind: 'disk-answered', disk: path, call, answer })
  }

  async #askFenced(): Promise<void> {
    const { log, self, store, feed } = this.#ports
    try {
      if (await isFenced(store(), { key: keys.diskFencing(self), bootId: readBootId() }))
        feed({ kind: 'fenced-through-disks' })
    } catch (error) {
      log.warn('the store did not report whether this node is fenced through its disks', { error })
    }
  }
}
