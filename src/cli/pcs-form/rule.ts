/** Rules in the form in which pcs gives them out as JSON, and in the lines that it prints. */
import { childElement, childElements, findRule, type RuleCondition, type XmlElement } from '../../cib/index.ts'
import { standingOf, utc } from '../../status/index.ts'

export interface RuleForm {
  readonly id: string
  readonly type: 'RULE' | 'EXPRESSION' | 'DATE_EXPRESSION' | 'OP_EXPRESSION' | 'RSC_EXPRESSION'
  readonly in_effect: InEffect
  readonly options: Readonly<Record<string, string>>
  readonly date_spec: DatePart | null
  readonly duration: DatePart | null
  readonly expressions: readonly RuleForm[]
  readonly as_string: string
}

export type InEffect = 'EXPIRED' | 'IN_EFFECT' | 'NOT_YET_IN_EFFECT' | 'UNKNOWN'

interface DatePart {
  readonly id: string
  readonly options: Readonly<Record<string, string>>
}

const types = {
  rule: 'RULE',
  expression: 'EXPRESSION',
  date_expression: 'DATE_EXPRESSION',
  op_expression: 'OP_EXPRESSION',
  rsc_expression: 'RSC_EXPRESSION',
} as const

/** The rules directly inside an element. `now` is in seconds since 1970. */
export function ruleForms(parent: XmlElement, cib: XmlElement, now: number): readonly RuleForm[] {
  return childElements(parent, 'rule').map((rule) => ({
    ...expressionForm(rule),
    in_effect: inEffect(cib, rule.attributes.id ?? '', now),
  }))
}

/** Known only of rules that one date at their top decides, as crm_rule(8) tells it. */
function inEffect(cib: XmlElement, id: string, now: number): InEffect {
  const rule = findRule(cib, id)
  if (rule === undefined || (rule.booleanOp === 'or' && rule.conditions.length > 1)) return 'UNKNOWN'
  const dates = rule.conditions.filter(
    (condition): condition is Extract<RuleCondition, { readonly kind: 'date' }> => condition.kind === 'date',
  )
  const [date, another] = dates
  if (date === undefined || another !== undefined) return 'UNKNOWN'
  if (date.operation === 'date_spec' && date.spec?.years === undefined) return 'UNKNOWN'
  const standing = standingOf(date, { now, utcOffsetAt: utc })
  return standings[standing]
}

const standings = { 'in-effect': 'IN_EFFECT', over: 'EXPIRED', ahead: 'NOT_YET_IN_EFFECT', unknown: 'UNKNOWN' } as const

function expressionForm(written: XmlElement): RuleForm {
  const { id = '', ...attributes } = written.attributes
  const name = written.name in types ? (written.name as keyof typeof types) : 'expression'
  const expressions = childElements(written).flatMap((child) => (child.name in types ? [expressionForm(child)] : []))
  const [date_spec, duration] = [datePart(written, 'date_spec'), datePart(written, 'duration')]
  const form = {
    id,
    type: types[name],
    in_effect: 'UNKNOWN',
    options: attributes,
    date_spec,
    duration,
    expressions,
  } as const
  return { ...form, as_string: asString(form) }
}

function datePart(written: XmlElement, name: string): DatePart | null {
  const part = childElement(written, name)
  if (part === undefined) return null
  const { id = '', ...options } = part.attributes
  return { id, options: sorted(options) }
}

function sorted(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function asString({ type, options, date_spec, duration, expressions }: Omit<RuleForm, 'as_string'>): string {
  const { attribute = '', operation = '', value, name, interval } = options
  // A blank within a date would end it.
  const [start, end] = [options.start?.replaceAll(' ', 'T'), options.end?.replaceAll(' ', 'T')]
  switch (type) {
    case 'RULE':
      return expressions
        .map((inner) =>
          inner.type === 'RULE' && inner.expressions.length > 1 ? `(${inner.as_string})` : inner.as_string,
        )
        .join(` ${options['boolean-op'] ?? 'and'} `)
    case 'EXPRESSION':
      if (value === undefined) return `${operation} ${attribute}`
      return [attribute, operation, ...(options.type === undefined ? [] : [options.type]), quoted(value)].join(' ')
    case 'OP_EXPRESSION':
      return ['op', name ?? '', ...(interval === undefined ? [] : [`interval=${interval}`])].join(' ')
    case 'RSC_EXPRESSION':
      return `resource ${[options.class, options.provider, options.type].map((part) => part ?? '').join(':')}`
    case 'DATE_EXPRESSION':
      if (date_spec) return `date-spec ${pairs(date_spec.options)}`
      if (operation === 'gt') return `date gt ${start ?? ''}`
      if (operation === 'lt') return `date lt ${end ?? ''}`
      return [
        'date in_range',
        ...(start ? [start] : []),
        'to',
        duration ? `duration ${pairs(duration.options)}` : (end ?? ''),
      ].join(' ')
  }
}

const quoted = (value: string): string => (/\s/.test(value) ? `"${value}"` : value)

const pairs = (options: Readonly<Record<string, string>>): string =>
  Object.entries(options)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')

/** `Rule: boolean-op=and (id: r1)` and what is in it, indented. Until 0.11 no blank stood before an id. */
export function ruleLines(rule: RuleForm, withIds: boolean, beforeId: ' ' | '' = ' '): readonly string[] {
  const id = (of: { readonly id: string }): string => (withIds ? ` (id:${beforeId}${of.id})` : '')
  if (rule.type === 'RULE')
    return [
      `Rule${standingLabel(rule)}: ${pairs(sorted(rule.options))}${id(rule)}`,
      ...rule.expressions.flatMap((inner) => ruleLines(inner, withIds, beforeId).map((line) => `  ${line}`)),
    ]
  if (rule.date_spec)
    return [`Expression:${id(rule)}`, `  Date Spec: ${pairs(rule.date_spec.options)}${id(rule.date_spec)}`]
  if (rule.duration)
    return [
      `Expression: date in_range${rule.options.start === undefined ? '' : ` ${rule.options.start}`} to duration${id(rule)}`,
      `  Duration: ${pairs(rule.duration.options)}${id(rule.duration)}`,
    ]
  return [`Expression: ${rule.as_string}${id(rule)}`]
}

function standingLabel(rule: RuleForm): string {
  const { in_effect } = rule
  return in_effect === 'EXPIRED' ? ' (expired)' : in_effect === 'NOT_YET_IN_EFFECT' ? ' (not yet in effect)' : ''
}
