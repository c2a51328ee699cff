import { type Command, done } from '../../command.ts'
import { liveCluster } from '../../live.ts'
import { alignColumns } from '../../table.ts'
import { expectWords } from '../../words.ts'

export const clusterStatus: Command = {
  path: ['cluster', 'status'],
  aliases: [
    ['status', 'cluster'],
    ['status', 'corosync'],
  ],
  usage: '',
  summary: 'Show whether the daemon and the cluster run here, and the members',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'cluster status' })
    const live = liveCluster(call)
    const state = await live.getState({})
    if (!state.configured)
      return done('The daemon runs; this host belongs to no cluster yet.\n', { configured: false, started: false })
    const certificates = await live.getCertificates({})
    const rows = state.members.map(({ node, state: membership, address, daemonVersion }) => [
      node,
      membership,
      address,
      daemonVersion ?? '',
    ])
    const facts = alignColumns([
      ['Cluster:', state.clusterName],
      ['This node:', `${state.localNode}, ${state.started ? 'started' : 'not started'}`],
      ['Quorate:', state.quorate ? 'yes' : 'no'],
      ['DC:', state.dc ?? 'none'],
      ['Store:', `${state.store.kind}, ${state.store.healthy ? 'healthy' : (state.store.message ?? 'not healthy')}`],
      ['Certificate:', `valid until ${certificates.validUntil}, renewed by itself at ${certificates.renewsAt}`],
      ['Authority:', `valid until ${certificates.authorityValidUntil}`],
    ])
    return done(`${facts}\n${alignColumns([['Node', 'State', 'Address', 'Version'], ...rows])}`, {
      ...state,
      certificates,
    })
  },
}
