/** What the bench's client outside has seen: who answered when. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface Gap {
  readonly from: number
  readonly to: number
  readonly before: string
  readonly after: string
}

export class UdpClient {
  readonly #child: ChildProcess
  readonly #answers: { readonly time: number; readonly node: string }[] = []

  constructor(clientSpace: string, address: string, port = 7777) {
    const poller = [process.execPath, join(import.meta.dirname, 'udp-poller.mjs'), address, String(port)]
    this.#child = spawn('ip', ['netns', 'exec', clientSpace, ...poller], { stdio: ['pipe', 'pipe', 'inherit'] })
    const { stdout } = this.#child
    if (!stdout) return
    createInterface({ input: stdout }).on('line', (line) => {
      const [time, node = ''] = line.split(' ')
      this.#answers.push({ time: Number(time), node })
    })
  }

  get last(): { readonly time: number; readonly node: string } | undefined {
    return this.#answers.at(-1)
  }

  /** The change from one answering node to another since a moment. */
  takeover(since: number): Gap | undefined {
    const first = this.#answers.findIndex(({ time }) => time >= since - 20)
    if (first < 0) return undefined
    for (let index = Math.max(1, first); index < this.#answers.length; index++) {
      const [before, after] = [this.#answers[index - 1], this.#answers[index]]
      if (before && after && before.node !== after.node && after.time >= since)
        return { from: before.time, to: after.time, before: before.node, after: after.node }
    }
    return undefined
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.stdin?.end()
    await ended
  }
}
