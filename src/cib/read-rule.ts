/**
 * Rules (Pacemaker Explained, "Rules"): what a rule says, as a tree. Whether it holds is decided by `status`. A piece
 * that cannot be understood is kept as a condition that never holds where leaving it out would make the rule hold more often.
 */

import type { Rule, RuleCondition } from './configuration.ts'
import { childElement, childElements, type XmlElement } from './document.ts'
import { indexReferences, type References } from './references.ts'
import { parseIntervalMs, parseRole, present } from './values/attribute-text.ts'
import { parseScore } from './values/score.ts'

/** The rules directly inside an element, references resolved; one whose reference leads nowhere never holds. */
export function readRules(parent: XmlElement, references: References): readonly Rule[] {
  return childElements(parent, 'rule').map((written) => readRule(written, references, []))
}

/** The rule of an id, wherever it stands in a document. */
export function findRule(root: XmlElement, id: string): Rule | undefined {
  const references = indexReferences(root)
  const written = references.find('rule', id)
  return written && readRule(written, references, [])
}

/** Several rules in a place that takes one: it applies where any of them holds. */
export function readOneRule(parent: XmlElement, references: References): Rule | undefined {
  const rules = readRules(parent, references)
  const [first] = rules
  if (first === undefined || rules.length === 1) return first
  return { id: first.id, booleanOp: 'or', conditions: rules.map((rule) => ({ kind: 'rule', rule })) }
}

/** `above` holds the rules around it, so that rules that refer to each other end. */
function readRule(written: XmlElement, references: References, above: readonly XmlElement[]): Rule {
  const meant = references.resolve(written)
  if (meant === undefined || above.includes(meant)) return neverHolds(written.attributes['id-ref'] ?? '')
  const { attributes } = meant
  return {
    id: attributes.id ?? '',
    booleanOp: attributes['boolean-op']?.toLowerCase() === 'or' ? 'or' : 'and',
    conditions: childElements(meant).flatMap((child) => readCondition(child, references, [...above, meant])),
    ...present({
      role: parseRole(attributes.role),
      score: attributes.score === undefined ? undefined : (parseScore(attributes.score) ?? 0),
      scoreAttribute: attributes['score-attribute'] ?? attributes.score_attribute,
    }),
  }
}

function neverHolds(id: string): Rule {
  return { id, booleanOp: 'or', conditions: [] }
}

function readCondition(
  written: XmlElement,
  references: References,
  above: readonly XmlElement[],
): readonly RuleCondition[] {
  if (written.name === 'rule') return [{ kind: 'rule', rule: readRule(written, references, above) }]
  const meant = references.resolve(written)
  if (meant === undefined) return [{ kind: 'rule', rule: neverHolds(written.attributes['id-ref'] ?? '') }]
  const { attributes } = meant
  switch (meant.name) {
    case 'expression':
      return [readAttributeCondition(meant)]
    case 'date_expression':
      return [readDateCondition(meant, references)]
    case 'rsc_expression':
      return [
        {
          kind: 'resource',
          ...present({ class: attributes.class, provider: attributes.provider, type: attributes.type }),
        },
      ]
    case 'op_expression':
      return [
        {
          kind: 'operation',
          name: attributes.name ?? '',
          ...present({
            intervalMs: attributes.interval === undefined ? undefined : parseIntervalMs(attributes.interval),
          }),
        },
      ]
    default:
      return []
  }
}

const attributeOperations = ['lt', 'gt', 'lte', 'gte', 'eq', 'ne', 'defined', 'not_defined'] as const
const attributeTypes = ['string', 'number', 'integer', 'version'] as const
const valueSources = ['literal', 'param', 'meta'] as const
const dateOperations = ['gt', 'lt', 'in_range', 'date_spec'] as const

function readAttributeCondition({ attributes }: XmlElement): RuleCondition {
  const operation = oneOf(attributeOperations, attributes.operation)
  if (operation === undefined || attributes.attribute === undefined)
    return { kind: 'rule', rule: neverHolds(attributes.id ?? '') }
  return {
    kind: 'attribute',
    attribute: attributes.attribute,
    operation,
    valueSource: oneOf(valueSources, attributes['value-source']) ?? 'literal',
    ...present({ value: attributes.value, type: oneOf(attributeTypes, attributes.type) }),
  }
}

function readDateCondition(element: XmlElement, references: References): RuleCondition {
  const { attributes } = element
  const timesOf = (name: string): Readonly<Record<string, string>> | undefined => {
    const written = childElement(element, name)
    const meant = written && references.resolve(written)
    if (meant === undefined) return undefined
    const { id, 'id-ref': reference, ...times } = meant.attributes
    return times
  }
  return {
    kind: 'date',
    operation: oneOf(dateOperations, attributes.operation) ?? 'in_range',
    ...present({
      start: attributes.start,
      end: attributes.end,
      duration: timesOf('duration'),
      spec: timesOf('date_spec'),
    }),
  }
}

function oneOf<Word extends string>(words: readonly Word[], text: string | undefined): Word | undefined {
  return words.find((word) => word === text?.toLowerCase())
}
