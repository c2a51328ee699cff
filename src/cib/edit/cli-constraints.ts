/**
 * Constraints that `resource move` and `resource ban` make and `resource clear` takes away. They have Pacemaker's ids
 * (`cli-prefer-web`, `cli-ban-web-on-alpha`), and say in a comment who made them and when, which `why` and the constraint
 * listing show: the schema has no attribute for it, and comments survive every tool.
 */

import type { ConstraintOrigin, Role } from '../configuration.ts'
import { element, type XmlElement } from '../document.ts'
import { originComment } from '../origin.ts'
import { idSource } from '../schema/ids.ts'
import { appended, editSection, replaceElement } from '../tree.ts'
import { parseRole, present } from '../values/attribute-text.ts'
import { constraintsOf } from './constraints.ts'
import { missingNodes, missingResources } from './find.ts'
import { type EditResult, edited, unless } from './reports.ts'

export interface CliConstraint {
  readonly resource: string
  readonly node: string
  readonly role?: Role
  /** The moment it ends, as an ISO 8601 date and time. */
  readonly until?: string
  readonly origin?: ConstraintOrigin
  /** Whoever asks has seen it: the container of a bundle is a node that is written nowhere. */
  readonly nodeIsKnown?: true
}

/** Makes a node the only preference: earlier ones of this resource, and a ban on that node, go. */
export function preferNode(cib: XmlElement, request: CliConstraint): EditResult {
  return replaceCli(cib, { ...request, id: `cli-prefer-${request.resource}`, score: 'INFINITY' }, (constraint) => {
    const { id = '', node } = constraint.attributes
    return (
      id === `cli-prefer-${request.resource}` ||
      (id.startsWith('cli-ban-') && nodeOf(constraint, node) === request.node)
    )
  })
}

/** Keeps a resource off a node. An earlier ban there is changed where it stands; preferences stay, and the ban outweighs them. */
export function banNode(cib: XmlElement, request: CliConstraint): EditResult {
  const id = `cli-ban-${request.resource}-on-${request.node}`
  return replaceCli(cib, { ...request, id, score: '-INFINITY' }, ({ attributes }) => attributes.id === id)
}

/** In place of one with its id, else at the end. */
function replaceCli(
  cib: XmlElement,
  request: CliConstraint & { readonly id: string; readonly score: 'INFINITY' | '-INFINITY' },
  isReplaced: (constraint: XmlElement) => boolean,
): EditResult {
  const reports = [
    ...missingResources(cib, [request.resource]),
    ...(request.nodeIsKnown ? [] : missingNodes(cib, [request.node])),
  ]
  return unless(reports, () => {
    const replaced = cliConstraintsOf(cib, request.resource).filter(isReplaced)
    const without = replaced.reduce((current, constraint) => replaceElement(current, constraint, []), cib)
    const made = cliElement(without, request)
    const same = request.score === '-INFINITY' ? replaced[0] : undefined
    const next =
      same === undefined
        ? editSection(without, 'constraints', (section) => appended(section, made))
        : replaceElement(cib, same, [made])
    return edited(next, {
      created: [made.attributes.id ?? ''],
      removed: replaced.map(({ name, attributes }) => ({ element: name, id: attributes.id ?? '' })),
    })
  })
}

function cliElement(
  cib: XmlElement,
  request: CliConstraint & { readonly id: string; readonly score: 'INFINITY' | '-INFINITY' },
): XmlElement {
  const ids = idSource(cib)
  const id = ids.free(request.id)
  const comments = request.origin ? [originComment(request.origin)] : []
  const subject = present({ id, rsc: request.resource, role: request.role ?? 'Started' })
  if (request.until === undefined)
    return element('rsc_location', { ...subject, node: request.node, score: request.score }, comments)
  const parts = partIds(request)
  const rule = element('rule', { id: ids.free(parts.rule), score: request.score, 'boolean-op': 'and' }, [
    element('expression', {
      id: ids.free(parts.expression),
      attribute: '#uname',
      operation: 'eq',
      value: request.node,
      type: 'string',
    }),
    element('date_expression', { id: ids.free(parts.end), operation: 'lt', end: request.until }),
  ])
  return element('rsc_location', subject, [...comments, rule])
}

/** As Pacemaker names them, other than those of constraints that people write. */
function partIds({ id, resource, score }: { readonly id: string; readonly resource: string; readonly score: string }) {
  return score === 'INFINITY'
    ? {
        rule: `cli-prefer-rule-${resource}`,
        expression: `cli-prefer-expr-${resource}`,
        end: `cli-prefer-lifetime-end-${resource}`,
      }
    : { rule: `${id}-rule`, expression: `${id}-expr`, end: `${id}-lifetime` }
}

export interface ClearRequest {
  /** All resources' where it is left out. */
  readonly resource?: string
  /** Only bans on this node and preferences for it. */
  readonly node?: string
  readonly role?: Role
  /** Only constraints that ended before this moment (ISO 8601). */
  readonly expiredAt?: string
}

/** Takes the constraints away that moves and bans have made. Having none is no mistake. */
export function clearCliConstraints(cib: XmlElement, request: ClearRequest): EditResult {
  const { resource } = request
  return unless(resource === undefined ? [] : missingResources(cib, [resource]), () => {
    const leaving = cliConstraintsOf(cib, request.resource).filter((constraint) => {
      const { node, role } = constraint.attributes
      if (request.node !== undefined && nodeOf(constraint, node) !== request.node) return false
      if (request.role !== undefined && parseRole(role) !== request.role) return false
      return request.expiredAt === undefined || endsBefore(constraint, request.expiredAt)
    })
    return edited(
      leaving.reduce((current, constraint) => replaceElement(current, constraint, []), cib),
      { removed: leaving.map(({ name, attributes }) => ({ element: name, id: attributes.id ?? '' })) },
    )
  })
}

/** Those that a running move holds, which stand in a CIB that is read, are meant by whoever clears. */
export function cliConstraintsOf(cib: XmlElement, resource: string | undefined): readonly XmlElement[] {
  return constraintsOf(cib, 'rsc_location').filter(
    ({ attributes: { rsc, id = '' } }) =>
      (resource === undefined || rsc === resource) &&
      (/^cli-(prefer|ban|standby)-/.test(id) || /^hold-.+-systole-(prefer|ban)$/.test(id)),
  )
}

/** The node of a constraint with a lifetime stands in its rule. */
function nodeOf(constraint: XmlElement, node: string | undefined): string | undefined {
  if (node !== undefined) return node
  return inRules(constraint, 'expression').find(({ attributes }) => attributes.attribute === '#uname')?.attributes.value
}

function endsBefore(constraint: XmlElement, moment: string): boolean {
  return inRules(constraint, 'date_expression').some(({ attributes }) => {
    const end = Date.parse(attributes.end ?? '')
    return attributes.operation === 'lt' && end <= Date.parse(moment)
  })
}

function inRules(constraint: XmlElement, name: string): readonly XmlElement[] {
  return constraint.children.flatMap((rule) =>
    rule.kind === 'element' && rule.name === 'rule'
      ? rule.children.filter((child): child is XmlElement => child.kind === 'element' && child.name === name)
      : [],
  )
}
