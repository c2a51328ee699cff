/** The XML of a rule: every part gets an id made from its parent's, as `pcs` does. */

import type { Role, RuleCondition, Score } from '../configuration.ts'
import { element, type XmlElement } from '../document.ts'
import type { IdSource } from '../schema/ids.ts'
import { present } from '../values/attribute-text.ts'
import { formatScore } from '../values/score.ts'

/** A rule that is to be made. The ids in its nested rules do not matter. */
export interface NewRule {
  readonly id?: string
  readonly score?: Score
  readonly scoreAttribute?: string
  readonly role?: Role
  readonly booleanOp: 'and' | 'or'
  readonly conditions: readonly RuleCondition[]
  /** As pcs 0.11 writes it: a single condition needs no boolean-op. */
  readonly withoutOp?: boolean
  /** As pcs 0.11 writes it: with a score, whatever the schema. */
  readonly scored?: boolean
}

/** Before the schema 3.9 every rule has a score, also where it means nothing: Pacemaker takes no CIB without. */
export function schemaRule(cib: XmlElement, rule: NewRule): NewRule {
  const schema = cib.attributes['validate-with'] ?? ''
  const isOld = /^pacemaker-\d/.test(schema) && schema.localeCompare('pacemaker-3.9', 'en', { numeric: true }) < 0
  return isOld || rule.scored ? withScores(rule) : rule
}

const withScores = (rule: NewRule): NewRule => ({
  ...(rule.scoreAttribute === undefined ? { score: 1_000_000 } : {}),
  ...rule,
  conditions: rule.conditions.map((condition) =>
    condition.kind === 'rule'
      ? { ...condition, rule: { ...condition.rule, ...withScores(condition.rule) } }
      : condition,
  ),
})

export function ruleElement(rule: NewRule, wantedId: string, ids: IdSource): XmlElement {
  const id = rule.id ?? ids.free(wantedId)
  const attributes = present({
    id,
    'boolean-op': rule.conditions.length > 1 ? rule.booleanOp : rule.withoutOp ? undefined : 'and',
    role: rule.role,
    score: rule.score === undefined ? undefined : formatScore(rule.score),
    'score-attribute': rule.scoreAttribute,
  })
  return element(
    'rule',
    attributes,
    rule.conditions.map((condition) => conditionElement(condition, id, ids)),
  )
}

function conditionElement(condition: RuleCondition, parentId: string, ids: IdSource): XmlElement {
  if (condition.kind === 'rule') {
    const { id, ...nested } = condition.rule
    return ruleElement(nested, `${parentId}-rule`, ids)
  }
  const id = ids.free(`${parentId}-${partFor(condition)}`)
  switch (condition.kind) {
    case 'attribute':
      return element(
        'expression',
        present({
          id,
          attribute: condition.attribute,
          operation: condition.operation,
          type: condition.type,
          value: condition.value,
          'value-source': condition.valueSource === 'literal' ? undefined : condition.valueSource,
        }),
      )
    case 'date':
      return element(
        'date_expression',
        present({ id, operation: condition.operation, start: condition.start, end: condition.end }),
        [
          ...(condition.duration
            ? [element('duration', { id: ids.free(`${id}-duration`), ...condition.duration })]
            : []),
          ...(condition.spec ? [element('date_spec', { id: ids.free(`${id}-datespec`), ...condition.spec })] : []),
        ],
      )
    case 'resource':
      return element(
        'rsc_expression',
        present({ id, class: condition.class, provider: condition.provider, type: condition.type }),
      )
    case 'operation':
      return element(
        'op_expression',
        present({
          id,
          name: condition.name,
          interval: condition.intervalMs === undefined ? undefined : intervalText(condition.intervalMs),
        }),
      )
  }
}

function partFor(condition: Exclude<RuleCondition, { readonly kind: 'rule' }>): string {
  if (condition.kind === 'operation') return `op-${condition.name}`
  if (condition.kind !== 'resource') return 'expr'
  return ['rsc', condition.class, condition.provider, condition.type].filter((part) => part !== undefined).join('-')
}

const intervalText = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`)
