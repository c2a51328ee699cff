/**
 * Notes on the agents that run now, one file for each resource, so that the next daemon knows what the last one left. They
 * belong to one boot. A killed daemon's agents go on: their output goes to files, not to pipes that nobody reads.
 */
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type ResourceId, resourceId } from '../base/index.ts'
import { keptOutputBytes, OutputTail } from './captured-output.ts'
import { fileNameOf } from './file-name.ts'
import { processStart, signalGroup } from './process-group.ts'

export interface LeftAgent {
  readonly resource: ResourceId
  readonly operation: string
  readonly processGroup: number
  readonly processStart: string
  /** On the machine's monotonic clock, which daemons of one boot share. */
  readonly killAtMs: number
}

/** Milliseconds of CLOCK_MONOTONIC. */
export function machineMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n)
}

export function notesFolder(runFolder: string): string {
  return join(runFolder, 'ops')
}

export function noteRunning(folder: string, agent: Omit<LeftAgent, 'processStart'>): void {
  const started = processStart(agent.processGroup)
  if (started === undefined) return
  const note = { boot: bootId(), ...agent, processStart: started }
  writeFileSync(notePath(folder, agent.resource), JSON.stringify(note), { mode: 0o600 })
}

export function forgetRunning(folder: string, resource: ResourceId): void {
  rmSync(notePath(folder, resource), { force: true })
}

/** The agents that a former daemon started and that still run. Notes on others are removed. */
export function findLeftAgents(runFolder: string): readonly LeftAgent[] {
  const folder = notesFolder(runFolder)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const left = parseNote(readFileSync(join(folder, name), 'utf8'))
      if (left && isRunning(left)) return [left]
      rmSync(join(folder, name), { force: true })
      return []
    })
}

/** Waits until the agent has ended, and ends its group at its time limit. */
export async function waitForLeftAgent(left: LeftAgent, runFolder: string): Promise<void> {
  while (isRunning(left)) {
    if (machineMs() >= left.killAtMs) signalGroup(left.processGroup, 'SIGKILL')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  forgetRunning(notesFolder(runFolder), left.resource)
}

function isRunning(left: LeftAgent): boolean {
  return processStart(left.processGroup) === left.processStart
}

function parseNote(text: string): LeftAgent | undefined {
  const note = parseJson(text)
  if (typeof note !== 'object' || note === null) return undefined
  const { boot, resource, operation, processGroup, processStart: started, killAtMs } = note as Record<string, unknown>
  if (boot !== bootId() || typeof resource !== 'string' || typeof operation !== 'string') return undefined
  if (typeof processGroup !== 'number' || typeof started !== 'string' || typeof killAtMs !== 'number') return undefined
  return { resource: resourceId(resource), operation, processGroup, processStart: started, killAtMs }
}

/** A note that was being written when the power or the daemon went is none. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
}

function notePath(folder: string, resource: ResourceId): string {
  return join(folder, `${fileNameOf(resource)}.json`)
}

const longestFile = 4 * 1024 * 1024

/**
 * The output of one agent in a file: nothing blocks or breaks when the daemon goes away, and it costs a third of the CPU of
 * pipes. `trim` keeps an agent that talks without end from filling the disk; a service that keeps its agent's output open
 * goes on writing here, and the next operation of its resource empties the file.
 */
export class OutputFile {
  readonly #path: string
  readonly #fd: number
  readonly #kept = new OutputTail()

  constructor(folder: string, resource: ResourceId) {
    this.#path = join(folder, `${fileNameOf(resource)}.out`)
    // In append mode a write after a truncation begins at the new end.
    this.#fd = openSync(this.#path, 'a+', 0o600)
    ftruncateSync(this.#fd)
  }

  /** For the child's standard output and error. */
  get descriptor(): number {
    return this.#fd
  }

  trim(): void {
    const { size } = fstatSync(this.#fd)
    if (size <= longestFile) return
    this.#kept.add(this.#end(size))
    ftruncateSync(this.#fd)
  }

  /** The end of what was written; the file is closed. */
  finish(): string {
    const { size } = fstatSync(this.#fd)
    if (size > 0) this.#kept.add(this.#end(size))
    closeSync(this.#fd)
    return this.#kept.text
  }

  /** One byte more than is kept, so that the text tells that it was cut. */
  #end(size: number): Buffer {
    const buffer = Buffer.alloc(Math.min(size, keptOutputBytes + 1))
    const bytes = readSync(this.#fd, buffer, 0, buffer.length, size - buffer.length)
    return buffer.subarray(0, bytes)
  }
}
