/** The journals of all nodes, merged. */
import { type JournalEvent, mergeJournals, parseJournalLine } from '../../journal/index.ts'
import type { Call } from '../call/command.ts'
import { liveCluster } from '../call/live.ts'

export interface ReadJournals {
  readonly events: readonly JournalEvent[]
  /** Nodes that did not answer. */
  readonly missing: readonly string[]
}

export async function readJournals(call: Call): Promise<ReadJournals> {
  const { lines, missing } = await liveCluster(call).readJournal({})
  return { events: mergeJournals(lines.split('\n').flatMap((line) => parseJournalLine(line) ?? [])), missing }
}

export const missingNote = (missing: readonly string[]): string =>
  missing.length === 0 ? '' : `Without the journals of ${missing.join(', ')}, which did not answer.\n`
