import { type Command, done, Refusal } from '../../command.ts'
import { liveCluster } from '../../live.ts'
import { formatFlag, inFormat } from '../../output-format.ts'
import { alignColumns } from '../../table.ts'
import { expectWords } from '../../words.ts'

const noFile = {
  name: 'corosync_conf',
  value: 'file',
  summary: 'Refused: there is no corosync.conf',
} as const

export const clusterConfig: Command = {
  path: ['cluster', 'config', 'show'],
  bare: [['cluster', 'config']],
  usage: '[--output-format text|cmd|json]',
  summary: 'Show the cluster’s name, its nodes and its store',
  flags: [formatFlag, noFile],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'cluster config show' })
    if (call.flags.has('corosync_conf'))
      throw new Refusal('There is no corosync.conf to be read: leave --corosync_conf out.')
    const state = await liveCluster(call).getState({})
    if (!state.configured) throw new Refusal('This host belongs to no cluster yet.')
    const nodes = state.members.map(({ node, address, votes }) => ({ node, address, votes }))
    return await inFormat(call, {
      text: () =>
        `Cluster Name: ${state.clusterName}\nStore: ${state.store.kind}\nNodes:\n${alignColumns(
          nodes.map(({ node, address, votes }) => [node, address, votes ? 'votes' : 'does not vote']),
          '  ',
        )}`,
      json: { cluster_name: state.clusterName, store: state.store.kind, nodes },
      cmd: () =>
        Promise.resolve([
          [
            'cluster',
            'setup',
            state.clusterName,
            ...nodes.flatMap(({ node, address }) => [node, `addr=${address}`]),
            ...(state.store.kind === 'embedded' ? ['--store=embedded'] : []),
          ],
        ]),
    })
  },
}

export const clusterEnable: Command = {
  path: ['cluster', 'enable'],
  usage: '[--all | <node>...]',
  summary: 'Does nothing: a node that was started is started again when its host starts',
  flags: [{ name: 'all', summary: 'All nodes' }],
  completes: ['node'],
  run: (call) =>
    Promise.resolve(
      done('Nothing had to be done: a node that was started is started again when its host starts.\n', {
        nodes: call.words,
        enabled: true,
      }),
    ),
}
