/**
 * How long a command may go on. What only reads is for whoever asked, and ends when he has gone. What changes something is carried on without him, so that
 * nothing is left half done because a connection broke; it ends with its time. What the daemon has begun by then it finishes.
 */
import type { ServerResponse } from 'node:http'

export class CommandEndedError extends Error {
  override readonly name = 'CommandEndedError'
  readonly code: 'too-long' | 'client-gone'

  constructor(code: CommandEndedError['code'], sentence: string) {
    super(sentence)
    this.code = code
  }
}

export class Patience {
  readonly #end = new AbortController()
  readonly #timer: NodeJS.Timeout
  readonly #off: () => void

  constructor(response: ServerResponse, how: { readonly isReading: boolean; readonly withinMs: number }) {
    const { isReading, withinMs } = how
    this.#timer = setTimeout(() => this.#end.abort(tooLong(withinMs)), withinMs)
    const { socket } = response.req
    const gone = (): void => {
      if (isReading) this.#end.abort(new CommandEndedError('client-gone', 'The client has gone.'))
    }
    // A response behind another one of its connection is not told of the end.
    socket.once('close', gone)
    this.#off = () => socket.off('close', gone)
    if (socket.destroyed) gone()
  }

  /** Its reason is a CommandEndedError. */
  get signal(): AbortSignal {
    return this.#end.signal
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#off()
  }
}

const tooLong = (withinMs: number): CommandEndedError => {
  const span = withinMs >= 60_000 ? `${Math.round(withinMs / 60_000)} minutes` : `${withinMs / 1000} s`
  return new CommandEndedError(
    'too-long',
    `The command took longer than ${span} and was ended. Its changes up to then stay: GET /api/v1/status shows the cluster, GET /api/v1/config/history the changes.`,
  )
}
