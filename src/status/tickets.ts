/** Tickets of multi-site clusters, from the status section (Pacemaker Explained, "Multi-Site Clusters and Tickets"). */
import { childElement, childElements, parseBoolean, type XmlElement } from '../cib/index.ts'
import type { TicketStatus } from './cluster-status.ts'

/** Those that the status section knows; a ticket that only a constraint names is not granted. */
export function readTickets(status: XmlElement | undefined): readonly TicketStatus[] {
  const tickets = status === undefined ? undefined : childElement(status, 'tickets')
  if (tickets === undefined) return []
  return childElements(tickets, 'ticket_state').flatMap(({ attributes }) => {
    const { id, granted, standby, 'last-granted': lastGranted } = attributes
    if (id === undefined) return []
    return [
      {
        id,
        granted: parseBoolean(granted) ?? false,
        standby: parseBoolean(standby) ?? false,
        attributes: new Map(Object.entries(attributes)),
        ...(lastGranted === undefined ? {} : { lastGranted: Number.parseInt(lastGranted, 10) || 0 }),
      },
    ]
  })
}
