/**
 * What a rollout would do to this cluster: its waves, which nodes go together, what moves where by the real scheduler, for how long each service is
 * interrupted, and what speaks against it. Each group of nodes is held and released in turn, on a copy.
 */
import { type NodeName, utcOffsetAt } from '../../base/index.ts'
import { setNodeMaintenance, setStandby, type XmlElement } from '../../cib/index.ts'
import {
  countRoles,
  leavesCluster,
  type NodeFacts,
  nodeFactsOf,
  type Resolved,
  type RolloutDefinition,
  resolveNodes,
  whyRequired,
} from '../../rollout/index.ts'
import { type Simulation, simulate } from '../../scheduler/index.ts'
import { catalogueOf, healthyOf } from '../../services/index.ts'
import { type ClusterStatus, isActive, type PrimitiveResource, statusOfCib } from '../../status/index.ts'
import { decide } from '../change/decide.ts'
import { type PlannedAction, plannedActionsBetween } from '../change/planned-actions.ts'
import { withoutInstance } from '../change/wait.ts'
import { secondsOf } from '../host/host-time.ts'
import { md5 } from '../host/md5.ts'
import { type Interruption, interruptionsOf, recordedTimes } from './interruptions.ts'

export interface PlannedGroup {
  readonly nodes: readonly string[]
  /** When it is held, and when it is released. */
  readonly held: readonly PlannedAction[]
  readonly released: readonly PlannedAction[]
  readonly interruptions: readonly Interruption[]
}

export interface PlannedWave {
  readonly role?: string
  readonly groups: readonly PlannedGroup[]
  /** These would not begin now. */
  readonly waiting: readonly { readonly node: string; readonly why: string }[]
}

export interface RolloutPlan {
  readonly definition: RolloutDefinition
  readonly waves: readonly PlannedWave[]
  readonly already: readonly string[]
  /** Of each resource, over the whole rollout. */
  readonly interruptions: readonly (Interruption & { readonly times: number; readonly longestMs: number })[]
  /** Sentences: it must not begin. */
  readonly refusals: readonly string[]
  readonly notes: readonly string[]
}

export interface PlanInput {
  readonly definition: RolloutDefinition
  readonly cib: XmlElement
  readonly now: Date
  readonly versions: ReadonlyMap<string, string>
  /** Nodes of rollouts that have not ended, with the rollout. */
  readonly taken: ReadonlyMap<string, string>
  /** Why quorum would be lost without these nodes. */
  readonly quorumLostBy: (nodes: ReadonlySet<string>) => string | undefined
}

export function planRollout(input: PlanInput): RolloutPlan {
  const { definition, cib, now } = input
  const status = statusOfCib({ cib, now: secondsOf(now), md5, utcOffsetAt })
  const resolved = resolveNodes(definition, factsOf(status, input.versions))
  const refusals = [...resolved.problems, ...meetings(resolved, input.taken)]
  let before = cib
  const waves = resolved.waves.map(({ role, nodes }): PlannedWave => {
    const { groups, waiting } = groupsOf(nodes, { input, resolved, status })
    const planned = groups.map((group) => {
      const { plan, after, nowhere } = planGroup(group, before, input)
      before = after
      refusals.push(...nowhere, ...lostQuorum(group, input))
      return plan
    })
    return { ...(role !== undefined && { role }), groups: planned, waiting }
  })
  return {
    definition,
    waves,
    already: resolved.already,
    interruptions: sumOf(waves),
    refusals: [...new Set(refusals)],
    notes: [...notesOn(definition, resolved), ...requiredNote(definition, status)],
  }
}

export const factsOf = (status: ClusterStatus, versions: ReadonlyMap<string, string>): readonly NodeFacts[] =>
  nodeFactsOf(status).map((facts) => {
    const version = versions.get(facts.name)
    return version === undefined ? facts : { ...facts, version }
  })

