/** A client of the HTTPS API outside the cluster: whoever can reach the nodes and has what it is given. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Lab } from './lab.ts'

export interface HttpsAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface RawAnswer {
  /** 0: the connection ended without one. */
  readonly status: number
  readonly body: string
  readonly how: string
  readonly ms: number
}

export interface Ask {
  readonly method?: string
  readonly token?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** As JSON, unless it is a text. */
  readonly body?: unknown
}

interface Heard {
  readonly id: number
  readonly error?: string
  readonly chunk?: string
  readonly ended?: boolean
  readonly status?: number
}

export class HttpsClient {
  readonly #lab: Lab
  #child: ChildProcess | undefined
  readonly #waiting = new Map<number, (heard: Heard) => void>()
  #last = 0

  constructor(lab: Lab) {
    this.#lab = lab
  }

  /** Its network is there once the lab has started. */
  get #running(): ChildProcess {
    if (this.#child) return this.#child
    const program = [process.execPath, join(import.meta.dirname, 'https-client.mjs')]
    const child = spawn('ip', ['netns', 'exec', this.#lab.network.clientSpace, ...program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    child.once('exit', (code) => {
      for (const [id, hear] of this.#waiting) hear({ id, error: `the client has ended with ${code}` })
    })
    createInterface({ input: child.stdout }).on('line', (line) => {
      const heard = JSON.parse(line) as Heard
      this.#waiting.get(heard.id)?.(heard)
    })
    this.#child = child
    return child
  }

  async ask(node: string, path: string, asked: Ask = {}): Promise<HttpsAnswer> {
    return (await this.#send({ kind: 'ask', ...this.#request(node, path, asked) })) as unknown as HttpsAnswer
  }

  /** The result of a command, or its refusal as an error. */
  async result(node: string, path: string, asked: Ask = {}): Promise<unknown> {
    const { status, body } = await this.ask(node, `/api/v1${path}`, asked)
    if (status !== 200) throw new Error(`${path}: ${status} ${body}`)
    return (JSON.parse(body) as { readonly result: unknown }).result
  }

  /** `text`, then so many bytes more, or one after the other with a pause. */
  async raw(
    node: string,
    text: string,
    more: { readonly more?: number; readonly everyMs?: number } = {},
  ): Promise<RawAnswer> {
    return (await this.#send({ kind: 'raw', ...this.#at(node), text, ...more })) as unknown as RawAnswer
  }

  /** Events as they come; `end` closes the stream. */
  async stream(
    node: string,
    asked: Ask = {},
  ): Promise<{
    readonly status: number
    readonly events: { readonly id: string; readonly event: string; readonly data: unknown }[]
    readonly ended: () => boolean
    readonly end: () => void
  }> {
    const events: { id: string; event: string; data: unknown }[] = []
    let ended = false
    let rest = ''
    const id = ++this.#last
    const first = new Promise<Heard>((resolve) => {
      this.#waiting.set(id, (heard) => {
        if (heard.status !== undefined || heard.error !== undefined) resolve(heard)
        if (heard.ended === true || heard.error !== undefined) ended = true
        const parts = `${rest}${heard.chunk ?? ''}`.split('\n\n')
        rest = parts.pop() ?? ''
        for (const part of parts) {
          const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1] ?? ''
          if (field('event') !== '')
            events.push({ id: field('id'), event: field('event'), data: JSON.parse(field('data')) as unknown })
        }
      })
    })
    this.#write({ id, kind: 'stream', ...this.#request(node, '/api/v1/events', asked) })
    const { status = 0 } = await first
    return { status, events, ended: () => ended, end: () => this.#write({ kind: 'end', stream: id }) }
  }

  async close(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null) return
    const gone = once(child, 'exit')
    child.stdin?.end()
    await gone
  }

  async #send(message: object): Promise<Heard> {
    const id = ++this.#last
    return await new Promise((resolve, reject) => {
      this.#waiting.set(id, (heard) => {
        this.#waiting.delete(id)
        if (heard.error === undefined) resolve(heard)
        else reject(new Error(heard.error))
      })
      this.#write({ id, ...message })
    })
  }

  #write(message: object): void {
    this.#running.stdin?.write(`${JSON.stringify(message)}\n`)
  }

  #request(node: string, path: string, { method = 'GET', token, headers = {}, body }: Ask): object {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    return {
      ...this.#at(node),
      method,
      path,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
        ...headers,
      },
      ...(text === undefined ? {} : { body: text }),
    }
  }

  /** Its certificate is checked as any client would: by the cluster's authority and the address. */
  #at(node: string): object {
    const ca = readFileSync(join(this.#lab.folder, 'nodes', node, 'etc/pki/authority.crt'), 'utf8')
    return { host: this.#lab.network.address(node), port: 7705, ca }
  }
}
