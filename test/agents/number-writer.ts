/** A client outside the cluster that writes numbers into `lab.numbers`, one after the other, and remembers which were acknowledged. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export class NumberWriter {
  acknowledged = 0
  readonly #child: ChildProcess

  /** `session`: a MariaDB client and its options. */
  constructor(clientSpace: string, session: readonly string[], from: number) {
    const command = [...session, '-N', '-B', '--unbuffered', 'lab']
    this.#child = spawn('ip', ['netns', 'exec', clientSpace, ...command], { stdio: ['pipe', 'pipe', 'ignore'] })
    const next = (number: number): void => {
      this.#child.stdin?.write(`insert into numbers values (${number}); select ${number};\n`)
    }
    this.#child.stdin?.on('error', () => undefined)
    if (this.#child.stdout)
      createInterface({ input: this.#child.stdout }).on('line', (line) => {
        this.acknowledged = Number(line)
        next(this.acknowledged + 1)
      })
    next(from)
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill('SIGKILL')
    await ended
  }
}
