/** What the cluster knows of a node's watchdog: the node tells it with its member record, the DC keeps it with its node-state. */
import type { NodeStateRecord } from '../cib/index.ts'
import type { MemberRecord } from './view.ts'

const attribute = 'watchdog_ms'

/** For the node-state of one that is integrated. */
export function watchdogAttributes({ watchdogMs }: MemberRecord): Readonly<Record<string, string>> {
  return watchdogMs === undefined ? {} : { [attribute]: String(watchdogMs) }
}

/** Undefined: it feeds none, so that it must be fenced otherwise. */
export function watchdogMsOf(state: NodeStateRecord | undefined): number | undefined {
  const told = Number(state?.attributes?.[attribute])
  return Number.isFinite(told) && told > 0 ? told : undefined
}
