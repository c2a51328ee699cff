/**
 * Hostile requests to the real server on loopback: each is answered with a status and a sentence, nothing reaches the daemon but the question who has
 * shown a token, and the process does not grow.
 */
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAuthority, createNodeCertificate, type LocalClient, refuse } from '../../src/rpc/index.ts'
import { bounds } from '../../src/web/bounds.ts'
import { Web } from '../../src/web/listen.ts'
import { localClient } from '../support/local-client.ts'

const good = 'systole_good'
const host = '127.0.0.1'
let port = 0
let ca = ''
let web: Web
/** Calls that have reached the daemon, but for those that ask who it is. */
const done: string[] = []
const reports: string[] = []

/** A daemon that knows one token, and notes what else it is asked. */
function daemonFor(token: string): LocalClient {
  const known: Partial<LocalClient> = {
    whoAmI: async () => {
      if (token === good) return await Promise.resolve({ user: 'token:good', limited: false })
      throw refuse(
        token === 'systole_old' ? 'expired-token' : 'unknown-token',
        'This token is not known or has expired.',
      )
    },
    getHealth: async () => await Promise.resolve({ started: true, quorate: true, member: true, active: '' }),
  }
  const names = [
    'getState',
    'getCib',
    'pushConfiguration',
    'fence',
    'stopCluster',
    'watchState',
    'getMetrics',
    'setTicket',
  ]
  const others = names.map((name) => {
    const call = async (): Promise<never> => {
      done.push(name)
      throw await Promise.resolve(refuse('permission-denied', `No permission for ${name}.`))
    }
    return [name, call] as const
  })
  return localClient({ ...Object.fromEntries(others), ...known })
}

beforeAll(async () => {
  const authority = await createAuthority('test')
  ca = authority.certificate
  const own = await createNodeCertificate(authority, { name: 'n1', addresses: [host] })
  await new Promise<void>((resolve) => {
    web = new Web(
      ({ token }) => daemonFor(token),
      ({ what }) => void reports.push(what),
      {
        tell: ({ addresses }) => {
          port = Number(addresses[0]?.split(':').at(-1))
          resolve()
        },
        pages: new Map(),
      },
    )
    web.obey({ port: freePort, addresses: [host], identity: { ...own, authority: authority.certificate } })
  })
})
afterAll(async () => await web.close())

const freePort = 30_000 + (process.pid % 20_000)

interface Answer {
  readonly status: number
  readonly body: string
}

/** Sends text as it is, and then as much more as is taken. */
async function raw(text: string, { more = 0, from = host } = {}): Promise<Answer> {
  return await new Promise((resolve) => {
    let heard = ''
    let sent = 0
    const over = (): void => {
      socket.destroy()
      const [, status = '0', body = ''] = /^HTTP\/1\.1 (\d+)[\s\S]*?\r\n\r\n([\s\S]*)$/.exec(heard) ?? []
      resolve({ status: Number(status), body })
    }
    const options: ConnectionOptions & { readonly localAddress: string } = {
      ...{ host, port, ca, servername: 'n1', localAddress: from },
    }
    const socket: TLSSocket = connect(options, () => {
      socket.write(text)
      const chunk = Buffer.alloc(64 * 1024, 'x')
      const push = (): void => {
        while (sent < more && socket.writable) {
          sent += chunk.length
          if (!socket.write(chunk)) return void socket.once('drain', push)
        }
      }
      push()
    })
    socket.on('data', (data: Buffer) => {
      heard += data.toString('latin1')
      const length = /content-length: (\d+)/i.exec(heard)?.[1]
      const head = heard.indexOf('\r\n\r\n')
      if (head >= 0 && length !== undefined && heard.length >= head + 4 + Number(length)) over()
    })
    socket.on('error', () => over())
    socket.on('close', () => over())
  })
}

