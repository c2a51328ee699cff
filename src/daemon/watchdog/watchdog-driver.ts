/**
 * What a node's core asks for its watchdog (`node/own-watchdog.ts`): the device is prepared here, opened and fed by the pulse thread; the disks of SBD's
 * are read here, and what is read of them is fed back.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { assertNever, type NodeName } from '../../base/index.ts'
import {
  diskMisfit,
  type NodeState,
  type OwnWatchdogEffect,
  type OwnWatchdogInput,
  runningMs,
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
import { forgetSlots, hasSlots, SbdDisks } from './sbd-disks.ts'

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

/** Longer than a slot takes that is new. */
const beginPatienceMs = 8000
const lookMs = 20

export class WatchdogDriver {
  readonly #ports: WatchdogPorts
  #disks: SbdDisks | undefined
  #closed = false

  constructor(ports: WatchdogPorts) {
    this.#ports = ports
  }

  /** What is not as it is wanted. */
  get troubles(): readonly string[] {
    const none = watchdogTrouble(this.#ports.core())
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
    const { paths, feed, core } = this.#ports
    feed({ kind: 'begin', hadSlots: hasSlots(paths) })
    const giveUpAt = monotonicNow() + beginPatienceMs
    const isSettled = (): boolean => core().phase.kind === 'armed' || core().phase.kind === 'failed'
    while (this.#disks && !isSettled() && monotonicNow() < giveUpAt) await delay(lookMs)
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
      case 'answer-test':
        void this.#answerTest(effect)
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
    this.#disks?.close()
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
    const { core, feed, onChange } = this.#ports
    this.#disks?.close()
    this.#disks = undefined
    if (paths.length === 0 || this.#closed) return
    const disks = new SbdDisks(paths, {
      ...this.#ports,
      misfit: (header) => diskMisfit(core(), header),
      isCountedOn: () => runningMs(core()) !== undefined,
      onClean: ({ disk, header, at }) => feed({ kind: 'disk-read', disk, times: header, at }),
      onMessage: (received, disk) => feed({ kind: 'disk-message', disk, received }),
      onChange: () => {
        const { times, reported } = disks
        feed({ kind: 'disks', reported, ...(times === undefined ? {} : { times }) })
        onChange()
      },
    })
    this.#disks = disks
  }

  /**
   * It is taken away, which shows that it was read. What somebody else wrote at that very moment is lost with it; but if that was the
   * DC, the store knows.
   */
  async #answerTest({ received, disk }: EffectOf<'answer-test'>): Promise<void> {
    const { log, self, store, feed } = this.#ports
    try {
      await this.#disks?.clear(received, disk)
      if (await isFenced(store(), { key: keys.diskFencing(self), bootId: readBootId() }))
        feed({ kind: 'fenced-through-disks' })
    } catch (error) {
      log.warn('a test message could not be deleted', { disk, error })
    }
  }
}
