/** The output of a task in a file: its beginning as it comes, and at the end the last of it, with a line between them that says how much is missing. */
import { closeSync, openSync, writeSync } from 'node:fs'

export class BoundedOutput {
  readonly #file: number
  readonly #half: number
  #written = 0
  /** What comes after the first half: only the end of it is kept. */
  #late: Buffer[] = []
  #lateBytes = 0
  #dropped = 0
  /** The disk took no more. */
  #full = false

  constructor(path: string, limit: number) {
    this.#file = openSync(path, 'w', 0o600)
    this.#half = Math.max(Math.floor(limit / 2), 1)
  }

  add(chunk: Buffer): void {
    const room = Math.max(this.#half - this.#written, 0)
    if (room > 0) this.#write(chunk.subarray(0, room))
    if (chunk.length <= room) return
    this.#late.push(chunk.subarray(room))
    this.#lateBytes += chunk.length - room
    if (this.#lateBytes > 2 * this.#half) this.#shorten()
  }

  finish(): void {
    if (this.#lateBytes > this.#half) this.#shorten()
    if (this.#dropped > 0) this.#write(Buffer.from(`\n[... ${this.#dropped} bytes of output were dropped here ...]\n`))
    for (const chunk of this.#late) this.#write(chunk)
    closeSync(this.#file)
  }

  #shorten(): void {
    const whole = Buffer.concat(this.#late)
    const kept = Buffer.from(whole.subarray(whole.length - this.#half))
    this.#dropped += whole.length - kept.length
    this.#late = [kept]
    this.#lateBytes = kept.length
  }

  /** A full disk does not end the command: its output is lost, not its work. */
  #write(chunk: Buffer): void {
    this.#written += chunk.length
    if (this.#full) return
    try {
      for (let at = 0; at < chunk.length; ) at += writeSync(this.#file, chunk, at)
    } catch {
      this.#full = true
    }
  }
}
