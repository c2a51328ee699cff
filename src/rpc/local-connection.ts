/**
 * A connection to the daemon of this host, spoken with node:http2 directly, because loading a gRPC library would take longer than
 * most commands do.
 */
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2'
import { createConnection, type Socket } from 'node:net'
import { decode, encode } from './forms/codec.ts'
import type { CallOptions, Method } from './method.ts'
import {
  ConnectionEndedError,
  NoAnswerError,
  RemoteFailureError,
  RestartingError,
  refusalIn,
  reportKey,
  UnreachableError,
} from './report.ts'
import { isRestarting, whyNotThere } from './waits-file.ts'
import { fromKey, tokenKey } from './web-metadata.ts'

export interface LocalConnection {
  readonly call: (call: LocalCall, options: CallOptions | undefined) => Promise<unknown>
  readonly close: () => void
}

interface LocalCall {
  readonly method: Method
  readonly request: never
  readonly onMessage: ((message: unknown) => void) | undefined
}

/**
 * A daemon may take as long as it likes for a call, as for stopping resources: it answers the question whether it is there meanwhile. One that does
 * not is stopped or hangs, and nobody waits for it.
 */
const silentAfterMs = 30_000

/** Connects with the first call, and again with one that finds the connection broken. */
export function localConnection(path: string, silentMs = silentAfterMs): LocalConnection {
  let session: ClientHttp2Session | undefined
  let broken: unknown
  let running = 0
  const open = (): ClientHttp2Session => {
    if (session && !session.closed && !session.destroyed) return session
    broken = undefined
    const socket = createConnection(path)
    session = connect('http://localhost', { createConnection: () => socket })
    // Each call reports the failure of its own stream, with the first error of the connection as the cause.
    for (const source of [socket, session])
      source.on('error', (error) => {
        broken ??= error
      })
    endWhereSilent(session, { silentMs, isWaiting: () => running > 0 })
    return session
  }
  return {
    call: async (call, options) => {
      running++
      try {
        return await runCall({ ...call, path, stream: () => start(open(), call.method), cause: () => broken }, options)
      } finally {
        running--
      }
    },
    close: () => session?.close(),
  }
}

class SilentError extends Error {
  override readonly name = 'SilentError'
}

function endWhereSilent(
  session: ClientHttp2Session,
  { silentMs, isWaiting }: { readonly silentMs: number; readonly isWaiting: () => boolean },
): void {
  const everyMs = silentMs / 6
  let heardAt = performance.now()
  let askedAt = heardAt
  const hear = (): void => {
    heardAt = performance.now()
  }
  const timer = setInterval(() => {
    if (session.destroyed) return clearInterval(timer)
    // This very process was stopped for a while, by Ctrl+Z or with its machine.
    const wasStopped = performance.now() - askedAt > 2 * everyMs
    askedAt = performance.now()
    if (!isWaiting() || wasStopped) hear()
    if (performance.now() - heardAt > silentMs) session.destroy(new SilentError(`${silentMs / 1000} s`))
    else session.ping((error) => error ?? hear())
  }, everyMs)
  // While nobody waits for an answer, it keeps no process alive.
  timer.unref()
}

/** Over a connection that is open already, whose end is the end of the process that has it. */
export function connectionThrough(
  socket: Socket,
  onEnd: (error: unknown) => void,
): (who: { readonly token: string; readonly from: string }) => LocalConnection {
  const session = connect('http://localhost', { createConnection: () => socket })
  let broken: unknown
  session.on('error', (error) => {
    broken = error
  })
  session.on('close', () => onEnd(broken))
  return ({ token, from }) => ({
    call: async (call, options) =>
      await runCall(
        {
          ...call,
          path: 'the daemon',
          stream: () => start(session, call.method, { [tokenKey]: token, [fromKey]: from }),
          cause: () => broken,
        },
        options,
      ),
    close: () => undefined,
  })
}

