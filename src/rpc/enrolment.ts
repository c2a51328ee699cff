/**
 * How a new node gets its certificate, over HTTPS on a port of its own (7704). The new node checks the authority's hash
 * from its token before it sends anything, then shows the token's secret and its public key, and gets the signed
 * certificate, the authority and the cluster's file. Its private key never leaves it.
 */
import { createHash, X509Certificate } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, request } from 'node:https'
import type { Socket } from 'node:net'
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls'
import { listenBehindDoor, openDoor } from './doorman.ts'
import {
  type EnrolmentAnswer,
  type EnrolmentRequest,
  readEnrolmentAnswer,
  readEnrolmentRefusal,
  readEnrolmentRequest,
} from './forms/enrolment.ts'
import type { JoinToken } from './join-token.ts'
import { RefusedError, refuse, UnreachableError } from './report.ts'
import { isMemberCertificate, type TlsIdentity } from './tls-identity.ts'

/** Decides and signs; throws a RefusedError to refuse. `address`: where the host that asks was seen. */
export type Enrol = (asked: EnrolmentRequest, address: string) => Promise<EnrolmentAnswer>

export interface EnrolmentServer {
  readonly port: number
  /** For connections from now on. */
  readonly replaceIdentity: (identity: TlsIdentity) => void
  readonly close: () => Promise<void>
}

const maxRequestBytes = 16 * 1024
/** A list of many nodes is in it. */
const maxAnswerBytes = 2 * 1024 * 1024
/** A host that joins says all it has to say at once. */
const requestWithinMs = 4000
/** With the answer, for which the other members may have to be asked. */
const connectionWithinMs = 20_000
const mostConnections = 32

export async function serveEnrolment(
  options: { readonly host: string; readonly port: number; readonly identity: TlsIdentity },
  enrol: Enrol,
  onFailure: (error: unknown) => void,
): Promise<EnrolmentServer> {
  const shown = ({ certificate, key, authority }: TlsIdentity) =>
    ({ key, cert: `${certificate}\n${authority}`, minVersion: 'TLSv1.3' }) as const
  const tls = { ...shown(options.identity), handshakeTimeout: 3000 }
  const limits = { requestTimeout: requestWithinMs, headersTimeout: requestWithinMs, connectionsCheckingInterval: 250 }
  const server = createServer({ ...tls, ...limits }, (asked, answer) => {
    answerEnrolment(asked, answer, enrol).catch((error: unknown) => {
      onFailure(error)
      reply(answer, 500, { code: 'failed', sentences: ['The node could not let this host in: see its log.'] })
    })
  })
  server.on('connection', (socket: Socket) => {
    const end = setTimeout(() => socket.destroy(), connectionWithinMs)
    socket.once('close', () => clearTimeout(end))
  })
  const { port, close } = await listenBehindDoor(server, {
    ...options,
    door: { ...openDoor, mostStrangers: mostConnections },
  })
  return {
    port,
    replaceIdentity: (identity) => server.setSecureContext(shown(identity)),
    close: async () => {
      const closed = close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function answerEnrolment(asked: IncomingMessage, answer: ServerResponse, enrol: Enrol): Promise<void> {
  // Whoever hangs up in the middle is a stranger, and no line in the log.
  const body = await readBody(asked, maxRequestBytes).catch(() => undefined)
  if (asked.socket.destroyed) return
  const parsed = body === undefined ? undefined : readEnrolmentRequest(body)
  if (asked.method !== 'POST' || asked.url !== '/join' || !parsed)
    return reply(answer, 400, { code: 'bad-request', sentences: ['This is not a request to join a cluster.'] })
  try {
    reply(answer, 200, await enrol(parsed, asked.socket.remoteAddress ?? ''))
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    reply(answer, 403, { code: error.code, sentences: error.sentences })
  }
}

async function readBody(asked: IncomingMessage, longest: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of asked as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > longest) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function reply(answer: ServerResponse, status: number, body: object): void {
  answer.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  answer.end(JSON.stringify(body))
}

/** Asks a node of the cluster to let this host in. */
export async function askToEnrol(
  peer: { readonly host: string; readonly port: number },
  token: JoinToken,
  asked: Omit<EnrolmentRequest, 'secret'>,
): Promise<EnrolmentAnswer> {
  const socket = await connectPinned(peer, token.authorityHash)
  const body = JSON.stringify({ secret: token.secret, ...asked } satisfies EnrolmentRequest)
  const answered = await new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const sent = request({
      createConnection: () => socket,
      host: peer.host,
      method: 'POST',
      path: '/join',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      readBody(response, maxAnswerBytes).then(
        (text) => resolve({ status: response.statusCode ?? 0, text: text ?? '' }),
        reject,
      )
    })
    sent.end(body)
  })
  if (answered.status === 200) {
    const answer = readEnrolmentAnswer(answered.text)
    if (answer) return answer
    throw refuse('bad-answer', 'The node did not answer with a certificate: is its version the same?')
  }
  const refusal = readEnrolmentRefusal(answered.text)
  throw new RefusedError(refusal ?? { code: 'refused', sentences: [`${peer.host} refused (${answered.status}).`] })
}

/** The certificate is checked by hand, because all that is known of the authority is its hash. */
function connectPinned(peer: { readonly host: string; readonly port: number }, hash: string): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...peer, rejectUnauthorized: false, minVersion: 'TLSv1.3', timeout: 5000 }, () => {
      const distrust = whyNotTrusted(socket.getPeerCertificate(true), peer.host, hash)
      // The members may have to be asked before there is an answer.
      socket.setTimeout(connectionWithinMs)
      if (distrust === undefined) return resolve(socket)
      socket.destroy()
      reject(distrust)
    })
    socket.on('timeout', () => socket.destroy(new Error('no answer in time')))
    socket.on('error', (error) =>
      reject(new UnreachableError(`No cluster node answers on ${peer.host} port ${peer.port}.`, false, error)),
    )
  })
}

/** A remote node and a witness have certificates of the same authority, and let nobody in: whoever has taken one over must not see a secret. */
function whyNotTrusted(
  shown: ReturnType<TLSSocket['getPeerCertificate']>,
  host: string,
  hash: string,
): Error | undefined {
  const authority = 'issuerCertificate' in shown ? (shown as DetailedCertificate).issuerCertificate?.raw : undefined
  const certificate = shown.raw === undefined ? undefined : new X509Certificate(shown.raw)
  if (
    authority === undefined ||
    certificate === undefined ||
    createHash('sha256').update(authority).digest('hex') !== hash ||
    !certificate.verify(new X509Certificate(authority).publicKey)
  )
    return refuse('other-authority', `${host} belongs to another cluster than the token: nothing was sent to it.`)
  if (!isMemberCertificate(certificate))
    return refuse(
      'no-member',
      `${host} is a remote node or a witness of the cluster, and only members let hosts in: nothing was sent to it.`,
    )
  const now = Date.now()
  if (Date.parse(certificate.validTo) < now || Date.parse(certificate.validFrom) > now)
    return refuse(
      'not-valid-now',
      `The certificate of ${host} is valid from ${certificate.validFrom} to ${certificate.validTo}: look at the clocks of both hosts. Nothing was sent to it.`,
    )
  return undefined
}

type DetailedCertificate = PeerCertificate & { readonly issuerCertificate?: PeerCertificate }
