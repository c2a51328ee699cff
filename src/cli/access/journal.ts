/** The journals of all nodes, merged. */
import { parseDurationMs } from '../../base/index.ts'
import { type Incident, incidentsIn, type JournalEvent, mergeJournals, parseJournalLine } from '../../journal/index.ts'
import { RefusedError } from '../../rpc/index.ts'
import { type Call, type Flag, Refusal } from '../call/command.ts'
import { liveCluster } from '../call/live.ts'
import { statusOf } from '../facts/status-view.ts'

export interface ReadJournals {
  readonly events: readonly JournalEvent[]
  /** Nodes that did not answer. */
  readonly missing: readonly string[]
}

export async function readJournals(call: Call): Promise<ReadJournals> {
  const { lines, missing } = await liveCluster(call).readJournal({})
  return { events: mergeJournals(lines.split('\n').flatMap((line) => parseJournalLine(line) ?? [])), missing }
}

/** With what the present configuration wants to run; of a cluster that is stopped here it is not known, and nothing is taken for deleted. */
export async function incidentsOf(
  call: Call,
  events: readonly JournalEvent[],
  now: number,
): Promise<readonly Incident[]> {
  const wanted = await wantedResources(call)
  return incidentsIn(events, now, (resource) => wanted === undefined || wanted.has(resource))
}

/** By the names that histories have. */
async function wantedResources(call: Call): Promise<ReadonlySet<string> | undefined> {
  try {
    const { cib } = await call.cluster.readCib()
    const wanted = [...statusOf(call, cib).primitivesById.values()].filter(({ meta }) => meta.targetRole !== 'Stopped')
    return new Set(wanted.flatMap(({ id, configuredId, state }) => [id, configuredId, state.historyName ?? id]))
  } catch (error) {
    if (error instanceof Refusal || error instanceof RefusedError) return undefined
    throw error
  }
}

export const missingNote = (missing: readonly string[]): string =>
  missing.length === 0 ? '' : `Without the journals of ${missing.join(', ')}, which did not answer.\n`

export const sinceFlag = (summary: string): Flag => ({ name: 'since', value: 'time', summary })

/** `--since`, in milliseconds since the epoch. */
export function earliestOf(call: Call, now: number): number {
  const word = call.flags.get('since')
  if (word === undefined) return 0
  const ms = parseDurationMs(String(word))
  if (ms === undefined || ms <= 0) throw new Refusal(`--since=${String(word)}: specify a time such as 24h or P7D.`)
  return now - ms
}
