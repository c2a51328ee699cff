/**
 * What works and will surprise: the advice of `cluster verify --strict`. Each rule is a function from the facts to findings. Values are
 * those that hold, with defaults and rules applied; whether a colocation can be kept is asked of the scheduler itself.
 */
import { parseDurationMs, type ResourceId, utcOffsetAt } from '../../../base/index.ts'
import { type Configuration, childElement, type ResourceSet, type XmlElement } from '../../../cib/index.ts'
import {
  canBeFenced,
  fenceDevicesIn,
  fenceTopologyOf,
  type Schedule,
  schedule,
  suppose,
} from '../../../scheduler/index.ts'
import type { CloneResource, NodeStatus, PrimitiveResource, Resource } from '../../../status/index.ts'
import { operationTimeout } from '../../facts/operation-timeout.ts'
import { md5 } from '../../host/md5.ts'

export interface LintFinding {
  readonly code:
    | 'clones-without-interleave'
    | 'short-stop-timeout'
    | 'no-monitor'
    | 'no-promoted-monitor'
    | 'no-fencing'
    | 'node-without-fencing'
    | 'unsatisfiable-colocation'
    | 'mutual-fencing'
    | 'unread-disk'
  readonly subject: string
  readonly text: string
}

export interface LintInput {
  readonly cib: XmlElement
  /** Seconds since the epoch. */
  readonly now: number
  /** What the agent of a resource advises for its stop, in milliseconds; undefined where it is not known. */
  readonly advisedStopMs: (resource: PrimitiveResource) => number | undefined
}

/** A configuration without errors; findings come rule by rule. */
export function lint(input: LintInput): readonly LintFinding[] {
  const decision = decide(input.cib, input.now)
  return [
    ...clonesWithoutInterleave(decision),
    ...shortStopTimeouts(decision, input.advisedStopMs),
    ...withoutMonitor(decision),
    ...withoutFencing(decision),
    ...mutualFencing(decision),
    ...unsatisfiableColocations(input),
  ]
}

function decide(cib: XmlElement, now: number): Schedule {
  return schedule({ cib, now, md5, utcOffsetAt, explain: true })
}

/** One of each: instances of a clone share their configuration. */
export function configuredPrimitives({ status }: Pick<Schedule, 'status'>): readonly PrimitiveResource[] {
  const found = new Map<ResourceId, PrimitiveResource>()
  for (const primitive of status.primitivesById.values())
    if (!primitive.orphan && !primitive.implicit && !found.has(primitive.configuredId))
      found.set(primitive.configuredId, primitive)
  return [...found.values()]
}

function clonesWithoutInterleave({ status, configuration }: Schedule): readonly LintFinding[] {
  const clones = new Map(
    status.resources.filter((resource) => resource.kind === 'clone').map((clone) => [String(clone.id), clone] as const),
  )
  return orderedPairs(configuration).flatMap(({ earlier, later, constraint }): readonly LintFinding[] => {
    const [before, after] = [cloneOf(clones, earlier), cloneOf(clones, later)]
    if (before === undefined || after === undefined || before === after || after.interleave) return []
    return [
      {
        code: 'clones-without-interleave',
        subject: after.id,
        text: `${after.id} is ordered after ${before.id} (${constraint}) without interleave=true: if one instance of ${before.id} stops on any node, all instances of ${after.id} stop on all nodes.`,
      },
    ]
  })
}

function cloneOf(clones: ReadonlyMap<string, CloneResource>, id: string): CloneResource | undefined {
  return clones.get(id) ?? [...clones.values()].find((clone) => clone.instances.some((part) => contains(part, id)))
}

function contains(part: Resource, id: string): boolean {
  return (
    part.configuredId === id || (part.kind === 'group' && part.members.some((member) => member.configuredId === id))
  )
}

interface OrderedPair {
  readonly earlier: string
  readonly later: string
  readonly constraint: string
}

