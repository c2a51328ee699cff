/**
 * The tokens that a cluster has given out, and what became of each: pure, so that the same rules hold for the copy in the store and for the
 * file of a host that founds a cluster. Every list is bounded; uses cannot be pushed out by the guesses of strangers.
 */
import { type IssuedToken, isUsedBySame, type JoinRole, tokenObstacle, tokenOfSecret } from '../../rpc/index.ts'

export type JoinEventKind = 'issued' | 'joined' | 'refused' | 'withdrawn'

export interface JoinEvent {
  /** ISO 8601. */
  readonly time: string
  readonly kind: JoinEventKind
  /** The member that has decided. */
  readonly by: string
  /** Of the token; a stranger's guess has none. */
  readonly token?: string
  readonly role: JoinRole
  /** The host's name, as it gives it. */
  readonly node: string
  /** Where it was seen. */
  readonly address?: string
  readonly why?: string
}

export interface JoinBook {
  readonly tokens: readonly IssuedToken[]
  readonly events: readonly JoinEvent[]
  /** Refused, because nobody here knows the secret. */
  readonly strangers: readonly JoinEvent[]
}

export const emptyBook: JoinBook = { tokens: [], events: [], strangers: [] }

const mostTokens = 200
const mostEvents = 200
const mostStrangers = 20
/** How long a token that is used or over is still known by its reason. */
const rememberedMs = 24 * 3_600_000

export const withToken = (book: JoinBook, issued: IssuedToken, event: JoinEvent): JoinBook => ({
  ...withEvent(book, event),
  tokens: [...book.tokens.filter(({ validUntil }) => validUntil + rememberedMs > issued.issuedAt), issued].slice(
    -mostTokens,
  ),
})

export const withEvent = (book: JoinBook, event: JoinEvent): JoinBook =>
  event.token === undefined && event.kind === 'refused'
    ? { ...book, strangers: [...book.strangers, event].slice(-mostStrangers) }
    : { ...book, events: [...book.events, event].slice(-mostEvents) }

export interface AskedIn {
  readonly role: JoinRole
  readonly node: string
  readonly address: string
  /** Of its public key: SHA-256. */
  readonly key: string
}

export type TokenVerdict =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly token: IssuedToken; readonly why: string }
  | { readonly kind: 'good'; readonly token: IssuedToken }

export function judge(book: JoinBook, secret: string, asked: AskedIn, now: number): TokenVerdict {
  const token = tokenOfSecret(book.tokens, secret)
  if (token === undefined) return { kind: 'unknown' }
  const why = tokenObstacle(token, asked, now)
  return why === undefined ? { kind: 'good', token } : { kind: 'refused', token, why }
}

/** Nothing where somebody was faster: a token is used once. The same host, which has not heard the answer, may ask again. */
export function used(book: JoinBook, secret: string, asked: AskedIn, now: number): JoinBook | undefined {
  const verdict = judge(book, secret, asked, now)
  if (verdict.kind !== 'good') return undefined
  if (isUsedBySame(verdict.token, asked)) return book
  const mark = { at: now, node: asked.node, address: asked.address, key: asked.key }
  return {
    ...book,
    tokens: book.tokens.map((token) => (token === verdict.token ? { ...token, used: mark } : token)),
  }
}

/** Those that nobody has used go: of one node, or those with this id. */
export const withdrawn = (book: JoinBook, isMeant: (token: IssuedToken) => boolean): JoinBook => ({
  ...book,
  tokens: book.tokens.filter((token) => token.used !== undefined || !isMeant(token)),
})

/** What was written by a daemon of this cluster, or an older one, whose tokens were for everybody: those are over. */
export function readBook(text: string | undefined): JoinBook {
  const value: unknown = text === undefined ? emptyBook : JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return emptyBook
  return { ...emptyBook, ...(value as Partial<JoinBook>) }
}
