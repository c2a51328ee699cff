/** The daemon's handle on the process that reads and writes one disk. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { programFile } from '../host/install-folder.ts'
import { type DiskAnswer, type DiskRequest, parseAnswer } from './disk-messages.ts'

export class DiskError extends Error {
  override readonly name = 'DiskError'
}

interface Waiting {
  readonly resolve: (data: Buffer) => void
  readonly reject: (error: DiskError) => void
}

export class Disk {
  readonly path: string
  readonly #waiting = new Map<number, Waiting>()
  #process: ChildProcess | undefined
  #count = 0

  constructor(path: string) {
    this.path = path
  }

  /** Waits for as long as the disk does; rejects with a DiskError. */
  async read(offset: number, length: number): Promise<Buffer> {
    return await this.#ask((id) => ({ id, kind: 'read', offset, length }))
  }

  async write(offset: number, data: Buffer): Promise<void> {
    await this.#ask((id) => ({ id, kind: 'write', offset, data: data.toString('base64') }))
  }

  /** What is under way is rejected. Whether a process that hangs in the kernel goes, nobody knows. */
  close(): void {
    this.#process?.kill('SIGKILL')
    this.#ended('it is no longer read')
  }

  async #ask(request: (id: number) => DiskRequest): Promise<Buffer> {
    const id = ++this.#count
    const process = this.#running()
    return await new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      process.stdin?.write(`${JSON.stringify(request(id))}\n`)
    })
  }

  #running(): ChildProcess {
    if (this.#process) return this.#process
    const child = spawn(process.execPath, ['--max-old-space-size=16', programFile('disk'), this.path], {
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    this.#process = child
    const gone = (why: string): void => {
      if (this.#process === child) this.#ended(why)
    }
    child.on('error', (error) => gone(error.message))
    child.on('exit', () => gone('the process that reads it has ended'))
    // That it has ended is told above.
    child.stdin.on('error', () => undefined)
    createInterface({ input: child.stdout }).on('line', (line) => this.#take(parseAnswer(line)))
    return child
  }

  #take(answer: DiskAnswer): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if ('error' in answer) waiting?.reject(new DiskError(answer.error))
    else waiting?.resolve(Buffer.from(answer.data, 'base64'))
  }

  #ended(why: string): void {
    this.#process = undefined
    for (const { reject } of this.#waiting.values()) reject(new DiskError(why))
    this.#waiting.clear()
  }
}