function orderedPairs({ constraints }: Configuration): readonly OrderedPair[] {
  return constraints.flatMap((constraint): readonly OrderedPair[] => {
    if (constraint.kind !== 'order' || constraint.orderKind !== 'Mandatory') return []
    const { between, id } = constraint
    if (between.by === 'pair') return [{ earlier: between.first, later: between.then, constraint: id }]
    return setPairs(between.sets).map(([earlier, later]) => ({ earlier, later, constraint: id }))
  })
}

function setPairs(sets: readonly ResourceSet[]): readonly (readonly [string, string])[] {
  return sets.flatMap((set, index) => {
    const before = index === 0 ? [] : (sets[index - 1]?.members ?? [])
    const within = set.sequential
      ? set.members.slice(1).map((later, at) => [set.members[at] ?? '', later] as const)
      : []
    return [...before.flatMap((earlier) => set.members.map((later) => [earlier, later] as const)), ...within]
  })
}

function shortStopTimeouts(decision: Schedule, advisedStopMs: LintInput['advisedStopMs']): readonly LintFinding[] {
  return configuredPrimitives(decision).flatMap((resource): readonly LintFinding[] => {
    const advised = advisedStopMs(resource)
    const { timeoutMs, isWritten } = operationTimeout(decision.status, resource, 'stop')
    if (resource.agent.class === 'stonith' || advised === undefined || timeoutMs >= advised) return []
    const own = `${isWritten ? '' : 'the default of '}${timeoutMs / 1000}s`
    return [
      {
        code: 'short-stop-timeout',
        subject: resource.configuredId,
        text: `The stop timeout of ${resource.configuredId} is ${own}, but its agent recommends ${advised / 1000}s: a stop that takes longer gets the node fenced.`,
      },
    ]
  })
}

function withoutMonitor(decision: Schedule): readonly LintFinding[] {
  return configuredPrimitives(decision).flatMap((resource): readonly LintFinding[] => {
    if (resource.agent.class === 'stonith') return []
    const id = resource.configuredId
    const monitors = resource.operations.filter(
      ({ name, intervalMs, attributes }) => name === 'monitor' && intervalMs > 0 && attributes.enabled !== 'false',
    )
    const running = monitors.filter(({ attributes }) => attributes.role !== 'Stopped')
    if (running.length === 0)
      return [
        {
          code: 'no-monitor',
          subject: id,
          text: `${id} has no recurring monitor: a failure would not be detected.`,
        },
      ]
    const promoted = running.some(({ attributes }) => /^(Promoted|Master)$/.test(attributes.role ?? ''))
    if (resource.instance?.promotable !== true || promoted) return []
    return [
      {
        code: 'no-promoted-monitor',
        subject: id,
        text: `${id} has no recurring monitor for the Promoted role: a failure of a promoted instance would not be detected.`,
      },
    ]
  })
}

function withoutFencing(decision: Schedule): readonly LintFinding[] {
  const { status } = decision
  if (!status.options.fencingEnabled)
    return [
      {
        code: 'no-fencing',
        subject: 'fencing-enabled',
        text: 'Fencing is disabled (fencing-enabled=false): a lost node may still run resources that are started elsewhere.',
      },
    ]
  const topologies = members(decision).map((node) => ({ node, topology: fenceTopologyOf(decision, node) }))
  if (fenceDevicesIn(status).length === 0 && !topologies.some(({ topology }) => topology.watchdog))
    return [
      {
        code: 'no-fencing',
        subject: 'fencing-enabled',
        text: 'No fence device is configured: the resources of a lost node are never recovered.',
      },
    ]
  return topologies
    .filter(({ topology }) => !canBeFenced(topology))
    .map(({ node }) => ({
      code: 'node-without-fencing',
      subject: node.name,
      text: `No fence device can fence ${node.name}: if it is lost, its resources are not recovered.`,
    }))
}

function members({ status }: Pick<Schedule, 'status'>): readonly NodeStatus[] {
  return status.nodes.filter(({ kind }) => kind === 'member')
}

