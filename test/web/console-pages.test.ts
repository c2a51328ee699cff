/** The files of the console as the build makes them and the server sends them: small, from here alone, and nothing in the page that is not a file. */
import { mkdtempSync, rmSync } from 'node:fs'
import { request as ask443 } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildConsole } from '../../scripts/build-console.ts'
import { createAuthority, createNodeCertificate, type LocalClient } from '../../src/rpc/index.ts'
import { type Pages, readPages } from '../../src/web/console-pages.ts'
import { Web } from '../../src/web/listen.ts'

const host = '127.0.0.1'
let folder = ''
let pages: Pages
let web: Web
let port = 0
let ca = ''
let asked = 0

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'systole-console-'))
  await buildConsole(folder, true)
  pages = readPages(folder)
  const authority = await createAuthority('test')
  ca = authority.certificate
  const own = await createNodeCertificate(authority, { name: 'n1', addresses: [host] })
  await new Promise<void>((resolve) => {
    web = new Web(
      () => {
        asked += 1
        return {} as LocalClient
      },
      () => undefined,
      {
        tell: ({ addresses }) => {
          port = Number(addresses[0]?.split(':').at(-1))
          resolve()
        },
        pages,
      },
    )
    web.obey({ port: 20_000 + (process.pid % 10_000), addresses: [host], identity: { ...own, authority: ca } })
  })
})
afterAll(async () => {
  await web.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Buffer
}

async function ask(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    const request = ask443({ host, port, path, ca, headers, method, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      )
    })
    request.on('error', reject).end()
  })
}

const nameOf = (ending: string): string => [...pages.keys()].find((path) => path.endsWith(ending)) ?? ''

test('all that the console transfers is less than 300 kB', () => {
  const sizes = [...pages.values()].map(({ packed }) => packed.length)
  expect(sizes.length).toBe(4)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(300 * 1024)
})

test('the page has no script and no style of its own, and names files of this server alone', () => {
  const page = pages.get('/')?.plain.toString() ?? ''
  expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:/i)
  expect(page.match(/<script[^>]*>[\s\S]*?<\/script>/g)).toEqual([
    `<script type="module" src="${nameOf('.js')}"></script>`,
  ])
  for (const [, address = ''] of page.matchAll(/(?:src|href)="([^"]*)"/g)) expect([...pages.keys()]).toContain(address)
})

test('the script makes no code and no markup of texts, and knows no address of anybody else', () => {
  const script = pages.get(nameOf('.js'))?.plain.toString() ?? ''
  expect(script.length).toBeGreaterThan(1000)
  expect(script).not.toMatch(/\beval\(|new Function\(|document\.write|insertAdjacentHTML/)
  const addresses = [...script.matchAll(/https?:\/\/[^"'`\s)]+/g)].map(([address]) => address)
  expect(addresses.filter((address) => !address.startsWith('http://www.w3.org/'))).toEqual([])
  expect(pages.get(nameOf('.css'))?.plain.toString()).not.toMatch(/@import|url\(/)
})

test('each file is sent with a policy by which the browser refuses everything else, packed, and once', async () => {
  for (const [path, { plain }] of pages) {
    const answer = await ask(path, { 'accept-encoding': 'gzip, br' })
    expect(answer.status).toBe(200)
    expect(answer.headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';.*frame-ancestors 'none'; require-trusted-types-for 'script'/,
    )
    expect(answer.headers['content-security-policy']).not.toMatch(/unsafe|\*|https?:|data:|blob:/)
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
    expect(gunzipSync(answer.body).equals(plain)).toBe(true)
    expect((await ask(path)).body.equals(plain)).toBe(true)
    const again = await ask(path, { 'if-none-match': String(answer.headers.etag) })
    expect([again.status, again.body.length]).toEqual([304, 0])
    expect((await ask(path, {}, 'HEAD')).body.length).toBe(0)
    expect(answer.headers['cache-control']).toBe(path === '/' ? 'no-cache' : 'public, max-age=31536000, immutable')
  }
  expect(asked).toBe(0)
})

test('pages are read, not written; a link elsewhere may lead to the page, and to nothing else', async () => {
  expect((await ask('/', {}, 'POST')).status).toBe(405)
  for (const path of ['/console/', '/console/../index.html', '/console/%2e%2e/web.mjs', '/index.html', '/web.mjs'])
    expect([400, 404]).toContain((await ask(path)).status)
  const elsewhere = { 'sec-fetch-site': 'cross-site' }
  expect((await ask('/', elsewhere)).status).toBe(200)
  expect((await ask('/api/v1/status', elsewhere)).status).toBe(403)
})
