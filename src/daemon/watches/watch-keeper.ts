/**
 * What this node does when services change: for each file of the folder watches a template is rendered, checked and put in place, and a program is run, once for
 * each change, when nothing has changed for a moment. What was done last is kept on the disk, so that a daemon that begins again does not repeat it.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { reasonOf } from '../../base/index.ts'
import type { Catalogue } from '../../services/index.ts'
import { readIfThere, writeWhole } from '../host/files.ts'
import type { Log } from '../host/log.ts'
import { whyShared } from '../jobs/own-folder.ts'
import { membersOf, type SeenService } from './members.ts'
import { readOwn } from './own-file.ts'
import { runProgram } from './run-program.ts'
import { fileWord, longestWatchFile, parseWatch, type Watch } from './watch-file.ts'

export interface WatchKeeperPorts {
  readonly log: Log
  /** Where the files are. */
  readonly watches: string
  /** Where it is kept what was done last. */
  readonly done: string
  /** Without quorum nothing is changed: nobody knows what runs elsewhere. */
  readonly quorate: () => boolean
}

interface Following {
  readonly text: string
  readonly watch: Watch
  /** What is to be done, and since when nothing else was. */
  wanted: string | undefined
  timer: NodeJS.Timeout | undefined
  isBusy: boolean
  trouble: string | undefined
}

const mostWatches = 50
const longestTemplate = 1024 * 1024
const againMs = 10_000
const busyMs = 100

export class WatchKeeper {
  readonly #ports: WatchKeeperPorts
  readonly #following = new Map<string, Following>()
  readonly #busy = new Set<string>()
  readonly #abort = new AbortController()
  #mistakes: readonly string[] = []
  #catalogue: Pick<Catalogue, 'services'> | undefined

  constructor(ports: WatchKeeperPorts) {
    this.#ports = ports
  }

