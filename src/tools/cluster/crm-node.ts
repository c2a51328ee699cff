/** crm_node: who is this node, who are the others, is there quorum (crm_node(8)). */
import { childElement, childElements, element } from '../../cib/index.ts'
import { removed, sectionOf } from '../cib/tree.ts'
import { commandLine } from '../command-line.ts'
import { exitCodes } from '../exit-codes.ts'
import { always, flag, hasOption, lastOf, valued } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import type { ParsedCall, Tool } from '../tool.ts'
import type { ToolWorld } from '../world.ts'

const commands = ['name', 'name-for-id', 'list', 'partition', 'cluster-id', 'quorum', 'remove']

export const crmNode: Tool = {
  name: 'crm_node',
  summary: 'Show the nodes of the cluster, as a node knows them',
  options: [
    flag('name,n', 'The name of this node'),
    valued('name-for-id,N', 'ID', 'The name of the node with this id'),
    flag('list,l', 'All nodes: id, name, and whether it is a member or lost'),
    flag('partition,p', 'The names of the members, in one line'),
    flag('cluster-id,i', 'The id of this node'),
    flag('quorum,q', '1 with quorum, 0 without'),
    valued(
      'remove,R',
      'NODE',
      'Take what is left of a node out of the configuration (with --force); it must have left the cluster',
    ),
    flag('force,f', 'Do what is dangerous'),
    always('quiet,Q', 'nothing is said beside the answer'),
  ],
  printsXml: true,
  exits: { format: exitCodes.noSuchObject },
  xmlVersions: { nodes: '2.32', 'node-info': '2.32', 'cluster-info': '2.32' },
  run: (call, world) => run(call, world),
}

async function run(call: ParsedCall, world: ToolWorld): Promise<ToolReply> {
  const command = lastOf(call.given, commands)
  if (command === undefined)
    return refused(
      exitCodes.usage,
      'crm_node: a command is needed: --name, --list, --partition, --cluster-id, --name-for-id, --quorum or --remove.',
    )
  // An agent is told for which node it works, whether this one is up or not.
  if (command.name === 'name' && call.onNode !== undefined) return told(call.onNode, world)
  if (command.name === 'remove' && !hasOption(call.given, 'force'))
    return refused(
      exitCodes.usage,
      'The supplied command is considered dangerous.  To prevent accidental destruction of the cluster, the --force flag is required in order to proceed.',
    )
  if (!world.isCluster)
    return refused(exitCodes.notConnected, 'error: Could not connect to controller: Connection refused')
  const nodes = world.nodes()
  switch (command.name) {
    case 'name':
      return told(world.localNode, world)
    case 'name-for-id': {
      const node = nodes.find(({ id }) => id === command.value)
      return node ? told(node.name, world) : refused(exitCodes.noSuchHost, 'Node is not known to cluster')
    }
    case 'list':
      return printed(nodes.map(({ id, name, state }) => `${id} ${name} ${state}\n`).join(''), [
        element(
          'nodes',
          {},
          nodes.map(({ id, name, state }) => element('node', { id, name, state })),
        ),
      ])
    case 'partition': {
      const present = nodes.filter(({ state }) => state === 'member')
      return printed(`${present.map(({ name }) => name).join(' ')} \n`, [
        element(
          'nodes',
          {},
          present.map(({ id, name, state }) => element('node', { id, name, state })),
        ),
      ])
    }
    case 'cluster-id':
      return about(world.localNode, world, ({ id }) => id)
    case 'quorum':
      return printed(`${world.quorate ? 1 : 0}\n`, [element('cluster-info', { quorum: String(world.quorate) })])
    default:
      return await remove(call, command.value ?? '', world)
  }
}

const told = (name: string, world: ToolWorld): ToolReply => about(name, world, () => name)

/** Something of a node as text; its id and name in XML. A remote node has no id there. */
function about(name: string, world: ToolWorld, shown: (node: { readonly id: string }) => string): ToolReply {
  const node = world.nodes().find((one) => one.name === name)
  const id = node?.id ?? ''
  const facts = id === '' ? [] : [element('node-info', { nodeid: id, uname: name })]
  return printed(`${shown({ id })}\n`, facts)
}

/** Its entry and its recorded state: who still belongs to the cluster is taken out of it first. */
async function remove(call: ParsedCall, node: string, world: ToolWorld): Promise<ToolReply> {
  if (world.nodes().some(({ name }) => name === node))
    return refused(
      exitCodes.unsafe,
      `crm_node: ${node} belongs to the cluster. Use 'systole cluster node remove ${node}', which takes it out everywhere.`,
    )
  const refusal = await world.edit(
    (cib) => {
      const nodes = sectionOf(cib, 'nodes')
      const status = childElement(cib, 'status')
      const entries = [
        ...(nodes === undefined ? [] : childElements(nodes, 'node')),
        ...(status === undefined ? [] : childElements(status, 'node_state')),
      ]
      return entries
        .filter(({ attributes }) => attributes.uname === node)
        .reduce((current, entry) => removed(current, entry), cib)
    },
    { command: commandLine(call), whole: true },
  )
  return refusal ?? printed('')
}
