/** What the agents of failed operations printed: the last failure of each operation on each node that the cluster still counts. */
import type { ResourceExplanation } from '../../../scheduler/index.ts'
import { type EndedOperation, hasFailed, readOperations } from '../../access/operations.ts'
import type { Call } from '../../call/command.ts'
import { outputLines } from '../resource/history.ts'

const mostRead = 100
const mostShown = 5

export async function printedByFailed(
  call: Call,
  { instances }: ResourceExplanation,
): Promise<readonly EndedOperation[]> {
  const { live } = call.cluster
  const failures = instances.flatMap((instance) => instance.failures)
  if (live === undefined || failures.length === 0) return []
  const resources = [...new Set(failures.map(({ configuredResource }) => String(configuredResource)))]
  try {
    const { operations } = await readOperations(live, resources, mostRead)
    const last = new Map<string, EndedOperation>()
    for (const one of operations.filter(hasFailed)) last.set(keyOf(one), one)
    const found = failures.flatMap((failure) => last.get(keyOf(failure)) ?? [])
    return [...new Set(found)].filter(({ output }) => output.trim() !== '').slice(0, mostShown)
  } catch {
    // The reasons count; whoever may not read what was printed, or asks a daemon of an older version, gets those.
    return []
  }
}

const keyOf = ({
  node,
  resource,
  operation,
  intervalMs,
}: Pick<EndedOperation, 'node' | 'resource' | 'operation' | 'intervalMs'>): string =>
  JSON.stringify([String(node), String(resource).replace(/:\d+$/, ''), operation, intervalMs])

export const describePrinted = (printed: readonly EndedOperation[]): string =>
  printed
    .flatMap(({ node, operation, output }) => [
      `  The agent printed at this ${operation} on ${node}:`,
      ...outputLines(output, false).map((line) => `  ${line}`),
    ])
    .map((line) => `${line}\n`)
    .join('')
