/** `setTicket`: what becomes of a ticket's record; undefined where it is forgotten. */
import type { TicketRecord } from '../../cib/index.ts'
import type { Messages } from '../../rpc/index.ts'

export function ticketAfter(
  before: TicketRecord | undefined,
  asked: Messages['TicketRequest'],
  nowS: number,
): TicketRecord | undefined {
  const { id, granted, standby, attributes, forget } = asked
  if (forget) return undefined
  return {
    id,
    granted: granted ?? before?.granted ?? false,
    ...(standby === undefined ? {} : { standby }),
    ...(before?.lastGranted === undefined ? {} : { lastGranted: before.lastGranted }),
    ...(granted === true ? { lastGranted: nowS } : {}),
    attributes: { ...before?.attributes, ...attributes },
  }
}
