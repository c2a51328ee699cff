/** The event stream in HTTP: one hub for each token, and one response for each stream. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { RefusedError } from '../rpc/index.ts'
import { bounds, Room } from './bounds.ts'
import { EventHub, type Listener, type Source, type StreamEvent } from './events.ts'
import { Problem, statusOfCode } from './problem.ts'

const beatMs = 15_000
/** A client that reads no more is cut off with this much unread. */
const mostUnread = 1024 * 1024

export class Streams {
  readonly #hubs = new Map<string, EventHub>()
  readonly #room = new Room('streams', { most: bounds.streams, mostOfOne: bounds.streamsOfToken })

  /** `token` names the hub, `user` whose streams are counted. */
  async open(
    request: IncomingMessage,
    response: ServerResponse,
    who: { readonly token: string; readonly user: string; readonly source: Source },
  ): Promise<void> {
    const { socket } = request
    // It has gone while it was asked who it is, and its end is not told again.
    if (socket.destroyed) return
    const ends = [this.#room.enter(who.user)]
    const over = (): void => {
      socket.off('close', over)
      response.off('close', over)
      for (const end of ends.splice(0)) end()
    }
    // A response behind another one of its connection is not told of the end.
    socket.once('close', over)
    response.once('close', over)
    const hub = this.#hubs.get(who.token) ?? this.#newHub(who.token, who.source)
    const said = request.headers['last-event-id']
    let begun = false
    const listener: Listener = {
      send: (event) => {
        if (!begun) begin(response)
        begun = true
        response.write(textOf(event))
        if (response.writableLength > mostUnread) response.destroy()
      },
      end: (why) => {
        if (why instanceof RefusedError) response.write(textOf({ id: '', event: 'end', data: { reason: why.message } }))
        response.end()
      },
    }
    let part: () => void
    try {
      part = await hub.join(listener, typeof said === 'string' ? said : undefined)
    } catch (error) {
      over()
      if (error instanceof RefusedError)
        throw new Problem(statusOfCode(error.code), error.sentences, { code: error.code })
      throw error
    }
    ends.push(part)
    if (socket.destroyed) return over()
    if (!begun) begin(response)
    const beat = setInterval(() => response.write(':\n\n'), beatMs)
    ends.push(() => clearInterval(beat))
  }

  close(): void {
    for (const hub of this.#hubs.values()) hub.close(undefined)
  }

  #newHub(token: string, source: Source): EventHub {
    const hub = new EventHub(source, () => {
      if (this.#hubs.get(token) === hub) this.#hubs.delete(token)
    })
    this.#hubs.set(token, hub)
    return hub
  }
}

function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
  response.flushHeaders()
}

const textOf = ({ id, event, data }: Omit<StreamEvent, 'event'> & { readonly event: string }): string =>
  `${id === '' ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
