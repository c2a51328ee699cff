import { type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster, startedCluster } from '../../call/live.ts'
import { splitSections } from '../../grammar/words.ts'
import { corosyncSections, readToken } from './corosync-options.ts'

const usage = 'totem token=[<milliseconds>]'

export const clusterConfigUpdate: Command = {
  path: ['cluster', 'config', 'update'],
  usage: `${usage} [transport ...] [compression ...] [crypto ...]`,
  summary: 'Change the token timeout of the running cluster',
  details:
    'The token timeout is how long a node may be silent before it is suspected. All nodes change it while they run: first they accept both the old and the new value, then only the new one, so no node is considered lost meanwhile. Each node sends three heartbeats per token timeout. ' +
    'An empty value sets the default of 1000 ms. All nodes must be online and, like the witness, run a version that supports this. A node whose lease in the store has expired (5 s) is lost whatever the token timeout is. For other Corosync options the command reports the equivalent in Systole.',
  examples: ['systole cluster config update totem token=3000'],
  flags: [
    {
      name: 'corosync_conf',
      value: 'file',
      summary: 'Refused: Systole does not read corosync.conf',
      completes: 'file',
    },
  ],
  completes: [{ words: ['totem'] }, { words: ['token='] }],
  run: async (call) => {
    const [stray, ...sections] = splitSections(call.words, corosyncSections)
    const [word] = stray?.words ?? []
    if (word !== undefined)
      throw new Refusal(
        `'${word}' precedes transport, compression, crypto or totem. Usage: systole cluster config update ${usage}.`,
      )
    const tokenMs = readToken(sections)
    if (call.flags.has('corosync_conf'))
      throw new Refusal(
        "Systole does not read corosync.conf. Omit --corosync_conf to change the running cluster; 'cluster corosync' then prints the equivalent file.",
      )
    if (tokenMs === undefined) throw new Refusal(`No option is given. Usage: systole cluster config update ${usage}.`)
    await startedCluster(call)
    const { beforeMs } = await liveCluster(call).setToken({ tokenMs }, { timeoutMs: agreeTimeoutMs })
    const text =
      beforeMs === tokenMs
        ? `Nothing to change: the token is already ${tokenMs} ms.\n`
        : `Changed the token from ${beforeMs} ms to ${tokenMs} ms on all nodes.\n`
    return done(text, { tokenMs, beforeMs, changed: beforeMs !== tokenMs })
  },
}

/** The nodes have 20 s for each of its two steps, and as much for the way back. */
const agreeTimeoutMs = 80_000
