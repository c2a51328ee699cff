/** What is known of rollouts: from the daemon, or from this node's copy where the daemon or the cluster is down. */
import { join } from 'node:path'
import type { RolloutsKnown } from '../../rollout/index.ts'
import { NoAnswerError, RefusedError, UnreachableError } from '../../rpc/index.ts'
import { type Call, Refusal } from '../call/command.ts'
import { liveCluster } from '../call/live.ts'

export interface Told {
  readonly known: RolloutsKnown
  /** Why it is the copy. */
  readonly copyBecause?: string
}

interface Asked {
  /** With its journal, from this line on. */
  readonly id?: string
  readonly fromLine?: number
}

const patienceMs = 5000

export async function knownNow(call: Call, { id, fromLine = 0 }: Asked = {}): Promise<RolloutsKnown> {
  const { known } = await liveCluster(call).listRollouts(
    { fromLine, ...(id !== undefined && { id }) },
    { timeoutMs: patienceMs },
  )
  return JSON.parse(known) as RolloutsKnown
}

export async function knownOrCopy(call: Call, asked: Asked = {}): Promise<Told> {
  try {
    return { known: await knownNow(call, asked) }
  } catch (error) {
    if (!isDown(error)) throw error
    const known = await copyOf(call)
    if (known === undefined) throw error
    const rollouts = known.rollouts.filter(({ id }) => asked.id === undefined || id === asked.id)
    const fleet = (known.fleet ?? []).filter(({ id }) => asked.id === undefined || id === asked.id)
    return { known: { ...known, rollouts, fleet }, copyBecause: error.message }
  }
}

export const isDown = (error: unknown): error is Error =>
  error instanceof UnreachableError ||
  error instanceof NoAnswerError ||
  (error instanceof RefusedError && (error.code === 'not-started' || error.code === 'no-configuration'))

async function copyOf({ terminal }: Call): Promise<RolloutsKnown | undefined> {
  try {
    const path = join(process.env.SYSTOLE_ROOT || '/', 'var/lib/systole/rollout/known.json')
    return JSON.parse(await terminal.readFile(path)) as RolloutsKnown
  } catch (error) {
    if (error instanceof Refusal || error instanceof SyntaxError) return undefined
    throw error
  }
}
