/**
 * What the cluster knows of a node's watchdog, and of the disks of SBD's that it reads: the node tells it with its member record, the DC keeps
 * it with its node-state.
 */
import type { NodeStateRecord } from '../cib/index.ts'

const attribute = 'watchdog_ms'
const disksAttribute = 'sbd_disks'
const disksWatchdogAttribute = 'sbd_watchdog_ms'

/** A node that ends itself when one of these disks says so, or when it cannot read enough of them. Its watchdog alone proves nothing. */
export interface DiskWatch {
  /** The watchdog's time, which resets it then. */
  readonly watchdogMs: number
  /** As they are configured; without an UUID where it was never read. */
  readonly disks: readonly { readonly path: string; readonly uuid?: string }[]
}

/** What a node says of its watchdog: that others may count on it alone, or on the disks. */
export interface ReportedWatchdog {
  readonly watchdogMs?: number
  readonly sbd?: DiskWatch
}

/** For the node-state of one that is integrated. */
export function watchdogAttributes({ watchdogMs, sbd }: ReportedWatchdog): Readonly<Record<string, string>> {
  return {
    ...(watchdogMs === undefined ? {} : { [attribute]: String(watchdogMs) }),
    ...(sbd === undefined
      ? {}
      : { [disksWatchdogAttribute]: String(sbd.watchdogMs), [disksAttribute]: sbd.disks.map(textOfDisk).join(',') }),
  }
}

/** The node-state does not tell what the node tells now. */
export function isWatchdogOutdated(state: NodeStateRecord | undefined, record: ReportedWatchdog): boolean {
  const reported = watchdogAttributes(record)
  const names = [attribute, disksAttribute, disksWatchdogAttribute]
  return names.some((name) => state?.attributes?.[name] !== reported[name])
}

/** Undefined: it feeds none that others may count on, so that it must be fenced otherwise. */
export function watchdogMsOf(state: NodeStateRecord | undefined): number | undefined {
  return millisecondsOf(state?.attributes?.[attribute])
}

/** Undefined: it reads none. */
export function diskWatchOf(state: NodeStateRecord | undefined): DiskWatch | undefined {
  const watchdogMs = millisecondsOf(state?.attributes?.[disksWatchdogAttribute])
  const disks = state?.attributes?.[disksAttribute]?.split(',').map(diskOfText)
  return watchdogMs === undefined || disks === undefined ? undefined : { watchdogMs, disks }
}

/** As the member record has it. */
export function parseDiskWatch(value: unknown): DiskWatch | undefined {
  if (typeof value !== 'object' || value === null || !('watchdogMs' in value) || !('disks' in value)) return undefined
  const { watchdogMs, disks } = value
  if (typeof watchdogMs !== 'number' || !Array.isArray(disks)) return undefined
  return { watchdogMs, disks: disks.flatMap(parseDisk) }
}

function millisecondsOf(text: string | undefined): number | undefined {
  const reported = Number(text)
  return Number.isFinite(reported) && reported > 0 ? reported : undefined
}

type ReportedDisk = DiskWatch['disks'][number]

const textOfDisk = ({ path, uuid }: ReportedDisk): string => (uuid === undefined ? path : `${path}=${uuid}`)

function diskOfText(text: string): ReportedDisk {
  const [, path = text, uuid] = /^(.*)=([0-9a-f]{32})$/.exec(text) ?? []
  return { path, ...(uuid === undefined ? {} : { uuid }) }
}

function parseDisk(value: unknown): readonly ReportedDisk[] {
  if (typeof value !== 'object' || value === null || !('path' in value) || typeof value.path !== 'string') return []
  const uuid = 'uuid' in value && typeof value.uuid === 'string' ? { uuid: value.uuid } : {}
  return [{ path: value.path, ...uuid }]
}
