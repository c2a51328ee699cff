/** What administrators have said of where resources may be, after sets, tags, templates and rules are read: for those who list it. */
import { compareText, type NodeName } from '../../base/index.ts'
import type { Score } from '../../cib/index.ts'
import type { ClusterStatus } from '../../status/index.ts'
import { buildTree, type Entry } from '../resources/tree.ts'
import { type Colocation, expandColocations } from './colocations.ts'
import { expandLocations } from './locations.ts'
import { indexReferences } from './references.ts'
import { readTicketEffects } from './tickets.ts'

export interface ListedLocation {
  /** Of its rule, where it has one. */
  readonly id: string
  readonly resource: string
  readonly node: NodeName
  readonly score: Score
}

export type ListedColocation = Pick<Colocation, 'id' | 'score' | 'dependentRole' | 'primaryRole' | 'nodeAttribute'> & {
  readonly dependent: string
  readonly primary: string
}

export interface PlacementListing {
  /** The last that was written comes first. */
  readonly locations: readonly ListedLocation[]
  /** The most important primary first, and the most important dependent first. */
  readonly byPrimary: readonly ListedColocation[]
  readonly byDependent: readonly ListedColocation[]
}

export function listPlacement(status: ClusterStatus): PlacementListing {
  const { configuration, ruleHolds: holds } = status
  const tree = buildTree(status)
  const input = { configuration, tree, references: indexReferences(configuration, tree), holds }
  const written = expandColocations(input).filter(({ explicit }) => explicit)
  const sortedBy = (side: 'dependent' | 'primary'): readonly ListedColocation[] =>
    written
      .toReversed()
      .sort((a, b) => compareImportance(a[side], b[side]))
      .map((one) => ({ ...one, dependent: one.dependent.id, primary: one.primary.id }))
  return {
    locations: expandLocations(input)
      .toReversed()
      .flatMap(({ constraint, rule, target, nodes }) =>
        nodes.flatMap(({ node, score }) => {
          const name = tree.nodes[node]?.name
          return name === undefined ? [] : [{ id: rule ?? constraint, resource: target.id, node: name, score }]
        }),
      ),
    byPrimary: sortedBy('primary'),
    byDependent: sortedBy('dependent'),
  }
}

/** Nodes that must be fenced because a ticket with that loss policy is lost, before anything is placed. */
export function nodesWithLostTickets(status: ClusterStatus): ReadonlySet<NodeName> {
  const { configuration, ruleHolds: holds } = status
  const references = indexReferences(configuration, buildTree(status))
  return new Set(readTicketEffects({ configuration, status, references, holds }).fencing.keys())
}

const kinds: readonly Entry['kind'][] = ['primitive', 'group', 'clone', 'bundle']

/** By priority, then bundles before clones before groups, promotable clones before others, and by name. */
function compareImportance(a: Entry, b: Entry): number {
  const promotable = (one: Entry): number => (one.kind === 'clone' && one.resource.promotable ? 1 : 0)
  return (
    b.resource.meta.priority - a.resource.meta.priority ||
    kinds.indexOf(b.kind) - kinds.indexOf(a.kind) ||
    promotable(b) - promotable(a) ||
    compareText(a.id, b.id)
  )
}
