/**
 * What this node knows of rollouts, and its copy in a file: `rollout status` reads it while the daemon or the whole cluster is down. For root only, as
 * commands may name secrets.
 */
import { join } from 'node:path'
import type { NodeName } from '../../base/index.ts'
import {
  type DesiredVersion,
  hasFleetEnded,
  type JournalLine,
  type NodeVersionRecord,
  newestFirst,
  type RolloutsKnown,
  whyClustersWait,
} from '../../rollout/index.ts'
import { fleetReached, fleetRolloutsIn } from '../fleet/fleet-rollouts.ts'
import { writeWhole } from '../host/files.ts'
import type { Log } from '../host/log.ts'
import { fromBytes } from '../records/json-value.ts'
import {
  desiredVersionKey,
  fleetRolloutsPrefix,
  nodeVersionsPrefix,
  rolloutJournalPrefix,
  rolloutsPrefix,
} from '../records/keys.ts'
import { type Below, storedRollouts, versionIn } from './rollout-records.ts'

const writeAfterMs = 200
/** Of each journal, in the file. */
const lastLines = 200

export const knownRolloutsFile = (data: string): string => join(data, 'rollout', 'known.json')

export function journalOf(below: Below, id: string, fromLine = 0): readonly JournalLine[] {
  return below(rolloutJournalPrefix(id))
    .slice(fromLine)
    .map(({ value }) => fromBytes(value) as JournalLine)
}

export const versionsIn = (below: Below): readonly NodeVersionRecord[] =>
  below(nodeVersionsPrefix).flatMap((entry) => versionIn(entry) ?? [])

/** Those over clusters of the fleet, the newest first. */
export function fleetKnown(below: Below): NonNullable<RolloutsKnown['fleet']> {
  const reached = fleetReached(below)
  return fleetRolloutsIn(below(fleetRolloutsPrefix))
    .map(({ record }) => {
      // It may name secrets, and nobody reads it here.
      const shown = { ...record, file: '' }
      return hasFleetEnded(record)
        ? shown
        : { ...shown, waiting: Object.fromEntries(whyClustersWait(record, { reached })) }
    })
    .sort((a, b) => b.since - a.since)
}

/** A field of what is known of rollouts. */
export function desiredIn(below: Below): Pick<RolloutsKnown, 'desired'> {
  const [entry] = below(desiredVersionKey)
  const value = entry && fromBytes(entry.value)
  return typeof value === 'object' && value !== null && 'version' in value ? { desired: value as DesiredVersion } : {}
}

export interface RolloutCopyPorts {
  readonly self: NodeName
  readonly below: Below
  readonly log: Log
  /** The data folder of this node. */
  readonly data: string
}

export class RolloutCopy {
  readonly #ports: RolloutCopyPorts
  #written = ''
  #timer: NodeJS.Timeout | undefined

  constructor(ports: RolloutCopyPorts) {
    this.#ports = ports
  }

  /** After every change of the store. */
  look(): void {
    const { below } = this.#ports
    const revisions = [rolloutsPrefix, fleetRolloutsPrefix, nodeVersionsPrefix, desiredVersionKey].flatMap((prefix) =>
      below(prefix).map((one) => one.modRevision),
    )
    const mark = revisions.join()
    if (mark === this.#written || (mark === '' && this.#written === '')) return
    this.#written = mark
    this.#timer ??= setTimeout(() => this.#write(), writeAfterMs)
  }

  close(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#write()
  }

  #write(): void {
    const { self, below, log, data } = this.#ports
    this.#timer = undefined
    const known: RolloutsKnown = {
      at: new Date().toISOString(),
      node: self,
      rollouts: storedRollouts(below)
        .map(({ record }) => ({ ...record, journal: journalOf(below, record.id).slice(-lastLines) }))
        .sort(newestFirst),
      fleet: fleetKnown(below),
      versions: versionsIn(below),
      ...desiredIn(below),
    }
    try {
      writeWhole(knownRolloutsFile(data), `${JSON.stringify(known)}\n`, 0o600)
    } catch (error) {
      // A full disk: the store has it all the same.
      if (!(error instanceof Error && 'code' in error)) throw error
      log.warn('what is known of rollouts could not be written to a file', { error })
    }
  }
}
