/** Capacities of nodes from their hardware. */
import { autoUtilization, clusterOptionValue, readConfiguration, withoutAutoUtilization } from '../../../cib/index.ts'
import { capacityOf, defaultReserve, type Facts } from '../../../hardware/index.ts'
import { type Call, type Command, changeFlags, Refusal } from '../../call/command.ts'
import { changeCib } from '../../change/change.ts'
import { factsByNode } from '../node/facts.ts'

export const utilizationAutoCommand: Command = {
  path: ['utilization', 'auto'],
  usage: '[<node>...] [--reserve-cpu=<number>] [--reserve-memory=<MiB>] | --remove [<node>...]',
  summary: 'Set the capacities cpu and memory of nodes from their hardware, less a reserve',
  details:
    'cpu is the number of processors, memory is in MiB. They stand in a set of their own in the configuration of each node; a capacity that an administrator has set with node utilization stays, and counts. Nodes of which no facts are known stay as they are. Run the command again after the hardware has changed; --remove removes what it has set.',
  examples: ['systole utilization auto', 'systole utilization auto n1 --reserve-cpu=2 --reserve-memory=4096'],
  flags: [
    ...changeFlags,
    { name: 'reserve-cpu', value: 'number', summary: 'Processors that resources do not get (default: 0)' },
    { name: 'reserve-memory', value: 'MiB', summary: 'Memory that resources do not get (default: 1024)' },
    { name: 'remove', summary: 'Remove the capacities that this command has set' },
  ],
  completes: ['node'],
  run: async (call) => {
    const remove = call.flags.has('remove')
    if (remove && (call.flags.has('reserve-cpu') || call.flags.has('reserve-memory')))
      throw new Refusal('--remove takes no reserve.')
    const reserve = {
      cpu: numberOf(call, 'reserve-cpu', defaultReserve.cpu),
      memoryMib: numberOf(call, 'reserve-memory', defaultReserve.memoryMib),
    }
    const known = await factsByNode(call)
    const unknown = call.words.filter((node) => !known.has(node))
    if (unknown.length > 0) throw new Refusal(...unknown.map((node) => `There is no node '${node}'.`))
    const nodes = call.words.length > 0 ? call.words : [...known.keys()]
    const { cib } = await call.cluster.readCib()
    if (clusterOptionValue(readConfiguration(cib), 'placement-strategy') === 'default')
      call.tell({ code: 'utilization-without-effect' })
    if (remove)
      return await changeCib(call, {
        edit: (before) => withoutAutoUtilization(before, nodes),
        message: () => `Removed the automatic capacities of ${nodes.join(', ')}.`,
        facts: () => ({ nodes }),
      })
    const capacities = nodes.map((node) => ({ node, values: capacityOf(known.get(node) ?? noFacts, reserve) }))
    const lacking = capacities.filter(({ values }) => Object.keys(values).length === 0).map(({ node }) => node)
    const found = capacities.filter(({ node }) => !lacking.includes(node))
    if (lacking.length > 0) call.terminal.progress(`Warning: no facts are known of ${lacking.join(', ')}.`)
    if (found.length === 0) throw new Refusal('No facts are known of these nodes. systole node facts shows which are.')
    return await changeCib(call, {
      edit: (before) => autoUtilization(before, found),
      message: ({ cib: after }) => {
        const now = new Map(readConfiguration(after).nodes.map((node) => [String(node.name), node.utilization]))
        const lines = found.map(({ node }) => {
          const pairs = (now.get(node) ?? []).flatMap((set) => set.pairs)
          return `${node} ${pairs.map(({ name, value }) => `${name}=${value}`).join(' ')}`
        })
        return `Capacities: ${lines.join(', ')}.`
      },
      facts: () => ({ capacities: found, withoutFacts: lacking }),
    })
  },
}

const noFacts: Facts = new Map()

function numberOf({ flags }: Call, name: string, otherwise: number): number {
  const written = flags.get(name)
  if (written === undefined) return otherwise
  if (typeof written === 'string' && /^\d{1,9}$/.test(written)) return Number(written)
  throw new Refusal(`'${String(written)}' is not a reserve. Specify --${name} as a whole number.`)
}
