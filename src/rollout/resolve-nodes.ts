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
  /** A remote or guest node: the commands of a rollout run on cluster nodes only. */
  readonly isRemote?: true
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
  /** Remote and guest nodes that it means by a role or an expression: nothing is done on them. */
  readonly remotes: readonly NodeName[]
  /** Sentences: then nothing may begin. */
  readonly problems: readonly string[]
}

export function resolveNodes(definition: RolloutDefinition, facts: readonly NodeFacts[]): Resolved {
  const known = [...facts].sort((a, b) => compareText(a.name, b.name))
  const all = known.filter(({ isRemote }) => isRemote !== true)
  const problems = definition.nodes.flatMap((selector) => problemWith(selector, known))
  const isNamed = definition.nodes.filter(({ kind }) => kind === 'role' || kind === 'where')
  const remotes = known.filter((node) => node.isRemote === true && isNamed.some((selector) => selects(selector, node)))
  const meant = all.filter((node) => definition.nodes.some((selector) => selects(selector, node)))
  const pending = meant.filter(({ version }) => version !== definition.version)
  const limits = [
    { label: 'all nodes', maxUnavailable: definition.maxUnavailable, nodes: all.map(({ name }) => name) },
    ...definition.limits.map(({ selector, label, maxUnavailable }) => ({
      label,
      maxUnavailable,
      nodes: all.filter((node) => selects(selector, node)).map(({ name }) => name),
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

function selects(selector: Selector, { name, attributes }: NodeFacts): boolean {
  switch (selector.kind) {
    case 'all':
      return true
    case 'names':
      return selector.names.includes(name)
    case 'role':
      return rolesOf({ attributes }).includes(selector.role)
    case 'where':
      return holdsOn(selector.expression, attributes)
  }
}

function problemWith(selector: Selector, known: readonly NodeFacts[]): readonly string[] {
  const remotes = known.filter((node) => node.isRemote === true && selects(selector, node)).map(({ name }) => name)
  const refused =
    remotes.length === 0 || selector.kind === 'all'
      ? []
      : [
          `${remotes.join(', ')} ${remotes.length === 1 ? 'is a remote node' : 'are remote nodes'}: a rollout runs on cluster nodes only.`,
        ]
  if (selector.kind !== 'names') {
    if (known.some((node) => node.isRemote !== true && selects(selector, node))) return []
    return refused.length > 0 ? refused : [`No node is meant by '${labelOf(selector)}'.`]
  }
  const names = known.map(({ name }) => name as string)
  const unknown = selector.names
    .filter((name) => !names.includes(name))
    .map((name) => `There is no node '${name}'.${didYouMean(similarWords(name, names))}`)
  return [...unknown, ...refused]
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
