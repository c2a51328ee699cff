/**
 * Constraints as pcs printed them until 0.11: by resource, then orders, colocations and tickets, under titles that are
 * there even where nothing follows. Parsers of modules and scripts of that time look for these lines.
 */
import { childElements, parseBoolean, type XmlElement } from '../../cib/index.ts'
import type { Dialect } from '../call/speech.ts'
import type { FormContext } from './nvset.ts'
import { oldRole, roleIn } from './old-role.ts'
import { type RuleForm, ruleForms, ruleLines } from './rule.ts'

export interface OldLayout {
  readonly dialect: Dialect
  readonly withIds: boolean
  /** Also constraints whose rules have expired; 0.9 knows no expiry. */
  readonly withExpired: boolean
  readonly context: FormContext
}

type Kind = 'location' | 'order' | 'colocation' | 'ticket'

/** Those of the kinds, each under its title. */
export function oldConstraintLines(
  constraints: readonly XmlElement[],
  kinds: readonly Kind[],
  layout: OldLayout,
): readonly string[] {
  return kinds.flatMap((kind) => {
    const own = constraints.filter(({ name }) => name === `rsc_${kind}`)
    return kind === 'location' ? oldLocationsByResource(own, layout) : [titles[kind], ...otherLines(own, kind, layout)]
  })
}

const titles = { order: 'Ordering Constraints:', colocation: 'Colocation Constraints:', ticket: 'Ticket Constraints:' }

export function oldLocationsByResource(locations: readonly XmlElement[], layout: OldLayout): readonly string[] {
  const groups = bySubject(locations).flatMap(({ heading, members }) => {
    const lines = [
      ...placed(
        members.filter(({ attributes }) => attributes.node !== undefined),
        ['    Enabled on:', '    Disabled on:'],
        layout,
        (one) => `Node: ${one.attributes.node ?? ''}`,
      ),
      ...rulesOf(members, layout),
    ]
    return lines.length === 0 ? [] : [heading, ...lines]
  })
  return ['Location Constraints:', ...groups]
}

/** pcs 0.11 has those with rules at a node without a name, too, where no nodes are asked for. */
export function oldLocationsByNode(
  locations: readonly XmlElement[],
  layout: OldLayout,
  ofAllNodes: boolean,
): readonly string[] {
  const hasNameless = layout.dialect === '0.11' && ofAllNodes && locations.some(({ attributes }) => !attributes.node)
  const named = new Set(locations.flatMap(({ attributes }) => attributes.node ?? []))
  const nodes = [...(hasNameless ? [''] : []), ...[...named].sort()]
  return [
    'Location Constraints:',
    ...nodes.flatMap((node) => [
      `  Node: ${node}`,
      ...placed(
        locations.filter(({ attributes }) => (attributes.node ?? '') === node),
        ['    Allowed to run:', '    Not allowed to run:'],
        layout,
        subjectOf,
      ),
    ]),
    ...bySubject(locations.filter((one) => childElements(one, 'rule').length > 0)).flatMap(({ heading, members }) => [
      heading,
      ...rulesOf(members, layout),
    ]),
  ]
}

const subjectOf = ({ attributes }: XmlElement): string =>
  attributes['rsc-pattern'] === undefined
    ? `Resource: ${attributes.rsc ?? ''}`
    : `Resource pattern: ${attributes['rsc-pattern']}`

/** Patterns first, then resources, each by name. */
function bySubject(
  locations: readonly XmlElement[],
): readonly { readonly heading: string; readonly members: readonly XmlElement[] }[] {
  const order = (subject: string): string => `${subject.startsWith('Resource:') ? 1 : 0} ${subject}`
  const subjects = [...new Set(locations.map(subjectOf))].sort((a, b) => (order(a) < order(b) ? -1 : 1))
  return subjects.map((subject) => ({
    heading: `  ${subject}`,
    members: locations.filter((one) => subjectOf(one) === subject),
  }))
}

/** Those that name a node; below their label since 0.10, in one line with it before. */
function placed(
  locations: readonly XmlElement[],
  [wanted, unwanted]: readonly [string, string],
  layout: OldLayout,
  what: (location: XmlElement) => string,
): readonly string[] {
  const lines = (label: string, members: readonly XmlElement[]): readonly string[] => {
    if (members.length === 0) return []
    if (layout.dialect !== '0.9') return [label, ...members.map((one) => `      ${what(one)} ${traits(one, layout)}`)]
    return label.includes('llowed')
      ? [label, ...members.map((one) => `      ${oldTraitsByNode(one)}`)]
      : members.map((one) => `${label} ${one.attributes.node} ${traits(one, layout)}`)
  }
  return [
    ...lines(
      wanted,
      locations.filter((one) => !isAgainst(one)),
    ),
    ...lines(unwanted, locations.filter(isAgainst)),
  ]
}

const isAgainst = ({ attributes }: XmlElement): boolean => attributes.score?.startsWith('-') === true

function traits({ attributes }: XmlElement, { dialect, withIds }: OldLayout): string {
  const { score = '0', role, id = '', 'resource-discovery': discovery } = attributes
  return [
    `(score:${score})`,
    ...(role === undefined ? [] : [dialect === '0.9' ? `(role: ${oldRole(role)})` : `(role:${roleIn(role, dialect)})`]),
    ...(discovery === undefined ? [] : [`(resource-discovery=${discovery})`]),
    ...(withIds ? [`(id:${id})`] : []),
  ].join(' ')
}