const meetings = ({ waves }: Resolved, taken: ReadonlyMap<string, string>): readonly string[] =>
  waves.flatMap(({ nodes }) =>
    nodes.flatMap((node) => {
      const other = taken.get(node)
      return other === undefined ? [] : [`The rollout ${other} concerns ${node} and has not ended.`]
    }),
  )

interface Around {
  readonly input: PlanInput
  readonly resolved: Resolved
  readonly status: ClusterStatus
}

/** As many at once as the limits allow, with the nodes that are down already. */
function groupsOf(
  nodes: readonly NodeName[],
  { resolved, status }: Around,
): { readonly groups: readonly (readonly NodeName[])[]; readonly waiting: PlannedWave['waiting'] } {
  const down = new Set(
    status.nodes
      .filter(({ online, standby, maintenance }) => !online || standby || maintenance)
      .map(({ name }) => name),
  )
  const groups: NodeName[][] = []
  const waiting: { node: string; why: string }[] = []
  for (const node of nodes) {
    const last = groups.at(-1)
    const alone = overLimit(resolved, down, [node]) ?? notThere(status, node)
    if (alone !== undefined) waiting.push({ node, why: alone })
    else if (last && overLimit(resolved, down, [...last, node]) === undefined) last.push(node)
    else groups.push([node])
  }
  return { groups, waiting }
}

function requiredNote({ requires = [] }: RolloutDefinition, status: ClusterStatus): readonly string[] {
  const { services } = catalogueOf(status, () => undefined)
  const why = whyRequired(requires, {
    roles: countRoles(status.nodes.filter(({ online, unclean }) => online && !unclean)),
    services: new Map(services.map((service) => [service.definition.name, healthyOf(service).length])),
  })
  return why === undefined ? [] : [`No node begins yet: ${why}.`]
}

function notThere({ nodesByName }: ClusterStatus, node: NodeName): string | undefined {
  const there = nodesByName.get(node)
  if (there?.online !== true) return 'it is offline'
  return there.maintenance ? 'it is in maintenance' : undefined
}

function overLimit({ limits }: Resolved, down: ReadonlySet<string>, group: readonly NodeName[]): string | undefined {
  for (const { label, maxUnavailable, nodes } of limits) {
    if (!group.some((node) => nodes.includes(node))) continue
    const count = nodes.filter((node) => down.has(node) || group.includes(node)).length
    if (maxUnavailable === 0 || count > maxUnavailable) return `max-unavailable of ${label} is ${maxUnavailable}`
  }
  return undefined
}

function lostQuorum(group: readonly NodeName[], { definition, quorumLostBy }: PlanInput): readonly string[] {
  if (!leavesCluster(definition)) return []
  const sentence = quorumLostBy(new Set(group))
  return sentence === undefined ? [] : [sentence]
}

function planGroup(
  group: readonly NodeName[],
  before: XmlElement,
  { definition, now }: PlanInput,
): { readonly plan: PlannedGroup; readonly after: XmlElement; readonly nowhere: readonly string[] } {
  const hold = holding(definition)
  if (hold === undefined)
    return { plan: { nodes: group, held: [], released: [], interruptions: [] }, after: before, nowhere: [] }
  // An operator's own standby or maintenance stays.
  const { nodesByName } = statusOfCib({ cib: before, now: secondsOf(now), md5, utcOffsetAt })
  const own = group.filter((node) => nodesByName.get(node)?.[hold] !== true)
  const held = edited(before, own, { hold, isOn: true })
  const during = play(held, now)
  const released = edited(during.result(), own, { hold, isOn: false })
  const afterwards = play(released, now)
  const times = recordedTimes(before)
  return {
    plan: {
      nodes: group,
      held: plannedActionsBetween(decide(before, now), decide(held, now)),
      released: plannedActionsBetween(decide(during.result(), now), decide(released, now)),
      interruptions: [...interruptionsOf(during.graph, times), ...interruptionsOf(afterwards.graph, times)],
    },
    after: afterwards.result(),
    nowhere: nowhereBetween(before, during.result(), { group, now }),
  }
}

