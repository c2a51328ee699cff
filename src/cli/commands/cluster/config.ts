import { type Command, Refusal } from '../../command.ts'
import { liveCluster } from '../../live.ts'
import { formatFlag, inFormat } from '../../output-format.ts'
import { alignColumns } from '../../table.ts'
import { expectWords } from '../../words.ts'
import { defaultTokenMs } from './corosync-options.ts'

export const clusterConfig: Command = {
  path: ['cluster', 'config', 'show'],
  bare: [['cluster', 'config']],
  usage: '[--output-format text|cmd|json]',
  summary: 'Show the cluster’s name, its nodes, its store and its token',
  flags: [formatFlag],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'cluster config show' })
    const state = await liveCluster(call).getState({})
    if (!state.configured) throw new Refusal('This host belongs to no cluster yet.')
    const { tokenMs = defaultTokenMs } = state
    const nodes = state.members.map(({ node, address, votes }) => ({ node, address, votes }))
    return await inFormat(call, {
      text: () =>
        `Cluster Name: ${state.clusterName}\nStore: ${state.store.kind}\nToken: ${tokenMs} ms\nNodes:\n${alignColumns(
          nodes.map(({ node, address, votes }) => [node, address, votes ? 'votes' : 'does not vote']),
          '  ',
        )}`,
      json: { cluster_name: state.clusterName, store: state.store.kind, token: tokenMs, nodes },
      cmd: () =>
        Promise.resolve([
          [
            'cluster',
            'setup',
            state.clusterName,
            ...nodes.flatMap(({ node, address }) => [node, `addr=${address}`]),
            ...(tokenMs === defaultTokenMs ? [] : ['totem', `token=${tokenMs}`]),
            ...(state.store.kind === 'embedded' ? ['--store=embedded'] : []),
          ],
        ]),
    })
  },
}