/** With two nodes that lose sight of each other both may shoot; a delay for one of them lets the other win. */
function mutualFencing(decision: Schedule): readonly LintFinding[] {
  const { options } = decision.status
  const nodes = members(decision)
  if (!options.fencingEnabled || nodes.length !== 2 || options.priorityFencingDelayMs > 0) return []
  const devices = nodes.map((node) => {
    const { levels, devices: own } = fenceTopologyOf(decision, node)
    return { node, devices: [...own, ...(levels[0]?.devices ?? [])] }
  })
  if (devices.some((own) => own.devices.length === 0)) return []
  const parameters = (id: ResourceId): ReadonlyMap<string, string> =>
    decision.status.primitivesById.get(id)?.parametersOn(undefined) ?? new Map()
  if (devices.some((own) => own.devices.some(({ id }) => isDelay(parameters(id).get('pcmk_delay_max'))))) return []
  const [first, second] = devices.map(({ node, devices: own }) =>
    own.map(({ id }) => delayFor(parameters(id).get('pcmk_delay_base'), node.name)).join(),
  )
  if (first !== second) return []
  return [
    {
      code: 'mutual-fencing',
      subject: nodes.map(({ name }) => name).join(' '),
      text: `${nodes.map(({ name }) => name).join(' and ')} may fence each other at the same moment. Set pcmk_delay_base for one of their fence devices, or set priority-fencing-delay.`,
    },
  ]
}

const isDelay = (text: string | undefined): boolean => (parseDurationMs(text ?? '0') ?? 0) > 0

/** `5s`, or `n1:0;n2:5s`. */
function delayFor(text: string | undefined, node: string): number {
  const entry = (text ?? '0').split(/[;\s]+/).find((part) => part.startsWith(`${node}:`) || part.startsWith(`${node}=`))
  const single = /[:=]/.test(text ?? '') ? '0' : (text ?? '0')
  return parseDurationMs(entry?.slice(node.length + 1) ?? single) ?? 0
}

/** Asked of the scheduler: with every node online and nothing running yet, whom does a colocation leave without a node? */
function unsatisfiableColocations({ cib, now }: LintInput): readonly LintFinding[] {
  const fresh = withoutStatus(cib)
  const nodesUp = decide(fresh, now).status.nodes.flatMap(({ name, kind }) => (kind === 'member' ? [name] : []))
  const ideal = decide(suppose(fresh, { nodesUp, quorate: true }, { now }).cib, now)
  const found = new Map<string, LintFinding>()
  for (const { id, node, whyNot } of ideal.assignment.primitives.values()) {
    if (node !== undefined || whyNot.some(({ kind }) => !placementKinds.has(kind))) continue
    const banning = whyNot.flatMap((reason) => (reason.kind === 'banned' ? reason.by : []))
    for (const { source } of banning) {
      if (source.kind !== 'colocation' || source.constraint.startsWith('#')) continue
      if (isStoppedOtherwise(ideal, source.with) || found.has(`${source.constraint} ${id}`)) continue
      found.set(`${source.constraint} ${id}`, {
        code: 'unsatisfiable-colocation',
        subject: source.constraint,
        text: `The colocation ${source.constraint} cannot be satisfied: even with every node online, ${id} could not run anywhere because of ${source.with}.`,
      })
    }
  }
  return [...found.values()]
}

const placementKinds = new Set(['banned', 'not-allowed', 'capacity'])

/** Disabled, say: then it is no fault of the colocation that the other has no place. */
function isStoppedOtherwise({ assignment, status }: Schedule, id: ResourceId): boolean {
  return [...assignment.primitives.values()].some(
    (part) =>
      (part.id === id || status.primitivesById.get(part.id)?.configuredId === id) &&
      part.node === undefined &&
      part.whyNot.some(({ kind }) => !placementKinds.has(kind)),
  )
}

function withoutStatus(cib: XmlElement): XmlElement {
  const status = childElement(cib, 'status')
  return { ...cib, children: cib.children.filter((child) => child !== status) }
}