const request = (line: string, headers: readonly string[] = [], body = ''): string =>
  [
    `${line} HTTP/1.1`,
    'Host: n1:7705',
    ...headers,
    ...(body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    '',
    body,
  ].join('\r\n')
const bearer = (token: string): string => `Authorization: Bearer ${token}`
const json = 'Content-Type: application/json'
const by = (line: string, body = '', ...headers: readonly string[]): string =>
  request(line, [bearer(good), ...(body === '' ? [] : [json]), ...headers], body)
const create = 'POST /api/v1/resource/create'

const cases: readonly (readonly [what: string, status: number, text: string])[] = [
  ...['/api/v1/status', '/metrics', '/api/v1/events', '/api/v1/cluster/cib', '/api/v1/config/history'].map(
    (path) => [`no token: ${path}`, 401, request(`GET ${path}`)] as const,
  ),
  ['no token: a change', 401, request(create, [json], '{"words":["a","b"]}')],
  ['a token that has expired', 401, request('GET /api/v1/status', [bearer('systole_old')])],
  ['a token of nobody', 401, request('GET /api/v1/status', [bearer('systole_other')])],
  ['no bearer token', 401, request('GET /api/v1/status', ['Authorization: Basic cm9vdDpyb290'])],
  ['an empty token', 401, request('GET /api/v1/status', ['Authorization: Bearer '])],
  ['a token without end', 401, request('GET /api/v1/status', [bearer('a'.repeat(2000))])],
  ['a token in the address', 401, request(`GET /api/v1/status?access_token=${good}`)],
  ['a token in a cookie', 401, request('GET /api/v1/status', [`Cookie: token=${good}`])],
  ['two headers of a token', 401, request('GET /api/v1/status', [bearer('x'), bearer(good)])],
  ...['https://evil.example', 'null', 'http://n1:7705', 'https://n1:7705.evil.example', 'file://'].map(
    (origin) => [`the origin ${origin}`, 403, by('GET /api/v1/status', '', `Origin: ${origin}`)] as const,
  ),
  ['a page of another site', 403, by(create, '{"words":["a","b"]}', 'Sec-Fetch-Site: cross-site')],
  [
    'a preflight of another origin',
    403,
    request('OPTIONS /api/v1/status', ['Origin: https://evil.example', 'Access-Control-Request-Method: POST']),
  ],
  ...[
    '//api/v1/status',
    '/api//v1/status',
    '/api/v1/../v1/status',
    '/api/v1/./status',
    '/api/v1/%2e%2e/status',
    '/api/v1%2fstatus',
    '/api/v1/status%00',
    '/api/v1\\status',
    '/resource/..%2f..%2fetc/active',
    '/resource/../active',
  ].map((path) => [`the path ${path}`, 400, by(`GET ${path}`)] as const),
  ['an absolute address', 400, by('GET http://n1/api/v1/status')],
  ['a path without a slash', 400, by('GET api/v1/status')],
  ['a path that is no UTF-8', 400, by('GET /resource/%ff/active')],
  ...[
    '/',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/etc/passwd',
    '/api/v1/constructor',
    '/api/v1/__proto__',
    '/api/v1/job/run',
    '/api/v1/console/enable',
    '/api/v1/token/create',
    '/api/v2/status',
    '/API/V1/STATUS',
  ].map((path) => [`nothing at ${path}`, path.endsWith('/') && path !== '/' ? 400 : 404, by(`GET ${path}`)] as const),
  ['an address without end', 414, by(`GET /api/v1/status?${'a'.repeat(5000)}`)],
  ['headers without end', 431, by('GET /api/v1/status', '', `X: ${'a'.repeat(20_000)}`)],
  ['many headers', 431, by('GET /api/v1/status', '', ...Array.from({ length: 3000 }, (_, number) => `X-${number}: a`))],
  ...[
    'POST /api/v1/status',
    'DELETE /api/v1/status',
    'PUT /metrics',
    'TRACE /api/v1/status',
    'GET /api/v1/resource/create',
    'POST /live',
    'POST /api/openapi.json',
  ].map((line) => [`another method: ${line}`, 405, by(line)] as const),
  ...[
    '{',
    '[]',
    '"a"',
    '{"words":"a"}',
    '{"words":[1]}',
    '{"argv":["status"]}',
    '{"flags":[]}',
    '{"__proto__":{"words":["a"]}}',
    `{"words":${'['.repeat(5000)}`,
  ].map((body) => [`the body ${body.slice(0, 30)}`, 400, by(create, body)] as const),
  ...['-f/etc/passwd', '--file=/etc/passwd', '-f', '--', '--json'].map(
    (word) => [`the word ${word}`, 400, by(create, JSON.stringify({ words: [word] }))] as const,
  ),
  ...['file', 'json', 'debug', 'nosuch'].map(
    (flag) =>
      [`the option ${flag}`, 400, by(create, JSON.stringify({ words: ['a', 'b'], flags: { [flag]: 'x' } }))] as const,
  ),
  ['options of files in the address', 400, by('GET /api/v1/simulate?xml-file=/etc/passwd')],
  ['standard input', 400, by('GET /api/v1/simulate?batch=true')],
  ['another command by its words', 400, by('GET /api/v1/stonith/history?word=cleanup')],
  ['a change by GET', 400, by('GET /api/v1/status?word=wait')],
  ['a dry run of what has none', 400, by('POST /api/v1/cluster/token?dry-run', '{"words":[]}')],
  ['a version that is none', 400, by(create, '{"words":["a","b"]}', 'If-Match: 17')],
  [
    'a body that is no JSON by its type',
    415,
    request(create, [bearer(good), 'Content-Type: text/plain'], '{"words":["a","b"]}'),
  ],
  ['a form', 415, request(create, [bearer(good), 'Content-Type: application/x-www-form-urlencoded'], 'words=a')],
  ['a body that says it is long', 413, request(create, [bearer(good), json, 'Content-Length: 1073741824'])],
  ['two lengths', 400, request(create, [bearer(good), json, 'Content-Length: 5', 'Content-Length: 6'])],
  [
    'a length and chunks',
    400,
    request(create, [bearer(good), json, 'Content-Length: 5', 'Transfer-Encoding: chunked']),
  ],
  ['no HTTP', 400, 'hello\r\n\r\n'],
  ['HTTP/2 without being asked', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a header that breaks its line', 400, 'GET /live HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n'],
  ['what the token may not', 403, by('GET /api/v1/status')],
  ...[
    '/.git/config',
    '/.env',
    '/wp-login.php',
    '/cgi-bin/sh',
    '/main.js.map',
    '/etc/systole/pki/authority.key',
    '/api/v1/resource',
    '/api/v1/resource/create/more',
    '/api/v1/toString',
    '/resource/web',
    '/metrics/x',
    '/live/x',
    '/api/v1/%252e%252e/status',
    '/api/v1/status%0d%0aX:%20y',
  ].map((path) => [`nothing at ${path}`, 404, by(`GET ${path}`)] as const),
  ...[
    '/..;/api/v1/status',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/api/v1/resource/%2e%2e%2fcreate',
    '/resource/%00/active',
    '/resource/a%2fb/active',
  ].map((path) => [`the path ${path}`, 400, by(`GET ${path}`)] as const),
  ['a cookie of a session that nobody has', 401, request('GET /api/v1/status', ['Cookie: __Host-systole-7705=abc'])],
  [
    'a change by a cookie without the word against forgery',
    401,
    request(create, ['Cookie: __Host-systole-7705=abc', json], '{"words":["a","b"]}'),
  ],
  ...[
    '{}',
    '{"user":"root"}',
    '{"user":1,"password":2}',
    '{"user":"a","password":"b","role":"c"}',
    'user=a&password=b',
  ].map((body) => [`the login ${body}`, 400, request('POST /api/v1/session', [json], body)] as const),
  [
    'a login by a form',
    415,
    request('POST /api/v1/session', ['Content-Type: text/plain'], '{"user":"a","password":"b"}'),
  ],
  [
    'a login from another origin',
    403,
    request('POST /api/v1/session', [json, 'Origin: https://evil.example'], '{"user":"a","password":"b"}'),
  ],
  ['a login that is too long', 413, request('POST /api/v1/session', [json, 'Content-Length: 1073741824'])],
  ['a login by GET of a password', 401, request('GET /api/v1/session?user=root&password=x')],
  ...['W/"1"', '"1", "2"', '"-1"', '"9999999999999999999"', '""'].map(
    (version) => [`the version ${version}`, 400, by(create, '{"words":["a","b"]}', `If-Match: ${version}`)] as const,
  ),
  ['a word with a zero', 400, by(create, JSON.stringify({ words: ['a\0b', 'ocf:pacemaker:Dummy'] }))],
  [
    'a word with an escape sequence',
    400,
    by(create, JSON.stringify({ words: ['a\u001b[31m', 'ocf:pacemaker:Dummy'] })),
  ],
  ['a file that is no text', 400, by(create, '{"words":["a","b"],"files":{"a":{}}}')],
  ['a body that is too long', 413, by(create, JSON.stringify({ words: ['a'.repeat(1024 * 1024)] }))],
  ['a dry run that is neither', 400, by(`${create}?dry-run=maybe`, '{"words":["a","b"]}')],
  ['words in the address of a change', 400, by(`${create}?word=a`, '{"words":["a","b"]}')],
  ['a method that nobody knows', 400, by('FOO /api/v1/status')],
  ['a method in small letters', 400, by('get /api/v1/status')],
  ['a tunnel', 405, request('CONNECT n1:7700', [bearer(good)])],
  ['HTTP/0.9, which has no version', 505, 'GET /live\r\n\r\n'],
  ['HTTP/3.0', 400, 'GET /live HTTP/3.0\r\nHost: a\r\n\r\n'],
  ['no host', 400, 'GET /live HTTP/1.1\r\n\r\n'],
  ['a negative length', 400, request(create, [bearer(good), json, 'Content-Length: -5'])],
  ['a length that is none', 400, request(create, [bearer(good), json, 'Content-Length: 5x'])],
  ['a chunk that is none', 400, `${request(create, [bearer(good), json, 'Transfer-Encoding: chunked'])}zz\r\n`],
  ['chunks that are packed', 400, request(create, [bearer(good), json, 'Transfer-Encoding: gzip'])],
  ['a header with a blank in its name', 400, 'GET /live HTTP/1.1\r\nHost: a\r\nX y: z\r\n\r\n'],
  ['a header that goes on in the next line', 400, 'GET /live HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n'],
]

test(`${cases.length} hostile requests have a status and a sentence, and nothing is done`, async () => {
  expect(cases.length).toBeGreaterThanOrEqual(140)
  // Wrong tokens close the door to the address: those come one by one, last.
  const wrong: unknown[] = []
  for (const [at, [what, status, text]] of cases.entries()) {
    // From many addresses: the door shuts out one that connects so often.
    const answer = await raw(text, { from: `127.0.0.${2 + (at % 8)}` })
    const { status: told, detail = '' } = JSON.parse(answer.body || '{}') as {
      readonly status?: number
      readonly detail?: string
    }
    if (answer.status !== status || told !== status || !/\.$/.test(detail)) wrong.push([what, status, answer])
  }
  expect(wrong).toEqual([])
  expect(done).toEqual(['getState'])
}, 120_000)

test('a body without end is cut off and not kept, and slow requests end', async () => {
  const before = process.memoryUsage().rss
  const chunked = request(create, [bearer(good), json, 'Transfer-Encoding: chunked']) + 'fffffff\r\n'
  const answers = await Promise.all(
    Array.from({ length: 8 }, async () => await raw(chunked, { more: 64 * 1024 * 1024 })),
  )
  for (const { status } of answers) expect([0, 413]).toContain(status)
  const slow = await Promise.all(
    [
      'GET /live HTTP/1.1\r\nHost: a\r\n',
      `${create} HTTP/1.1\r\nHost: a\r\n${bearer(good)}\r\n${json}\r\nContent-Length: 10\r\n\r\n{`,
    ].flatMap((text) => Array.from({ length: 12 }, async () => await raw(text))),
  )
  expect(slow.map(({ status }) => status)).toEqual(Array.from({ length: 24 }, () => 408))
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
  expect((await raw(request('GET /live'))).status).toBe(200)
}, 120_000)

test('whoever asks on and on without reading is cut off, and one request after the other goes on', async () => {
  const heard = async (asked: number, atOnce: number): Promise<number> =>
    await new Promise((resolve, reject) => {
      let answers = 0
      const some = 'GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(atOnce)
      const socket = connect({ host, port, ca, servername: 'n1', checkServerIdentity: () => undefined }, () =>
        socket.write(some),
      )
      socket.on('error', reject).on('close', () => resolve(answers))
      socket.setEncoding('latin1').on('data', (text: string) => {
        const more = text.split('HTTP/1.1 404').length - 1
        answers += more
        if (answers >= asked) socket.destroy()
        else if (atOnce === 1 && more > 0) socket.write(some)
      })
    })
  expect(await heard(300, 300)).toBeLessThanOrEqual(bounds.requestsOfConnection)
  expect(await heard(40, 1)).toBe(40)
})

test('an address that guesses tokens is not listened to for a minute, also with a good one, and that is reported', async () => {
  const answers: number[] = []
  for (let number = 0; number < bounds.wrongTokens + 2; number++)
    answers.push((await raw(request('GET /api/v1/status', [bearer(`systole_guess${number}`)]))).status)
  expect(answers.slice(0, 5)).toEqual([401, 401, 401, 401, 401])
  expect(answers.slice(-2)).toEqual([429, 429])
  expect((await raw(by('GET /api/v1/status'))).status).toBe(429)
  expect((await raw(request('GET /live'))).status).toBe(200)
  expect(reports).toEqual([expect.stringContaining('wrong tokens') as unknown])
})
