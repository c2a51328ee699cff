/** Errors as RFC 9457 has them, with the sentences that the command line would print. */
import { STATUS_CODES } from 'node:http'

export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: number
  readonly sentences: readonly string[]
  readonly code: string | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    sentences: string | readonly string[],
    more: { readonly code?: string | undefined; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    const all = typeof sentences === 'string' ? [sentences] : sentences
    super(all.join(' '))
    this.status = status
    this.sentences = all
    this.code = more.code
    this.headers = more.headers ?? {}
  }

  body(): object {
    return {
      type: 'about:blank',
      title: STATUS_CODES[this.status] ?? 'Error',
      status: this.status,
      detail: this.message,
      errors: this.sentences,
      ...(this.code === undefined ? {} : { code: this.code }),
    }
  }
}

const unknownCallers: ReadonlySet<string> = new Set([
  ...['unknown-token', 'expired-token', 'no-session', 'wrong-login', 'no-login'],
  ...['unknown-certificate', 'expired-certificate', 'bad-certificate', 'no-common-name'],
])

/** What the daemon's refusals are in HTTP. All others are about what was asked: 400. */
export function statusOfCode(code: string | undefined): number {
  if (code === undefined) return 400
  if (unknownCallers.has(code)) return 401
  if (
    [
      'permission-denied',
      'unknown-caller',
      'no-role',
      'bad-permission',
      'by-token',
      'by-itself',
      'no-such-user',
      'not-here',
    ].includes(code)
  )
    return 403
  if (/^no-such-|^unknown-node$/.test(code)) return 404
  if (['conflict', 'in-use', 'exists', 'is-rotating', 'held'].includes(code)) return 409
  if (code === 'too-long') return 504
  if (code === 'too-many-logins') return 429
  const isAway = [
    'no-quorum',
    'not-started',
    'not-configured',
    'no-configuration',
    'roles-unknown',
    'no-answer',
    'no-node-answers',
    'api-closed',
    'closing',
    'pam-failed',
  ]
  return isAway.includes(code) ? 503 : 400
}
