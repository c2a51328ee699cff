/** The journals of all nodes: what this one wrote down, and what the others did while it was away. Whoever asks merges them, because that takes longer than this thread may be held up. */
import { type NodeName, nodeName } from '../../base/index.ts'
import { type Handlers, type localService, type Messages, refuse } from '../../rpc/index.ts'
import { readJournal } from '../journal/journal-file.ts'
import { mostOperations, readOperations } from '../journal/operations-file.ts'
import type { Daemon } from '../lifecycle/daemon.ts'

type LocalHandlers = Handlers<typeof localService>

const answerWithinMs = 3000

export const ownJournal = (daemon: Pick<Daemon, 'paths'>): Messages['JournalAnswer'] => ({
  lines: readJournal(daemon.paths.journal),
  missing: [],
})

export function ownOperations(
  { paths }: Pick<Daemon, 'paths'>,
  { resources, most }: Messages['OperationsRequest'],
): readonly string[] {
  if (!Number.isInteger(most) || most < 1 || most > mostOperations)
    throw refuse('bad-number', `Ask for 1 to ${mostOperations} operations of each node.`)
  return readOperations(paths.operations, { resources, most }).map((line) => JSON.stringify(line))
}

export function journalHandlers(daemon: Daemon): Pick<LocalHandlers, 'readJournal' | 'readOperations'> {
  return {
    readJournal: async () => {
      daemon.refuseOnWitness()
      const { answers, missing } = await fromOthers(
        daemon,
        async (node) => (await daemon.node.askForJournal(node, answerWithinMs)).lines,
      )
      return { lines: [readJournal(daemon.paths.journal), ...answers].join('\n'), missing }
    },
    readOperations: async (asked) => {
      daemon.refuseOnWitness()
      const own = ownOperations(daemon, asked)
      const { answers, missing } = await fromOthers(
        daemon,
        async (node) => (await daemon.node.askForOperations(node, asked, answerWithinMs)).lines,
      )
      return { lines: [...own, ...answers.flat()], missing }
    },
  }
}

/** One that does not answer is named; of an older version it does not know the call. */
async function fromOthers<Answer>(
  daemon: Daemon,
  ask: (node: NodeName) => Promise<Answer>,
): Promise<{ readonly answers: readonly Answer[]; readonly missing: readonly string[] }> {
  const missing: string[] = []
  const others = (daemon.file?.nodes ?? []).map(({ name }) => name).filter((name) => name !== daemon.name)
  const answers = await Promise.all(
    others.map(async (name): Promise<readonly Answer[]> => {
      try {
        if (!daemon.running) throw new Error('This node takes no part.')
        return [await ask(nodeName(name))]
      } catch {
        missing.push(name)
        return []
      }
    }),
  )
  return { answers: answers.flat() as readonly Answer[], missing: missing.sort() }
}