  get troubles(): readonly string[] {
    const ofWatches = [...this.#following.values()].flatMap(({ watch, trouble }) =>
      trouble === undefined ? [] : [`The watch ${watch.name} of services has failed: ${trouble}`],
    )
    return [...this.#mistakes, ...ofWatches]
  }

  /** Whether this node follows anything: the files are looked at each time. */
  get isWanted(): boolean {
    return this.#files().length > 0 || this.#following.size > 0
  }

  take(catalogue: Pick<Catalogue, 'services'>): void {
    this.#catalogue = catalogue
    this.#readFiles()
    for (const following of this.#following.values()) this.#look(following)
  }

  close(): void {
    this.#abort.abort()
    for (const { timer } of this.#following.values()) clearTimeout(timer)
  }

  #files(): readonly string[] {
    try {
      return readdirSync(this.#ports.watches).filter((name) => /^[A-Za-z0-9_][\w.-]{0,99}\.yaml$/.test(name))
    } catch {
      return []
    }
  }

  #readFiles(): void {
    const names = this.#files().toSorted()
    const mistakes =
      names.length > mostWatches ? [`There are ${names.length} watches. The limit is ${mostWatches}.`] : []
    const here = names.slice(0, mostWatches)
    for (const [name, { timer }] of this.#following)
      if (!here.includes(name)) {
        clearTimeout(timer)
        this.#following.delete(name)
      }
    for (const name of here) {
      const path = join(this.#ports.watches, name)
      const read = readOwn(path, longestWatchFile)
      if ('why' in read) {
        mistakes.push(`The watch ${path} is not obeyed: ${read.why}.`)
        clearTimeout(this.#following.get(name)?.timer)
        this.#following.delete(name)
        continue
      }
      if (this.#following.get(name)?.text === read.text) continue
      const parsed = parseWatch(basename(name, '.yaml'), read.text)
      clearTimeout(this.#following.get(name)?.timer)
      this.#following.delete(name)
      if (parsed.ok)
        this.#following.set(name, {
          text: read.text,
          watch: parsed.value,
          wanted: undefined,
          timer: undefined,
          isBusy: false,
          trouble: undefined,
        })
      else mistakes.push(...parsed.reports.map((report) => `The watch ${path} is not obeyed: ${report}.`))
    }
    this.#mistakes = mistakes.slice(0, 20)
  }

  #look(following: Following): void {
    const { watch } = following
    const members = membersOf(this.#catalogue ?? { services: [] }, watch.services)
    const state = JSON.stringify(members)
    if (following.wanted === state || following.isBusy) return
    following.wanted = state
    this.#later(following, watch.debounceMs)
  }

  #later(following: Following, ms: number): void {
    clearTimeout(following.timer)
    following.timer = setTimeout(() => void this.#act(following), ms)
  }

  async #act(following: Following): Promise<void> {
    const { watch, wanted, trouble: before } = following
    if (wanted === undefined || following.isBusy || !this.#isFollowed(following)) return
    if (this.#busy.has(watch.name)) {
      // Its file was changed while it was obeyed as it was before.
      this.#later(following, watch.debounceMs + busyMs)
      return
    }
    following.isBusy = true
    this.#busy.add(watch.name)
    try {
      following.trouble = await this.#perform(watch, JSON.parse(wanted) as readonly SeenService[])
    } catch (error) {
      following.trouble = reasonOf(error)
    } finally {
      following.isBusy = false
      this.#busy.delete(watch.name)
    }
    if (this.#abort.signal.aborted || !this.#isFollowed(following)) return
    if (following.trouble === undefined) {
      this.#look(following)
      return
    }
    if (following.trouble !== before)
      this.#ports.log.warn('a watch of services has failed', { watch: watch.name, error: following.trouble })
    // Another change does not wait for that.
    this.#later(following, againMs)
    this.#look(following)
  }

  #isFollowed = (following: Following): boolean => [...this.#following.values()].includes(following)

  /** Undefined: it is done, or there is nothing to do. */
  async #perform(watch: Watch, members: readonly SeenService[]): Promise<string | undefined> {
    const few = members.find(({ instances }) => instances.length < watch.min)
    if (few !== undefined)
      return `${few.name} has ${few.instances.length} healthy instances, fewer than ${watch.min}: everything stays as it was`
    if (!this.#ports.quorate()) return 'this node has no quorum: everything stays as it was'
    const rendered = watch.file && (await render(watch.file.template, members))
    const key = createHash('sha256')
      .update(JSON.stringify([watch.run, watch.file?.to, rendered ?? members]))
      .digest('hex')
    const memory = join(this.#ports.done, watch.name)
    const isInPlace = watch.file === undefined || isThere(watch.file.to)
    if (readIfThere(memory) === key && isInPlace) return undefined
    const run = this.#runnerOf(watch, members)
    if (watch.file && rendered !== undefined) {
      const why = await this.#putInPlace(watch.file, rendered, run)
      if (why !== undefined) return why
    }
    const why = watch.run && (await run(watch.run))
    if (why !== undefined) return why
    mkdirSync(this.#ports.done, { recursive: true, mode: 0o700 })
    writeWhole(memory, key, 0o600)
    const counts = Object.fromEntries(members.map(({ name, instances }) => [name, instances.length]))
    this.#ports.log.info('a watch has followed a change of services', { watch: watch.name, healthy: counts })
    return undefined
  }

  #runnerOf(watch: Watch, members: readonly SeenService[]): (words: readonly string[]) => Promise<string | undefined> {
    return async (words) =>
      await runProgram({
        words,
        input: `${JSON.stringify({ watch: watch.name, services: members })}\n`,
        environment: { SYSTOLE_WATCH: watch.name, SYSTOLE_SERVICES: watch.services.join(' ') },
        timeoutMs: watch.timeoutMs,
        signal: this.#abort.signal,
      })
  }

  async #putInPlace(
    { to, check }: NonNullable<Watch['file']>,
    text: string,
    run: (words: readonly string[]) => Promise<string | undefined>,
  ): Promise<string | undefined> {
    const shared = await whyNotOurs(to)
    if (shared !== undefined) return `${to} stays as it was: ${shared}`
    const mode = modeOf(to)
    if (check) {
      const fresh = `${to}.systole-check`
      writeWhole(fresh, text, mode)
      try {
        const why = await run(check.map((word) => word.replaceAll(fileWord, fresh)))
        if (why !== undefined) return `${to} stays as it was: ${why}`
      } finally {
        rmSync(fresh, { force: true })
      }
    }
    writeWhole(to, text, mode)
    return undefined
  }
}

function isThere(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** As it was; nobody but root writes a new one. */
function modeOf(path: string): number {
  try {
    return statSync(path).mode & 0o777
  } catch {
    return 0o644
  }
}

/** Whoever could swap a folder on the way for a link would have root write where the link leads. A folder that is not there yet root makes. */
async function whyNotOurs(path: string): Promise<string | undefined> {
  try {
    return await whyShared(dirname(path))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

async function render(path: string, members: readonly SeenService[]): Promise<string> {
  const shared = await whyNotOurs(path)
  if (shared !== undefined) throw new Error(shared)
  const read = readOwn(path, longestTemplate)
  if ('why' in read) throw new Error(read.why)
  // The engine is loaded by the first template.
  const { renderTemplate } = await import('./render-template.ts')
  return await renderTemplate(read.text, members)
}
