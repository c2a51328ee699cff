/**
 * Location constraints as scores on nodes (Pacemaker Explained, "Deciding Which Nodes a Resource Can Run On"). Patterns
 * match top-level resources only. Each rule stands for itself: one score for every node for which it holds. A constraint
 * for the role Started or Unpromoted holds in every role, because nothing is promoted that is not started first.
 */
import { readPattern } from '../../base/index.ts'
import type { Configuration, LocationConstraint, Role, Rule, Score } from '../../cib/index.ts'
import { INFINITY_SCORE, parseScore } from '../../cib/index.ts'
import type { NodeStatus, Resource } from '../../status/index.ts'
import type { Entry, ResourceTree } from '../resources/tree.ts'
import { type NodeNames, nodeNames } from './node-names.ts'
import { completeSets, type References } from './references.ts'

export interface ExpandedLocation {
  readonly constraint: string
  readonly rule?: string
  /** The node attribute that holds the score, where a rule names one. */
  readonly attribute?: string
  readonly target: Entry
  /** Only for this role; undefined: for all. */
  readonly role?: Role
  readonly nodes: readonly { readonly node: number; readonly score: Score }[]
  readonly discovery: 'always' | 'never' | 'exclusive'
}

/** Whether a rule holds; `matches` are the parts that a resource pattern's parentheses caught, for `%1` in a rule. */
export type RuleHolds = (
  rule: Rule,
  context: { readonly node?: NodeStatus; readonly resource?: Resource; readonly matches?: readonly string[] },
) => boolean

interface Input {
  readonly configuration: Configuration
  readonly tree: ResourceTree
  readonly references: References
  readonly holds: RuleHolds
}

export function expandLocations(input: Input): readonly ExpandedLocation[] {
  const names = nodeNames(input.tree.nodes)
  return input.configuration.constraints.flatMap((constraint) => {
    if (constraint.kind !== 'location') return []
    if (constraint.lifetime !== undefined && !input.holds(constraint.lifetime, {})) return []
    return targetsOf(constraint, input).flatMap((target) => locate(constraint, target, { ...input, names }))
  })
}

interface Target {
  readonly entry: Entry
  readonly role?: Role
  readonly score?: Score
  readonly matches?: readonly string[]
}

function targetsOf(constraint: LocationConstraint, { tree, references }: Input): readonly Target[] {
  const { resource } = constraint
  const role = constraint.role === undefined ? {} : { role: constraint.role }
  const named = (ids: readonly string[], more: Omit<Target, 'entry'>): readonly Target[] =>
    references.untilUnknown(ids).map((entry) => ({ entry, ...more }))
  switch (resource.by) {
    case 'id':
      return named(references.expand(resource.id), role)
    case 'pattern': {
      // One that is not a regular expression matches nothing, and has nobody left out either; validation reports it.
      const pattern = readPattern(resource.pattern)
      if (!pattern.ok) return []
      return tree.top.flatMap((entry) => {
        const match = pattern.value.match(entry.id)
        if ((match === null) !== resource.negated) return []
        return [{ entry, ...role, ...(match === null ? {} : { matches: [...match] }) }]
      })
    }
    case 'sets': {
      const sets = references.expandSets(resource.sets)
      return sets.slice(0, completeSets(references, sets) + 1).flatMap((set) =>
        named(set.members, {
          ...role,
          ...(set.role === undefined ? {} : { role: set.role }),
          ...(set.score === undefined ? {} : { score: set.score }),
        }),
      )
    }
  }
}

function locate(
  constraint: LocationConstraint,
  target: Target,
  input: Input & { readonly names: NodeNames },
): readonly ExpandedLocation[] {
  const { tree, names } = input
  const common = { constraint: constraint.id, target: target.entry, discovery: constraint.discovery }
  if (constraint.where.by === 'node') {
    const node = names.named(constraint.where.node)
    if (node === undefined) return []
    return [{ ...common, ...narrowed(target.role), nodes: [{ node, score: target.score ?? constraint.where.score }] }]
  }
  return constraint.where.rules.flatMap((rule) => {
    const context = {
      resource: target.entry.resource,
      ...(target.matches === undefined ? {} : { matches: target.matches }),
    }
    const attribute = rule.scoreAttribute && substitute(rule.scoreAttribute, target.matches)
    const nodes = names.candidates(rule).flatMap((node) => {
      const status = tree.nodes[node]
      if (status === undefined || !input.holds(rule, { ...context, node: status })) return []
      return [{ node, score: attribute === undefined ? (rule.score ?? 0) : attributeScore(tree, node, attribute) }]
    })
    // Exclusive discovery that holds nowhere leaves a resource no node at all.
    if (nodes.length === 0 && constraint.discovery !== 'exclusive') return []
    const held = { ...common, ...narrowed(rule.role ?? target.role), rule: rule.id, nodes }
    return [attribute === undefined ? held : { ...held, attribute }]
  })
}

function narrowed(role: Role | undefined): { readonly role?: Role } {
  return role === 'Promoted' || role === 'Stopped' ? { role } : {}
}

/** A node without the attribute cannot be wanted: minus INFINITY. Text that is no score counts 0. */
function attributeScore(tree: ResourceTree, node: number, attribute: string): Score {
  const value = tree.nodes[node]?.attributes.get(attribute)
  if (value === undefined) return -INFINITY_SCORE
  return parseScore(value) ?? 0
}

/** `%1` in the name of an attribute is what the first parenthesis of the resource pattern caught. */
function substitute(text: string, matches: readonly string[] | undefined): string {
  if (matches === undefined) return text
  return text.replace(/%(\d)/g, (_, digit: string) => matches[Number(digit)] ?? '')
}
