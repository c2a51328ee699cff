/**
 * The HTTPS server of the API: which request is answered how, and within which bounds. It decides nothing about the cluster and about nobody's rights: each
 * call goes to the daemon with the token that the client has shown.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { allCommands } from '../cli/index.ts'
import { type LocalClient, NoAnswerError, plainPeer, RefusedError, UnreachableError } from '../rpc/index.ts'
import { bounds, Guesses, Room } from './bounds.ts'
import { forgetCertificate, shownByCertificate } from './client-certificate.ts'
import { type Endpoint, endpointsOf } from './command-table.ts'
import type { Page, Pages } from './console-pages.ts'
import { openApi } from './openapi.ts'
import { Patience } from './patience.ts'
import { Problem, statusOfCode } from './problem.ts'
import {
  bodyOf,
  expectedVersion,
  type Given,
  givenInBody,
  givenInQuery,
  refuseOtherOrigin,
  refuseOtherVersions,
  refuseWithoutHost,
  type Target,
  targetOf,
} from './request.ts'
import { runCommand, runForText } from './run-command.ts'
import { cookieFor, csrfOf, loginIn, longestLogin, noCookie, type Shown, shownIn, showsNothingElse } from './session.ts'
import { Streams } from './streams.ts'

/** A client of the daemon for whoever has shown this token, from there. */
export type Clients = (who: { readonly token: string; readonly from: string }) => LocalClient

/** What has been refused, for the log of the daemon. */
export type Report = (refused: { readonly what: string; readonly from: string }) => void

const sessionPath = '/api/v1/session'
const authoritiesHeader = 'systole-authorities'
/** PAM takes its time. */
const loginWithinMs = 30_000
const askWithinMs = 10_000
const lookAgainMs = 5000
const healthWithinMs = 2000
const commandWithinMs = 10 * 60_000

interface Who {
  readonly user: string
  readonly limited: boolean
  readonly validUntil?: string | undefined
}

interface Caller extends Shown, Who {
  readonly live: LocalClient
}