/** Resources leave a node that boots, whatever it is held by. */
function holding(definition: RolloutDefinition): 'standby' | 'maintenance' | undefined {
  if (definition.hold === 'maintenance') return 'maintenance'
  return definition.hold !== 'none' || leavesCluster(definition) ? 'standby' : undefined
}

const play = (cib: XmlElement, now: Date): Simulation =>
  simulate({ cib, now: secondsOf(now), md5, utcOffsetAt, showScores: false, keepsResult: true, clearsFailures: true })

function edited(
  cib: XmlElement,
  nodes: readonly string[],
  { hold, isOn }: { readonly hold: 'standby' | 'maintenance'; readonly isOn: boolean },
): XmlElement {
  const result =
    hold === 'standby'
      ? setStandby(cib, { nodes, standby: isOn })
      : setNodeMaintenance(cib, { nodes, maintenance: isOn })
  return result.ok ? result.value.cib : cib
}

interface Between {
  readonly group: readonly NodeName[]
  readonly now: Date
}

/** What ran, and runs nowhere while the group is held. Instances of a clone count together: fewer of them are no loss. */
function nowhereBetween(before: XmlElement, during: XmlElement, { group, now }: Between): readonly string[] {
  const [was, is] = [activeIn(before, now), activeIn(during, now)]
  const held = `${group.join(', ')} ${group.length === 1 ? 'is' : 'are'}`
  return [...was].flatMap(([resource, role]) => {
    const still = is.get(resource)
    if (still === undefined) return [`${resource} would run nowhere while ${held} held.`]
    return role === 'Promoted' && still !== 'Promoted'
      ? [`${resource} would be promoted nowhere while ${held} held.`]
      : []
  })
}

function activeIn(cib: XmlElement, now: Date): ReadonlyMap<string, string> {
  const status = statusOfCib({ cib, now: secondsOf(now), md5, utcOffsetAt })
  const active = new Map<string, string>()
  for (const primitive of status.primitivesById.values()) {
    // Fence devices answer from every node.
    if (!isActive(status, primitive) || primitive.agent.class === 'stonith') continue
    const id = withoutInstance(primitive.id)
    if (active.get(id) !== 'Promoted') active.set(id, roleOf(primitive))
  }
  return active
}

const roleOf = ({ state }: PrimitiveResource): string =>
  state.active.some(({ role }) => role === 'Promoted') ? 'Promoted' : 'Started'

function sumOf(waves: readonly PlannedWave[]): RolloutPlan['interruptions'] {
  const all = waves.flatMap(({ groups }) => groups.flatMap(({ interruptions }) => interruptions))
  const resources = [...new Set(all.map(({ resource }) => resource))].sort()
  return resources.map((resource) => {
    const its = all.filter((one) => one.resource === resource)
    return {
      resource,
      times: its.length,
      ms: its.reduce((sum, { ms }) => sum + ms, 0),
      longestMs: Math.max(...its.map(({ ms }) => ms)),
      isUnknown: its.some(({ isUnknown }) => isUnknown),
    }
  })
}

function notesOn(
  { commands, onFailure, hold }: RolloutDefinition,
  { waves, limits, remotes }: Resolved,
): readonly string[] {
  const without = [
    ...new Set(
      commands.filter(({ stage, undo }) => stage !== 'validate' && undo === undefined).map(({ name }) => name),
    ),
  ]
  const notes = without.length === 0 ? [] : [`Without 'undo', abort cannot take back: ${without.join(', ')}.`]
  for (const { label, nodes } of limits)
    if (nodes.length === 0) notes.push(`No node is meant by the limit of '${label}'.`)
  if (remotes.length > 0)
    notes.push(`Remote nodes, which 'all' does not mean and on which nothing is done: ${remotes.join(', ')}.`)
  if (waves.length === 0) notes.push('There is nothing to do.')
  if (onFailure !== 'halt' && without.length > 0) notes.push(`on-failure is ${onFailure}: the same applies there.`)
  if (hold === 'maintenance' && commands.some(({ reboots }) => reboots))
    notes.push('A node in maintenance keeps its resources: a reboot interrupts them there.')
  return notes
}
