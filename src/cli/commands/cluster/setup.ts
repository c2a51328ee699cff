import type { ClusterNode } from '../../../rpc/index.ts'
import { type Command, done, Refusal } from '../../command.ts'
import { liveCluster } from '../../live.ts'
import { expectWords } from '../../words.ts'

const usage = '<cluster name> (<node> [addr=<address>])... [--start]'

export const clusterSetup: Command = {
  path: ['cluster', 'setup'],
  usage,
  summary: 'Make this host the first node of a new cluster',
  details:
    'Makes the cluster’s certificate authority and prints the one command to run on each other node. The first named node must be this host.\n' +
    'An address is an IP address or a host name; the node’s name where none is given.',
  examples: ['systole cluster setup prod n1 addr=10.0.0.1 n2 addr=10.0.0.2 n3 addr=10.0.0.3'],
  flags: [
    { name: 'name', value: 'cluster name', summary: 'The cluster’s name, as older scripts write it' },
    { name: 'start', summary: 'Start the cluster on this node at once' },
    { name: 'enable', summary: 'Accepted for pcs’s sake: a node that was started stays started across reboots' },
    { name: 'force', summary: 'Forget the cluster that this host belongs to' },
  ],
  run: async (call) => {
    const flagName = call.flags.get('name')
    const words = typeof flagName === 'string' ? [flagName, ...call.words] : call.words
    expectWords(words, { atLeast: 2, usage: `cluster setup ${usage}` })
    const [clusterName = '', ...rest] = words
    const nodes = readNodes(rest)
    const live = liveCluster(call)
    const { token, validUntil } = await live.setupCluster({ clusterName, nodes, force: call.flags.has('force') })
    const [first, ...others] = nodes
    if (call.flags.has('start')) await live.startCluster({ nodes: [first?.name ?? ''], force: false })
    const join = `systole cluster join ${first?.address ?? ''} --token ${token}`
    const next =
      others.length > 0
        ? `Run this on ${others.map(({ name }) => name).join(', ')} (valid until ${validUntil}):\n  ${join}\n`
        : ''
    const start = call.flags.has('start') ? '' : 'Then start the cluster: systole cluster start --all\n'
    return done(`The cluster ${clusterName} is set up on this node.\n${next}${start}`, {
      clusterName,
      nodes,
      joinToken: token,
      joinTokenValidUntil: validUntil,
      joinCommand: join,
    })
  },
}

/** `n1 addr=10.0.0.1 n2 n3 addr=…`. */
export function readNodes(words: readonly string[]): readonly ClusterNode[] {
  const nodes: { name: string; address: string }[] = []
  for (const word of words) {
    const last = nodes.at(-1)
    if (word.startsWith('addr=')) {
      if (!last) throw new Refusal(`'${word}' stands before any node: write the node's name first.`)
      if (last.address !== last.name)
        throw new Refusal(`The node ${last.name} has two addresses: Systole uses one per node.`)
      last.address = word.slice('addr='.length)
    } else if (word.includes('=')) throw new Refusal(`'${word}' is no option of a node: only addr=<address> is.`)
    else nodes.push({ name: word, address: word })
  }
  const wrong = nodes
    .filter(({ name }) => !/^[a-zA-Z0-9][a-zA-Z0-9.-]*$/.test(name))
    .map(({ name }) => `'${name}' is no node name: use letters, digits, '.' and '-'.`)
  const twice = nodes
    .filter(({ name }, index) => nodes.findIndex((other) => other.name === name) !== index)
    .map(({ name }) => `The node ${name} is named twice.`)
  const empty = nodes.filter(({ address }) => address === '').map(({ name }) => `The address of ${name} is empty.`)
  if (wrong.length + twice.length + empty.length > 0) throw new Refusal(...wrong, ...twice, ...empty)
  return nodes
}
