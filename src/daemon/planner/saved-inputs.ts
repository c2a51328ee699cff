/**
 * What transitions were computed from, kept in files as Pacemaker's DC keeps it: `pe-input-7.gz`, `pe-warn-…` where something has failed or is
 * lost, `pe-error-…` where the scheduler could not do its work. What was decided stands at the end of each, for `systole state replay`. Each series has as many files as its
 * option says, and begins anew then; `pe-input.last` holds the number that is next.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { clusterOption, printXml, type XmlElement } from '../../cib/index.ts'
import type { ClusterStatus } from '../../status/index.ts'
import { type DecisionRecord, printDecision } from '../../transition/index.ts'

export type Series = 'pe-input' | 'pe-warn' | 'pe-error'

export function seriesOf({ failures, nodes }: Pick<ClusterStatus, 'failures' | 'nodes'>): Series {
  return failures.length > 0 || nodes.some(({ unclean }) => unclean) ? 'pe-warn' : 'pe-input'
}

const packed = promisify(gzip)

/** `options`: the cluster's, as written. Answers with the file, undefined where none is wanted. */
export async function saveInput(
  cib: XmlElement,
  {
    folder,
    series,
    now,
    options,
    decided,
  }: {
    readonly folder: string
    readonly series: Series
    /** Seconds since the epoch: what rules and expiry were judged by. */
    readonly now: number
    readonly options: ReadonlyMap<string, string>
    readonly decided: DecisionRecord
  },
): Promise<string | undefined> {
  const limit = seriesMax(series, options)
  if (limit === 0) return undefined
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const counter = join(folder, `${series}.last`)
  const number = await nextNumber(counter)
  const here = limit > 0 && number >= limit ? 0 : number
  // The limit may have been lowered: what lies beyond it would stay for ever.
  if (here !== number) await prune(folder, series, limit)
  const path = join(folder, `${series}-${here}.gz`)
  const dated = { ...cib, attributes: { ...cib.attributes, 'execution-date': String(now) } }
  await writeBeside(path, await packed(`${printXml(dated)}${printDecision(decided)}`))
  await writeBeside(counter, `${here + 1}\n`)
  return path
}

function seriesMax(series: Series, options: ReadonlyMap<string, string>): number {
  const definition = clusterOption(`${series}-series-max`)
  const written = Number(options.get(`${series}-series-max`) ?? '')
  const isWritten = options.has(`${series}-series-max`) && Number.isInteger(written)
  return isWritten ? written : Number(definition?.default ?? '0')
}

async function nextNumber(counter: string): Promise<number> {
  try {
    const number = Number((await readFile(counter, 'utf8')).trim())
    return Number.isSafeInteger(number) && number >= 0 ? number : 0
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0
    throw error
  }
}

async function prune(folder: string, series: Series, limit: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, own, number] = /^(pe-[a-z]+)-(\d+)\.gz$/.exec(name) ?? []
    if (own === series && Number(number) >= limit) await rm(join(folder, name), { force: true })
  }
}

/** It holds secrets, and nobody reads half of it. What a power cut takes is no loss. */
async function writeBeside(path: string, content: string | Uint8Array): Promise<void> {
  const fresh = `${path}.new`
  await rm(fresh, { force: true })
  await writeFile(fresh, content, { mode: 0o600, flag: 'wx' })
  await rename(fresh, path)
}

/** One after the other, beside the scheduler's work: neither a slow disk nor a large CIB holds up a transition. */
export class InputKeeper {
  readonly #tell: (kept: Kept) => void
  #last: Promise<void> = Promise.resolve()
  #waiting = 0

  constructor(tell: (kept: Kept) => void) {
    this.#tell = tell
  }

  keep(cib: XmlElement, how: Parameters<typeof saveInput>[1]): void {
    if (this.#waiting >= longestLine) {
      this.#tell({ error: 'the disk is too slow for it' })
      return
    }
    this.#waiting += 1
    this.#last = this.#last
      .then(async () => {
        const file = await saveInput(cib, how)
        if (file !== undefined) this.#tell({ file })
      })
      .catch((error: unknown) => this.#tell({ error: String(error) }))
      .finally(() => {
        this.#waiting -= 1
      })
  }
}

export type Kept = { readonly file: string } | { readonly error: string }

const longestLine = 4
