/** Where alerts go: a mail server and a receiver of webhooks outside of the cluster. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Lab } from './lab.ts'

type Said =
  | { readonly kind: 'mail'; readonly subject: string }
  | { readonly kind: 'hook'; readonly id: string; readonly message: string; readonly times: number }
  | { readonly kind: 'ready' | 'done' }

export class Receivers {
  readonly address = '10.83.0.253'
  readonly smtpPort = '2525'
  readonly url = `http://${this.address}:8080/hook`
  readonly #lab: Lab
  readonly #child: ChildProcess
  #said: Said[] = []

  /** After the lab has been started. */
  constructor(lab: Lab) {
    this.#lab = lab
    const program = [process.execPath, join(import.meta.dirname, 'receivers.mjs'), this.address, this.smtpPort, '8080']
    const into = ['netns', 'exec', lab.network.clientSpace]
    this.#child = spawn('ip', [...into, ...program], { stdio: ['pipe', 'pipe', 'inherit'] })
    const { stdout } = this.#child
    if (stdout) createInterface({ input: stdout }).on('line', (line) => this.#said.push(JSON.parse(line) as Said))
  }

  async ready(): Promise<void> {
    await this.#lab.until('the receivers listen', () => this.#said.some(({ kind }) => kind === 'ready'))
  }

  /** `mail: true` opens the mail server; `status` is what webhooks are answered with. */
  async become(asked: { readonly mail?: true; readonly status?: number }): Promise<void> {
    const before = this.#count('done')
    this.#child.stdin?.write(`${JSON.stringify(asked)}\n`)
    await this.#lab.until('the receivers have become so', () => this.#count('done') > before)
  }

  #count(kind: string): number {
    return this.#said.filter((one) => one.kind === kind).length
  }

  get mails(): readonly string[] {
    return this.#said.flatMap((one) => (one.kind === 'mail' ? [one.subject] : []))
  }

  /** Those that were taken. */
  get hooks(): readonly Extract<Said, { kind: 'hook' }>[] {
    return this.#said.flatMap((one) => (one.kind === 'hook' ? [one] : []))
  }

  forget(): void {
    this.#said = []
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.stdin?.end()
    await ended
  }
}
