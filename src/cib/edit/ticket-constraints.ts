/** Constraints that let resources run only while the cluster holds a ticket. */
import { failed } from '../../base/index.ts'
import type { Role } from '../configuration.ts'
import { element, type XmlElement } from '../document.ts'
import { schemaNumber } from '../schema/by-schema.ts'
import { idSource } from '../schema/ids.ts'
import { appended, editSection, replaceElement } from '../tree.ts'
import { parseRole, present } from '../values/attribute-text.ts'
import {
  alreadyThere,
  checkConstraint,
  constraintsOf,
  type NewConstraint,
  type NewResourceSet,
  resourceSetElements,
  sameSets,
  shortNames,
} from './constraints.ts'
import { withoutResources } from './constraints-of-resources.ts'
import { type EditReport, type EditResult, edited, type Removed, unless } from './reports.ts'

export type LossPolicy = 'stop' | 'demote' | 'fence' | 'freeze'

export interface NewTicketConstraint extends NewConstraint {
  readonly ticket: string
  readonly lossPolicy?: LossPolicy
  readonly on:
    | { readonly by: 'id'; readonly id: string; readonly role?: Role }
    | { readonly by: 'sets'; readonly sets: readonly NewResourceSet[] }
}

export function createTicketConstraint(cib: XmlElement, request: NewTicketConstraint): EditResult {
  const { on } = request
  const members = on.by === 'id' ? [on.id] : on.sets.flatMap((set) => set.members)
  const same =
    on.by === 'id' && !request.force
      ? constraintsOf(cib, 'rsc_ticket').filter(
          ({ attributes }) =>
            attributes.ticket === request.ticket &&
            attributes.rsc === on.id &&
            parseRole(attributes['rsc-role']) === on.role,
        )
      : []
  const reports: readonly EditReport[] = [
    ...checkConstraint(cib, request, members),
    ...(on.by === 'sets' && !request.force ? sameSets(cib, 'rsc_ticket', on.sets, request.ticket) : []),
    ...(members.length === 0 ? [{ code: 'nothing-given', what: 'resource' } as const] : []),
    ...alreadyThere('ticket constraint', same),
  ]
  return unless(reports, () => {
    const ids = idSource(cib)
    const wanted =
      on.by === 'id'
        ? ['ticket', request.ticket, on.id, ...(on.role === undefined ? [] : [roleWord(cib, on.role)])].join('-')
        : `ticket_set_${shortNames(members)}`
    const id = request.id ?? ids.free(wanted)
    const attributes = present({
      id,
      rsc: on.by === 'id' ? on.id : undefined,
      'rsc-role': on.by === 'id' ? on.role : undefined,
      ticket: request.ticket,
      'loss-policy': request.lossPolicy,
    })
    const sets = on.by === 'sets' ? resourceSetElements(id, on.sets, ids) : []
    return edited(
      editSection(cib, 'constraints', (section) => appended(section, element('rsc_ticket', attributes, sets))),
      { created: [id] },
    )
  })
}

/** As the schema of the CIB calls the role. */
function roleWord(cib: XmlElement, role: Role): string {
  const schema = schemaNumber(cib.attributes['validate-with'])
  if (schema === undefined || schema >= 307) return role
  return { Promoted: 'Master', Unpromoted: 'Slave', Started: 'Started', Stopped: 'Stopped' }[role]
}

/** Also out of the sets that depend on the ticket: the resource runs without it afterwards. */
export function deleteTicketConstraints(
  cib: XmlElement,
  request: { readonly ticket: string; readonly resource: string },
): EditResult {
  const removed: Removed[] = []
  const changed = constraintsOf(cib, 'rsc_ticket')
    .filter(({ attributes }) => attributes.ticket === request.ticket)
    .reduce((current, constraint) => {
      const isWhole = constraint.attributes.rsc === request.resource
      const kept = withoutResources(constraint, { resources: [request.resource], isWhole, removed })
      return kept === constraint ? current : replaceElement(current, constraint, kept ? [kept] : [])
    }, cib)
  if (removed.length === 0)
    return failed({
      code: 'not-found',
      what: `constraint of '${request.resource}' on the ticket`,
      id: request.ticket,
      similar: [],
    })
  return edited(changed, { removed })
}
