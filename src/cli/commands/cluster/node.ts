import { withTokenOnInput } from '../../access/join-token.ts'
import { type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { leftFenceDevices } from '../../change/left-fence-devices.ts'
import { isNode } from '../../facts/status-view.ts'
import { expectWords } from '../../grammar/words.ts'
import { readNodes, withAddresses } from './setup.ts'

export const clusterNodeAdd: Command = {
  path: ['cluster', 'node', 'add'],
  usage: '<node> [addr=<address>]...',
  summary: 'Add a node, and print the command to run on its host',
  details: 'In a cluster with several links, specify one addr= for each link, in the order of the link numbers.',
  flags: [
    {
      name: 'start',
      summary: 'Without effect, accepted for compatibility with pcs: the printed command starts the node',
      withoutEffect: 'the printed command starts the node.',
    },
    {
      name: 'enable',
      summary: 'Without effect, accepted for compatibility with pcs: a started node starts again after a reboot',
      withoutEffect: 'a started node starts again after a reboot.',
    },
    {
      name: 'wait',
      value: '[seconds]',
      summary: 'Without effect, accepted for compatibility with pcs: the printed command waits',
      withoutEffect: 'the printed command waits.',
    },
    {
      name: 'no-watchdog-validation',
      summary:
        'Without effect, accepted for compatibility with pcs: a node opens its watchdog when it starts to feed it',
      withoutEffect: 'a node opens its watchdog when it starts to feed it.',
    },
  ],
  run: async (call) => {
    const [written, ...more] = readNodes(call.words)
    if (!written || more.length > 0)
      throw new Refusal('Specify exactly one node: systole cluster node add <node> [addr=<address>]...')
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
  summary: 'Remove a node from the cluster: its resources move first',
  details:
    'The DC completes the removal even if this command is interrupted; `systole status` shows what it waits for. After the last step, the cluster no longer accepts the node’s key.',
  completes: ['node'],
  flags: [{ name: 'cancel', summary: 'Cancel a removal that is still in progress' }],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'cluster node remove <node> [--cancel]' })
    const node = call.words[0] ?? ''
    if (call.flags.has('cancel')) {
      await liveCluster(call).removeNode({ node, cancel: true })
      return done(`Node ${node} remains in the cluster. If it is already stopped: systole cluster start ${node}\n`, {
        node,
        removed: false,
      })
    }
    if (await isNode(call, node)) call.terminal.progress(`Removing ${node}: its resources move first …`)
    await liveCluster(call).removeNode({ node, cancel: false })
    for (const sentence of leftFenceDevices((await call.cluster.readCib()).cib, node)) call.terminal.progress(sentence)
    return done(`Removed node ${node} from the cluster.\n`, { node, removed: true })
  },
}

export const clusterDestroy: Command = {
  path: ['cluster', 'destroy'],
  usage: '[--yes] [--force]',
  summary: 'Leave the cluster: delete its configuration, certificates and data on this host',
  flags: [
    { name: 'yes', summary: 'Do not ask for confirmation' },
    { name: 'all', summary: 'Refused: run the command on each node' },
    { name: 'force', summary: 'Even if resources run here; they keep running' },
  ],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'cluster destroy' })
    if (call.flags.has('all')) throw new Refusal("Run 'cluster destroy' on each node, without --all.")
    const live = liveCluster(call)
    const question = 'All cluster configuration and data on this node will be lost. Continue?'
    const sure = call.flags.has('yes') || call.flags.has('force') || (await call.terminal.confirm(question))
    if (sure === undefined)
      throw new Refusal('Destroying the cluster requires confirmation: answer at a terminal, or add --yes.')
    if (!sure) throw new Refusal('Nothing was destroyed.')
    await live.destroyCluster({ force: call.flags.has('force') })
    return done('This host no longer belongs to a cluster.\n', { destroyed: true })
  },
}
