/**
 * Whether a rule holds (Pacemaker Explained, "Rules"): its conditions joined by `and` or `or`, rules within rules. A rule
 * without conditions holds if joined by `and`. A condition about what is not at hand (a resource, an operation) does not hold.
 */
import { assertNever } from '../../base/index.ts'
import type { Agent, Role, Rule, RuleCondition } from '../../cib/index.ts'
import { type AttributeSources, attributeHolds } from './attribute-condition.ts'
import { dateHolds, nextDateChange } from './date-condition.ts'
import type { TimeZone } from './moment.ts'

/** What a rule is asked about. */
export interface RuleContext extends AttributeSources {
  readonly zone: TimeZone
  readonly agent?: Agent | undefined
  readonly operation?: { readonly name: string; readonly intervalMs: number } | undefined
  /** A rule for a role holds only when asked for that role. */
  readonly role?: Role | undefined
}

export function ruleHolds(rule: Rule, context: RuleContext): boolean {
  const holds = (condition: RuleCondition): boolean => conditionHolds(condition, context)
  return rule.booleanOp === 'or' ? rule.conditions.some(holds) : rule.conditions.every(holds)
}

function conditionHolds(condition: RuleCondition, context: RuleContext): boolean {
  switch (condition.kind) {
    case 'rule':
      return ruleHolds(condition.rule, context)
    case 'attribute':
      return attributeHolds(condition, context)
    case 'date':
      return dateHolds(condition, context.zone)
    case 'resource':
      return resourceMatches(condition, context.agent)
    case 'operation':
      return operationMatches(condition, context.operation)
    default:
      return assertNever(condition)
  }
}

function resourceMatches(
  { class: agentClass, provider, type }: Extract<RuleCondition, { readonly kind: 'resource' }>,
  agent: Agent | undefined,
): boolean {
  if (agent === undefined) return false
  return (
    (agentClass === undefined || agentClass === agent.class) &&
    (provider === undefined || provider === agent.provider) &&
    (type === undefined || type === agent.type)
  )
}

function operationMatches(
  { name, intervalMs }: Extract<RuleCondition, { readonly kind: 'operation' }>,
  operation: RuleContext['operation'],
): boolean {
  if (operation === undefined || operation.name !== name) return false
  return intervalMs === undefined || intervalMs === operation.intervalMs
}

/** The earliest moment after now at which some date condition of the rule changes its answer. */
export function nextRuleChange(rule: Rule, zone: TimeZone): number | undefined {
  const moments = rule.conditions.flatMap((condition) => {
    const moment =
      condition.kind === 'date'
        ? nextDateChange(condition, zone)
        : condition.kind === 'rule'
          ? nextRuleChange(condition.rule, zone)
          : undefined
    return moment === undefined ? [] : [moment]
  })
  return moments.length === 0 ? undefined : Math.min(...moments)
}