export class ApiServer {
  readonly #clients: Clients
  readonly #report: Report
  readonly #endpoints = new Map<string, Endpoint>()
  readonly #description: string
  readonly #commandWithinMs: number
  readonly #guesses = new Guesses()
  readonly #requests = new Room('requests', { most: bounds.requests, mostOfOne: bounds.requestsOfToken })
  readonly #health = new Room('health checks', {
    most: bounds.healthChecks,
    mostOfOne: bounds.healthChecksOfAddress,
    whose: 'address',
  })
  readonly #logins = new Room('logins', { most: bounds.logins, mostOfOne: bounds.loginsOfAddress, whose: 'address' })
  readonly #streams = new Streams()
  readonly #ofConnection = new WeakMap<object, number>()

  readonly #pages: Pages
  /** SHA-256 of those that this cluster believes now: two, while one is replaced. */
  authorities: readonly string[] = []

  constructor(
    clients: Clients,
    report: Report,
    more: { readonly version: string; readonly pages: Pages; readonly commandWithinMs?: number },
  ) {
    this.#clients = clients
    this.#report = report
    this.#pages = more.pages
    this.#commandWithinMs = more.commandWithinMs ?? commandWithinMs
    const endpoints = endpointsOf(allCommands)
    for (const endpoint of endpoints) this.#endpoints.set(`/api/v1${endpoint.path}`, endpoint)
    this.#description = JSON.stringify(openApi(endpoints, more.version))
  }

  close(): void {
    this.#streams.close()
  }

  /** Of a server of HTTPS. Never throws. */
  readonly answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (!this.#hasRoom(request, response)) return void request.socket.destroy()
    response.on('error', () => response.destroy())
    request.on('error', () => undefined)
    this.#answer(request, response).catch((error: unknown) => {
      if (response.destroyed) return
      const problem = problemOf(error)
      if (problem.status === 500)
        this.#report({ what: error instanceof Error ? (error.stack ?? '') : String(error), from: fromOf(request) })
      // What it had left to send is not read.
      if (!request.complete) response.setHeader('connection', 'close')
      send(response, problem.status, {
        type: 'application/problem+json',
        text: JSON.stringify(problem.body()),
        headers: problem.headers,
      })
    })
  }

  /** Whoever asks on and on without reading needs no token for that. */
  #hasRoom({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const open = this.#ofConnection.get(socket) ?? 0
    if (open >= bounds.requestsOfConnection) return false
    this.#ofConnection.set(socket, open + 1)
    response.once('close', () => this.#ofConnection.set(socket, (this.#ofConnection.get(socket) ?? 1) - 1))
    return true
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    refuseOtherVersions(request)
    refuseWithoutHost(request)
    const target = targetOf(request.url ?? '')
    const { path } = target
    // The same for everybody, and nothing of the cluster in it: a link on a page elsewhere may lead here.
    const page = this.#pages.get(path)
    if (page !== undefined) return sendPage(request, response, page)
    refuseOtherOrigin(request)
    const health = /^\/(?:(live|ready)|resource\/([^/]+)\/(active|promoted))$/.exec(path)
    if (health !== null) return await this.#answerHealth(request, response, health)
    if (path === '/api/openapi.json') {
      onlyBy(request, 'GET')
      return send(response, 200, { type: 'application/json', text: this.#description })
    }
    if (path === sessionPath) return await this.#answerSession(request, response)
    const endpoint = this.#endpoints.get(path)
    if (endpoint === undefined && path !== '/metrics' && path !== '/api/v1/events')
      throw new Problem(404, `There is nothing at ${path}. The description is at /api/openapi.json.`)
    onlyBy(request, endpoint?.method ?? 'GET')
    const caller = await this.#whoCalls(request)
    if (path === '/api/v1/events')
      return await this.#streams.open(request, response, { ...caller, source: sourceOf(caller) })
    const leave = this.#requests.enter(caller.user)
    const patience = new Patience(response, { isReading: endpoint?.method !== 'POST', withinMs: this.#commandWithinMs })
    try {
      const { signal } = patience
      if (endpoint === undefined) await answerMetrics(response, caller, signal)
      else await this.#runEndpoint(request, response, { endpoint, caller, target, signal })
    } finally {
      patience.end()
      leave()
    }
  }

  async #answerSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    onlyBy(request, 'GET', 'POST', 'DELETE')
    if (request.method === 'POST') return await this.#logIn(request, response)
    const caller = await this.#whoCalls(request)
    if (request.method === 'DELETE') {
      await caller.live.closeSession({}, { timeoutMs: askWithinMs })
      return send(response, 204, { text: '', headers: { 'set-cookie': noCookie(request) } })
    }
    sendSession(response, caller, caller.isSession ? csrfOf(caller.token) : undefined)
  }

  async #logIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const from = fromOf(request)
    const leave = this.#logins.enter(from)
    try {
      const login = loginIn(await bodyOf(request, longestLogin))
      const live = this.#clients({ token: '', from })
      const { session, ...who } = await live.openSession(login, { timeoutMs: loginWithinMs })
      sendSession(response, who, csrfOf(session), { 'set-cookie': cookieFor(request, session) })
    } finally {
      leave()
    }
  }

  async #whoCalls(request: IncomingMessage): Promise<Caller> {
    const from = fromOf(request)
    this.#guesses.refuse(from, performance.now())
    const shown = shownIn(request, await this.#certificateOf(request, from))
    const live = this.#clients({ token: shown.token, from })
    try {
      return { ...shown, ...(await live.whoAmI({}, { timeoutMs: askWithinMs })), live }
    } catch (error) {
      if (error instanceof RefusedError && error.code === 'no-session') forgetCertificate(request)
      this.#noteGuess(error, from)
      throw error
    }
  }

  async #certificateOf(request: IncomingMessage, from: string): Promise<string | undefined> {
    if (!showsNothingElse(request)) return undefined
    try {
      return await shownByCertificate(request, () => this.#clients({ token: '', from }))
    } catch (error) {
      this.#noteGuess(error, from)
      throw error
    }
  }

  #noteGuess(error: unknown, from: string): void {
    const isGuess =
      error instanceof RefusedError && (error.code === 'unknown-token' || error.code === 'unknown-certificate')
    if (isGuess && this.#guesses.note(from, performance.now()))
      this.#report({
        what: `${bounds.wrongTokens} wrong tokens or certificates: the address is not listened to for a minute`,
        from,
      })
  }

  async #runEndpoint(
    request: IncomingMessage,
    response: ServerResponse,
    asked: {
      readonly endpoint: Endpoint
      readonly caller: Caller
      readonly target: Target
      readonly signal: AbortSignal
    },
  ): Promise<void> {
    const { endpoint, caller, target, signal } = asked
    const { live, user } = caller
    const given = await givenIn(request, endpoint, target)
    const ran = await runCommand(endpoint, given, { live, user, signal, ifVersion: expectedVersion(request) })
    const { version, ...body } = ran
    const headers = {
      ...(version !== undefined && { etag: `"${version}"` }),
      // A fleet elsewhere follows when the authority is replaced.
      ...(endpoint.path === '/status' && { [authoritiesHeader]: this.authorities.join(', ') }),
    }
    send(response, 200, { type: 'application/json', text: JSON.stringify(body), headers })
  }

  async #answerHealth(
    request: IncomingMessage,
    response: ServerResponse,
    [, word, resource, state]: readonly string[],
  ): Promise<void> {
    onlyBy(request, 'GET', 'HEAD', 'OPTIONS')
    const from = fromOf(request)
    const leave = this.#health.enter(from)
    try {
      const live = this.#clients({ token: '', from })
      const asked = resource === undefined ? {} : { resource: decoded(resource) }
      const health = await live.getHealth(asked, { timeoutMs: healthWithinMs }).catch(() => undefined)
      const ready = health?.started === true && health.member && health.quorate
      const isActive =
        health !== undefined && (state === 'promoted' ? health.active === 'promoted' : health.active !== '')
      const is = word === 'live' ? health !== undefined : word === 'ready' ? ready : isActive
      const told = word === 'live' ? { live: is } : word === 'ready' ? { ready: is } : { [state ?? '']: is }
      send(response, is ? 200 : 503, { type: 'application/json', text: JSON.stringify(told) })
    } finally {
      leave()
    }
  }
}

