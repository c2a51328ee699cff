/**
 * Starts the runners of tasks (run-task.ts) from code that the build has compiled. Each is in a session of its own, and nothing ties it to this daemon once it
 * knows its task. Node.js takes longer to start than most commands run: where a task is about to be claimed its runner starts meanwhile, and waits to hear of it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { installFolder } from '../host/install-folder.ts'

/** As many claims as are usual at one time. */
const mostSpare = 4
/** A claim is quick, or fails. */
const unusedMs = 10_000

export class TaskRunners {
  readonly #program: readonly string[]
  #spare: readonly ChildProcess[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(program: readonly string[] = [join(installFolder(), 'dist', 'systole-task.cjs')]) {
    this.#program = program
  }

  /** Those that wait for a task. */
  get spare(): readonly ChildProcess[] {
    return this.#spare
  }

  /** One that nobody needs soon ends. */
  readonly warm = (): void => {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.close(), unusedMs).unref()
    if (this.#spare.length < mostSpare) this.#spare = [...this.#spare, this.#spawn()]
  }

  readonly start = (folder: string): ChildProcess => {
    const waiting = this.#spare.find(lives)
    this.#spare = this.#spare.filter((runner) => runner !== waiting && lives(runner))
    if (waiting === undefined) return this.#spawn(folder)
    waiting.stdin?.end(folder)
    return waiting
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const runner of this.#spare) runner.stdin?.end()
    this.#spare = []
  }

  #spawn(...folder: readonly string[]): ChildProcess {
    const runner = spawn(process.execPath, [...this.#program, ...folder], {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    // One that could not be started, or was killed: whoever gives it a task sees that it has ended.
    runner.on('error', () => undefined)
    runner.stdin?.on('error', () => undefined)
    if (runner.stdin instanceof Socket) runner.stdin.unref()
    runner.unref()
    return runner
  }
}

const lives = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid !== undefined && exitCode === null && signalCode === null
