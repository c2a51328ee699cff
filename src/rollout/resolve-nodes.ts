/** Which nodes a rollout concerns, in which wave, and whom its limits count. Fixed when it starts. */
import { compareText, didYouMean, type NodeName, similarWords } from '../base/index.ts'
import { rolesOf } from '../status/index.ts'
import type { RolloutDefinition, Selector } from './definition.ts'
import { holdsOn } from './expression.ts'
import { labelOf } from './read-rollout.ts'

export interface NodeFacts {
  readonly name: NodeName
  readonly attributes: ReadonlyMap<string, string>
  /** What it runs by what is recorded. */
  readonly version?: string
  /** A remote or guest node: meant by its name, a role or an expression, and not by `all`. */
  readonly isRemote?: true
  /** A remote node whose connection is made again by itself (`reconnect_interval`): it may leave and come back. */
  readonly reconnects?: true
  /** A guest node: also `isRemote`. A resource starts and stops it. */
  readonly isGuest?: true
  /** The container of a bundle's replica: also `isRemote`. */
  readonly isReplica?: true
}

export interface ResolvedLimit {
  readonly label: string
  readonly maxUnavailable: number
  readonly nodes: readonly NodeName[]
}

export interface Wave {
  /** The role, or nothing for the nodes without any role of the order. */
  readonly role?: string
  readonly nodes: readonly NodeName[]
}

export interface Resolved {
  readonly waves: readonly Wave[]
  /** They run the version already. */
  readonly already: readonly NodeName[]
  readonly limits: readonly ResolvedLimit[]
  /** Remote and guest nodes that `all` does not mean: nothing is done on them. */
  readonly remotes: readonly NodeName[]
  /** Sentences: then nothing may begin. */
  readonly problems: readonly string[]
}

export function resolveNodes(definition: RolloutDefinition, facts: readonly NodeFacts[]): Resolved {
  const known = [...facts].sort((a, b) => compareText(a.name, b.name))
  const meant = known.filter((node) => definition.nodes.some((selector) => selects(selector, node)))
  const all = known.filter((node) => node.isRemote !== true || meant.includes(node))
  const saysAll = definition.nodes.some(({ kind }) => kind === 'all')
  const remotes = saysAll ? known.filter((node) => !all.includes(node)) : []
  const problems = [
    ...definition.nodes.flatMap((selector) => problemWith(selector, known)),
    ...unfitForRemotes(definition, meant),
    ...replicasIn(meant),
  ]
  const pending = meant.filter(({ version }) => version !== definition.version)
  const limits = [
    { label: 'all nodes', maxUnavailable: definition.maxUnavailable, nodes: all.map(({ name }) => name) },
    ...definition.limits.map(({ selector, label, maxUnavailable }) => ({
      label,
      maxUnavailable,
      nodes: known.filter((node) => selects(selector, node)).map(({ name }) => name),
    })),
  ]
  return {
    waves: wavesOf(definition.order, pending),
    already: meant.filter(({ version }) => version === definition.version).map(({ name }) => name),
    limits,
    remotes: remotes.map(({ name }) => name),
    problems,
  }
}

/** How many of these nodes have each role. */
export function countRoles(nodes: readonly Pick<NodeFacts, 'attributes'>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const node of nodes) for (const role of rolesOf(node)) counts.set(role, (counts.get(role) ?? 0) + 1)
  return counts
}

/** A remote node whose connection is lost is fenced. One that boots leaves first, and must come back by itself. */
function unfitForRemotes(definition: RolloutDefinition, meant: readonly NodeFacts[]): readonly string[] {
  const remotes = meant.filter(({ isRemote, isReplica }) => isRemote === true && isReplica !== true)
  if (remotes.length === 0) return []
  return definition.commands.flatMap((command) => {
    if (command.stopsCluster)
      return [`${areRemote(remotes)}: '${command.name}' with stops-cluster can run on cluster nodes only.`]
    return command.reboots ? unfitToBoot(definition, remotes, command) : []
  })
}

function unfitToBoot(
  { hold }: RolloutDefinition,
  remotes: readonly NodeFacts[],
  { name, playbook }: RolloutDefinition['commands'][number],
): readonly string[] {
  if (playbook?.place === 'dc')
    return [`${areRemote(remotes)}: '${name}' with reboots must run on the node itself there, not on the DC.`]
  if (hold === 'maintenance')
    return [
      `${areRemote(remotes)}: '${name}' with reboots needs another hold than maintenance there. A remote node leaves the cluster before it boots, and what is in maintenance does not stop.`,
    ]
  const guests = remotes.filter(({ isGuest }) => isGuest === true)
  const staying = remotes.filter(({ isGuest, reconnects }) => isGuest !== true && reconnects !== true)
  const [one] = staying
  return [
    ...(guests.length === 0
      ? []
      : [
          `${namesOf(guests)} ${guests.length === 1 ? 'is a guest node' : 'are guest nodes'}: '${name}' with reboots can run on cluster nodes and remote nodes only. A guest node boots with its resource.`,
        ]),
    ...(one === undefined
      ? []
      : [
          `${areRemote(staying)} without reconnect_interval, and would not come back after '${name}' with reboots. Run \`systole resource update ${one.name} reconnect_interval=60\`.`,
        ]),
  ]
}

const namesOf = (nodes: readonly NodeFacts[]): string => nodes.map(({ name }) => name).join(', ')
const areRemote = (nodes: readonly NodeFacts[]): string =>
  `${namesOf(nodes)} ${nodes.length === 1 ? 'is a remote node' : 'are remote nodes'}`

/** What a command changes in a container is gone with the container, which the cluster makes again from its image wherever it likes. */
const replicasIn = (meant: readonly NodeFacts[]): readonly string[] =>
  meant
    .filter(({ isReplica }) => isReplica === true)
    .map(
      ({ name }) =>
        `${name} is a replica of a bundle, and what is changed in its container is lost with it. Select other nodes, and specify another image with \`systole resource bundle update\`.`,
    )

function selects(selector: Selector, { name, attributes, isRemote }: NodeFacts): boolean {
  switch (selector.kind) {
    case 'all':
      return isRemote !== true
    case 'names':
      return selector.names.includes(name)
    case 'role':
      return rolesOf({ attributes }).includes(selector.role)
    case 'where':
      return holdsOn(selector.expression, attributes)
  }
}

function problemWith(selector: Selector, known: readonly NodeFacts[]): readonly string[] {
  if (selector.kind !== 'names')
    return known.some((node) => selects(selector, node)) ? [] : [`No node is meant by '${labelOf(selector)}'.`]
  const names = known.map(({ name }) => name as string)
  return selector.names
    .filter((name) => !names.includes(name))
    .map((name) => `There is no node '${name}'.${didYouMean(similarWords(name, names))}`)
}

function wavesOf(order: readonly string[], nodes: readonly NodeFacts[]): readonly Wave[] {
  const rankOf = ({ attributes }: NodeFacts): number => {
    const roles = rolesOf({ attributes })
    const rank = order.findIndex((role) => roles.includes(role))
    return rank < 0 ? order.length : rank
  }
  const waves = [...order, undefined].map((role, rank) => ({
    ...(role !== undefined && { role }),
    nodes: nodes.filter((node) => rankOf(node) === rank).map(({ name }) => name),
  }))
  return waves.filter(({ nodes: its }) => its.length > 0)
}
