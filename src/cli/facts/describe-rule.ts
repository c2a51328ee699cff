/** Rules as pcs writes them: `#uname eq n1 and date gt 2026-01-01`. */
import { assertNever } from '../../base/index.ts'
import type { Rule, RuleCondition } from '../../cib/index.ts'

export function describeRule(rule: Rule): string {
  return rule.conditions.map((condition) => describeCondition(condition)).join(` ${rule.booleanOp} `)
}

function describeCondition(condition: RuleCondition): string {
  switch (condition.kind) {
    case 'rule':
      return `(${describeRule(condition.rule)})`
    case 'attribute':
      return describeAttribute(condition)
    case 'date':
      return describeDate(condition)
    case 'resource':
      return `resource ${[condition.class, condition.provider, condition.type].map((part) => part ?? '').join(':')}`
    case 'operation':
      return `op ${condition.name}${condition.intervalMs === undefined ? '' : ` interval=${condition.intervalMs / 1000}s`}`
    default:
      return assertNever(condition)
  }
}

function describeAttribute(condition: RuleCondition & { readonly kind: 'attribute' }): string {
  const { attribute, operation, value, type } = condition
  if (operation === 'defined' || operation === 'not_defined') return `${operation} ${attribute}`
  return `${attribute} ${operation} ${type === undefined ? '' : `${type} `}${value ?? ''}`
}

function describeDate(condition: RuleCondition & { readonly kind: 'date' }): string {
  const pairs = (values: Readonly<Record<string, string>> | undefined): string =>
    Object.entries(values ?? {})
      .filter(([name]) => name !== 'id')
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')
  if (condition.operation === 'date_spec') return `date-spec ${pairs(condition.spec)}`
  if (condition.operation === 'gt') return `date gt ${condition.start ?? ''}`
  if (condition.operation === 'lt') return `date lt ${condition.end ?? ''}`
  const end = condition.end ?? (condition.duration ? `duration ${pairs(condition.duration)}` : '')
  return `date in_range ${condition.start ?? ''} to ${end}`
}
