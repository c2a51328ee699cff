/** The way to /api/v1: what the daemon answers to this token, and its refusals as errors. */

/** The sentence of the command line. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  readonly status: number
  readonly sentences: readonly string[]
  readonly code: string | undefined

  constructor(status: number, sentences: readonly string[], code?: string) {
    super(sentences.join(' '))
    this.status = status
    this.sentences = sentences
    this.code = code
  }
}

/**
 * Whoever pasted a token shows it with each request; for a user of the host the browser shows a cookie, which no script can read; a certificate it shows with
 * the connection.
 */
export type Credentials =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'certificate' }
  | { readonly kind: 'session'; readonly csrf: string }

export interface Answer<T> {
  readonly result: T
  readonly exitCode: number
  readonly notes: readonly string[]
  /** The version of the configuration that it was made from. */
  readonly version?: string
}

export interface Who {
  readonly user: string
  readonly csrf?: string
}

export interface Api {
  readonly read: <T>(path: string, query?: Query, signal?: AbortSignal) => Promise<Answer<T>>
  readonly act: <T>(path: string, body: ActBody, options?: ActOptions) => Promise<Answer<T>>
  readonly who: () => Promise<Who>
  readonly leave: () => Promise<void>
  readonly open: (lastId: string | undefined, signal: AbortSignal) => Promise<Response>
}

export type Query = readonly (readonly [name: string, value: string])[]

interface ActOptions {
  readonly dryRun?: boolean
  /** Of the configuration: nothing is changed if it has another one by now. */
  readonly ifVersion?: string | undefined
}

/** Texts by the names of their files. */
export type GivenFiles = Readonly<Record<string, string>>

export interface ActBody {
  readonly words?: readonly string[]
  readonly flags?: Readonly<Record<string, string | boolean | readonly string[]>>
  /** The texts of files that the words name. */
  readonly files?: GivenFiles
}

export function apiWith(credentials: Credentials, onRefused: () => void): Api {
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const shown: Readonly<Record<string, string>> =
      credentials.kind === 'token'
        ? { authorization: `Bearer ${credentials.token}` }
        : credentials.kind === 'session'
          ? { 'x-csrf-token': credentials.csrf }
          : {}
    const headers = { ...(init.headers as Record<string, string> | undefined), ...shown }
    const response = await fetch(`/api/v1${path}`, { ...init, headers, credentials: 'same-origin' }).catch(
      (error: unknown) => {
        if (error instanceof DOMException && error.name === 'AbortError') throw error
        throw new ApiProblem(0, ['This node does not answer. Open the console on another node.'])
      },
    )
    if (response.ok) return response
    const problem = await problemIn(response)
    if (response.status === 401) onRefused()
    throw problem
  }
  return {
    read: async <T>(path: string, query: Query = [], signal?: AbortSignal) => {
      const asked = new URLSearchParams(query.map(([name, value]) => [name, value])).toString()
      const init = signal === undefined ? {} : { signal }
      return (await (await ask(asked === '' ? path : `${path}?${asked}`, init)).json()) as Answer<T>
    },
    act: async <T>(path: string, body: ActBody, { dryRun = false, ifVersion }: ActOptions = {}) => {
      const response = await ask(dryRun ? `${path}?dry-run` : path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(ifVersion !== undefined && { 'if-match': ifVersion }) },
        body: JSON.stringify(body),
      })
      const version = response.headers.get('etag')
      const answer = (await response.json()) as Answer<T>
      return version === null ? answer : { ...answer, version }
    },
    who: async () => (await (await ask('/session')).json()) as Who,
    leave: async () => {
      if (credentials.kind === 'session') await ask('/session', { method: 'DELETE' })
    },
    open: async (lastId, signal) =>
      await ask('/events', { signal, headers: lastId === undefined ? {} : { 'last-event-id': lastId } }),
  }
}

/** Refusals of a certificate that the browser has shown; all others only say that nobody is signed in. */
const ofCertificates: ReadonlySet<unknown> = new Set([
  ...['unknown-certificate', 'expired-certificate', 'bad-certificate', 'no-common-name', 'no-such-user', 'no-role'],
])

/** Who the browser is signed in as already, by a session or by its certificate. Undefined: nobody. */
export async function runningSession(): Promise<Credentials | undefined> {
  const response = await fetch('/api/v1/session', { credentials: 'same-origin' })
  if (response.ok) {
    const { csrf } = (await response.json()) as Who
    return csrf === undefined ? { kind: 'certificate' } : { kind: 'session', csrf }
  }
  const problem = await problemIn(response)
  if (ofCertificates.has(problem.code)) throw problem
  return undefined
}

export async function logIn(user: string, password: string): Promise<Credentials> {
  const response = await fetch('/api/v1/session', {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user, password }),
  })
  if (!response.ok) throw await problemIn(response)
  const { csrf = '' } = (await response.json()) as Who
  return { kind: 'session', csrf }
}

async function problemIn(response: Response): Promise<ApiProblem> {
  const body = (await response.json().catch(() => ({}))) as {
    readonly errors?: readonly string[]
    readonly detail?: string
    readonly code?: string
  }
  return new ApiProblem(
    response.status,
    body.errors ?? [body.detail ?? `The node has answered with ${response.status} and no reason.`],
    body.code,
  )
}
