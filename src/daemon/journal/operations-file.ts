/**
 * How the operations of this node ended, with what their agents printed: two files beside the journal, of a bounded size, so that an agent that prints much pushes out
 * what others have printed and no event. An agent's environment and parameters are not in it, and secrets were taken out before.
 */
import * as v from 'valibot'
import type { EndedOperation } from '../../executor/index.ts'
import type { Log } from '../host/log.ts'
import { JournalFile, readJournal } from './journal-file.ts'

/** Characters of what an operation printed: the last ones. */
const longestOutput = 8 * 1024
/** Of an answer. */
const mostCharacters = 1024 * 1024
export const mostOperations = 200

const text = v.string()
const whole = v.pipe(v.number(), v.integer())
/** Another version of this daemon may have written it. */
const lineForm = v.object({
  at: whole,
  node: text,
  resource: text,
  operation: text,
  intervalMs: whole,
  status: text,
  rc: whole,
  expected: whole,
  execMs: whole,
  reason: v.exactOptional(text),
  output: text,
})

export type OperationLine = v.InferOutput<typeof lineForm>

export class OperationsFile {
  readonly #self: string
  readonly #log: Log
  readonly #file: JournalFile
  #hasFailed = false

  constructor(self: string, path: string, log: Log) {
    this.#self = self
    this.#log = log
    this.#file = new JournalFile(path)
  }

  readonly note = ({ resource, operation, intervalMs, expected, outcome }: EndedOperation): void => {
    const { status, exitCode, exitReason, output, execTimeMs } = outcome
    const isCut = output.length > longestOutput
    const line: OperationLine = {
      at: Date.now(),
      node: this.#self,
      resource,
      operation,
      intervalMs,
      status,
      rc: exitCode,
      expected,
      execMs: Math.round(execTimeMs),
      ...(exitReason !== undefined && { reason: exitReason }),
      output: isCut ? `[...]${output.slice(-longestOutput)}` : output,
    }
    try {
      this.#file.append([line])
      this.#hasFailed = false
    } catch (error) {
      // No operation waits for it.
      if (!this.#hasFailed) this.#log.warn('what agents print cannot be kept', { error })
      this.#hasFailed = true
    }
  }
}

/** Of these resources, an instance of one among them, the last ones, the oldest first. */
export function readOperations(
  path: string,
  { resources, most }: { readonly resources: readonly string[]; readonly most: number },
): readonly OperationLine[] {
  const wanted = new Set(resources)
  const found: OperationLine[] = []
  let characters = 0
  for (const line of readJournal(path).split('\n').reverse()) {
    const named = /"resource":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? ''
    if (!wanted.has(named.replace(/:\d+$/, ''))) continue
    const read = v.safeParse(lineForm, parsed(line))
    if (!read.success) continue
    characters += line.length
    if (found.length >= Math.min(most, mostOperations) || characters > mostCharacters) break
    found.push(read.output)
  }
  return found.reverse()
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // A power failure has cut it.
    return undefined
  }
}
