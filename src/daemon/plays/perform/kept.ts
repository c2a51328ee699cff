/**
 * What a node keeps of components between tasks: arguments and variables for twelve hours, and for three days what was done, by a digest of it. A file each, so that
 * tasks side by side do not meet. Below `components/` of the data folder, for root only.
 */
import { createHash, randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { isName } from '../../../plays/index.ts'

const valuesMs = 12 * 3_600_000
const doneMs = 72 * 3_600_000
const kinds = ['args', 'envs', 'done'] as const

type Query = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export class Kept {
  readonly #folder: string
  /** Of the task's play: what QUERY has collected is its own. */
  readonly #play: string
  readonly #query: Query

  constructor(folder: string, play: string, query: Query) {
    this.#folder = folder
    this.#play = play
    this.#query = query
    for (const kind of kinds) mkdirSync(join(folder, kind), { recursive: true, mode: 0o700 })
    for (const name of readdirSync(join(folder, 'done'))) {
      const path = join(folder, 'done', name)
      if (!isFresh(path, doneMs)) rmSync(path, { force: true })
    }
  }

  /** For blueprints. */
  arguments(): Readonly<Record<string, unknown>> {
    return { ...this.#values('args'), query: this.query() }
  }

  environment(): Readonly<Record<string, string>> {
    return Object.fromEntries(Object.entries(this.#values('envs')).map(([name, value]) => [name, String(value)]))
  }

  set(kind: 'args' | 'envs', name: string, value: unknown): void {
    if (!isName(name)) throw new Error(`'${name}' is not a name.`)
    const path = join(this.#folder, kind, name)
    const own = `${path}.${randomUUID()}`
    writeFileSync(own, JSON.stringify(value), { mode: 0o600 })
    renameSync(own, path)
  }

  query(): Query {
    const hidden = this.#evictedQuery()
    return Object.fromEntries(
      Object.entries(this.#query).flatMap(([node, facts]) => {
        const shown = Object.entries(facts).filter(
          ([name, value]) => JSON.stringify(hidden[node]?.[name]) !== JSON.stringify(value),
        )
        return shown.length === 0 ? [] : [[node, Object.fromEntries(shown)]]
      }),
    )
  }

  /** What is asked for again is seen again. */
  asksAgain(): void {
    rmSync(this.#evictedFile, { force: true })
  }

  evict(tag: string): void {
    const of = (name: string, ...tags: readonly string[]): boolean =>
      tag === 'all' || tag === name || tags.includes(tag)
    if (of('args')) this.#empty('args')
    if (of('envs')) this.#empty('envs')
    if (of('jobs', 'parents')) this.#empty('done')
    if (of('query')) writeFileSync(this.#evictedFile, JSON.stringify(this.#query), { mode: 0o600 })
  }

  isDone(digest: string): boolean {
    return isFresh(join(this.#folder, 'done', digest), doneMs)
  }

  noteDone(digest: string, label: string): void {
    const path = join(this.#folder, 'done', digest)
    writeFileSync(path, label, { mode: 0o600 })
    const now = new Date()
    utimesSync(path, now, now)
  }

  get lockFile(): string {
    return join(this.#folder, 'lock')
  }

  get #evictedFile(): string {
    return join(this.#folder, `query-evicted-${digestOf(this.#play).slice(0, 16)}`)
  }

  #evictedQuery(): Query {
    return isFresh(this.#evictedFile, valuesMs) ? (JSON.parse(readFileSync(this.#evictedFile, 'utf8')) as Query) : {}
  }

  #values(kind: 'args' | 'envs'): Readonly<Record<string, unknown>> {
    const folder = join(this.#folder, kind)
    return Object.fromEntries(
      readdirSync(folder)
        .filter((name) => isName(name) && isFresh(join(folder, name), valuesMs))
        .map((name) => [name, JSON.parse(readFileSync(join(folder, name), 'utf8')) as unknown]),
    )
  }

  #empty(kind: (typeof kinds)[number]): void {
    rmSync(join(this.#folder, kind), { recursive: true, force: true })
    mkdirSync(join(this.#folder, kind), { recursive: true, mode: 0o700 })
  }
}

const isFresh = (path: string, ms: number): boolean => existsSync(path) && Date.now() - statSync(path).mtimeMs < ms

export const digestOf = (...parts: readonly (string | Buffer)[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${part.length}:`).update(part)
  return hash.digest('hex')
}
