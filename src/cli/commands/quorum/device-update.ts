import { type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster, startedCluster } from '../../call/live.ts'
import { splitSections } from '../../grammar/words.ts'
import { hostOf, readOptions, refuseHeuristics, removeTimeoutMs, setupLine, witnessOf } from './witness-words.ts'

const updateUsage = 'quorum device update model [host=<host> [addr=<address>]] [algorithm=ffsplit]'

export const quorumDeviceUpdate: Command = {
  path: ['quorum', 'device', 'update'],
  usage: 'model [host=<host> [addr=<address>]] [algorithm=ffsplit]',
  summary: 'Replace the witness with another host, and print the command to run there',
  details:
    "The nodes first remove the vote of the current witness, as 'quorum device remove' does. The new one votes once it has joined; until then the cluster has no witness. algorithm=ffsplit, the only algorithm, is accepted; a witness has no other options. If the current witness is named and unreachable, a new token is printed.",
  examples: ['systole quorum device update model host=w2'],
  completes: [{ words: ['model'] }, { words: ['host=', 'addr=', 'algorithm=ffsplit'] }],
  run: async (call) => {
    const [generic, ...sections] = splitSections(call.words, ['model', 'heuristics'])
    refuseHeuristics(sections)
    const named = readOptions(
      generic?.words ?? [],
      sections.flatMap(({ words }) => words),
    )
    if (call.words.length === 0 || (named.host === undefined && named.addr !== undefined))
      throw new Refusal(`Arguments are missing. Usage: systole ${updateUsage}.`)
    const live = liveCluster(call)
    const state = await startedCluster(call)
    const present = witnessOf(state)
    const host =
      named.host === undefined || (named.host === present.name && named.addr === undefined)
        ? present
        : await hostOf(call, named.host, named.addr)
    if (host.name === present.name && host.address === present.address) {
      if (named.host === undefined || present.state !== 'silent')
        return done(`Nothing to change: ${present.name} is already the witness.\n`, {
          host: present.name,
          changed: false,
        })
      call.terminal.progress(`${host.name} is already the witness, but unreachable. A new token for it follows.`)
      return setupLine(host, state, await live.addWitness(host))
    }
    call.terminal.progress(`Removing the vote of ${present.name} …`)
    return setupLine(host, state, await live.replaceWitness(host, { timeoutMs: removeTimeoutMs }))
  },
}
