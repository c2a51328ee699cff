/** Another cluster that lies: a real TLS server whose answers are too large, too slow, of another form, or of somebody else. */
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { anchorIn, askCluster, certificatesAt, placeOf } from '../../../src/daemon/fleet/ask-cluster.ts'
import { afterAnswer, type FleetNews } from '../../../src/daemon/fleet/news.ts'
import { type Anchor, wordOf } from '../../../src/daemon/fleet/told.ts'
import { createAuthority, createNodeCertificate } from '../../../src/rpc/index.ts'
import { type CertificateFiles, forServers, makeAuthority, makeSigned } from '../../support/own-certificates.ts'

const host = '127.0.0.1'
let servers: Server[] = []
let authority: string
let shopAuthority: string
let answer: (request: IncomingMessage, response: ServerResponse) => void
let tokens: (string | undefined)[]
let addresses: Record<'good' | 'elsewhere' | 'own', string>
let ownFingerprint: string
let folder: string

async function serve(shown: { readonly cert: string; readonly key: string }): Promise<string> {
  const server = createServer(shown, (request, response) => {
    tokens.push(request.headers.authorization)
    response.on('error', () => undefined)
    answer(request, response)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return `${host}:${(server.address() as AddressInfo).port}`
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'systole-fleet-'))
  const made = await createAuthority('west')
  authority = made.certificate
  const node = await createNodeCertificate(made, { name: 'w1', addresses: [host] })
  const shop = makeAuthority(folder, 'shop')
  shopAuthority = readFileSync(shop.certificate, 'utf8')
  const own = makeSigned(folder, shop, { name: 'w1', extensions: forServers(`IP:${host}`) })
  addresses = {
    good: await serve({ cert: `${node.certificate}\n${authority}`, key: node.key }),
    elsewhere: await serve(textsOf(makeSigned(folder, shop, { name: 'w2', extensions: forServers('IP:10.9.9.9') }))),
    own: await serve(textsOf(own)),
  }
  const [shown = ''] = await certificatesAt(placeOf(addresses.own) ?? { host, port: 0 })
  ownFingerprint = fingerprintOf(shown)
})
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  servers = []
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => {
  tokens = []
  answer = (_, response) => response.end(JSON.stringify({ result: good }))
})

const textsOf = ({ certificate, key }: CertificateFiles) => ({
  cert: readFileSync(certificate, 'utf8'),
  key: readFileSync(key, 'utf8'),
})
const fingerprintOf = (pem: string): string => new X509Certificate(pem).fingerprint256
const attention = (level: string, text: string) => ({ level, text, resources: [], nodes: [], next: [] })
const good = {
  configured: true,
  cluster: 'west',
  quorum: { quorate: true, votes: null },
  nodes: [
    { name: 'w1', online: true },
    { name: 'w2', online: false },
  ],
  attention: [] as object[],
  resources: [],
}
const ask = async (
  at: string | readonly string[] = addresses.good,
  anchor: Anchor = { kind: 'authority', certificate: authority },
) => await askCluster({ addresses: typeof at === 'string' ? [at] : at, token: 'systole_t', anchor })
const answers = (value: unknown): void => {
  answer = (_, response) => response.end(JSON.stringify({ result: value }))
}

test('how a cluster is, with its token, and the worst first', async () => {
  const known = { cluster: 'west', quorate: true, nodes: 2, nodesOnline: 1 }
  expect(await ask()).toEqual({ kind: 'news', news: { ...known, urgent: 0, worst: [] } })
  expect(tokens).toEqual(['Bearer systole_t'])
  const many = ['a', 'b', 'c'].map((text) => attention('warning', text))
  answers({ ...good, attention: [attention('note', 'n'), ...many, attention('critical', 'fire\u001b[2J\u202e')] })
  const told = await ask()
  expect(told).toMatchObject({
    news: { urgent: 4, worst: [{ level: 'critical', text: 'fire [2J' }, { text: 'a' }, { text: 'b' }] },
  })
  expect(wordOf(told)).toBe('critical')
  answers({ ...good, quorum: { quorate: false } })
  expect(wordOf(await ask())).toBe('critical')
})

