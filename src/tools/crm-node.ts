/** crm_node: who is this node, who are the others, is there quorum (crm_node(8)). */
import { lastOf, type OptionSpec, parseOptions } from './options.ts'
import { exitCodes, printed, refused, type ToolCall, type ToolReply, type ToolWorld } from './world.ts'

const options: readonly OptionSpec[] = [
  { names: ['name', 'n'], value: 'none' },
  { names: ['name-for-id', 'N'], value: 'required' },
  { names: ['list', 'l'], value: 'none' },
  { names: ['partition', 'p'], value: 'none' },
  { names: ['cluster-id', 'i'], value: 'none' },
  { names: ['quorum', 'q'], value: 'none' },
  { names: ['remove', 'R'], value: 'required' },
  { names: ['force', 'f'], value: 'none' },
  { names: ['quiet', 'Q'], value: 'none' },
  { names: ['verbose', 'V'], value: 'none' },
]
const commands = ['name', 'name-for-id', 'list', 'partition', 'cluster-id', 'quorum', 'remove']

export function crmNode(call: ToolCall, world: ToolWorld): ToolReply {
  const parsed = parseOptions(options, call.arguments)
  if (!parsed.ok) return refused(exitCodes.usage, `crm_node: ${parsed.reports.join('; ')}`)
  const command = lastOf(parsed.value, commands)
  const nodes = world.nodes()
  switch (command?.name) {
    case 'name':
      return printed(`${call.onNode ?? world.localNode}\n`)
    case 'name-for-id': {
      const node = nodes.find(({ id }) => id === command.value)
      return node
        ? printed(`${node.name}\n`)
        : refused(exitCodes.noSuchObject, `crm_node: there is no node with the id ${command.value}`)
    }
    case 'list':
      return printed(nodes.map(({ id, name, state }) => `${id} ${name} ${state}\n`).join(''))
    case 'partition': {
      const present = nodes.filter(({ state }) => state === 'member')
      return printed(`${present.map(({ name }) => name).join(' ')} \n`)
    }
    case 'cluster-id':
      return printed(`${nodes.find(({ name }) => name === world.localNode)?.id ?? ''}\n`)
    case 'quorum':
      return printed(`${world.quorate ? 1 : 0}\n`)
    case 'remove':
      return refused(
        exitCodes.unimplemented,
        `crm_node: use 'systole cluster node remove' to take a node out of the cluster.`,
      )
    default:
      return refused(
        exitCodes.usage,
        'crm_node: a command is needed: --name, --list, --partition, --cluster-id or --quorum.',
      )
  }
}
