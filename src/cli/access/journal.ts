/** The journals of all nodes, merged. */
import { parseDurationMs } from '../../base/index.ts'
import { type JournalEvent, mergeJournals, parseJournalLine } from '../../journal/index.ts'
import { type Call, type Flag, Refusal } from '../call/command.ts'
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

export const sinceFlag = (summary: string): Flag => ({ name: 'since', value: 'time', summary })

/** `--since`, in milliseconds since the epoch. */
export function earliestOf(call: Call, now: number): number {
  const word = call.flags.get('since')
  if (word === undefined) return 0
  const ms = parseDurationMs(String(word))
  if (ms === undefined || ms <= 0) throw new Refusal(`--since=${String(word)}: specify a time such as 24h or P7D.`)
  return now - ms
}
