import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { afterEach, expect, test } from 'vitest'
import { callAgent, lostNode, makeCertificate } from './agent.ts'

/** `alert_webhook`, and HTTP servers that verify what they get with the library of the specification. */
interface Got {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const folders: string[] = []
let server: Server | undefined
let got: Got[] = []

afterEach(async () => {
  got = []
  server?.closeAllConnections()
  await new Promise<void>((done) => (server === undefined ? done() : server.close(() => done())))
  server = undefined
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

async function serve(answer: (attempt: number) => readonly [number, string], tls?: { key: string; cert: string }) {
  const listener: RequestListener = (request, response) => {
    void text(request).then((body) => {
      got.push({ headers: request.headers, body })
      const [status, said] = answer(got.length)
      response.writeHead(status, status === 302 ? { location: 'http://127.0.0.1:1/elsewhere' } : {}).end(said)
    })
  }
  const made =
    tls === undefined
      ? createServer(listener)
      : createTlsServer({ key: readFileSync(tls.key), cert: readFileSync(tls.cert) }, listener)
  server = made
  await new Promise<void>((done) => made.listen(0, '127.0.0.1', done))
  const address = made.address()
  const port = typeof address === 'object' ? address?.port : 0
  return `${tls === undefined ? 'http' : 'https'}://localhost:${port}/hook`
}

const secret = `whsec_${randomBytes(32).toString('base64')}`
const verified = ({ headers, body }: Got, by = secret): unknown =>
  new Webhook(by).verify(body, headers as Record<string, string>)

test('the receiver verifies the signature, and finds the event', async () => {
  const url = await serve(() => [204, ''])
  expect(await callAgent('alert_webhook', url, { ...lostNode, webhook_secret: secret })).toEqual({ code: 0, said: '' })
  const [request] = got
  if (request === undefined) throw new Error('nothing came')
  expect(verified(request)).toEqual({
    type: 'cluster.node',
    timestamp: '2026-09-21T14:13:20.250Z',
    data: {
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      cluster: 'lab',
      node: 'n2',
      message: 'Node n2 is lost',
      times: 1,
      event: expect.objectContaining({ kind: 'node', node: 'n2', desc: 'lost' }),
    },
  })
  expect(() => verified(request, `whsec_${randomBytes(32).toString('base64')}`)).toThrow('No matching signature')
  expect(() => verified({ ...request, body: request.body.replace('lost', 'fine') })).toThrow('No matching signature')
})

test('another attempt has the same id, and another event another one', async () => {
  const url = await serve((attempt) => (attempt === 1 ? [503, 'busy\nlater'] : [200, 'ok']))
  expect(await callAgent('alert_webhook', url)).toEqual({ code: 75, said: `${new URL(url).origin} answered 503: busy` })
  expect((await callAgent('alert_webhook', url)).code).toBe(0)
  await callAgent('alert_webhook', url, lostNode)
  const ids = got.map(({ headers }) => headers['webhook-id'])
  expect(ids[0]).toBe(ids[1])
  expect(ids[2]).not.toBe(ids[1])
  expect(got[0]?.headers['webhook-signature']).toBeUndefined()
})

test.each([
  [400, 1],
  [401, 1],
  [302, 1],
  [408, 75],
  [429, 75],
  [500, 75],
])('the answer %i ends it with %i', async (status, code) => {
  const url = await serve(() => [status, ''])
  expect((await callAgent('alert_webhook', url)).code).toBe(code)
  expect(got).toHaveLength(1)
})

test('a token travels in TLS, to a receiver whose certificate is trusted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'systole-webhook-'))
  folders.push(folder)
  const tls = makeCertificate(folder)
  const url = await serve(() => [200, ''], tls)
  const untrusted = await callAgent('alert_webhook', url, { webhook_token: 'tok' })
  expect(untrusted).toEqual({ code: 75, said: expect.stringContaining('self-signed certificate') })
  expect((await callAgent('alert_webhook', url, { webhook_token: 'tok', webhook_ca_file: tls.cert })).code).toBe(0)
  expect(got.map(({ headers }) => headers.authorization)).toEqual(['Bearer tok'])
})

test('a receiver that answers without end, slowly or not at all is left within the time of the call', async () => {
  const made = createServer((request, response) => {
    request.resume()
    if (request.url === '/endless') {
      response.writeHead(500)
      const more = (): void => {
        while (response.write('x'.repeat(65_536)));
      }
      response.on('drain', more)
      more()
    }
  })
  server = made
  await new Promise<void>((done) => made.listen(0, '127.0.0.1', done))
  const address = made.address()
  const base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const endless = await callAgent('alert_webhook', `${base}/endless`)
  expect(endless.code).toBe(75)
  expect(endless.said.length).toBeLessThan(300)
  const begun = Date.now()
  const silent = await callAgent('alert_webhook', `${base}/silent`, {}, 4000)
  expect(silent).toEqual({ code: 75, said: expect.stringContaining('no answer within 2.5 s') })
  expect(Date.now() - begun).toBeLessThan(4000)
})
