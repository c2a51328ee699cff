/**
 * Asks another cluster how it is, by its HTTPS API. Whoever answers there is a stranger until his certificate is the one that was named, and gets no token before;
 * after that his answer is bounded in size and time, and nothing of it is taken but a few facts (answer-form.ts).
 */
import { X509Certificate } from 'node:crypto'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { assertNever } from '../../base/index.ts'
import { AnswerError, authoritiesIn, newsIn, problemIn } from './answer-form.ts'
import type { Anchor, FleetTarget, Told } from './told.ts'

export const usualPort = 7705
const longestAnswer = 8 * 1024 * 1024
const withinMs = 8000

export interface Place {
  readonly host: string
  readonly port: number
}

/** `host`, `host:port`, `[address]:port`, or an address of IPv6 alone. */
export function placeOf(address: string): Place | undefined {
  if (isIP(address) === 6) return { host: address, port: usualPort }
  const [, inBrackets, plain, digits] =
    /^(?:\[([\da-fA-F:.]+)\]|([A-Za-z0-9._-]{1,253}))(?::(\d{1,5}))?$/.exec(address) ?? []
  const host = inBrackets ?? plain
  const port = digits === undefined ? usualPort : Number(digits)
  const isPlace =
    host !== undefined && port > 0 && port < 65_536 && (inBrackets === undefined || isIP(inBrackets) === 6)
  return isPlace ? { host, port } : undefined
}

type Failed = Exclude<Told, { readonly kind: 'news' }>

/** Which of several answers says most. */
const weight: Readonly<Record<Failed['kind'], number>> = {
  refused: 3,
  untrusted: 2,
  unreadable: 1,
  unreachable: 0,
}

export interface Asked<T> {
  readonly path: string
  /** Of a POST. */
  readonly body?: object
  readonly withinMs?: number
  /** What is taken of an answer; throws an AnswerError. */
  readonly read: (text: string, headers: IncomingHttpHeaders) => T
}

/** Its nodes in turn, until one says how the cluster is. */
export async function askCluster(target: FleetTarget): Promise<Told> {
  const read = (text: string, headers: IncomingHttpHeaders): Told => {
    const authorities = authoritiesIn(headers)
    return { kind: 'news', news: newsIn(text), ...(authorities.length > 0 && { authorities }) }
  }
  const told = await askNodes(target, { path: '/api/v1/status', read })
  return told.kind === 'news' ? told : { kind: told.kind, why: told.why }
}

/** Its nodes in turn, until one answers. `code` is the status of an answer that is another. */
export async function askNodes<T>(
  { addresses, token, anchor }: FleetTarget,
  asked: Asked<T>,
): Promise<T | (Failed & { readonly code?: number })> {
  let most: Failed & { readonly code?: number } = { kind: 'unreachable', why: 'It has no address.' }
  for (const [at, address] of addresses.entries()) {
    const place = placeOf(address)
    if (place === undefined) continue
    const told = await askNode(place, { token, anchor }, asked)
    if ('read' in told) return told.read
    if (at === 0 || weight[told.kind] > weight[most.kind]) most = told
    // It has understood, and will not: the others would say the same.
    if (asked.body !== undefined && isFinal(told.code)) return told
  }
  return most
}

/** What was asked is wrong, whoever is asked. */
export const isFinal = (code = 0): boolean => code >= 400 && code < 500 && code !== 409 && code !== 429

class UntrustedError extends Error {}
class UnreadableError extends Error {}

async function askNode<T>(
  place: Place,
  { token, anchor }: Omit<FleetTarget, 'addresses'>,
  asked: Asked<T>,
): Promise<{ readonly read: T } | (Failed & { readonly code?: number })> {
  const where = `${place.host}:${place.port}`
  const patienceMs = asked.withinMs ?? withinMs
  const signal = AbortSignal.timeout(patienceMs)
  try {
    const socket = await trusted(place, anchor, signal)
    try {
      const { path, body } = asked
      const { status, text, headers } = await answerOf(socket, { where, token, signal, path, body })
      if (status === 200) return { read: asked.read(text, headers) }
      const why = `${where} answers: ${problemIn(text) ?? `status ${status}`}`
      const kind = status === 401 || status === 403 ? 'refused' : status === 503 ? 'unreachable' : 'unreadable'
      return { kind, why, code: status }
    } finally {
      socket.destroy()
    }
  } catch (error) {
    const kind =
      error instanceof UntrustedError
        ? 'untrusted'
        : error instanceof UnreadableError || error instanceof AnswerError
          ? 'unreadable'
          : 'unreachable'
    const reason = signal.aborted
      ? `no answer within ${patienceMs / 1000} s`
      : error instanceof Error
        ? error.message
        : String(error)
    return { kind, why: `${where}: ${reason.slice(0, 200)}` }
  }
}