function start(session: ClientHttp2Session, method: Method, more: OutgoingHttpHeaders = {}): ClientHttp2Stream {
  return session.request({
    ...more,
    ':method': 'POST',
    ':path': method.path,
    'content-type': 'application/grpc',
    te: 'trailers',
  })
}

interface RunningCall extends LocalCall {
  readonly stream: () => ClientHttp2Stream
  readonly path: string
  readonly cause: () => unknown
}

async function runCall(call: RunningCall, options: CallOptions = {}): Promise<unknown> {
  const stream = call.stream()
  const signals = [options.signal, options.timeoutMs === undefined ? undefined : AbortSignal.timeout(options.timeoutMs)]
  const signal = AbortSignal.any(signals.filter((one) => one !== undefined))
  return await new Promise((resolve, reject) => {
    const messages = new FrameReader(call.method)
    let last: unknown
    let headers: IncomingHttpHeaders = {}
    const stop = (): void => {
      stream.close()
      if (call.onMessage) resolve(undefined)
      else reject(new NoAnswerError(`The daemon did not answer ${call.method.path} in time.`, signal.reason))
    }
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    stream.on('response', (received) => {
      headers = { ...headers, ...received }
    })
    stream.on('trailers', (received) => {
      headers = { ...headers, ...received }
    })
    stream.on('data', (chunk: Buffer) => {
      for (const message of messages.read(chunk)) {
        last = message
        call.onMessage?.(message)
      }
    })
    // The close event has the last word: this only keeps the error from being thrown.
    let failure: unknown
    stream.on('error', (error) => {
      failure = error
    })
    stream.on('close', () => {
      signal.removeEventListener('abort', stop)
      const error = failureOf(headers, call.cause() ?? failure, call.path)
      if (error) reject(error)
      else resolve(last)
    })
    stream.end(frame(encode(call.method.request, call.request)))
  })
}

function failureOf(headers: IncomingHttpHeaders, cause: unknown, path: string): Error | undefined {
  const status = headers['grpc-status']
  if (status === '0') return undefined
  const report = headers[reportKey]
  if (typeof report === 'string') return refusalIn(Buffer.from(report, 'base64').toString())
  if (status !== undefined) return new RemoteFailureError(decodeURIComponent(String(headers['grpc-message'] ?? status)))
  const code = (cause as { readonly code?: unknown } | undefined)?.code
  if (code === 'ENOENT' || code === 'ECONNREFUSED') {
    if (isRestarting(path)) return new RestartingError('The daemon of this host restarts. Try again.', true, cause)
    const why = whyNotThere(path)
    return new UnreachableError(
      why === undefined
        ? `No daemon listens on ${path}: is systoled running on this host?`
        : `The daemon of this host waits, and tries again every second: ${why}`,
      true,
      cause,
    )
  }
  if (code === 'EACCES')
    return new UnreachableError(
      `No permission to use ${path}: run this as root or as a member of the group haclient.`,
      true,
      cause,
    )
  if (cause instanceof SilentError)
    return new NoAnswerError(
      `The daemon of this host (${path}) has not answered for ${cause.message}: it is stopped or hangs. Whether the command was carried out is unknown. Check \`systemctl status systoled\` on this host, or run the command on another node.`,
      cause,
    )
  return new ConnectionEndedError(
    `The connection to the daemon (${path}) ended without an answer: what was asked for may have been done.`,
    cause,
  )
}

/** gRPC puts five bytes before each message: a flag for compression, which is not used here, and the length. */
function frame(message: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

class FrameReader {
  readonly #method: Method
  #rest: Buffer = Buffer.alloc(0)
  constructor(method: Method) {
    this.#method = method
  }

  read(chunk: Buffer): readonly unknown[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const messages: unknown[] = []
    while (this.#rest.length >= 5) {
      const end = 5 + this.#rest.readUInt32BE(1)
      if (this.#rest.length < end) break
      messages.push(decode(this.#method.response, this.#rest.subarray(5, end)))
      this.#rest = this.#rest.subarray(end)
    }
    return messages
  }
}
