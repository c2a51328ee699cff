/**
 * What does not happen on one node alone, such as the loss of a node, is noted in the store in the transaction that records it, so that no
 * change of the DC makes it forgotten. The DC of the moment sends the alerts and deletes the note once their programs have begun.
 */
import { fencingEvent, membershipEvents, type OutboxEvent } from '../../alerts/index.ts'
import type { NodeName } from '../../base/index.ts'
import type { NodeStateRecord } from '../../cib/index.ts'
import type { Write } from '../../store/index.ts'
import { toBytes } from '../records/json-value.ts'
import { alertEventsPrefix } from '../records/keys.ts'

export function membershipNotes(
  known: ReadonlyMap<NodeName, NodeStateRecord>,
  written: readonly NodeStateRecord[],
): readonly Write[] {
  return membershipEvents(known, written, Date.now()).map((event) => note(event, `node-${event.node}`))
}

/** As the fencing history has it. */
export interface NotedFencing {
  readonly id: string
  readonly target: string
  readonly action: string
  readonly executedBy?: string | undefined
  readonly client?: string | undefined
  readonly outcome: string
  readonly ended?: string | undefined
  readonly message?: string | undefined
  readonly isFollowUp?: true | undefined
}

/** Of what has ended, once. */
export function fencingNotes(records: readonly NotedFencing[]): readonly Write[] {
  return records
    .filter(({ outcome, isFollowUp }) => outcome !== 'pending' && isFollowUp !== true)
    .map((record) => {
      const { id, target, action, executedBy, client = 'the cluster', outcome, ended, message = '' } = record
      const at = ended === undefined ? Number.NaN : Date.parse(ended)
      const succeeded = outcome === 'succeeded'
      const event = fencingEvent(
        { id, target, action, runner: executedBy, client, succeeded, message },
        Number.isNaN(at) ? Date.now() : at,
      )
      return note(event, `fencing-${id}`)
    })
}

/** In the order of their time; the name makes two of one moment different, and one that is written twice the same. */
function note(event: OutboxEvent, name: string): Write {
  const key = `${alertEventsPrefix}${String(event.at).padStart(14, '0')}-${encodeURIComponent(name)}`
  return { kind: 'put', key, value: toBytes(event) }
}
