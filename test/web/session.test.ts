/** What of a request is a session, and when it may change something. */
import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { Problem, statusOfCode } from '../../src/web/problem.ts'
import { cookieFor, csrfOf, loginIn, noCookie, shownIn } from '../../src/web/session.ts'

const session = 'session_abc-D_1'
const cookie = `__Host-systole-7705=${session}`
const csrf = csrfOf(session)
const asked = (headers: Readonly<Record<string, string>>, method = 'GET', localPort = 7705): IncomingMessage =>
  ({ headers, method, socket: { localPort } }) as unknown as IncomingMessage

function outcome(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    if (error instanceof Problem) return error.status
    throw error
  }
}

test('the cookie is kept from scripts, from plain HTTP and from other sites, and is of one port', () => {
  const request = asked({})
  expect(cookieFor(request, session)).toBe(`${cookie}; Path=/; Secure; HttpOnly; SameSite=Strict`)
  expect(noCookie(request)).toMatch(/^__Host-systole-7705=; .*; Max-Age=0$/)
  expect(outcome(() => shownIn(asked({ cookie })))).toEqual({ token: session, isSession: true })
  expect(outcome(() => shownIn(asked({ cookie: `a=b; ${cookie}; c=d` })))).toMatchObject({ token: session })
  expect(outcome(() => shownIn(asked({ cookie }, 'GET', 7805)))).toBe(401)
})

test.each([
  ['', 'none'],
  ['__Host-systole-7705=', 'an empty one'],
  ['__Host-systole-7705=systole_token', 'a token'],
  ['__Host-systole-7705=session_a b', 'a blank'],
  [`${cookie}; __Host-systole-7705=session_other`, 'two'],
  [`systole-7705=${session}`, 'without its prefix'],
  [`__Host-systole-7705=session_${'a'.repeat(200)}`, 'one without end'],
])('%s is no session: %s', (text) => {
  expect(outcome(() => shownIn(asked({ cookie: text })))).toBe(401)
})

test('what changes something needs the second secret and an origin; reading does not, and a token never', () => {
  const origin = 'https://n1:7705'
  for (const method of ['POST', 'DELETE', 'PUT', 'OPTIONS']) {
    expect(outcome(() => shownIn(asked({ cookie, origin }, method)))).toBe(403)
    expect(outcome(() => shownIn(asked({ cookie, origin, 'x-csrf-token': csrfOf('session_other') }, method)))).toBe(403)
    expect(outcome(() => shownIn(asked({ cookie, origin, 'x-csrf-token': session }, method)))).toBe(403)
    expect(outcome(() => shownIn(asked({ cookie, 'x-csrf-token': csrf }, method)))).toBe(403)
    expect(outcome(() => shownIn(asked({ cookie, origin, 'x-csrf-token': csrf }, method)))).toMatchObject({
      isSession: true,
    })
  }
  const fetched = { cookie, 'x-csrf-token': csrf, 'sec-fetch-site': 'same-origin' }
  expect(outcome(() => shownIn(asked(fetched, 'POST')))).toMatchObject({ isSession: true })
  const both = { cookie, authorization: 'Bearer systole_a' }
  expect(outcome(() => shownIn(asked(both, 'POST')))).toEqual({ token: 'systole_a', isSession: false })
  expect(outcome(() => shownIn(asked({ cookie, authorization: 'Basic x' })))).toBe(401)
})

test('a login is a user and a password, and nothing else', () => {
  expect(loginIn('{"user":"a","password":"b"}')).toEqual({ user: 'a', password: 'b' })
  for (const text of ['', '{', '[]', '{"user":"a"}', '{"user":"a","password":1}', '{"user":"a","password":"b","c":1}'])
    expect([text, outcome(() => loginIn(text))]).toEqual([text, 400])
  expect(outcome(() => loginIn(JSON.stringify({ user: 'a'.repeat(129), password: 'b' })))).toBe(400)
})

test('refusals of logins have the status that fits', () => {
  for (const [code, status] of [
    ['no-session', 401],
    ['wrong-login', 401],
    ['no-login', 401],
    ['no-such-user', 403],
    ['too-many-logins', 429],
    ['pam-failed', 503],
    ['bad-login', 400],
  ] as const)
    expect([code, statusOfCode(code)]).toEqual([code, status])
})
