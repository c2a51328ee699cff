/**
 * One TLS connection on which both sides call each other: JSON behind its length. It lives while something is heard: each side
 * says something every second, and a side that hears nothing for three ends it. So a host that has lost its power, which closes
 * nothing, is noticed. What is not of the agreed form ends it as well (docs/adr/0033-messages-are-checked-at-the-door.md).
 */
import type { TLSSocket } from 'node:tls'
import { BadMessageError, checked, checkedJson, FrameReader, frame } from '../rpc/index.ts'
import type { AnswerOf, CallHandlers, RequestOf } from './calls.ts'
import { type CallForm, type CallForms, type Message, messageForm } from './forms.ts'
import { type Pace, TurnLine } from './turn-line.ts'

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

const aliveEveryMs = 1000
/** By this side's own turns: time in which this process stood still is not the peer's silence, and what arrived meanwhile is read first. */
const silentTurns = 3
const lengthBytes = 4
const mostUnanswered = 10_000
/** Two of the longest messages. More means that the other side asks and does not read. */
const mostUnreadBytes = 128 * 1024 * 1024

/** What the two sides have agreed on, from this side. */
export interface LinkTerms<Asked, Answered> {
  readonly asked: CallForms<Asked>
  readonly answered: CallForms<Answered>
  /** Bytes of a message that comes in, by now. */
  readonly longest: () => number
  readonly pace: Pace
}

/** `Asked`: the calls that this side makes; `Answered`: those of the other side. */
export class Link<Asked, Answered> {
  readonly #socket: TLSSocket
  readonly #handlers: CallHandlers<Answered>
  readonly #terms: LinkTerms<Asked, Answered>
  readonly #onEnd: (end: LinkEnd) => void
  readonly #waiting = new Map<number, Waiting>()
  readonly #frames = new FrameReader(lengthBytes)
  readonly #turns: TurnLine
  readonly #alive: NodeJS.Timeout
  #lastId = 0
  #silentTurns = 0
  #ended = false

  constructor(
    socket: TLSSocket,
    terms: LinkTerms<Asked, Answered>,
    handlers: CallHandlers<Answered>,
    onEnd: (end: LinkEnd) => void,
  ) {
    this.#socket = socket
    this.#terms = terms
    this.#turns = new TurnLine(terms.pace)
    this.#handlers = handlers
    this.#onEnd = onEnd
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('error', (error) => this.#end({ hostAnswered: hostAnswered(error), reason: error.message }))
    socket.on('close', () => this.#end({ hostAnswered: true, reason: 'the connection was closed' }))
    // Both sides speak, and only what is heard counts: a socket's own time-out is put off by what is written as well.
    this.#alive = setInterval(() => this.#turn(), aliveEveryMs)
  }

  get ended(): boolean {
    return this.#ended
  }

  async call<Name extends keyof Asked & string>(
    name: Name,
    body: RequestOf<Asked[Name]>,
  ): Promise<AnswerOf<Asked[Name]>> {
    if (this.#ended) throw new LinkEndedError('The connection is gone.')
    if (this.#waiting.size >= mostUnanswered) throw new LinkEndedError('The peer does not answer.')
    const id = ++this.#lastId
    const { answer: form } = this.#terms.asked[name] as CallForm<unknown, unknown>
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { name, form, resolve, reject }))
    this.#send({ kind: 'call', id, name, body })
    return (await answer) as AnswerOf<Asked[Name]>
  }

  /** What was said before still arrives. */
  close(): void {
    this.#socket.end()
    this.#end({ hostAnswered: true, reason: 'closed by this side' }, aliveEveryMs)
  }

  /** `lingerMs`: a moment for what was said last. */
  #end(end: LinkEnd, lingerMs = 0): void {
    if (this.#ended) return
    this.#ended = true
    clearInterval(this.#alive)
    if (lingerMs > 0) setTimeout(() => this.#socket.destroy(), lingerMs).unref()
    else this.#socket.destroy()
    for (const { reject } of this.#waiting.values())
      reject(new LinkEndedError(`The connection is gone: ${end.reason}.`))
    this.#waiting.clear()
    this.#onEnd(end)
  }

  #turn(): void {
    if (++this.#silentTurns > silentTurns)
      this.#end({ hostAnswered: false, reason: `silent for ${silentTurns * aliveEveryMs} ms` })
    else this.#send({ kind: 'alive' })
  }

  #send(message: Message): void {
    if (this.#ended) return
    if (this.#socket.writableLength > mostUnreadBytes) {
      this.#end({ hostAnswered: true, reason: 'it does not read its messages' })
      return
    }
    this.#socket.write(frame(lengthBytes, Buffer.from(JSON.stringify(message))))
  }

  #read(chunk: Buffer): void {
    if (this.#ended) return
    this.#silentTurns = 0
    try {
      for (const message of this.#frames.read(chunk, this.#terms.longest)) {
        if (this.#ended) return
        this.#take(checkedJson(messageForm, 'a message', message.toString()), message.length)
      }
    } catch (error) {
      if (!(error instanceof BadMessageError)) throw error
      this.#end({ hostAnswered: true, reason: `it uses another protocol: ${error.message}` })
    }
  }

  #take(message: Message, bytes: number): void {
    switch (message.kind) {
      case 'call':
        this.#answer(message.id, message.name, message.body, bytes)
        return
      case 'answer': {
        const waiting = this.#waiting.get(message.id)
        waiting?.resolve(checked(waiting.form, `an answer to ${waiting.name}`, message.body))
        this.#waiting.delete(message.id)
        return
      }
      case 'failed':
        this.#waiting.get(message.id)?.reject(new CallFailedError(message.message))
        this.#waiting.delete(message.id)
        return
      default:
    }
  }

  #answer(id: number, name: string, body: unknown, bytes: number): void {
    const failed = (error: unknown): void =>
      this.#send({
        kind: 'failed',
        id,
        message: (error instanceof Error ? error.message : String(error)).slice(0, 4096),
      })
    // A word of a newer version is no mistake of the other side.
    if (!Object.hasOwn(this.#terms.answered, name)) {
      failed(`This version does not support '${name}'.`)
      return
    }
    const { request } = this.#terms.answered[name as keyof Answered] as CallForm<unknown, unknown>
    const asked = checked(request, `a call of ${name}`, body)
    const handler = this.#handlers[name as keyof Answered] as (body: unknown) => Promise<unknown>
    const isTaken = this.#turns.add({ kind: name, bytes }, async () => {
      if (this.#ended) return
      await handler(asked).then((answer) => this.#send({ kind: 'answer', id, body: answer }), failed)
    })
    if (!isTaken) throw new BadMessageError('more calls than can wait')
  }
}

interface Waiting {
  readonly name: string
  readonly form: CallForm<unknown, unknown>['answer']
  readonly resolve: (body: unknown) => void
  readonly reject: (error: Error) => void
}

function hostAnswered(error: Error): boolean {
  return 'code' in error && ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(String(error.code))
}