function oldTraitsByNode({ attributes }: XmlElement): string {
  const { rsc, id = '', score = '0', role, 'resource-discovery': discovery } = attributes
  return [
    `${rsc ?? attributes['rsc-pattern'] ?? ''} (${id})`,
    ...(role === undefined ? [] : [`(role: ${oldRole(role)})`]),
    ...(discovery === undefined ? [] : [`(resource-discovery=${discovery})`]),
    `Score: ${score}`,
  ].join(' ')
}

function rulesOf(locations: readonly XmlElement[], layout: OldLayout): readonly string[] {
  return [...locations]
    .sort((a, b) => ((a.attributes.id ?? '') < (b.attributes.id ?? '') ? -1 : 1))
    .flatMap((one) => {
      const rules = ruleForms(one, layout.context.cib, layout.context.now)
      const isOver = layout.dialect !== '0.9' && rules.every(({ in_effect }) => in_effect === 'EXPIRED')
      if (rules.length === 0 || (isOver && !layout.withExpired)) return []
      const discovery = one.attributes['resource-discovery']
      const options = discovery === undefined ? '' : ` (resource-discovery=${discovery})`
      return [
        `    Constraint${isOver ? ' (expired)' : ''}: ${one.attributes.id ?? ''}${options}`,
        ...rules.flatMap((rule) => ruleText(rule, layout)).map((line) => `      ${line}`),
      ]
    })
}

function ruleText(rule: RuleForm, { dialect, withIds }: OldLayout): readonly string[] {
  if (dialect !== '0.9') return ruleLines(rule, withIds, '')
  const inOldWords = (form: RuleForm): RuleForm => ({
    ...form,
    in_effect: 'UNKNOWN',
    options: form.options.role === undefined ? form.options : { ...form.options, role: oldRole(form.options.role) },
    expressions: form.expressions.map(inOldWords),
  })
  return ruleLines(inOldWords(rule), withIds, '')
}

function otherLines(constraints: readonly XmlElement[], kind: Exclude<Kind, 'location'>, layout: OldLayout): string[] {
  const hasSets = (one: XmlElement): boolean => childElements(one, 'resource_set').length > 0
  const sets = constraints.filter(hasSets)
  const line = { order: orderText, colocation: colocationText, ticket: ticketText }[kind]
  return [
    ...constraints.filter((one) => !hasSets(one)).map((one) => `  ${line(one, layout)}`),
    ...(sets.length === 0 ? [] : ['  Resource Sets:', ...sets.map((one) => `    ${setsText(one, layout)}`)]),
  ]
}

const idText = ({ attributes }: XmlElement, { withIds }: OldLayout): readonly string[] =>
  withIds ? [`(id:${attributes.id ?? ''})`] : []

function orderText(order: XmlElement, layout: OldLayout): string {
  const {
    first = '',
    // The name is the CIB's; nothing awaits this object.
    then: last = '',
    'first-action': firstAction,
    'then-action': thenAction,
    id: _id,
    score,
    kind,
    symmetrical,
    ...options
  } = order.attributes
  const others = pairsOf(options)
  return [
    ...(firstAction === undefined ? [] : [firstAction]),
    first,
    'then',
    ...(thenAction === undefined ? [] : [thenAction]),
    last,
    kind === undefined && score !== undefined ? `(score:${score})` : `(kind:${kind ?? 'Mandatory'})`,
    ...(symmetrical !== undefined && parseBoolean(symmetrical) === false ? ['(non-symmetrical)'] : []),
    ...(others.length === 0 ? [] : [`(Options: ${others.join(' ')})`]),
    ...idText(order, layout),
  ].join(' ')
}

function colocationText(colocation: XmlElement, layout: OldLayout): string {
  const { rsc = '', 'with-rsc': primary = '', id: _id, score = '', ...options } = colocation.attributes
  return [
    `${rsc} with ${primary} (score:${score})`,
    ...sortedEntries(options).map(
      ([name, value]) => `(${name}:${name.endsWith('role') ? roleIn(value, layout.dialect) : value})`,
    ),
    ...idText(colocation, layout),
  ].join(' ')
}

function ticketText(ticket: XmlElement, layout: OldLayout): string {
  const { rsc = '', 'rsc-role': role, id: _id, ...options } = ticket.attributes
  return [
    ...(role === undefined ? [] : [roleIn(role, layout.dialect)]),
    rsc,
    ...pairsOf(options),
    ...idText(ticket, layout),
  ].join(' ')
}

function setsText(constraint: XmlElement, layout: OldLayout): string {
  const own = pairsOf({ ...constraint.attributes, id: undefined })
  const sets = childElements(constraint, 'resource_set').flatMap((set) => [
    'set',
    ...childElements(set, 'resource_ref').map(({ attributes }) => attributes.id ?? ''),
    ...pairsOf({
      ...set.attributes,
      id: undefined,
      ...(set.attributes.role === undefined ? {} : { role: roleIn(set.attributes.role, layout.dialect) }),
    }),
    ...idText(set, layout),
  ])
  return [...sets, ...(own.length === 0 ? [] : ['setoptions', ...own]), ...idText(constraint, layout)].join(' ')
}

function sortedEntries(values: Readonly<Record<string, string | undefined>>): readonly (readonly [string, string])[] {
  return Object.entries(values)
    .flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

const pairsOf = (values: Readonly<Record<string, string | undefined>>): readonly string[] =>
  sortedEntries(values).map(([name, value]) => `${name}=${value}`)
