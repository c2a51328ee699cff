import { type EditResult, nodeNamesOf, setNodeMaintenance, setStandby, type XmlElement } from '../../../cib/index.ts'
import { changeCib } from '../../change.ts'
import { type Call, type Command, changeFlags, type Outcome, Refusal } from '../../command.ts'

interface Mode {
  readonly path: readonly string[]
  /** Its name in crmsh, where that is another one. */
  readonly crmsh?: string
  readonly summary: string
  readonly done: string
  readonly edit: (cib: XmlElement, nodes: readonly string[]) => EditResult
}

const modes: readonly Mode[] = [
  {
    path: ['node', 'standby'],
    summary: 'Put nodes in standby: all resources move away',
    done: 'in standby',
    edit: (cib, nodes) => setStandby(cib, { nodes, standby: true }),
  },
  {
    path: ['node', 'unstandby'],
    crmsh: 'online',
    summary: 'Take nodes out of standby',
    done: 'out of standby',
    edit: (cib, nodes) => setStandby(cib, { nodes, standby: false }),
  },
  {
    path: ['node', 'maintenance'],
    summary: 'Put nodes in maintenance: no resource is started, stopped or monitored there',
    done: 'in maintenance',
    edit: (cib, nodes) => setNodeMaintenance(cib, { nodes, maintenance: true }),
  },
  {
    path: ['node', 'unmaintenance'],
    crmsh: 'ready',
    summary: 'Take nodes out of maintenance',
    done: 'out of maintenance',
    edit: (cib, nodes) => setNodeMaintenance(cib, { nodes, maintenance: false }),
  },
]

/** `node standby`, `unstandby`, `maintenance`, `unmaintenance`: alike but for the attribute. */
export const nodeModeCommands: readonly Command[] = modes.map((mode) => ({
  path: mode.path,
  aliases: [
    ...(mode.path[1]?.includes('standby') ? [['cluster', ...mode.path.slice(1)]] : []),
    ...(mode.crmsh === undefined ? [] : [['node', mode.crmsh]]),
  ],
  usage: '[--all | <node>...] [--wait[=<seconds>]]',
  summary: mode.summary,
  details: 'Without a node: this node.',
  flags: [...changeFlags, { name: 'all', summary: 'All nodes, remote and guest nodes among them' }],
  completes: ['node'],
  run: (call) => changeMode(call, mode),
}))

async function changeMode(call: Call, mode: Mode): Promise<Outcome> {
  if (call.flags.has('all') && call.words.length > 0)
    throw new Refusal({ own: '--all and names of nodes exclude each other.', about: { code: 'all-and-names' } })
  const nodes = await chosenNodes(call)
  return await changeCib(call, {
    edit: (cib) => mode.edit(cib, call.flags.has('all') ? nodeNamesOf(cib) : nodes),
    message: () => `${nodes.join(', ')}: ${mode.done}.`,
    facts: () => ({ nodes }),
  })
}

async function chosenNodes(call: Call): Promise<readonly string[]> {
  if (call.words.length > 0) return call.words
  if (call.flags.has('all')) return nodeNamesOf((await call.cluster.readCib()).cib)
  if (!call.cluster.live)
    throw new Refusal({ own: 'Specify a node: a CIB file has no local node.', about: { code: 'no-node-in-file' } })
  return [(await call.cluster.live.getState({})).localNode]
}
