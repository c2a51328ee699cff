/**
 * Where the tokens are kept: in the store, so that any member may let a host in and only one of them does; and in a file of this host while
 * the cluster is being founded and there is no store yet. Whoever changes the store's copy compares it with what it has read.
 */
import { type IssuedToken, issueToken, type JoinRole, refuse } from '../../rpc/index.ts'
import type { Store } from '../../store/index.ts'
import { readIfThere, writeWhole } from '../host/files.ts'
import type { Log } from '../host/log.ts'
import { toBytes } from '../records/json-value.ts'
import { joinBookKey } from '../records/keys.ts'
import {
  type AskedIn,
  emptyBook,
  type JoinBook,
  type JoinEvent,
  judge,
  readBook,
  type TokenVerdict,
  used,
  withdrawn,
  withEvent,
  withToken,
} from './join-book.ts'

const hourMs = 3_600_000
const longestMs = 7 * 24 * hourMs
const attempts = 10

export interface TokenPorts {
  readonly file: string
  readonly self: () => string
  readonly log: Log
  /** Of the running cluster, where it can be written. */
  readonly store: () => Store | undefined
  /** There is a store, although it may be out of reach at the moment. Otherwise the file has all tokens. */
  readonly mayBeInStore: () => boolean
}

export interface AskedToken {
  readonly role: JoinRole
  readonly node?: string
  readonly validSeconds?: number
  /** Who has asked for it. */
  readonly user?: string
}

interface MadeToken {
  readonly token: string
  readonly validUntil: string
}

export class JoinTokens {
  readonly #ports: TokenPorts

  constructor(ports: TokenPorts) {
    this.#ports = ports
  }

