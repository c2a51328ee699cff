import { type Command, done, Refusal } from '../../command.ts'
import { liveCluster, startedCluster } from '../../live.ts'
import { splitSections } from '../../words.ts'
import { hostOf, readOptions, refuseHeuristics, removeTimeoutMs, setupLine, witnessOf } from './witness-words.ts'

const updateUsage = 'quorum device update model [host=<host> [addr=<address>]] [algorithm=ffsplit]'

export const quorumDeviceUpdate: Command = {
  path: ['quorum', 'device', 'update'],
  usage: 'model [host=<host> [addr=<address>]] [algorithm=ffsplit]',
  summary: 'Put another host in the place of the witness, and print the command to run there',
  details:
    'The nodes agree to go on without the vote of the present witness, as with quorum device remove; the new one votes once it has joined. Meanwhile the cluster is one without a witness. What is so already, such as algorithm=ffsplit, is taken; a witness has no other options. For the present witness, as long as it is not heard, another token is printed.',
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
      throw new Refusal(`Something is missing: systole ${updateUsage}.`)
    const live = liveCluster(call)
    const state = await startedCluster(call)
    const present = witnessOf(state)
    const host =
      named.host === undefined || (named.host === present.name && named.addr === undefined)
        ? present
        : await hostOf(call, named.host, named.addr)
    if (host.name === present.name && host.address === present.address) {
      if (named.host === undefined || present.state !== 'silent')
        return done('That is so already: nothing had to be changed.\n', { host: present.name, changed: false })
      call.terminal.progress(`${host.name} is the witness already, and not there: this is another token for it.`)
      return setupLine(host, state, await live.addWitness(host))
    }
    call.terminal.progress(`The nodes agree to go on without the vote of ${present.name} …`)
    return setupLine(host, state, await live.replaceWitness(host, { timeoutMs: removeTimeoutMs }))
  },
}
