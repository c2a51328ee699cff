/** The files of the console, as the build has made them: read once, before this process gives up its rights, and served from memory. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

export interface Page {
  readonly plain: Buffer
  readonly packed: Buffer
  readonly headers: Readonly<Record<string, string>>
}

/** By the path of the request. */
export type Pages = ReadonlyMap<string, Page>

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** Scripts and styles are files of this server. None stands in a page, none is made of a text, and nothing is asked of anybody else. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const always = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  vary: 'accept-encoding',
}

/** The names of all files but the first page have a hash of what is in them. */
export function readPages(folder: string): Pages {
  const pages = readdirSync(folder).flatMap((name): readonly (readonly [string, Page])[] => {
    const type = types[name.split('.').at(-1) ?? '']
    if (type === undefined) return []
    const plain = readFileSync(join(folder, name))
    const isFirst = name === 'index.html'
    const headers = {
      ...always,
      'content-type': type,
      'cache-control': isFirst ? 'no-cache' : 'public, max-age=31536000, immutable',
      etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 20)}"`,
    }
    return [[isFirst ? '/' : `/console/${name}`, { plain, packed: gzipSync(plain, { level: 9 }), headers }]]
  })
  return new Map(pages)
}
