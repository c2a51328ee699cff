/**
 * The watchdog device and the core that says when it is fed. The device is a Linux watchdog (Documentation/watchdog/watchdog-api):
 * opening it starts its timer, each byte starts it anew, and a `V` before the close stops it; a close without one, such as
 * the death of this process, lets it run on.
 */
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import {
  initialWatchdog,
  nextWatchdogAt,
  type WatchdogInput,
  type WatchdogState,
  watchdogStep,
} from '../../quorum/index.ts'
import { Alarm } from '../host/alarm.ts'
import { monotonicNow } from '../host/clock.ts'
import type { FromPulse, OwnDiskFencing, ToPulse } from './messages.ts'

export class WatchdogFeeder {
  readonly #tell: (message: FromPulse) => void
  readonly #alarm = new Alarm(() => this.feed({ kind: 'tick' }))
  readonly #isFenced: (word: OwnDiskFencing) => Promise<boolean>
  #state: WatchdogState = initialWatchdog()
  #open: number | undefined
  #word: OwnDiskFencing | undefined
  #asking = false

  /** `isFenced` asks the store; it may fail. */
  constructor(tell: (message: FromPulse) => void, isFenced: (word: OwnDiskFencing) => Promise<boolean>) {
    this.#tell = tell
    this.#isFenced = isFenced
  }

  arm({ device, timeoutMs, disks }: Extract<ToPulse, { kind: 'watchdog-arm' }>): void {
    if (this.#open !== undefined) return
    this.#word = disks
    try {
      // This thread must never wait for a device.
      this.#open = openSync(device, constants.O_WRONLY | constants.O_NONBLOCK)
    } catch (error) {
      this.#tell({ kind: 'watchdog', armed: false, error: String(error) })
      return
    }
    this.feed({ kind: 'armed', timeoutMs, ...(disks === undefined ? {} : { disks }) })
    this.#tell({ kind: 'watchdog', armed: true })
  }

  feed(input: WatchdogInput): void {
    const { state, effects } = watchdogStep(this.#state, input, monotonicNow())
    this.#state = state
    for (const effect of effects)
      if (effect.kind === 'feed') this.#write('\0')
      else if (effect.kind === 'disarm') this.#disarm()
      else if (effect.kind === 'ask-store') void this.#ask()
      else this.#tell({ kind: 'watchdog-starving', why: effect.why })
    this.#alarm.set(nextWatchdogAt(state))
  }

  async #ask(): Promise<void> {
    if (this.#asking || this.#word === undefined) return
    this.#asking = true
    const at = monotonicNow()
    // A store that does not answer says nothing.
    const fenced = await this.#isFenced(this.#word).catch(() => true)
    this.#asking = false
    if (!fenced) this.feed({ kind: 'store-read', at })
  }

  #write(text: string): void {
    try {
      if (this.#open !== undefined) writeSync(this.#open, text)
    } catch (error) {
      // It runs on unfed, and resets this machine: that is what it is for.
      this.#tell({ kind: 'watchdog', armed: true, error: String(error) })
    }
  }

  #disarm(): void {
    this.#write('V')
    if (this.#open !== undefined) closeSync(this.#open)
    this.#open = undefined
    this.#tell({ kind: 'watchdog', armed: false })
  }
}
