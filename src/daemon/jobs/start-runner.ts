/**
 * Starts the runners of tasks (run-task.ts) from code that the build has compiled. Each is in a session of its own, and nothing ties it to this daemon once it
 * knows its task. Node.js takes longer to start than most commands run: where a task is about to come its runner starts meanwhile, and waits to hear of it; and one
 * whose task has ended takes the next one (ADR 74). Each runs one task at a time, so that the end of one runner is the loss of one task.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { installFolder } from '../host/install-folder.ts'

/** Those that wait for a task, at most. */
const mostSpare = 4
/** Jobs often come one after another; then nobody is kept waiting for them. */
const unusedMs = 30_000

/** Called once, when the runner has ended with this task: with an error where it could not run. */
export type RunnerEnd = (error?: Error) => void

export class TaskRunners {
  readonly #program: readonly string[]
  readonly #written: string
  #spare: readonly Runner[] = []
  /** Tasks that are about to come. */
  #wanted = 0
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(program: readonly string[] = [join(installFolder(), 'dist', 'systole-task.cjs')]) {
    this.#program = program
    this.#written = this.#file()
  }

  /** The processes that wait for a task. */
  get spare(): readonly (number | undefined)[] {
    return this.#spare.map(({ child }) => child.pid)
  }

  /** A task is about to come. Runners that nobody needs soon end. */
  readonly warm = (): void => {
    if (!this.#isSame()) return
    this.#wanted++
    this.#endLater()
    if (this.#spare.length < Math.min(this.#wanted, mostSpare)) this.#spare = [...this.#spare, this.#open()]
  }

  readonly start = (folder: string, onEnd: RunnerEnd): void => {
    this.#wanted = Math.max(0, this.#wanted - 1)
    const [waiting, ...others] = this.#spare.filter(lives)
    // One of another version may wait to hear in another way.
    if (waiting === undefined && !this.#isSame()) {
      this.#startOne(folder, onEnd)
      return
    }
    this.#spare = others
    const runner = waiting ?? this.#open()
    runner.onEnd = onEnd
    runner.child.stdin?.write(`${folder}\0`)
  }

  close(): void {
    this.#closed = true
    this.#endSpare()
  }

  #endSpare(): void {
    clearTimeout(this.#timer)
    this.#wanted = 0
    for (const { child } of this.#spare) child.stdin?.end()
    this.#spare = []
  }

  #endLater(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#endSpare(), unusedMs).unref()
  }

  #open(): Runner {
    const runner: Runner = { child: this.#spawn('pipe') }
    const { child } = runner
    const end: RunnerEnd = (error) => {
      const { onEnd } = runner
      runner.onEnd = undefined
      onEnd?.(error)
    }
    child.once('error', end)
    child.once('exit', () => {
      this.#spare = this.#spare.filter((one) => one !== runner)
      end()
    })
    // It says so when it has ended with a task.
    child.stdout?.on('data', () => {
      if (this.#closed || this.#spare.length >= mostSpare) child.stdin?.end()
      else {
        this.#spare = [...this.#spare, runner]
        this.#endLater()
      }
      end()
    })
    if (child.stdout instanceof Socket) child.stdout.unref()
    return runner
  }

  #startOne(folder: string, onEnd: RunnerEnd): void {
    const child = this.#spawn('ignore', folder)
    let isOver = false
    const end: RunnerEnd = (error) => {
      if (!isOver) onEnd(error)
      isOver = true
    }
    child.once('error', end)
    child.once('exit', () => end())
  }

  #spawn(output: 'pipe' | 'ignore', ...folder: readonly string[]): ChildProcess {
    const runner = spawn(process.execPath, [...this.#program, ...folder], {
      cwd: '/',
      detached: true,
      stdio: ['pipe', output, 'ignore'],
    })
    // One that was killed: whoever gives it a task sees that it has ended.
    runner.stdin?.on('error', () => undefined)
    runner.stdout?.on('error', () => undefined)
    if (runner.stdin instanceof Socket) runner.stdin.unref()
    runner.unref()
    return runner
  }

  /** The program is the one that was there when this daemon began: an upgrade of Systole has not replaced it. */
  #isSame(): boolean {
    return this.#written === this.#file()
  }

  #file(): string {
    const stat = statSync(this.#program[0] ?? '', { throwIfNoEntry: false })
    return stat === undefined ? '' : `${stat.ino} ${stat.mtimeMs} ${stat.size}`
  }
}

interface Runner {
  readonly child: ChildProcess
  onEnd?: RunnerEnd | undefined
}

const lives = ({ child: { pid, exitCode, signalCode } }: Runner): boolean =>
  pid !== undefined && exitCode === null && signalCode === null