async function trusted(place: Place, anchor: Anchor, signal: AbortSignal): Promise<TLSSocket> {
  switch (anchor.kind) {
    case 'authority':
      return await connected(place, { ca: anchor.certificate, rejectUnauthorized: true }, signal)
    case 'certificate': {
      const socket = await connected(place, { rejectUnauthorized: false }, signal)
      const shown = socket.getPeerX509Certificate()
      if (shown?.fingerprint256 === anchor.fingerprint && Date.parse(shown.validTo) > Date.now()) return socket
      socket.destroy()
      throw new UntrustedError('it shows another certificate than the one that was named, or it has expired')
    }
    default:
      return assertNever(anchor)
  }
}

async function connected(
  { host, port }: Place,
  trust: { readonly ca?: string; readonly rejectUnauthorized: boolean },
  signal: AbortSignal,
): Promise<TLSSocket> {
  signal.throwIfAborted()
  return await new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      minVersion: 'TLSv1.2',
      ...(isIP(host) === 0 && { servername: host }),
      ...trust,
    })
    const end = (error: Error): void => {
      socket.destroy()
      reject(error)
    }
    const late = (): void => end(new Error('too late'))
    signal.addEventListener('abort', late, { once: true })
    socket.once('error', (error: Error & { readonly code?: string }) =>
      end(isOfTrust(error.code) ? new UntrustedError(`its certificate is not trusted (${error.message})`) : error),
    )
    socket.once('secureConnect', () => {
      signal.removeEventListener('abort', late)
      socket.on('error', () => socket.destroy())
      resolve(socket)
    })
  })
}

const isOfTrust = (code = ''): boolean => /CERT|SIGNED|SIGNATURE|ISSUER|ALTNAME/.test(code)

interface Sent {
  readonly where: string
  readonly token: string
  readonly signal: AbortSignal
  readonly path: string
  readonly body: object | undefined
}

async function answerOf(
  socket: TLSSocket,
  { where, token, signal, path, body }: Sent,
): Promise<{ readonly status: number; readonly text: string; readonly headers: IncomingHttpHeaders }> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, host: where, accept: 'application/json', connection: 'close' }
    const text = body === undefined ? undefined : JSON.stringify(body)
    const ofBody =
      text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    request(
      {
        createConnection: () => socket,
        method: text === undefined ? 'GET' : 'POST',
        path,
        headers: { ...headers, ...ofBody },
        signal,
      },
      resolve,
    )
      .on('error', reject)
      .end(text)
  })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > longestAnswer) throw new UnreadableError(`it sends more than ${longestAnswer / 1024 / 1024} MiB`)
    chunks.push(chunk)
  }
  return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8'), headers: response.headers }
}

/** The certificates that stand at an address, the node's own first: to be compared with what an administrator knows, and believed by nobody. */
export async function certificatesAt(place: Place): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(withinMs)
  const socket = await connected(place, { rejectUnauthorized: false }, signal)
  const chain: string[] = []
  let next = socket.getPeerX509Certificate()
  while (next !== undefined && chain.length < 6 && !chain.includes(next.toString())) {
    chain.push(next.toString())
    next = next.issuerCertificate
  }
  socket.destroy()
  return chain
}

/** What to believe from now on, where one of the certificates that stand there has the fingerprint that an administrator knows. */
export function anchorIn(chain: readonly string[], fingerprint: string): Anchor | undefined {
  const [own, ...others] = chain.map((text) => new X509Certificate(text))
  if (own === undefined) return undefined
  const root = others.find((one) => one.ca && one.checkIssued(one) && own.checkIssued(one) && own.verify(one.publicKey))
  const isNamed = (one: X509Certificate | undefined): boolean => one?.fingerprint256 === fingerprint
  // A certificate of the authority that it names is renewed within a year: the authority stays.
  if (root !== undefined && (isNamed(root) || isNamed(own))) return { kind: 'authority', certificate: root.toString() }
  return isNamed(own) ? { kind: 'certificate', fingerprint } : undefined
}
