/** A real collector of traces in the network of a lab's clients, which prints what it has received. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Lab } from '../nodes/lab/lab.ts'

const address = '10.83.0.253'

export class Collector {
  readonly url = `http://${address}:4318`
  readonly received: string[] = []
  readonly #lab: Lab
  #child: ChildProcess | undefined

  constructor(lab: Lab) {
    this.#lab = lab
  }

  async open(): Promise<void> {
    const program = resolve(import.meta.dirname, '../cli/otlp/collector.mjs')
    const words = ['netns', 'exec', this.#lab.network.clientSpace, process.execPath, program, address, '4318']
    const child = spawn('ip', words, { stdio: ['ignore', 'pipe', 'inherit'] })
    const lines = createInterface({ input: child.stdout })
    await once(lines, 'line')
    lines.on('line', (line) => this.received.push(line))
    this.#child = child
  }

  async close(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill()
    await gone
  }
}
