/** Fencing as Pacemaker's tools tell of it. */
import type { FencingEvent } from './world.ts'

/** As the cluster's history of fencing has it; times are ISO 8601. */
interface FencingRecord {
  readonly target: string
  readonly action: string
  readonly device?: string
  readonly client?: string
  readonly executedBy?: string
  readonly begun: string
  readonly ended?: string
  readonly outcome: 'pending' | 'succeeded' | 'failed'
}

export function fencingEvent(record: FencingRecord): FencingEvent {
  const { target, action, device, client = 'systoled', executedBy = '', begun, ended, outcome } = record
  return {
    target,
    action,
    ...(device === undefined ? {} : { device }),
    client,
    node: executedBy,
    begun: seconds(begun),
    ...(ended === undefined ? {} : { ended: seconds(ended) }),
    outcome: outcome === 'succeeded' ? 'success' : outcome,
  }
}

const seconds = (time: string): number => Math.floor(Date.parse(time) / 1000)