function sendPage(request: IncomingMessage, response: ServerResponse, page: Page): void {
  onlyBy(request, 'GET', 'HEAD')
  if (request.headers['if-none-match'] === page.headers.etag) {
    response.writeHead(304, page.headers)
    response.end()
    return
  }
  const isPacked = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  const body = isPacked ? page.packed : page.plain
  response.writeHead(200, {
    ...page.headers,
    ...(isPacked && { 'content-encoding': 'gzip' }),
    'content-length': body.length,
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

async function givenIn(request: IncomingMessage, endpoint: Endpoint, { query }: Target): Promise<Given> {
  const inQuery = givenInQuery(endpoint, query)
  if (endpoint.method === 'GET') return { ...inQuery, files: {}, isDryRun: false }
  const dryRun = query.get('dry-run')
  if (dryRun !== null && !['', 'true', 'false'].includes(dryRun)) throw new Problem(400, `'dry-run' is true or false.`)
  if ([...query.keys()].some((name) => name !== 'dry-run'))
    throw new Problem(
      400,
      `A request that changes something has its words and options in its body, and 'dry-run' alone in its address.`,
    )
  return { ...givenInBody(await bodyOf(request)), isDryRun: dryRun !== null && dryRun !== 'false' }
}

async function answerMetrics(response: ServerResponse, { live, user }: Caller, signal: AbortSignal): Promise<void> {
  const text = await runForText(['metrics'], { live, user, signal, ifVersion: undefined })
  send(response, 200, { type: 'application/openmetrics-text; version=1.0.0; charset=utf-8', text })
}

function sendSession(
  response: ServerResponse,
  { user, limited, validUntil }: Who,
  csrf: string | undefined,
  headers: Readonly<Record<string, string>> = {},
): void {
  const told = { user, limited, ...(validUntil === undefined ? {} : { validUntil }), ...(csrf && { csrf }) }
  send(response, 200, { type: 'application/json', text: JSON.stringify(told), headers })
}

function sourceOf({ live, user }: Caller) {
  const endpoint = endpointsOf(allCommands.filter(({ path }) => path.join(' ') === 'status'))[0]
  return {
    status: async () => {
      if (endpoint === undefined) throw new Problem(500, 'There is no command status.')
      const given = { words: [], flags: {}, files: {}, isDryRun: false }
      const { result } = await runCommand(endpoint, given, { live, user, ifVersion: undefined })
      return result as Readonly<Record<string, unknown>>
    },
    watch: async (onChange: () => void, signal: AbortSignal) => await watchAsLongAs(live, onChange, signal),
  }
}

/** The daemon looks at the token with every change; one that is revoked or expires in a quiet time is found out by asking. */
async function watchAsLongAs(live: LocalClient, onChange: () => void, signal: AbortSignal): Promise<void> {
  const end = new AbortController()
  const look = (): void => {
    live.whoAmI({}, { timeoutMs: askWithinMs }).catch((error: unknown) => {
      if (error instanceof RefusedError) end.abort(error)
    })
  }
  const timer = setInterval(look, lookAgainMs)
  try {
    await live.watchState({}, onChange, { signal: AbortSignal.any([signal, end.signal]) })
  } finally {
    clearInterval(timer)
  }
  if (end.signal.aborted) throw end.signal.reason
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof RefusedError) {
    const status = statusOfCode(error.code)
    return new Problem(status, error.sentences, {
      code: error.code,
      ...(status === 401 && { headers: { 'www-authenticate': 'Bearer' } }),
    })
  }
  if (error instanceof NoAnswerError || error instanceof UnreachableError)
    return new Problem(503, 'The daemon of this node does not answer. Try again, or ask another node.')
  return new Problem(500, 'The API has failed: the log of systoled on this node says why.')
}

function onlyBy({ method = '' }: IncomingMessage, ...methods: readonly string[]): void {
  if (methods.includes(method)) return
  throw new Problem(405, `This takes ${methods.join(', ')} and not ${method}.`, {
    headers: { allow: methods.join(', ') },
  })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Problem(400, 'The path of the request is not UTF-8.')
  }
}

const fromOf = ({ socket }: IncomingMessage): string => plainPeer(socket.remoteAddress) ?? ''

function send(
  response: ServerResponse,
  status: number,
  content: { readonly type?: string; readonly text: string; readonly headers?: Readonly<Record<string, string>> },
): void {
  if (response.headersSent) {
    response.end()
    return
  }
  response.writeHead(status, {
    ...(content.type === undefined
      ? {}
      : { 'content-type': content.type, 'content-length': Buffer.byteLength(content.text) }),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    ...content.headers,
  })
  response.end(response.req.method === 'HEAD' ? undefined : content.text)
}
