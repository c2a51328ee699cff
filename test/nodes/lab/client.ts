/** What a client outside the cluster sees: every answer of the virtual address, and the gaps between them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { LabNetwork } from './network.ts'

export interface Answer {
  /** Milliseconds since the epoch. */
  readonly asked: number
  readonly answered: number
  readonly ok: boolean
  readonly body?: string
  readonly error?: string
}

export class Client {
  readonly answers: Answer[] = []
  readonly #child: ChildProcess

  /** `patienceMs`: an answer that takes longer counts as missing. */
  constructor(network: LabNetwork, url: string, intervalMs = 10, patienceMs = 250) {
    const poller = [
      process.execPath,
      join(import.meta.dirname, 'client-poller.mjs'),
      url,
      String(intervalMs),
      String(patienceMs),
    ]
    this.#child = spawn('ip', ['netns', 'exec', network.clientSpace, ...poller], { stdio: ['pipe', 'pipe', 'inherit'] })
    const { stdout } = this.#child
    if (stdout) createInterface({ input: stdout }).on('line', (line) => this.answers.push(JSON.parse(line) as Answer))
  }

  get lastGood(): Answer | undefined {
    return this.answers.findLast(({ ok }) => ok)
  }

  /** Good answers to questions that were asked since a moment. */
  goodSince(moment: number): readonly Answer[] {
    return this.answers.filter(({ ok, asked }) => ok && asked >= moment)
  }

  /** The longest time between two good answers since a moment, in milliseconds. */
  longestGapMs(since: number): number {
    const times = this.answers.filter(({ ok, answered }) => ok && answered >= since).map(({ answered }) => answered)
    const gaps = times.map((time, index) => time - (times[index - 1] ?? Math.min(since, time)))
    return Math.max(0, ...gaps)
  }

  /** Failures of two questions in a row: what a client that retries once would see as an error. */
  failuresDespiteOneRetry(since: number): number {
    const asked = this.answers.filter((answer) => answer.asked >= since).sort((a, b) => a.asked - b.asked)
    return asked.filter((answer, index) => !answer.ok && asked[index + 1]?.ok === false).length
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.stdin?.end()
    await ended
  }
}
