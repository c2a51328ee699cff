/** The journals of all nodes: what this one wrote down, and what the others did while it was away. Whoever asks merges them, because that takes longer than this thread may be held up. */
import { nodeName } from '../../base/index.ts'
import type { Handlers, localService, Messages } from '../../rpc/index.ts'
import { readJournal } from '../journal/journal-file.ts'
import type { Daemon } from '../lifecycle/daemon.ts'

type LocalHandlers = Handlers<typeof localService>

const answerWithinMs = 3000

export const ownJournal = (daemon: Pick<Daemon, 'paths'>): Messages['JournalAnswer'] => ({
  lines: readJournal(daemon.paths.journal),
  missing: [],
})

export function journalHandlers(daemon: Daemon): Pick<LocalHandlers, 'readJournal'> {
  return {
    readJournal: async () => {
      daemon.refuseOnWitness()
      const missing: string[] = []
      const others = (daemon.file?.nodes ?? []).map(({ name }) => name).filter((name) => name !== daemon.name)
      const journals = await Promise.all(
        others.map(async (name) => {
          try {
            if (!daemon.running) throw new Error('This node takes no part.')
            return (await daemon.node.askForJournal(nodeName(name), answerWithinMs)).lines
          } catch {
            missing.push(name)
            return ''
          }
        }),
      )
      return { lines: [readJournal(daemon.paths.journal), ...journals].join('\n'), missing: missing.sort() }
    },
  }
}
