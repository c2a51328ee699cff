import { type Command, done, Refusal } from '../../command.ts'
import { liveCluster } from '../../live.ts'
import { expectWords } from '../../words.ts'

export const clusterJoin: Command = {
  path: ['cluster', 'join'],
  usage: '<address> --token=<token> [--start]',
  summary: 'Make this host a node of a cluster, with the token that setup printed',
  flags: [
    { name: 'token', value: 'token', summary: 'From `cluster setup`, `cluster node add` or `cluster token`' },
    { name: 'node', value: 'name', summary: 'The node’s name in the cluster, where it is not the host’s name' },
    { name: 'start', summary: 'Start the cluster on this node at once' },
    { name: 'force', summary: 'Forget the cluster that this host belongs to' },
  ],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'cluster join <address> --token=<token>' })
    const token = call.flags.get('token')
    if (typeof token !== 'string')
      throw new Refusal(
        'A token is needed: --token=<token>. `systole cluster token` on a node of the cluster makes one.',
      )
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

export const clusterToken: Command = {
  path: ['cluster', 'token'],
  usage: '[<seconds>]',
  summary: 'Make a token with which a node may join',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'cluster token [<seconds>]' })
    const seconds = call.words[0] === undefined ? undefined : Number(call.words[0])
    if (seconds !== undefined && !(seconds > 0)) throw new Refusal(`'${call.words[0]}' is no number of seconds.`)
    const token = await liveCluster(call).createJoinToken(seconds === undefined ? {} : { validSeconds: seconds })
    return done(`${token.token}\n`, token)
  },
}
