/** How operations of resources ended on all nodes, with what their agents printed. */
import * as v from 'valibot'
import type { LocalClient } from '../../rpc/index.ts'

const count = v.pipe(v.number(), v.integer())
const text = v.pipe(v.string(), v.maxLength(64 * 1024))

/** Another node, of another version, has written it. */
const operationForm = v.object({
  at: count,
  node: text,
  resource: text,
  operation: text,
  intervalMs: count,
  status: text,
  rc: count,
  expected: count,
  execMs: count,
  reason: v.exactOptional(text),
  output: text,
})

export type EndedOperation = v.InferOutput<typeof operationForm>

export interface ReadOperations {
  /** In the order of the nodes' clocks. */
  readonly operations: readonly EndedOperation[]
  readonly missing: readonly string[]
}

export async function readOperations(
  live: LocalClient,
  resources: readonly string[],
  most: number,
): Promise<ReadOperations> {
  const { lines, missing } = await live.readOperations({ resources, most })
  const operations = lines.flatMap((line): readonly EndedOperation[] => {
    const read = v.safeParse(v.pipe(v.string(), v.parseJson(), operationForm), line)
    return read.success ? [read.output] : []
  })
  return { operations: operations.sort((a, b) => a.at - b.at).slice(-most), missing }
}

export const hasFailed = ({ status, rc, expected }: EndedOperation): boolean => status !== 'done' || rc !== expected
