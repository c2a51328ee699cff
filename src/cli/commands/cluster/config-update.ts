import { type Command, done, Refusal } from '../../command.ts'
import { liveCluster, startedCluster } from '../../live.ts'
import { splitSections } from '../../words.ts'
import { corosyncSections, readToken } from './corosync-options.ts'

const usage = 'totem token=[<milliseconds>]'

export const clusterConfigUpdate: Command = {
  path: ['cluster', 'config', 'update'],
  usage: `${usage} [transport ...] [compression ...] [crypto ...]`,
  summary: 'Change the token of the running cluster: the silence after which a node is suspected',
  details:
    'All nodes take it while they run: first everybody tolerates both the old and the new one, and only when all do so the new one counts, so that nobody is taken for dead meanwhile. Heartbeats are sent three times in each token. ' +
    'An empty value means the default of 1000 ms. All nodes must be there, and they and the witness of a version that knows this. A node whose lease in the store has run out (5 s) is lost whatever the token is. The options of transport, compression and crypto, and the others of totem, are answered with what stands for them.',
  examples: ['systole cluster config update totem token=3000'],
  flags: [
    {
      name: 'corosync_conf',
      value: 'file',
      summary: 'Refused: nothing of Systole reads a corosync.conf',
      completes: 'file',
    },
  ],
  completes: [{ words: ['totem'] }, { words: ['token='] }],
  run: async (call) => {
    const [stray, ...sections] = splitSections(call.words, corosyncSections)
    const [word] = stray?.words ?? []
    if (word !== undefined)
      throw new Refusal(
        `'${word}' stands before transport, compression, crypto or totem: systole cluster config update ${usage}.`,
      )
    const tokenMs = readToken(sections)
    if (call.flags.has('corosync_conf'))
      throw new Refusal(
        'Nothing of Systole reads a corosync.conf: leave out --corosync_conf to change the running cluster; cluster corosync then prints the file as it would be.',
      )
    if (tokenMs === undefined) throw new Refusal(`There is nothing to change: systole cluster config update ${usage}.`)
    await startedCluster(call)
    const { beforeMs } = await liveCluster(call).setToken({ tokenMs }, { timeoutMs: agreeTimeoutMs })
    const text =
      beforeMs === tokenMs
        ? `The token is ${tokenMs} ms already: nothing had to be changed.\n`
        : `The token is ${tokenMs} ms on all nodes, and was ${beforeMs} ms.\n`
    return done(text, { tokenMs, beforeMs, changed: beforeMs !== tokenMs })
  },
}

/** The nodes have 20 s for each of its two steps, and as much for the way back. */
const agreeTimeoutMs = 80_000
