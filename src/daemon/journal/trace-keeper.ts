/**
 * Recoveries as traces, where the cluster has a collector: the DC has each incident sent once it is over, by the command that people have for it
 * (`incident export`), in a process of its own. The daemon itself reads no journals for that and talks to no collector: one that is slow, gone or hostile costs a child
 * process now and then. Up to where all was sent is in the store, so that another DC goes on from there.
 */
import { join } from 'node:path'
import * as v from 'valibot'
import { baseEnvironment, type ProgramEnd, runProgram } from '../../resource-agents/index.ts'
import { type Entry, type Revision, type Store, unchanged } from '../../store/index.ts'
import { alertUser } from '../alerts/alert-user.ts'
import { agentHost } from '../host/agent-host.ts'
import { installFolder } from '../host/install-folder.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { keys, tracesKey } from '../records/keys.ts'

export interface TraceKeeperPorts {
  readonly log: Log
  readonly collector: () => string
  readonly seen: (prefix: string) => readonly Entry[] | undefined
  readonly store: () => Store | undefined
  /** Its own as the DC, where this node is it and has quorum. */
  readonly term: () => number | undefined
  readonly troubleAt: () => number | undefined
  /** Of the store. */
  readonly revision: () => number
  readonly send: (collector: string, after: number) => Promise<Sent>
}

/** What the command says. */
export interface Sent {
  /** The revision of the last incident that was sent; undefined: none was. */
  readonly last: number | undefined
  readonly count: number
  readonly notOver: number
  readonly failed: string | undefined
}

const lookMs = 5000
/** An incident is over when nothing more has happened for half a minute. */
const quietMs = 33_000
const notOverAgainMs = 15_000
const firstPauseMs = 30_000
const longestPauseMs = 10 * 60_000
const recordForm = v.object({ after: v.pipe(v.number(), v.integer()) })

export class TraceKeeper {
  readonly #ports: TraceKeeperPorts
  readonly #timer: NodeJS.Timeout
  #running = false
  /** Undefined: nothing is to be sent that this node knows of. */
  #dueAt: number | undefined
  #seenTrouble = 0
  #leads = false
  #pauseMs = firstPauseMs
  #told = ''

  constructor(ports: TraceKeeperPorts) {
    this.#ports = ports
    this.#timer = setInterval(() => void this.look(), lookMs)
    this.#timer.unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async look(now = performance.now()): Promise<void> {
    const { term, collector, log } = this.#ports
    const leads = term() !== undefined
    // The DC before may have left something.
    if (leads && !this.#leads) this.#dueAt = now
    this.#leads = leads
    if (!leads || this.#running) return
    this.#running = true
    try {
      const after = await this.#place(collector() !== '')
      if (after !== undefined) await this.#sendWhenDue(after, now)
    } catch (error) {
      log.warn('recoveries cannot be sent as traces', { error })
    } finally {
      this.#running = false
    }
  }

  /** From where on is sent: nothing of before the option was set. */
  async #place(isWanted: boolean): Promise<number | undefined> {
    const entry = this.#ports.seen(tracesKey)?.find(({ key }) => key === tracesKey)
    const read = entry && v.safeParse(recordForm, fromBytes(entry.value))
    if (!isWanted) {
      if (entry !== undefined) {
        await this.#write(undefined, entry)
        this.#ports.log.info('recoveries are no longer sent as traces', {})
      }
      return undefined
    }
    if (read?.success === true) return read.output.after
    await this.#write(this.#ports.revision(), entry)
    this.#ports.log.info('recoveries are sent as traces from now on', { collector: this.#ports.collector() })
    return undefined
  }

  async #sendWhenDue(after: number, now: number): Promise<void> {
    const { troubleAt, collector, send, log } = this.#ports
    const trouble = troubleAt() ?? 0
    if (trouble > this.#seenTrouble) {
      this.#seenTrouble = trouble
      this.#dueAt = Math.max(this.#dueAt ?? 0, trouble + quietMs)
    }
    if (this.#dueAt === undefined || now < this.#dueAt) return
    this.#dueAt = undefined
    const { last, count, notOver, failed } = await send(collector(), after)
    if (last !== undefined) {
      const entry = this.#ports.seen(tracesKey)?.find(({ key }) => key === tracesKey)
      await this.#write(last, entry)
      log.info('recoveries were sent as traces', { count, collector: collector() })
    }
    if (failed === undefined) {
      this.#pauseMs = firstPauseMs
      this.#told = ''
      if (notOver > 0) this.#dueAt = now + notOverAgainMs
      return
    }
    if (failed !== this.#told) log.warn('recoveries cannot be sent as traces', { why: failed })
    this.#told = failed
    this.#dueAt = now + this.#pauseMs
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs)
  }

  async #write(after: number | undefined, entry: Entry | undefined): Promise<void> {
    const term = this.#ports.term()
    if (term === undefined) return
    await this.#ports.store()?.transaction({
      compare: [{ kind: 'create-revision', key: keys.dc, equals: term as Revision }, unchanged(tracesKey, entry)],
      writes: [
        after === undefined
          ? { kind: 'delete', key: tracesKey }
          : { kind: 'put', key: tracesKey, value: toBytes({ after }) },
      ],
    })
  }
}

