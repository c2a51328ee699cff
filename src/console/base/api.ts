/** The way to /api/v1: what the daemon answers to this token, and its refusals as errors. */

/** The sentence of the command line. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  readonly status: number
  readonly sentences: readonly string[]

  constructor(status: number, sentences: readonly string[]) {
    super(sentences.join(' '))
    this.status = status
    this.sentences = sentences
  }
}

export interface Answer<T> {
  readonly result: T
  readonly exitCode: number
  readonly notes: readonly string[]
}

export interface Api {
  readonly read: <T>(path: string, query?: Query, signal?: AbortSignal) => Promise<Answer<T>>
  readonly act: <T>(path: string, body: ActBody, options?: { readonly dryRun?: boolean }) => Promise<Answer<T>>
  readonly open: (lastId: string | undefined, signal: AbortSignal) => Promise<Response>
}

export type Query = readonly (readonly [name: string, value: string])[]

export interface ActBody {
  readonly words?: readonly string[]
  readonly flags?: Readonly<Record<string, string | boolean | readonly string[]>>
}

export function apiWith(token: string, onRefused: () => void): Api {
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { ...(init.headers as Record<string, string> | undefined), authorization: `Bearer ${token}` }
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
    act: async <T>(path: string, body: ActBody, { dryRun = false } = {}) => {
      const response = await ask(dryRun ? `${path}?dry-run` : path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return (await response.json()) as Answer<T>
    },
    open: async (lastId, signal) =>
      await ask('/events', { signal, headers: lastId === undefined ? {} : { 'last-event-id': lastId } }),
  }
}

async function problemIn(response: Response): Promise<ApiProblem> {
  const body = (await response.json().catch(() => ({}))) as {
    readonly errors?: readonly string[]
    readonly detail?: string
  }
  return new ApiProblem(
    response.status,
    body.errors ?? [body.detail ?? `The node has answered with ${response.status} and no reason.`],
  )
}
