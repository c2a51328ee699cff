/**
 * One TLS connection on which both sides call each other: JSON behind its length. It lives while something is heard: each side
 * says something every second, and a side that hears nothing for three ends it. So a host that has lost its power, which closes
 * nothing, is noticed.
 */
import type { TLSSocket } from 'node:tls'
import type { AnswerOf, CallHandlers, RequestOf } from './calls.ts'

export class LinkEndedError extends Error {
  override readonly name = 'LinkEndedError'
}

/** The other side has tried and failed. */
export class CallFailedError extends Error {
  override readonly name = 'CallFailedError'
}

export interface LinkEnd {
  /** A refusal or a reset: the host lives, its daemon does not. */
  readonly hostAnswered: boolean
  readonly reason: string
}

type Message =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly body: unknown }
  | { readonly kind: 'answer'; readonly id: number; readonly body: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
  | { readonly kind: 'alive' }

const aliveEveryMs = 1000
const silenceMs = 3000
const lengthBytes = 4
/** A whole CIB that an agent asked for fits. */
const longestMessage = 64 * 1024 * 1024

/** `Asked`: the calls that this side makes; `Answered`: those of the other side. */
export class Link<Asked, Answered> {
  readonly #socket: TLSSocket
  readonly #handlers: CallHandlers<Answered>
  readonly #onEnd: (end: LinkEnd) => void
  readonly #waiting = new Map<number, { resolve: (body: unknown) => void; reject: (error: Error) => void }>()
  readonly #alive: NodeJS.Timeout
  #lastId = 0
  #heardAt = performance.now()
  #rest: Buffer = Buffer.alloc(0)
  #ended = false

  constructor(socket: TLSSocket, handlers: CallHandlers<Answered>, onEnd: (end: LinkEnd) => void) {
    this.#socket = socket
    this.#handlers = handlers
    this.#onEnd = onEnd
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('error', (error) => this.#end({ hostAnswered: hostAnswered(error), reason: error.message }))
    socket.on('close', () => this.#end({ hostAnswered: true, reason: 'the connection was closed' }))
    // Both sides speak, and only what is heard counts: a socket's own time-out is put off by what is written as well.
    this.#alive = setInterval(() => this.#send({ kind: 'alive' }), aliveEveryMs)
  }

  get ended(): boolean {
    return this.#ended
  }

  async call<Name extends keyof Asked & string>(
    name: Name,
    body: RequestOf<Asked[Name]>,
  ): Promise<AnswerOf<Asked[Name]>> {
    if (this.#ended) throw new LinkEndedError('The connection is gone.')
    const id = ++this.#lastId
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
    this.#send({ kind: 'call', id, name, body })
    return (await answer) as AnswerOf<Asked[Name]>
  }

  /** What was said before still arrives. */
  close(): void {
    this.#socket.end()
    this.#end({ hostAnswered: true, reason: 'closed by this side' })
  }

  #end(end: LinkEnd): void {
    if (this.#ended) return
    this.#ended = true
    clearInterval(this.#alive)
    // Given a moment, for what `close` lets through.
    setTimeout(() => this.#socket.destroy(), aliveEveryMs).unref()
    for (const { reject } of this.#waiting.values())
      reject(new LinkEndedError(`The connection is gone: ${end.reason}.`))
    this.#waiting.clear()
    this.#onEnd(end)
  }

  #send(message: Message): void {
    if (this.#ended) return
    if (performance.now() - this.#heardAt > silenceMs) {
      this.#end({ hostAnswered: false, reason: `silent for ${silenceMs} ms` })
      return
    }
    const body = Buffer.from(JSON.stringify(message))
    const head = Buffer.alloc(lengthBytes)
    head.writeUInt32BE(body.length)
    this.#socket.write(Buffer.concat([head, body]))
  }

  #read(chunk: Buffer): void {
    this.#heardAt = performance.now()
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    while (!this.#ended && this.#rest.length >= lengthBytes) {
      const length = this.#rest.readUInt32BE(0)
      if (length > longestMessage) {
        this.#end(otherLanguage)
        return
      }
      if (this.#rest.length < lengthBytes + length) return
      const text = this.#rest.subarray(lengthBytes, lengthBytes + length).toString()
      this.#rest = this.#rest.subarray(lengthBytes + length)
      const message = messageIn(text)
      if (message === undefined) {
        this.#end(otherLanguage)
        return
      }
      this.#take(message)
    }
  }

  #take(message: Message): void {
    switch (message.kind) {
      case 'call':
        this.#answer(message.id, message.name, message.body)
        return
      case 'answer':
        this.#waiting.get(message.id)?.resolve(message.body)
        this.#waiting.delete(message.id)
        return
      case 'failed':
        this.#waiting.get(message.id)?.reject(new CallFailedError(message.message))
        this.#waiting.delete(message.id)
        return
      default:
    }
  }

  #answer(id: number, name: string, body: unknown): void {
    const handlers = this.#handlers as Readonly<Record<string, (body: unknown) => Promise<unknown>>>
    const handler = handlers[name]
    const done = handler ? handler(body) : Promise.reject(new Error(`This version does not know '${name}'.`))
    done.then(
      (answer) => this.#send({ kind: 'answer', id, body: answer }),
      (error: unknown) =>
        this.#send({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) }),
    )
  }
}

const otherLanguage: LinkEnd = { hostAnswered: true, reason: 'it speaks another language' }

/** Of a message's body the certificate on the other side vouches for the form. */
function messageIn(text: string): Message | undefined {
  try {
    const message = JSON.parse(text) as Message | null
    return message ?? undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function hostAnswered(error: Error): boolean {
  return 'code' in error && ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(String(error.code))
}
