/**
 * What of the status somebody should know about, most urgent first: one sentence each and the command that shows why or ends it. The sentences are those
 * of `status`; who reads them by a program, such as the console, has them in one list.
 */
import type { XmlElement } from '../../../cib/index.ts'
import { describeHold, holdsIn, howToEnd } from '../../../holds/index.ts'
import type { ClusterState } from '../../../rpc/index.ts'
import { declaredGates, declaredServices } from '../../../services/index.ts'
import { type ClusterStatus, failuresAlike, type NodeStatus, remarksOn } from '../../../status/index.ts'
import { type Attention, resourceFacts, type StoppedTogether } from '../../facts/status-facts.ts'
import { describeAttempts, unresolved } from '../stonith/history.ts'
import { describeFailures, switchedOff, unheard } from './sentences.ts'

interface Seen {
  readonly cib: XmlElement
  readonly read: ClusterStatus
  readonly state: ClusterState | undefined
  readonly stopped: readonly StoppedTogether[]
}

const urgency = ['critical', 'warning', 'note'] as const

export function attentionIn(seen: Seen): readonly Attention[] {
  const all = [
    ...ofThisNode(seen),
    ...ofFencing(seen),
    ...seen.read.nodes.flatMap((node) => ofNode(node, seen)),
    ...ofTransition(seen),
    ...ofResources(seen),
    ...ofLinks(seen),
    ...ofHolds(seen),
  ]
  return urgency.flatMap((level) => all.filter((one) => one.level === level))
}

function about(
  level: Attention['level'],
  text: string,
  more: Partial<Pick<Attention, 'resources' | 'nodes' | 'next'>> = {},
): Attention {
  return { level, text, resources: more.resources ?? [], nodes: more.nodes ?? [], next: more.next ?? [] }
}

function ofThisNode({ state, read }: Seen): readonly Attention[] {
  const off = switchedOff(read).map(({ text, next }) => about('warning', text, { next: [next] }))
  if (state === undefined) return off
  const who = unheard(state.members)
  return [
    ...(state.started
      ? []
      : [about('critical', 'The cluster is not started on this node.', { next: ['systole cluster start'] })]),
    ...(state.quorate
      ? []
      : [
          about(
            'critical',
            `This node has no quorum${who === '' ? '' : `; ${who}`}. ${withoutQuorum[read.options.noQuorumPolicy]} This is the last known state.`,
            { next: ['systole quorum status'] },
          ),
        ]),
    ...(state.store.healthy
      ? []
      : [
          // It needs the same majority: without quorum this is no second trouble.
          about(
            state.quorate ? 'critical' : 'note',
            sentence(`The store is not healthy: ${state.store.message ?? 'unknown reason'}`),
          ),
        ]),
    ...off,
    ...state.notes.map((note) => about('note', note)),
  ]
}

