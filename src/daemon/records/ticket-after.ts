/** `setTicket`: what becomes of a ticket. */
import { parseTicketRecord, type TicketRecord } from '../../cib/index.ts'
import { type Messages, refuse } from '../../rpc/index.ts'
import { type Store, unchanged } from '../../store/index.ts'
import { fromBytes, toBytes } from './json-value.ts'
import { keys } from './keys.ts'

type Asked = Messages['TicketRequest']

/** Others who change the same ticket at the same time come first that often. */
const attempts = 20

/** By what the store has, which this node may not have seen yet: of two changes made at the same time neither is lost. */
export async function changeTicket(store: Store, asked: Asked, nowS: number): Promise<void> {
  const key = keys.ticket(asked.id)
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const entry = await store.get(key)
    const after = ticketAfter(entry && parseTicketRecord(fromBytes(entry.value)), asked, nowS)
    const { applied } = await store.transaction({
      compare: [unchanged(key, entry)],
      writes: [after ? { kind: 'put', key, value: toBytes(after) } : { kind: 'delete', key }],
    })
    if (applied) return
  }
  throw refuse(
    'ticket-in-use',
    `Others are changing the ticket '${asked.id}' at this moment. Nothing was changed: try again.`,
  )
}

/** Undefined where it is forgotten. */
export function ticketAfter(before: TicketRecord | undefined, asked: Asked, nowS: number): TicketRecord | undefined {
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
