/** A constraint of a cluster file as the CIB has it. */

import type { FieldPath } from '../../base/index.ts'
import { element, parseRole, parseScore, ruleOfNew, withoutPartIds, type XmlElement } from '../../cib/index.ts'
import { Refusal } from '../call/command.ts'
import { readRule } from '../grammar/rule-words.ts'
import { constraintKinds, kindOfConstraint, setFields } from './fields.ts'
import { attributesOf, fieldsOf, itemsOf, type Report, references } from './parts.ts'
import type { Fields } from './read-file.ts'

interface Around {
  readonly path: FieldPath
  readonly report: Report
}

export function constraintElement(id: string, body: unknown, { path, report }: Around): XmlElement {
  const fields = fieldsOf(body)
  const kind = kindOfConstraint(fields)
  if (kind === undefined) {
    const marks = constraintKinds.map(({ marks: [mark = ''] }) => mark)
    report(path, `Specify what it is: one of ${marks.join(', ')}, or xml.`)
    return element('rsc_location', { id })
  }
  const known = new Set([
    ...Object.keys(kind.fields),
    kind.subject,
    ...(kind.element === 'rsc_location' ? ['rules'] : []),
  ])
  for (const field of Object.keys(fields))
    if (!known.has(field))
      report([...path, field], `A ${kind.marks[0] ?? ''} has no field '${field}'. Fields: ${[...known].join(', ')}.`)
  const subject = fields[kind.subject]
  const sets = itemsOf(subject).map((set) => setElement(fieldsOf(set)))
  const own = typeof subject === 'string' ? { [kind.attribute]: subject } : {}
  const rules = itemsOf(fields.rules).map((rule, at) =>
    ruleOf(fieldsOf(rule), { path: [...path, 'rules', at], report }),
  )
  refuseIncomplete(kind.element, fields, { path, report })
  return element(kind.element, { id, ...own, ...attributesOf(fields, kind.fields) }, [...sets, ...rules])
}

function refuseIncomplete(name: string, fields: Fields, { path, report }: Around): void {
  const isPair = (subject: string): boolean => typeof fields[subject] === 'string'
  if (name === 'rsc_location' && fields.rules === undefined && fields.node === undefined)
    report(path, 'Specify a node with a score, or rules.')
  if (name === 'rsc_location' && fields.node !== undefined && fields.score === undefined)
    report(path, "The field 'score' is missing.")
  if (name === 'rsc_colocation' && isPair('colocation') && fields.with === undefined)
    report(path, "The field 'with' is missing.")
  if (name === 'rsc_order' && isPair('order') && fields.then === undefined) report(path, "The field 'then' is missing.")
  if (name === 'rsc_ticket' && fields.resource === undefined) report(path, "The field 'resource' is missing.")
}

function setElement(set: Fields): XmlElement {
  return element('resource_set', attributesOf(set, setFields), references('resource_ref', set.resources))
}

function ruleOf(fields: Fields, { path, report }: Around): XmlElement {
  const nothing = element('rule', {})
  const score = fields.score === undefined ? undefined : parseScore(String(fields.score))
  if (fields.score !== undefined && score === undefined)
    report([...path, 'score'], `'${String(fields.score)}' is not a score.`)
  const role = fields.role === undefined ? undefined : parseRole(String(fields.role))
  if (fields.role !== undefined && role === undefined)
    report([...path, 'role'], `'${String(fields.role)}' is not a role.`)
  try {
    const written = readRule([String(fields.when)])
    const own = typeof fields.id === 'string' ? fields.id : 'rule'
    const rule = ruleOfNew(
      {
        ...written,
        ...(score !== undefined && { score }),
        ...(role !== undefined && { role }),
        ...(fields['score-attribute'] !== undefined && { scoreAttribute: String(fields['score-attribute']) }),
      },
      own,
    )
    return withoutPartIds(rule, (id) => id === fields.id)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    report([...path, 'when'], error.sentences.join(' '))
    return nothing
  }
}
