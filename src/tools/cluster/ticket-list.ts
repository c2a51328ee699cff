/** Tickets as crm_ticket lists them: in lines, and as XML. */
import { element, type XmlElement } from '../../cib/index.ts'
import type { TicketStatus } from '../../status/index.ts'
import { ctime } from '../monitor/times.ts'

/** `--info`, `--details`, `--raw`. */
export type TicketListing = 'info' | 'details' | 'raw'

const ownWords = new Set(['granted', 'standby', 'last-granted', 'id'])

export function ticketLine(how: TicketListing, ticket: TicketStatus): string {
  const { id, granted, standby, lastGranted } = ticket
  if (how === 'raw') return id
  const state = `${id}\t${granted ? 'granted' : 'revoked'}${standby ? ' [standby]' : ''}`
  const last = lastGranted === undefined ? '' : ctime(lastGranted)
  if (how === 'info') return last === '' ? state : `${state} last-granted="${last}"`
  const details = detailsOf(ticket, last)
  const gap = last === '' ? '' : ' '
  return details.length === 0 ? `${state}${gap}` : `${state}${gap}\t(${details.join(', ')})`
}

function detailsOf({ granted, standby, attributes }: TicketStatus, last: string): readonly string[] {
  return [
    ...(attributes.has('granted') ? [`granted=${granted}`] : []),
    ...(attributes.has('standby') ? [`standby=${standby}`] : []),
    ...(last === '' ? [] : [`last-granted=${last}`]),
    ...othersOf(attributes).map(([name, value]) => `${name}=${value}`),
  ]
}

const othersOf = (attributes: ReadonlyMap<string, string>): readonly (readonly [string, string])[] =>
  [...attributes].filter(([name]) => !ownWords.has(name))

/** However it is asked for, XML has everything. */
export function ticketElement({ id, granted, standby, lastGranted, attributes }: TicketStatus): XmlElement {
  return element('ticket', {
    id,
    status: granted ? 'granted' : 'revoked',
    standby: String(standby),
    ...(lastGranted === undefined ? {} : { 'last-granted': ctime(lastGranted) }),
    ...(attributes.has('granted') ? { granted: String(granted) } : {}),
    ...Object.fromEntries(othersOf(attributes)),
  })
}

export function ticketConstraints(constraints: readonly XmlElement[]): readonly XmlElement[] {
  const tickets = constraints.map((constraint) =>
    element('ticket', { id: constraint.attributes.ticket ?? '' }, [element('constraints', {}, [constraint])]),
  )
  const resources = constraints.flatMap(({ attributes: { rsc } }) =>
    rsc === undefined ? [] : [element('resource', { id: rsc })],
  )
  return [element('tickets', {}, tickets), element('resources', {}, resources)]
}
