import { didYouMean, isoTime, momentSeen, similarWords } from '../../../base/index.ts'
import type { FencingRecord } from '../../../rpc/index.ts'
import { type Call, type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { nodeNames } from '../../facts/status-view.ts'
import { expectWords } from '../../grammar/words.ts'
import { secondsOf } from '../../host/host-time.ts'

export const stonithHistory: Command = {
  path: ['stonith', 'history'],
  aliases: [['stonith', 'history', 'show']],
  usage: '[<node>]',
  summary: 'Show the fencing history: targets, times, devices and results',
  completes: ['node'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'stonith history [<node>]' })
    const [node] = call.words
    const state = await liveCluster(call).getState({})
    const records = state.fencing.filter(({ target }) => node === undefined || target === node)
    if (node !== undefined && records.length === 0 && call.speech.program === 'systole') await refuseUnknown(call, node)
    if (records.length === 0) return done(node ? `Node ${node} was never fenced.\n` : 'No node was ever fenced.\n', [])
    return done(
      records.map((record) => `${describeFencing(record, secondsOf(call.terminal.now()))}\n`).join(''),
      records,
    )
  },
}

/** "Never fenced" would be taken for an answer about another node. One that was removed may still be in the history. */
async function refuseUnknown(call: Call, node: string): Promise<void> {
  const known = await nodeNames(call)
  if (!known.includes(node)) throw new Refusal(`There is no node '${node}'.${didYouMean(similarWords(node, known))}`)
}

export const stonithHistoryCleanup: Command = {
  path: ['stonith', 'history', 'cleanup'],
  usage: '[<node>]',
  summary: 'Clear the fencing history, for all nodes or one; pending actions remain',
  completes: ['node'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'stonith history cleanup [<node>]' })
    const [node] = call.words
    const { deleted } = await liveCluster(call).cleanFencingHistory(node === undefined ? {} : { target: node })
    return done(`Cleared ${deleted} fencing ${deleted === 1 ? 'action' : 'actions'}.\n`, { deleted })
  },
}

export const stonithHistoryUpdate: Command = {
  path: ['stonith', 'history', 'update'],
  usage: '',
  summary: 'Does nothing: all nodes share one fencing history',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'stonith history update' })
    const { fencing } = await liveCluster(call).getState({})
    return done('Nothing to do: all nodes share one fencing history.\n', { records: fencing.length })
  },
}

/** What is under way or has failed; not what was done later all the same (as crm_mon leaves it out). */
export function unresolved(records: readonly FencingRecord[]): readonly FencingRecord[] {
  const succeededLater = ({ target, action, begun }: FencingRecord): boolean =>
    records.some(
      (other) =>
        other.outcome === 'succeeded' && other.target === target && other.action === action && other.begun > begun,
    )
  return records.filter((record) => record.outcome !== 'succeeded' && !succeededLater(record))
}

/**
 * The same as `describeFencing`, newest first; attempts that failed in the same way are one line. `now`: seconds since the epoch.
 */
export function describeAttempts(records: readonly FencingRecord[], now: number): readonly string[] {
  const alike = new Map<string, FencingRecord[]>()
  for (const record of records) {
    const { target, action, device, outcome, message } = record
    const key = JSON.stringify([target, action, device, message, outcome === 'failed' ? '' : record.id])
    alike.set(key, [...(alike.get(key) ?? []), record])
  }
  return [...alike.values()].flatMap((group) => {
    const [last, ...before] = group.toSorted((one, other) => other.begun.localeCompare(one.begun))
    const first = before.at(-1)
    if (last === undefined) return []
    if (first === undefined) return [describeFencing(last, now)]
    const since = isoTime(Math.floor(Date.parse(first.begun) / 1000))
    const device = last.device ? ` by ${last.device}` : ''
    const what = `${last.action} of ${last.target}${device} failed ${group.length} times since ${since}`
    const message = last.message ? `: ${last.message}` : ''
    return [`${what}, last at ${momentSeen(Math.floor(Date.parse(last.begun) / 1000), now)}${message}`]
  })
}

/** `now`: seconds since the epoch. */
export function describeFencing(record: FencingRecord, now: number): string {
  const begun = Date.parse(record.begun)
  const device = record.device ? ` by ${record.device}` : ''
  const runner = record.executedBy ? ` from ${record.executedBy}` : ''
  const client = record.client ? `, asked for by ${record.client}` : ''
  const took = record.ended ? ` after ${((Date.parse(record.ended) - begun) / 1000).toFixed(1)} s` : ''
  const message = record.message ? `: ${record.message}` : ''
  const when = momentSeen(Math.floor(begun / 1000), now)
  return `${when}: ${record.action} of ${record.target}${device}${runner}${client}, ${record.outcome}${took}${message}`
}