  async issue(authority: string, { role, node, validSeconds, user }: AskedToken): Promise<MadeToken> {
    const issuedAt = Date.now()
    const validMs = validSeconds === undefined ? hourMs : validSeconds * 1000
    if (!(validMs > 0 && validMs <= longestMs))
      throw refuse('bad-time', 'A join token can be valid for one second to seven days.')
    const validUntil = issuedAt + validMs
    const by = { node: this.#ports.self(), ...(user === undefined ? {} : { user }) }
    const meant = { role, by, ...(node === undefined ? {} : { node }) }
    const { text, issued } = issueToken(authority, { ...meant, issuedAt, validUntil })
    const event = this.#event('issued', { role, node: node ?? '' }, issued.id)
    await this.#change((book) => withToken(book, issued, event))
    // Not as `token`, whose value a log hides: the id is what `cluster token list` shows.
    this.#ports.log.info('a join token was made', {
      id: issued.id,
      role,
      node,
      user,
      validUntil: new Date(validUntil).toISOString(),
    })
    return { token: text, validUntil: new Date(validUntil).toISOString() }
  }

  /** `unseen`: not here, and the store, which may have it, is out of reach. */
  async judge(secret: string, asked: AskedIn): Promise<TokenVerdict | { readonly kind: 'unseen' }> {
    const here = judge(this.#ownBook(), secret, asked, Date.now())
    if (here.kind !== 'unknown') return here
    const store = this.#ports.store()
    if (store === undefined) return this.#ports.mayBeInStore() ? { kind: 'unseen' } : here
    return judge((await readStored(store)).book, secret, asked, Date.now())
  }

  /** False where another member, or another call, was faster. */
  async use(secret: string, asked: AskedIn): Promise<boolean> {
    const here = used(this.#ownBook(), secret, asked, Date.now())
    if (here !== undefined) {
      this.#writeOwn(here)
      return true
    }
    const store = this.#ports.store()
    if (store === undefined) return false
    return (await this.#changeStored(store, (book) => used(book, secret, asked, Date.now()))) !== undefined
  }

  /** In the log and in the history that members share. One that cannot be written down is in the log. */
  async note(kind: 'joined' | 'refused', asked: AskedIn, token?: IssuedToken, why?: string): Promise<void> {
    const event = { ...this.#event(kind, asked, token?.id), ...(why === undefined ? {} : { why }) }
    const { by: _self, time: _now, kind: _kind, token: id, ...rest } = event
    const fields = { ...(id === undefined ? {} : { id }), ...rest }
    if (kind === 'joined') this.#ports.log.info('a host was let in', fields)
    else this.#ports.log.warn('a host was not let in', fields)
    try {
      await this.#change((book) => withEvent(book, event))
    } catch (error) {
      this.#ports.log.warn('the history of join tokens could not be written', { error })
    }
  }

  async list(): Promise<JoinBook> {
    const own = this.#ownBook()
    const store = this.#ports.store()
    const book = store === undefined ? emptyBook : (await readStored(store)).book
    const inOrder = (one: JoinEvent, other: JoinEvent): number => Date.parse(one.time) - Date.parse(other.time)
    return {
      tokens: [...own.tokens, ...book.tokens],
      events: [...own.events, ...book.events].sort(inOrder),
      strangers: [...own.strangers, ...book.strangers].sort(inOrder),
    }
  }

  /** How many it was. */
  async withdraw(isMeant: (token: IssuedToken) => boolean): Promise<number> {
    const open = (await this.list()).tokens.filter((token) => token.used === undefined && isMeant(token))
    if (open.length === 0) return 0
    this.#writeOwn(withdrawn(this.#ownBook(), isMeant))
    const store = this.#ports.store()
    const events = open.map(({ id, role, node = '' }) => this.#event('withdrawn', { role, node }, id))
    if (store !== undefined)
      await this.#changeStored(store, (book) => events.reduce(withEvent, withdrawn(book, isMeant)))
    for (const { token: id, role, node } of events)
      this.#ports.log.info('a join token was withdrawn', { id, role, node })
    return open.length
  }

  /** Of a node that is removed: those that were made for it, and those that it has made, for it may have shown them to anybody. */
  async withdrawOf(removed: string): Promise<number> {
    return await this.withdraw(({ node, by }) => node === removed || by?.node === removed)
  }

  #event(
    kind: JoinEvent['kind'],
    { role, node, address }: Pick<AskedIn, 'role' | 'node'> & { readonly address?: string },
    token: string | undefined,
  ): JoinEvent {
    return {
      time: new Date(Date.now()).toISOString(),
      kind,
      by: this.#ports.self(),
      role,
      // A stranger gives whatever it likes.
      node: node.slice(0, 255),
      ...(token === undefined ? {} : { token }),
      ...(address === undefined ? {} : { address }),
    }
  }

  async #change(change: (book: JoinBook) => JoinBook): Promise<void> {
    const store = this.#ports.store()
    if (store === undefined) this.#writeOwn(change(this.#ownBook()))
    else await this.#changeStored(store, change)
  }

  async #changeStored(store: Store, change: (book: JoinBook) => JoinBook | undefined): Promise<JoinBook | undefined> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const { book, revision } = await readStored(store)
      const changed = change(book)
      if (changed === undefined) return undefined
      const { applied } = await store.transaction({
        compare: [
          revision === undefined
            ? { kind: 'absent', key: joinBookKey }
            : { kind: 'mod-revision', key: joinBookKey, equals: revision },
        ],
        writes: [{ kind: 'put', key: joinBookKey, value: toBytes(changed) }],
      })
      if (applied) return changed
    }
    throw refuse('conflict', 'Other users changed the list of join tokens several times meanwhile. Try again.')
  }

  #ownBook(): JoinBook {
    return readBook(readIfThere(this.#ports.file))
  }

  #writeOwn(book: JoinBook): void {
    writeWhole(this.#ports.file, JSON.stringify(book), 0o600)
  }
}

async function readStored(store: Store): Promise<{
  readonly book: JoinBook
  readonly revision?: NonNullable<Awaited<ReturnType<Store['get']>>>['modRevision']
}> {
  const entry = await store.get(joinBookKey)
  if (entry === undefined) return { book: emptyBook }
  return { book: readBook(new TextDecoder().decode(entry.value)), revision: entry.modRevision }
}
