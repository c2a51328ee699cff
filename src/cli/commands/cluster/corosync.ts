/** What pcs does with corosync.conf. Here the list of nodes is in the store, from where every node has it. */

import { type Call, type Command, done, type Outcome, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { linksOf } from '../../facts/member-links.ts'
import { expectWords } from '../../grammar/words.ts'
import { corosyncFile } from '../../host/corosync-file.ts'

export const clusterCorosync: Command = {
  path: ['cluster', 'corosync'],
  usage: '[<node>]',
  summary: 'Print the cluster’s nodes as a corosync.conf, for programs that read one',
  completes: ['node'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'cluster corosync [<node>]' })
    const state = await liveCluster(call).getState({})
    if (!state.configured) throw new Refusal('This host does not belong to a cluster yet.')
    const nodes = state.members.map((member) => ({
      name: member.node,
      links: linksOf(member),
      votes: member.votes,
    }))
    const [asked] = call.words
    if (asked !== undefined && !nodes.some(({ name }) => name === asked))
      throw new Refusal(`There is no node '${asked}' in the cluster.`)
    const text = corosyncFile({
      name: state.clusterName,
      nodes,
      ...(state.tokenMs === undefined ? {} : { tokenMs: state.tokenMs }),
      ...(state.witness === undefined ? {} : { witness: state.witness.name }),
    })
    return done(text, { text })
  },
}

export const clusterSync: Command = {
  path: ['cluster', 'sync'],
  aliases: [
    ['cluster', 'sync', 'corosync'],
    ['cluster', 'reload', 'corosync'],
  ],
  usage: '',
  summary: 'Does nothing: every node reads the node list and the configuration from the store',
  run: (call) => sync(call),
}

/** What the command is for is so already, on each node that is there. */
async function sync(call: Call): Promise<Outcome> {
  expectWords(call.words, { atLeast: 0, atMost: 0, usage: call.command.path.join(' ') })
  const state = await liveCluster(call).getState({})
  if (!state.configured) throw new Refusal('This host does not belong to a cluster yet.')
  const away = state.members.filter((member) => member.state !== 'member').map(({ node }) => node)
  const later = away.length === 0 ? '' : ` ${away.join(', ')} will have both when back.`
  return done(`Nothing to copy: every node reads the node list and the configuration from the store.${later}\n`, {
    nodes: state.members.map(({ node }) => node),
    away,
  })
}
