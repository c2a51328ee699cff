import { readJoinToken, tokenFlags } from '../../access/join-token.ts'
import { type Command, done } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { expectWords } from '../../grammar/words.ts'

const usage = '<address> [--token=- | --token-file=<file>] [--start]'

export const clusterJoin: Command = {
  path: ['cluster', 'join'],
  usage,
  summary: 'Make this host a node of a cluster, with the token that setup printed',
  details:
    'The token is printed by `cluster setup`, `cluster node add` or `cluster token`. Without --token and --token-file, it is read from standard input.',
  examples: ['systole cluster join 10.0.0.1 --token-file=/root/token --start'],
  flags: [
    ...tokenFlags,
    { name: 'node', value: 'name', summary: 'The node’s name in the cluster (default: the host name)' },
    { name: 'start', summary: 'Also start the cluster on this node' },
    { name: 'force', summary: 'Leave the cluster that this host belongs to and discard its data' },
  ],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: `cluster join ${usage}` })
    const token = await readJoinToken(call)
    const name = call.flags.get('node')
    const live = liveCluster(call)
    const { clusterName, node } = await live.joinCluster({
      address: call.words[0] ?? '',
      token,
      force: call.flags.has('force'),
      ...(typeof name === 'string' ? { nodeName: name } : {}),
    })
    if (call.flags.has('start')) await live.startCluster({ nodes: [node] })
    return done(`This host is node ${node} of the cluster ${clusterName}.\n`, { clusterName, node })
  },
}