const withinMs = 120_000
const longestAnswer = 256 * 1024
const answerForm = v.object({
  sent: v.array(v.object({ id: v.string() })),
  notOver: v.number(),
  failed: v.nullable(v.string()),
})

/** By the command line, as hacluster where there is such a user: it may read the journals, and needs no other right of root's. */
export async function sendByCommand(paths: Paths, collector: string, after: number): Promise<Sent> {
  const user = alertUser()
  const as = user.name === 'hacluster' ? user.as : undefined
  const words = ['incident', 'export', '--all', `--after=i${after}`, `--otlp=${collector}`, '--json']
  const first = await ran(paths, words, as)
  // A checkout in root's folder is hidden from others.
  const { end, text } = as !== undefined && first.end.failure?.code === 'EACCES' ? await ran(paths, words) : first
  const none = { last: undefined, count: 0, notOver: 0 }
  if (end.failure !== undefined) return { ...none, failed: `The command could not be started: ${end.failure.message}.` }
  if (end.timedOut) return { ...none, failed: `The command took longer than ${withinMs / 1000} s.` }
  const said = jsonIn(text)
  const read = v.safeParse(answerForm, said)
  if (!read.success)
    return { ...none, failed: refusalIn(said) ?? `The command ended with ${end.exitCode ?? end.signal}.` }
  const { sent, notOver, failed } = read.output
  const last = Number(sent.at(-1)?.id.slice(1))
  return { last: Number.isInteger(last) ? last : undefined, count: sent.length, notOver, failed: failed ?? undefined }
}

async function ran(
  paths: Paths,
  words: readonly string[],
  as?: { readonly uid: number; readonly gid: number },
): Promise<{ readonly end: ProgramEnd; readonly text: string }> {
  const headers = process.env.OTEL_EXPORTER_OTLP_HEADERS
  const run = runProgram({
    path: join(installFolder(), 'bin/systole'),
    arguments: words,
    environment: {
      ...baseEnvironment(agentHost(paths)),
      SYSTOLE_ROOT: paths.root,
      ...(headers === undefined ? {} : { OTEL_EXPORTER_OTLP_HEADERS: headers }),
    },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeoutMs: withinMs,
    ...(as === undefined ? {} : { as }),
  })
  const chunks: Buffer[] = []
  let length = 0
  const stdout = run.child?.stdout
  const closed = new Promise<void>((resolve) => {
    if (stdout) stdout.once('close', resolve)
    else resolve()
  })
  stdout
    ?.on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= longestAnswer) chunks.push(chunk)
    })
  const end = await run.ended
  if (end.failure === undefined) await closed
  return { end, text: Buffer.concat(chunks).toString('utf8') }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const refusalIn = (said: unknown): string | undefined =>
  typeof said === 'object' && said !== null && 'error' in said ? String(said.error).slice(0, 500) : undefined
