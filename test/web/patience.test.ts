/** How long commands of the API go on, and how many places an address can take: the real server on loopback, with a daemon that never answers. */
import { connect, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAuthority, createNodeCertificate } from '../../src/rpc/index.ts'
import { bounds } from '../../src/web/bounds.ts'
import { Web } from '../../src/web/listen.ts'
import { localClient } from '../support/local-client.ts'

const host = '127.0.0.1'
let port = 20_000 + (process.pid % 20_000)
let ca = ''
let web: Web
/** What has been asked of the daemon, and what it was told to forget. */
const asked: string[] = []
const ended: string[] = []
let release = (): void => undefined
const released = new Promise<void>((resolve) => {
  release = resolve
})
let onEnded = (): void => undefined
const xml =
  '<cib crm_feature_set="3.19.0" validate-with="pacemaker-3.9" epoch="1" num_updates="0" admin_epoch="0"><configuration><crm_config/><nodes/><resources><primitive id="web" class="ocf" provider="pacemaker" type="Dummy"/></resources><constraints/></configuration><status/></cib>'

/** Never answers, but ends with its signal. */
const hangs =
  (name: string, at: number) =>
  async (...given: readonly unknown[]): Promise<never> => {
    asked.push(name)
    const { signal } = (given[at] ?? {}) as { readonly signal?: AbortSignal }
    return await new Promise((_, reject) =>
      signal?.addEventListener('abort', () => {
        ended.push(name)
        onEnded()
        reject(new Error('aborted'))
      }),
    )
  }

const daemon = localClient({
  whoAmI: async () => await Promise.resolve({ user: 'token:a', limited: false }),
  getCib: async () => await Promise.resolve({ xml, version: 1 }),
  getState: hangs('getState', 1),
  watchState: hangs('watchState', 2),
  fence: hangs('fence', 1),
  getHealth: async () => {
    asked.push('getHealth')
    await released
    return { started: true, quorate: true, member: true, active: '' }
  },
})

beforeAll(async () => {
  const authority = await createAuthority('test')
  ca = authority.certificate
  const own = await createNodeCertificate(authority, { name: 'n1', addresses: [host] })
  await new Promise<void>((resolve) => {
    web = new Web(
      () => daemon,
      () => undefined,
      {
        tell: ({ addresses }) => {
          port = Number(addresses[0]?.split(':').at(-1))
          resolve()
        },
        pages: new Map(),
        commandWithinMs: 1000,
      },
    )
    web.obey({ port, addresses: [host], identity: { ...own, authority: ca } })
  })
})
afterAll(async () => await web.close())

function open(localAddress = host): { readonly socket: TLSSocket; readonly answer: Promise<string> } {
  const options = { host, port, ca, servername: 'n1', localAddress }
  const socket = connect(options)
  const answer = new Promise<string>((resolve) => {
    let heard = ''
    socket.on('data', (data: Buffer) => {
      heard += data.toString()
      if (/\r\n\r\n[\s\S]+/.test(heard)) resolve(heard)
    })
    socket.on('error', () => resolve(heard)).on('close', () => resolve(heard))
  })
  return { socket, answer }
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\n\r\n`
const post = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

test('a command that takes too long is ended, says so, and what it was waiting for is given up', async () => {
  for (const text of [get('/api/v1/status'), post('/api/v1/stonith/fence', '{"words":["n1"]}')]) {
    const { socket, answer } = open()
    socket.write(text)
    const told = await answer
    expect(told).toMatch(/^HTTP\/1\.1 504 /)
    expect(told).toContain('took longer than 1 s and was ended. Its changes up to then stay')
    socket.destroy()
  }
  expect(asked).toEqual(expect.arrayContaining(['getState', 'fence']))
  expect([...ended].sort()).toEqual([...asked].sort())
})

test('what only reads ends with whoever asked, long before its time', async () => {
  ended.length = 0
  const { socket } = open()
  const gone = new Promise<void>((resolve) => {
    onEnded = resolve
  })
  const before = asked.length
  socket.write(get('/api/v1/status'))
  await expect.poll(() => asked.length).toBeGreaterThan(before)
  const at = performance.now()
  socket.destroy()
  await gone
  expect(performance.now() - at).toBeLessThan(500)
})

test('a change goes on without whoever asked, and ends with its time', async () => {
  ended.length = 0
  const { socket } = open()
  const before = asked.length
  const gone = new Promise<void>((resolve) => {
    onEnded = resolve
  })
  const at = performance.now()
  socket.write(post('/api/v1/stonith/fence', '{"words":["n1"]}'))
  await expect.poll(() => asked.length).toBeGreaterThan(before)
  socket.destroy()
  await gone
  expect(performance.now() - at).toBeGreaterThan(900)
})

test('one address does not take the places of health checks from the others', async () => {
  const many = Array.from({ length: bounds.healthChecksOfAddress }, () => open())
  for (const { socket } of many) socket.write('GET /ready HTTP/1.1\r\nHost: a\r\n\r\n')
  const under = (): number => asked.filter((name) => name === 'getHealth').length
  // They are under way as long as the daemon does not answer.
  await expect.poll(under).toBe(bounds.healthChecksOfAddress)
  const [more, other] = [open(), open('127.0.0.9')]
  more.socket.write('GET /live HTTP/1.1\r\nHost: a\r\n\r\n')
  expect(await more.answer).toMatch(/^HTTP\/1\.1 429 [\s\S]*This address has 16 health checks under way/)
  other.socket.write('GET /live HTTP/1.1\r\nHost: a\r\n\r\n')
  await expect.poll(under).toBe(bounds.healthChecksOfAddress + 1)
  release()
  expect(await other.answer).toMatch(/^HTTP\/1\.1 200 /)
  for (const { socket } of [...many, more, other]) socket.destroy()
})
