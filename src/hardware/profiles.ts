/**
 * Hardware profiles: names for what a role needs of a machine. Each is the cluster option `systole-profile-<name>`, so that export and import,
 * history and every tool of Pacemaker's carry it; Pacemaker passes over options that it does not know.
 */
import type { Configuration, NewRule, Rule, RuleCondition } from '../cib/index.ts'
import { writtenClusterOptions } from '../cib/index.ts'
import { type Facts, factOfAttribute, printFact } from './facts.ts'
import {
  type Comparison,
  comparisonsIn,
  type FactComparison,
  matchFacts,
  opposites,
  type PositiveExpression,
  type ProfileExpression,
  parseExpression,
  printExpression,
  withoutNot,
} from './profile-expression.ts'

export const profileOptionPrefix = 'systole-profile-'
export const mostProfiles = 100

export interface Profile {
  readonly name: string
  readonly expression: ProfileExpression
}

export interface Profiles {
  readonly profiles: readonly Profile[]
  /** What cannot be read, or is too much: sentences. */
  readonly mistakes: readonly string[]
}

export const isProfileName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)

export function profilesIn(configuration: Pick<Configuration, 'options'>): Profiles {
  const written = [...writtenClusterOptions(configuration)].filter(([name]) => name.startsWith(profileOptionPrefix))
  const profiles: Profile[] = []
  const mistakes: string[] = []
  for (const [option, text] of written.slice(0, mostProfiles)) {
    const name = option.slice(profileOptionPrefix.length)
    const parsed = parseExpression(text)
    if (!isProfileName(name)) mistakes.push(`The cluster option '${option}' does not name a profile.`)
    else if (parsed.ok) profiles.push({ name, expression: parsed.value })
    else
      mistakes.push(
        ...parsed.reports.map(
          ({ column, problem }) => `The profile ${name} cannot be read: character ${column}: ${problem}.`,
        ),
      )
  }
  if (written.length > mostProfiles)
    mistakes.push(`There are ${written.length} profiles. The limit is ${mostProfiles}: only the first ones count.`)
  return { profiles, mistakes }
}

export interface ProfileMatch {
  readonly profile: Profile
  readonly matching: readonly string[]
  readonly others: readonly { readonly node: string; readonly lacks: readonly string[] }[]
  /** Where no node matches: what no node has, a sentence each. */
  readonly nobody: readonly string[]
}

export function matchProfile(profile: Profile, nodes: ReadonlyMap<string, Facts>): ProfileMatch {
  const results = [...nodes].map(([node, facts]) => ({ node, ...matchFacts(profile.expression, facts) }))
  const matching = results.filter(({ matches }) => matches).map(({ node }) => node)
  return {
    profile,
    matching,
    others: results.filter(({ matches }) => !matches).map(({ node, lacks }) => ({ node, lacks })),
    nobody: matching.length > 0 ? [] : whatNobodyHas(profile.expression, nodes),
  }
}

/**
 * Of rules that keep a resource off nodes (score -INFINITY) by facts alone: what no node has, and all nodes with what excludes them. Nothing where some
 * node is not excluded.
 */
export function excludedEverywhere(rule: Rule, nodes: ReadonlyMap<string, Facts>): readonly string[] {
  const comparisons = factComparisons(rule)
  if (comparisons.length === 0 || (rule.score ?? 0) > -1_000_000) return []
  return comparisons
    .filter((one) => ![...nodes.values()].some((facts) => matchFacts(one, facts).matches))
    .map((one) => `No node has ${printExpression(one)}.${nearest(one, nodes)}`)
}

/** The opposites of what the rule compares: what a node must have. */
function factComparisons({ booleanOp, conditions }: Rule): readonly FactComparison[] {
  // Of several conditions that must all hold, none excludes a node by itself.
  if (booleanOp === 'and' && conditions.length > 1) return []
  return conditions.flatMap((condition): readonly FactComparison[] => {
    if (condition.kind === 'rule') return factComparisons(condition.rule)
    if (condition.kind !== 'attribute' || condition.value === undefined) return []
    const fact = factOfAttribute(condition.attribute)
    const comparison = (Object.keys(operations) as Comparison[]).find((one) => operations[one] === condition.operation)
    if (fact === undefined || comparison === undefined) return []
    return [{ kind: 'fact', fact, comparison: opposites[comparison], value: condition.value }]
  })
}

/** `No node has memory >= 64 GiB. The nearest is n2 with 32 GiB.` */
function whatNobodyHas(expression: ProfileExpression, nodes: ReadonlyMap<string, Facts>): readonly string[] {
  const sentences = comparisonsIn(withoutNot(expression))
    .filter((one) => ![...nodes.values()].some((facts) => matchFacts(one, facts).matches))
    .map((one) => `No node has ${printExpression(one)}.${nearest(one, nodes)}`)
  return sentences.length > 0
    ? [...new Set(sentences)]
    : [`No node has all of ${printExpression(expression)} together.`]
}

function nearest({ fact, comparison }: FactComparison, nodes: ReadonlyMap<string, Facts>): string {
  const known = [...nodes].flatMap(([node, facts]) => {
    const value = facts.get(fact.attribute)
    return value === undefined ? [] : [{ node, value }]
  })
  if (known.length === 0) return ` The fact ${fact.name} is not known of any node.`
  if (fact.kind !== 'number' || comparison === '!=' || comparison === '=') return ''
  const wantsMore = comparison.startsWith('>')
  const sorted = known.toSorted((a, b) => (Number(a.value) - Number(b.value)) * (wantsMore ? -1 : 1))
  const [best] = sorted
  return best === undefined ? '' : ` The nearest is ${best.node} with ${printFact(fact, best.value)}.`
}

/**
 * The rule of a location constraint that keeps a resource off every node that does not match. What is not known of a node excludes it, also where
 * Pacemaker's `lt` would take an attribute that is not there.
 */
export function exclusionRule(expression: ProfileExpression): NewRule {
  const condition = unmet(withoutNot(expression))
  const { booleanOp, conditions } =
    condition.kind === 'rule' ? condition.rule : { booleanOp: 'and' as const, conditions: [condition] }
  return { score: -1_000_000, booleanOp, conditions }
}

function unmet(expression: PositiveExpression): RuleCondition {
  if (expression.kind !== 'fact')
    return joined(
      expression.kind === 'and' ? 'or' : 'and',
      expression.parts.map((part) => unmet(part)),
    )
  const { fact, comparison, value } = expression
  const { attribute } = fact
  return joined('or', [
    { kind: 'attribute', attribute, operation: 'not_defined', valueSource: 'literal' },
    {
      kind: 'attribute',
      attribute,
      operation: operations[opposites[comparison]],
      value,
      valueSource: 'literal',
      type: fact.kind === 'number' ? 'number' : 'string',
    },
  ])
}

const joined = (booleanOp: 'and' | 'or', conditions: readonly RuleCondition[]): RuleCondition => ({
  kind: 'rule',
  rule: {
    id: '',
    booleanOp,
    conditions: conditions.flatMap((one) =>
      one.kind === 'rule' && one.rule.booleanOp === booleanOp ? one.rule.conditions : [one],
    ),
  },
})

const operations = { '>=': 'gte', '<=': 'lte', '>': 'gt', '<': 'lt', '=': 'eq', '!=': 'ne' } as const