const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`)

/** What it means for what runs here. */
const withoutQuorum: Readonly<Record<ClusterStatus['options']['noQuorumPolicy'], string>> = {
  stop: 'It stops what it runs, and starts nothing (no-quorum-policy=stop).',
  freeze: 'It goes on with what it runs, and starts nothing (no-quorum-policy=freeze).',
  demote: 'It demotes what is promoted, goes on with the rest, and starts nothing (no-quorum-policy=demote).',
  ignore: 'It goes on as with quorum (no-quorum-policy=ignore).',
  fence: 'It fences itself (no-quorum-policy=suicide or fence).',
}

function ofFencing({ state, read }: Seen): readonly Attention[] {
  const open = unresolved(state?.fencing ?? [])
  return open.length === 0
    ? []
    : [...new Set(open.map(({ target }) => target))].flatMap((target) => {
        const own = open.filter((record) => record.target === target)
        const node = read.nodes.find(({ name }) => name === target)
        // It came back by itself: what failed then says that its device does not work, and keeps nobody waiting.
        const isOver = node?.online === true && !node.unclean && own.every(({ outcome }) => outcome === 'failed')
        const level = isOver || own.every(({ outcome }) => outcome !== 'failed') ? 'warning' : 'critical'
        const next = [`systole why --fence ${target}`, ...(isOver ? [`systole stonith history cleanup ${target}`] : [])]
        return describeAttempts(own, read.now).map((line) =>
          about(level, `Fencing: ${line}`, { nodes: [target], next }),
        )
      })
}

function ofNode(node: NodeStatus, { state, read }: Seen): readonly Attention[] {
  const { name, kind } = node
  const nodes = [name]
  const why = [`systole why ${name}`]
  // Without quorum nobody knows how others are.
  if (state?.quorate === false) return []
  if (node.unclean) {
    const waiting = onlyOn(name, read)
    const rest =
      waiting.length === 0
        ? ''
        : ` Until then ${listOf(waiting)} ${waiting.length === 1 ? 'starts' : 'start'} nowhere else.`
    return [about('critical', `${name} is unclean: it must be fenced.${rest}`, { nodes, next: why })]
  }
  if (!node.online && !node.isBundleNode)
    return [
      about('warning', `${kind === 'member' ? name : `The ${kind} node ${name}`} is offline.`, { nodes, next: why }),
    ]
  return [
    ...(node.pending ? [about('note', `${name} is joining.`, { nodes })] : []),
    ...(node.maintenance
      ? [about('note', `${name} is in maintenance.`, { nodes, next: [`systole node unmaintenance ${name}`] })]
      : []),
    ...(node.standbyOnFail
      ? [about('warning', `${name} is in standby because of a failure.`, { nodes, next: why })]
      : node.standby
        ? [about('note', `${name} is in standby.`, { nodes, next: why })]
        : []),
    ...(node.health === 'red' || node.health === 'yellow'
      ? [about('warning', `The health of ${name} is ${node.health}.`, { nodes, next: ['systole node health'] })]
      : []),
  ]
}

/** What ran there alone and is not a device: groups and others by their own names, instances of clones not. */
function onlyOn(node: string, read: ClusterStatus): readonly string[] {
  return [
    ...new Set(
      resourceFacts(read.resources).flatMap(({ nodes, agent, kinds, inside, configured }) =>
        nodes.includes(node) && kinds[0] !== 'clone' && !agent.startsWith('stonith:') ? [inside[0] ?? configured] : [],
      ),
    ),
  ]
}

function listOf(names: readonly string[]): string {
  const more = names.length - mostNamed
  return `${names.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function ofTransition({ state }: Seen): readonly Attention[] {
  if (state?.transition.state !== 'blocked') return []
  const { blockedBy, blockedResources } = state.transition
  const next = blockedResources.slice(0, 1).map((resource) => `systole why ${resource}`)
  return [about('critical', `Blocked: ${blockedBy.join('; ')}`, { resources: blockedResources, next })]
}

const mostNamed = 4

function ofResources({ read, stopped }: Seen): readonly Attention[] {
  const failed = failuresAlike(read.failures).map((alike) => {
    const resource = String(alike.first.configuredResource)
    return about('warning', `Failed: ${describeFailures(alike, read.now)}`, {
      resources: [resource],
      nodes: alike.nodes,
      next: [`systole why ${resource}`, `systole resource cleanup ${resource}`],
    })
  })
  const idle = stopped.map(({ resources, cause }) => {
    return about('critical', `Not running: ${listOf(resources)}: ${cause}`, {
      resources,
      next: resources.slice(0, 1).map((resource) => `systole why ${resource}`),
    })
  })
  const remarks = read.resources
    .flatMap(remarksOn)
    .map(({ resource, node, text }) =>
      about('note', `${resource} on ${node}: ${text}`, { resources: [resource], nodes: [node] }),
    )
  const services = [
    ...declaredServices(read.configuration).mistakes,
    ...declaredGates(read.configuration).mistakes,
  ].map((text) => about('note', text, { next: ['systole service list'] }))
  return [...idle, ...failed, ...remarks, ...services]
}

function ofLinks({ state }: Seen): readonly Attention[] {
  return (state?.members ?? []).flatMap(({ node, links, state: membership }) => {
    const down = links.filter((link) => link.state === 'down').map(({ number }) => number)
    if (down.length === 0 || membership !== 'member') return []
    const text = `${down.length === 1 ? 'Link' : 'Links'} ${down.join(', ')} of ${node} ${down.length === 1 ? 'is' : 'are'} down.`
    return [about('warning', text, { nodes: [node], next: ['systole cluster status'] })]
  })
}

/** `howToEnd` is a command, or a sentence where there is none. */
function ofHolds({ cib }: Seen): readonly Attention[] {
  return holdsIn(cib).map((hold) => {
    const end = howToEnd(hold)
    const command = end.split(': ')[1]
    return about('note', `${describeHold(hold)}.${command === undefined ? ` ${end}` : ''}`, {
      nodes: hold.node === undefined ? [] : [hold.node],
      resources: hold.resource === undefined ? [] : [hold.resource],
      next: command === undefined ? [] : [command],
    })
  })
}
