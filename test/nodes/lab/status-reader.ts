/** Types commands that only read, and those that get a cluster ready, in a process that stays (`status-reader.mjs`). */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

interface Answer {
  readonly id: number
  readonly exitCode: number
  readonly output: string
  readonly errors: string
}

/** They print what the daemon answers, and look at nothing else on the node. */
const reading = new Set([
  'cluster status',
  'config history',
  'hold list',
  'job list',
  'job show',
  'lock list',
  'play list',
  'quorum status',
  'rollout history',
  'rollout versions',
])

export const onlyReads = (words: readonly string[]): boolean =>
  words.at(-1) === '--json' && (words.length === 2 ? words[0] === 'status' : reading.has(words.slice(0, 2).join(' ')))

export class StatusReader {
  readonly #code: string
  readonly #open = new Map<number, (answer: Answer | undefined) => void>()
  #child: ChildProcess | undefined
  #asked = 0

  /** `code`: that of the program `systole` in `dist/code`. */
  constructor(code: string) {
    this.#code = code
  }

  /** `root`: the folder that is `/` for the node. */
  async read(root: string, words: readonly string[]): Promise<string> {
    this.#child ??= this.#start()
    const child = this.#child
    this.#asked += 1
    const id = this.#asked
    const answer = await new Promise<Answer | undefined>((resolve) => {
      this.#open.set(id, resolve)
      child.send({ id, root, words }, (error) => {
        if (error !== null) resolve(undefined)
      })
    })
    this.#open.delete(id)
    if (answer === undefined) throw new Error('The process that reads the status has ended.')
    const { exitCode: code, output: stdout, errors: stderr } = answer
    // As for a process of its own (`network.ts`).
    if (code !== 0)
      throw new Error(`Command failed: systole ${words.join(' ')}\n${stdout}${stderr}`, {
        cause: { code, stdout, stderr },
      })
    return stdout
  }

  async close(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.disconnect()
    await ended
  }

  #start(): ChildProcess {
    const child = fork(join(import.meta.dirname, 'status-reader.mjs'), [this.#code], { execArgv: [] })
    child.on('message', (answer: Answer) => this.#open.get(answer.id)?.(answer))
    child.once('exit', () => {
      this.#child = undefined
      for (const resolve of this.#open.values()) resolve(undefined)
    })
    return child
  }
}
