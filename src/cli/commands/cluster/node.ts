import { type Command, done, Refusal } from '../../command.ts'
import { withTokenOnInput } from '../../join-token.ts'
import { leftFenceDevices } from '../../left-fence-devices.ts'
import { liveCluster } from '../../live.ts'
import { expectWords } from '../../words.ts'
import { readNodes, withAddresses } from './setup.ts'

export const clusterNodeAdd: Command = {
  path: ['cluster', 'node', 'add'],
  usage: '<node> [addr=<address>]...',
  summary: 'Let another host become a node, and print the command to run there',
  details:
    'In a cluster with several links the node has an address on each: one addr= for each link, in the order of their numbers.',
  flags: [
    {
      name: 'start',
      summary: 'Without effect, for pcs’s sake: the printed command starts the node',
      withoutEffect: 'the printed command starts the node.',
    },
    {
      name: 'enable',
      summary: 'Without effect, for pcs’s sake: a node that was started stays started across reboots',
      withoutEffect: 'a node that was started stays started across reboots.',
    },
    {
      name: 'wait',
      value: '[seconds]',
      summary: 'Without effect, for pcs’s sake: the printed command waits',
      withoutEffect: 'the printed command waits.',
    },
    {
      name: 'no-watchdog-validation',
      summary: 'Without effect, for pcs’s sake: a node opens its watchdog when it begins to feed it',
      withoutEffect: 'a node opens its watchdog when it begins to feed it.',
    },
  ],
  run: async (call) => {
    const [written, ...more] = readNodes(call.words)
    if (!written || more.length > 0)
      throw new Refusal('Name exactly one node: systole cluster node add <node> [addr=<address>]...')
    const live = liveCluster(call)
    const [node = written] = await withAddresses(call, [written])
    const { localNode, members } = await live.getState({})
    const { token, validUntil } = await live.addNode(node)
    const address = members.find((member) => member.node === localNode)?.address ?? localNode
    const join = withTokenOnInput(`systole cluster join ${address} --start`, token)
    return done(`Run this on ${node.name} (once, until ${validUntil}):\n  ${join}\n`, {
      node: node.name,
      address: node.address,
      joinToken: token,
      joinTokenValidUntil: validUntil,
      joinCommand: join,
    })
  },
}

export const clusterNodeRemove: Command = {
  path: ['cluster', 'node', 'remove'],
  aliases: [['cluster', 'node', 'delete']],
  usage: '<node> [--cancel]',
  summary: 'Take a node out of the cluster: its resources move first',
  details:
    'The DC carries the removal on, also when this command is interrupted: `systole status` names what it waits for. From the last step on the node’s key opens nothing any more.',
  completes: ['node'],
  flags: [{ name: 'cancel', summary: 'Keep a node whose removal was begun and has not ended' }],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'cluster node remove <node> [--cancel]' })
    const node = call.words[0] ?? ''
    if (call.flags.has('cancel')) {
      await liveCluster(call).removeNode({ node, cancel: true })
      return done(
        `Node ${node} stays part of the cluster. Where it was stopped already: systole cluster start ${node}\n`,
        {
          node,
          removed: false,
        },
      )
    }
    call.terminal.progress(`Removing ${node}: its resources move first …`)
    await liveCluster(call).removeNode({ node, cancel: false })
    for (const sentence of leftFenceDevices((await call.cluster.readCib()).cib, node)) call.terminal.progress(sentence)
    return done(`Node ${node} is no longer part of the cluster.\n`, { node, removed: true })
  },
}

export const clusterDestroy: Command = {
  path: ['cluster', 'destroy'],
  usage: '[--yes] [--force]',
  summary: 'Forget the cluster on this node: configuration, certificates and data',
  flags: [
    { name: 'yes', summary: 'Do not ask' },
    { name: 'all', summary: 'Refused: each node forgets the cluster by itself' },
    { name: 'force', summary: 'Even while resources run here; they are left running' },
  ],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'cluster destroy' })
    if (call.flags.has('all'))
      throw new Refusal('A node forgets the cluster by itself: run cluster destroy on each, without --all.')
    const live = liveCluster(call)
    const question = 'All configuration and data of the cluster on this node will be lost. Go on?'
    const sure = call.flags.has('yes') || call.flags.has('force') || (await call.terminal.confirm(question))
    if (sure === undefined)
      throw new Refusal('Destroying the cluster needs a person: answer at a terminal, or add --yes.')
    if (!sure) throw new Refusal('Nothing was destroyed.')
    await live.destroyCluster({ force: call.flags.has('force') })
    return done('This host belongs to no cluster any more.\n', { destroyed: true })
  },
}
