/**
 * Sessions in HTTP: a user of the host logs in with his password, and his browser shows a cookie afterwards that no script reads and no page of another site
 * sends. With it alone nothing is changed: a request that changes something has the session's second secret as well, which only a page of this origin can
 * have read, and must come from this origin by the browser's own word.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { maxLength, pipe, safeParse, strictObject, string } from 'valibot'
import { Problem } from './problem.ts'
import { tokenIn } from './request.ts'

export const longestLogin = 4096
export const csrfHeader = 'x-csrf-token'

/** Cookies are a host's, whatever its ports: nodes of one host have one each. Browsers keep the prefix to HTTPS, the whole path and this host alone. */
const cookieName = (port: number): string => `__Host-systole-${port}`

const portOf = ({ socket }: IncomingMessage): number => socket.localPort ?? 0

export const cookieFor = (request: IncomingMessage, session: string): string =>
  `${cookieName(portOf(request))}=${session}; Path=/; Secure; HttpOnly; SameSite=Strict`
export const noCookie = (request: IncomingMessage): string => `${cookieFor(request, '')}; Max-Age=0`

export const csrfOf = (session: string): string => createHash('sha256').update(`csrf ${session}`).digest('base64url')

const loginForm = strictObject({
  user: pipe(string(), maxLength(128)),
  password: pipe(string(), maxLength(1024)),
})

export function loginIn(text: string): { readonly user: string; readonly password: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Below.
  }
  const read = safeParse(loginForm, value)
  if (read.success) return read.output
  throw new Problem(400, `The body of a login is JSON with 'user' and 'password'.`)
}

export interface Shown {
  /** A token, the session of a cookie, or what the daemon knows the certificate of the connection by. */
  readonly token: string
  readonly isSession: boolean
}

/** Whether nothing but the certificate of the connection could say who calls. */
export const showsNothingElse = (request: IncomingMessage): boolean =>
  request.headers.authorization === undefined && sessionIn(request) === undefined

/** A token where there is one, whatever comes with it; a cookie before a certificate, since a person has logged in for it. */
export function shownIn(request: IncomingMessage, certificate?: string): Shown {
  const session = request.headers.authorization === undefined ? sessionIn(request) : undefined
  if (session === undefined) {
    if (certificate === undefined) return { token: tokenIn(request), isSession: false }
    refuseForm(request)
    return { token: certificate, isSession: false }
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') refuseForged(request, session)
  return { token: session, isSession: true }
}

function sessionIn(request: IncomingMessage): string | undefined {
  const name = cookieName(portOf(request))
  const found = (request.headers.cookie ?? '').split(/; */).filter((one) => one.startsWith(`${name}=`))
  // Two of a name: one of them was put there by somebody else.
  const [, value] = found.length === 1 ? (/=(session_[\w-]{1,100})$/.exec(found[0] ?? '') ?? []) : []
  return value
}

/** A browser shows a certificate for whatever page has it ask; JSON is what another page cannot send without being asked for leave first. */
function refuseForm({ method, headers }: IncomingMessage): void {
  if (method === 'GET' || method === 'HEAD' || /^application\/json(?:;|$)/i.test(headers['content-type'] ?? '')) return
  throw new Problem(415, "By a certificate, a request that changes something needs 'Content-Type: application/json'.", {
    code: 'not-json',
  })
}

function refuseForged({ headers }: IncomingMessage, session: string): void {
  const shown = headers[csrfHeader]
  const wanted = Buffer.from(csrfOf(session))
  const given = Buffer.from(typeof shown === 'string' ? shown : '')
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted))
    throw new Problem(
      403,
      `A request that changes something by a session needs the header X-CSRF-Token, with 'csrf' of GET /api/v1/session.`,
      { code: 'no-csrf-token' },
    )
  // That they name this one is looked at for all requests.
  if (headers.origin === undefined && headers['sec-fetch-site'] === undefined)
    throw new Problem(403, 'A request that changes something by a session needs the header Origin.', {
      code: 'no-origin',
    })
}
