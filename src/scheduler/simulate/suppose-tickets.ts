/** What if a ticket were granted or not, in use or on standby: its `ticket_state`. */
import { childElement, childElements, element, type XmlElement } from '../../cib/index.ts'
import { withChild } from './count-failure.ts'
import type { Supposed } from './supposed.ts'

export type TicketFate = 'granted' | 'revoked' | 'standby' | 'active'

const states: Readonly<Record<TicketFate, Readonly<Record<string, string>>>> = {
  granted: { granted: 'true' },
  revoked: { granted: 'false' },
  standby: { standby: 'true' },
  active: { standby: 'false' },
}

const words: Readonly<Record<TicketFate, (ticket: string) => string>> = {
  granted: (ticket) => `Granting ticket ${ticket}`,
  revoked: (ticket) => `Revoking ticket ${ticket}`,
  standby: (ticket) => `Making ticket ${ticket} standby`,
  active: (ticket) => `Activating ticket ${ticket}`,
}

/** A ticket that the status does not know yet gets its first entry. */
export function supposeTicket(cib: XmlElement, id: string, fate: TicketFate): Supposed {
  const status = childElement(cib, 'status') ?? element('status')
  const tickets = childElement(status, 'tickets') ?? element('tickets')
  const known = childElements(tickets, 'ticket_state').find(({ attributes }) => attributes.id === id)
  const before = known ?? element('ticket_state', { id })
  const after: XmlElement = { ...before, attributes: { ...before.attributes, ...states[fate] } }
  const children = known
    ? tickets.children.map((child) => (child === known ? after : child))
    : [...tickets.children, after]
  return { cib: withChild(cib, withChild(status, { ...tickets, children })), lines: [words[fate](id)] }
}
