import {
  type EditResult,
  nodeNamesOf,
  readConfiguration,
  setNodeMaintenance,
  setStandby,
  type XmlElement,
} from '../../../cib/index.ts'
import { describeHold, type HoldNote, holdsIn, howToEnd, withoutHolds } from '../../../holds/index.ts'
import { type Call, type Command, changeFlags, type Outcome, Refusal } from '../../call/command.ts'
import { changeCib } from '../../change/change.ts'

interface Mode {
  readonly path: readonly string[]
  /** Its name in crmsh, where that is another one. */
  readonly crmsh?: string
  readonly summary: string
  readonly done: string
  /** The holds that have the same effect. */
  readonly ends?: readonly HoldNote['kind'][]
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
    ends: ['drain', 'standby'],
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
    ends: ['maintenance'],
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
  flags: [...changeFlags, { name: 'all', summary: 'All nodes, including remote and guest nodes' }],
  completes: ['node'],
  run: (call) => changeMode(call, mode),
}))

async function changeMode(call: Call, mode: Mode): Promise<Outcome> {
  if (call.flags.has('all') && call.words.length > 0)
    throw new Refusal({ own: '--all and names of nodes exclude each other.', about: { code: 'all-and-names' } })
  const nodes = await chosenNodes(call)
  if (mode.ends !== undefined && call.cluster.live) await refuseHeld(call, mode.ends, nodes)
  return await changeCib(call, {
    edit: (cib) => mode.edit(cib, call.flags.has('all') ? nodeNamesOf(cib) : nodes),
    message: () => `${nodes.join(', ')}: ${mode.done}.`,
    facts: () => ({ nodes }),
  })
}

/** What is held is not the configuration's, and its end is not this command's. */
async function refuseHeld(call: Call, ends: readonly HoldNote['kind'][], nodes: readonly string[]): Promise<void> {
  const { cib } = await call.cluster.readCib()
  const own = withoutHolds(cib)
  const held = holdsIn(cib).filter(
    ({ kind, node, resource }) => resource === undefined && ends.includes(kind) && nodes.includes(node ?? ''),
  )
  // An own standby is taken away all the same; what is left is in the answer of status.
  const name = ends.includes('maintenance') ? 'maintenance' : 'standby'
  const written = new Set(nodesWith(own, name))
  const refused = held.filter(({ node = '' }) => !written.has(node))
  if (refused.length > 0) throw new Refusal(...refused.map((hold) => `${describeHold(hold)}. ${howToEnd(hold)}`))
  for (const hold of held) call.terminal.progress(`${describeHold(hold)}. ${howToEnd(hold)}`)
}

/** The nodes that have the attribute in the configuration. */
function nodesWith(cib: XmlElement, name: string): readonly string[] {
  return readConfiguration(cib).nodes.flatMap((node) =>
    node.attributes.some(({ pairs }) => pairs.some((pair) => pair.name === name)) ? [node.name] : [],
  )
}

async function chosenNodes(call: Call): Promise<readonly string[]> {
  if (call.words.length > 0) return call.words
  if (call.flags.has('all')) return nodeNamesOf((await call.cluster.readCib()).cib)
  if (!call.cluster.live)
    throw new Refusal({ own: 'Specify a node: a CIB file has no local node.', about: { code: 'no-node-in-file' } })
  return [(await call.cluster.live.getState({})).localNode]
}
