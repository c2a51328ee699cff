/**
 * Watchdogs of the lab's nodes. A machine's own is a timer of the kernel's behind a character device; nodes that share a kernel
 * cannot have one each. Here it is a pipe, read by the lab outside of the node, with the rules of the kernel's device: opening
 * starts the timer, a byte starts it anew, a `V` before the close stops it, a close without one does not. A node whose
 * timer ends loses its power and gets it again.
 */
import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { PowerSupply } from './power.ts'

interface Timer {
  readonly pipe: number
  resetAt?: number
  /** PID 1 of the machine for which it runs: one that boots begins with its watchdog stopped. */
  boot?: number
  /** Somebody holds it open. */
  held: boolean
  last: string
}

const lookMs = 20

export class Watchdogs {
  /** Nodes that were reset, each time. */
  readonly resets: string[] = []
  readonly timeoutMs: number
  readonly #folder: string
  readonly #power: PowerSupply
  readonly #timers = new Map<string, Timer>()
  readonly #looking: NodeJS.Timeout

  constructor(folder: string, power: PowerSupply, nodes: readonly string[], timeoutMs: number) {
    this.#folder = folder
    this.#power = power
    this.timeoutMs = timeoutMs
    for (const node of nodes) this.#timers.set(node, this.#open(node))
    this.#looking = setInterval(() => this.#look(), lookMs)
  }

  device(node: string): string {
    return join(this.#folder, `watchdog-${node}`)
  }

  isRunning(node: string): boolean {
    return this.#timers.get(node)?.resetAt !== undefined
  }

  close(): void {
    clearInterval(this.#looking)
    for (const { pipe } of this.#timers.values()) closeSync(pipe)
    this.#timers.clear()
  }

  #open(node: string): Timer {
    execFileSync('mkfifo', [this.device(node)])
    const pipe = openSync(this.device(node), constants.O_RDONLY | constants.O_NONBLOCK)
    return { pipe, held: false, last: '' }
  }

  #look(): void {
    const now = performance.now()
    for (const [node, timer] of this.#timers) {
      const boot = this.#power.isOn(node) ? this.#power.pid1(node) : undefined
      if (boot !== timer.boot) forget(timer, boot)
      this.#read(timer, now)
      if (timer.resetAt === undefined || now < timer.resetAt) continue
      delete timer.resetAt
      this.resets.push(node)
      // Like a reset line: it takes no account of what the node does.
      void this.#power.off(node).then(() => this.#power.on(node))
    }
  }

  #read(timer: Timer, now: number): void {
    const bytes = Buffer.alloc(256)
    for (;;) {
      const count = readOrNothing(timer.pipe, bytes)
      if (count === 'nothing yet') {
        if (!timer.held) timer.resetAt = now + this.timeoutMs
        timer.held = true
        return
      }
      if (count === 0) {
        // Nobody holds it open (any more).
        if (timer.held && timer.last === 'V') delete timer.resetAt
        timer.held = false
        timer.last = ''
        return
      }
      timer.held = true
      timer.last = bytes.toString('latin1', count - 1, count)
      timer.resetAt = now + this.timeoutMs
    }
  }
}

function forget(timer: Timer, boot: number | undefined): void {
  delete timer.resetAt
  timer.held = false
  timer.last = ''
  if (boot === undefined) delete timer.boot
  else timer.boot = boot
}

function readOrNothing(pipe: number, into: Buffer): number | 'nothing yet' {
  try {
    return readSync(pipe, into)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return 'nothing yet'
    throw error
  }
}
