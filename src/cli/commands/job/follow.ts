/** Follows a job: prints what it prints, line by line with the name of the node before it, until it has ended. */

import { StringDecoder } from 'node:string_decoder'
import { setTimeout as delay } from 'node:timers/promises'
import { printable } from '../../../base/index.ts'
import { type LocalClient, RefusedError } from '../../../rpc/index.ts'
import { Refusal } from '../../call/command.ts'
import type { Job } from './print-job.ts'

const waitMs = 10_000
/** The daemon answers when the wait is over. */
const answersWithinMs = 30_000
/** A daemon that is restarted, or a node without quorum, is asked again for so long. */
const patienceMs = 120_000
const pauseMs = 300
/** What a node that has ended has printed comes at once, or not at all. */
export const silentMs = 10_000

export interface FollowHow {
  readonly nodes: readonly string[]
  /** Whole lines. */
  readonly write: (node: string, lines: readonly string[]) => Promise<void>
  readonly note: (line: string) => void
}

export async function followJob(live: LocalClient, job: Job, how: FollowHow): Promise<Job> {
  const end = new AbortController()
  let heard = performance.now()
  const readers = Promise.all(
    how.nodes.map((node) =>
      readNode(live, { id: job.id, node }, { ...how, signal: end.signal, onData: () => (heard = performance.now()) }),
    ),
  )
  readers.catch(() => undefined)
  const ended = await untilEnded(live, job)
  heard = performance.now()
  let isOver = false
  const over = readers.then(() => {
    isOver = true
  })
  while (!isOver && performance.now() - heard < silentMs) await Promise.race([over, delay(pauseMs)])
  end.abort()
  return ended
}

async function untilEnded(live: LocalClient, job: Job): Promise<Job> {
  let known = job
  while (known.state !== 'done')
    known = await patiently(job.id, () =>
      live.getJob({ id: job.id, newerThan: known.revision, waitMs }, { timeoutMs: answersWithinMs }),
    )
  return known
}

interface OutputSource {
  readonly id: string
  readonly node: string
  /** Of a play or a rollout. */
  readonly task?: string
  /** What stands before each line, where that is not the node. */
  readonly label?: string
}

export async function readNode(
  live: LocalClient,
  { label, ...source }: OutputSource,
  {
    write,
    note,
    signal,
    onData,
  }: Omit<FollowHow, 'nodes'> & { readonly signal: AbortSignal; readonly onData: () => void },
): Promise<void> {
  const { id, node } = source
  const lines = new Lines(label ?? node, write)
  for (let offset = 0; !signal.aborted; ) {
    const asked = { ...source, offset, waitMs }
    const answer = await patiently(id, () => live.readJobOutput(asked, { timeoutMs: answersWithinMs, signal }), signal)
    if (answer.data !== '') {
      onData()
      const chunk = Buffer.from(answer.data, 'base64')
      offset += chunk.length
      await lines.add(chunk)
    }
    if (answer.note !== undefined) note(answer.note)
    if (answer.ended) break
  }
  await lines.end()
}

/** The job goes on without whoever follows it. */
async function patiently<T>(id: string, call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const until = performance.now() + patienceMs
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (signal?.aborted) throw error
      if (error instanceof RefusedError && !passing.has(error.code)) throw error
      if (performance.now() >= until)
        throw new Refusal(
          `The daemon of this host does not answer. The job goes on: see 'systole job show ${id}' when it does.`,
        )
      await delay(pauseMs)
    }
  }
}

/** A daemon that has just begun. */
const passing: ReadonlySet<string> = new Set(['not-started', 'no-quorum', 'not-running', 'unreachable'])

class Lines {
  readonly #node: string
  readonly #write: FollowHow['write']
  readonly #decoder = new StringDecoder('utf8')
  #rest = ''

  constructor(node: string, write: FollowHow['write']) {
    this.#node = node
    this.#write = write
  }

  async add(chunk: Buffer): Promise<void> {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n')
    this.#rest = lines.pop() ?? ''
    // A line without an end is shown in pieces.
    if (this.#rest.length > longestLine) lines.push(this.#take())
    if (lines.length > 0) await this.#write(this.#node, lines)
  }

  async end(): Promise<void> {
    const rest = this.#take() + this.#decoder.end()
    if (rest !== '') await this.#write(this.#node, [rest])
  }

  #take(): string {
    const rest = this.#rest
    this.#rest = ''
    return rest
  }
}

const longestLine = 64 * 1024

/** A terminal gets control characters escaped; a file or pipe gets the output as it came. */
export async function writeOutput(node: string, lines: readonly string[]): Promise<void> {
  const text = lines.map((line) => `${node}: ${line}\n`).join('')
  const shown = process.stdout.isTTY ? printable(text) : text
  if (!process.stdout.write(shown)) await new Promise((resolve) => process.stdout.once('drain', resolve))
}