test.each([
  ['no JSON', '<html>', /not JSON/],
  ['another form', '{"result": {"configured": true}}', /not a status \(at 'result/],
  ['a list', '[]', /not a status/],
  [
    'a level that is none',
    JSON.stringify({ result: { ...good, attention: [attention('panic', 'x')] } }),
    /not a status/,
  ],
  [
    '10,001 nodes',
    JSON.stringify({ result: { ...good, nodes: new Array(10_001).fill({ online: true }) } }),
    /not a status/,
  ],
  [
    'a sentence of 65 KiB',
    JSON.stringify({ result: { ...good, attention: [attention('note', 'x'.repeat(66_000))] } }),
    /not a status/,
  ],
  ['deep lists', '['.repeat(200_000), /not JSON/],
  ['no cluster', '{"result": {"configured": false}}', /does not belong to a cluster/],
])('an answer that is no status is none: %s', async (_, text, why) => {
  answer = (__, response) => response.end(text)
  expect(await ask()).toMatchObject({ kind: 'unreadable', why: expect.stringMatching(why) as unknown })
})

test('an answer without end is read to its bound, and not beyond', async () => {
  let sent = 0
  answer = (_, response) => {
    const push = (): void => {
      while (!response.destroyed) {
        sent += 65_536
        if (!response.write('x'.repeat(65_536))) return void response.once('drain', push)
      }
    }
    push()
  }
  expect(await ask()).toMatchObject({ kind: 'unreadable', why: expect.stringContaining('more than 8 MiB') as unknown })
  expect(sent).toBeLessThan(32 * 1024 * 1024)
})

test('who says nothing, or drips, is unreachable after eight seconds, and the next node is asked', async () => {
  answer = (_, response) => {
    const timer = setInterval(() => response.write(' '), 200)
    response.on('close', () => clearInterval(timer))
  }
  const begun = performance.now()
  expect(await ask()).toMatchObject({
    kind: 'unreachable',
    why: expect.stringContaining('no answer within 8 s') as unknown,
  })
  expect(performance.now() - begun).toBeLessThan(20_000)
  answers(good)
  expect(await ask([`${host}:1`, 'n o', addresses.good])).toMatchObject({ kind: 'news' })
}, 40_000)

test('a redirect is not followed, and refusals are told with the sentence of the other cluster', async () => {
  answer = (_, response) => response.writeHead(302, { location: `https://${addresses.elsewhere}/` }).end()
  expect(await ask()).toMatchObject({ kind: 'unreadable', why: expect.stringContaining('status 302') as unknown })
  for (const [status, kind] of [
    [401, 'refused'],
    [403, 'refused'],
    [503, 'unreachable'],
  ] as const) {
    answer = (_, response) => response.writeHead(status).end('{"detail": "Because\\u0007."}')
    expect(await ask()).toEqual({ kind, why: `${addresses.good} answers: Because .` })
  }
})

test('nobody gets the token who shows another certificate, or one for another address', async () => {
  const other = (await createAuthority('other')).certificate
  const wrong: readonly (readonly [string, Anchor])[] = [
    [addresses.good, { kind: 'authority', certificate: other }],
    [addresses.elsewhere, { kind: 'authority', certificate: shopAuthority }],
    [addresses.own, { kind: 'authority', certificate: authority }],
    [addresses.good, { kind: 'certificate', fingerprint: ownFingerprint }],
  ]
  for (const [at, anchor] of wrong) expect([at, await ask(at, anchor)]).toMatchObject([at, { kind: 'untrusted' }])
  expect(tokens).toEqual([])
  expect(await ask(addresses.own, { kind: 'certificate', fingerprint: ownFingerprint })).toMatchObject({ kind: 'news' })
})

test('a fingerprint of the authority, or of a certificate of it, names the authority; any other a certificate alone', async () => {
  const chain = await certificatesAt(placeOf(addresses.good) ?? { host, port: 0 })
  const named = { kind: 'authority', certificate: new X509Certificate(authority).toString() }
  for (const pem of chain) expect(anchorIn(chain, fingerprintOf(pem))).toEqual(named)
  expect(anchorIn(chain, ownFingerprint)).toBeUndefined()
  const own = await certificatesAt(placeOf(addresses.own) ?? { host, port: 0 })
  expect(anchorIn(own, ownFingerprint)).toEqual({ kind: 'certificate', fingerprint: ownFingerprint })
  // Put behind a certificate that it has not signed.
  expect(anchorIn([...own, authority], fingerprintOf(authority))).toBeUndefined()
})

test('addresses', () => {
  expect(placeOf('n1')).toEqual({ host: 'n1', port: 7705 })
  expect(placeOf('10.0.0.1:80')).toEqual({ host: '10.0.0.1', port: 80 })
  expect(placeOf('fd00::1')).toEqual({ host: 'fd00::1', port: 7705 })
  expect(placeOf('[fd00::1]:80')).toEqual({ host: 'fd00::1', port: 80 })
  for (const wrong of ['', 'a b', 'a:0', 'a:70000', '[x]:1', 'https://a', 'a/b', 'a@b'])
    expect(placeOf(wrong)).toBeUndefined()
})

test('one answer that is missing is no news; the state keeps its beginning', () => {
  const news = {
    kind: 'news',
    news: { cluster: 'w', quorate: true, nodes: 1, nodesOnline: 1, urgent: 0, worst: [] },
  } as const
  const away = { kind: 'unreachable', why: 'x' } as const
  const well: FleetNews = { name: 'w', told: news, since: 5, reachedAt: 5 }
  const after = (before: FleetNews | undefined, told: FleetNews['told'], misses: number) =>
    afterAnswer(before, { name: 'w', told, misses, reachedAt: 7, now: 9 })
  expect(after(undefined, news, 0)).toEqual({ ...well, since: 9, reachedAt: 7 })
  expect(after(well, news, 0)).toBeUndefined()
  expect(after(well, away, 1)).toBeUndefined()
  const gone = after(well, away, 2)
  expect(gone).toEqual({ name: 'w', told: away, since: 9, reachedAt: 7 })
  expect(after(gone, { ...away, why: 'y' }, 3)).toMatchObject({ since: 9, told: { why: 'y' } })
  expect(after(gone, news, 0)).toMatchObject({ told: news, since: 9 })
})
