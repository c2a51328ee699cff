/** The journals of all nodes as one: what this node wrote down, and what the others did while it was away. */
import { nodeName } from '../../base/index.ts'
import { type JournalEvent, mergeJournals, parseJournalLine } from '../../journal/index.ts'
import type { Handlers, localService, Messages } from '../../rpc/index.ts'
import { longestJournal, printJournal, readJournal } from '../journal/journal-file.ts'
import type { Daemon } from '../lifecycle/daemon.ts'

type LocalHandlers = Handlers<typeof localService>

const answerWithinMs = 3000

export const ownJournal = (daemon: Daemon, since: number): Messages['JournalAnswer'] => ({
  lines: printJournal(readJournal(daemon.paths.journal, since), longestJournal),
  missing: [],
})

export function journalHandlers(daemon: Daemon): Pick<LocalHandlers, 'readJournal'> {
  return {
    readJournal: async ({ since }) => {
      daemon.refuseOnWitness()
      const missing: string[] = []
      const others = (daemon.file?.nodes ?? []).map(({ name }) => name).filter((name) => name !== daemon.name)
      const journals = await Promise.all(
        others.map(async (name): Promise<readonly JournalEvent[]> => {
          try {
            if (!daemon.running) throw new Error('This node takes no part.')
            const answer = await daemon.node.askForJournal(nodeName(name), { since }, answerWithinMs)
            return answer.lines.split('\n').flatMap((line) => parseJournalLine(line) ?? [])
          } catch {
            missing.push(name)
            return []
          }
        }),
      )
      const all = mergeJournals([readJournal(daemon.paths.journal, since), ...journals])
      return { lines: printJournal(all, longestJournal), missing }
    },
  }
}
