/**
 * Live migrations that stopped half-way. A whole one is migrate_to on the source, migrate_from on the target, stop on the
 * source (Pacemaker Explained, "Migrating Resources"; Administration, "Migration").
 *
 * | recorded | means |
 * | --- | --- |
 * | migrate_to done, migrate_from done, no stop | dangling: the source must still be stopped |
 * | migrate_to done, migrate_from failed | active on the target, if that is up; else failed, never migrated again |
 * | migrate_to done, nothing from the target | partial: active on both; it may go on if the target stays the same |
 * | migrate_to failed | active on the source, and on the target unless it has told otherwise since |
 * | migrate_from failed | active on the target, and on the source unless it has told otherwise since |
 *
 * Whatever a node has told since then (a probe that found nothing, a start or stop) overrides the migration there.
 */
import type { NodeName } from '../../base/index.ts'
import { compareAge } from '../age.ts'
import type { HistoryEntry } from '../cluster-status.ts'
import type { NodeDraft } from '../drafts.ts'
import { addActive } from './active.ts'
import { exitCodes, isProbe, operationStatus } from './outcome.ts'
import type { Reading } from './reading.ts'

interface Migration {
  readonly source: NodeName
  readonly target: NodeName
  readonly sourceNode: NodeDraft | undefined
  readonly targetNode: NodeDraft | undefined
}

function migrationOf({ world, entry }: Reading): Migration | undefined {
  const { migrateSource: source, migrateTarget: target } = entry
  if (source === undefined || target === undefined) return undefined
  return { source, target, sourceNode: world.nodes.get(source), targetNode: world.nodes.get(target) }
}

export function unpackMigrateTo(reading: Reading): void {
  const { world, resource, entry, node } = reading
  const migration = migrationOf(reading)
  if (migration === undefined) return
  const { source, target, sourceNode, targetNode } = migration
  const { state } = resource
  const sourceMoved = hasNewerOperation(reading, source, entry, true)
  const migrateFrom = findEntry(reading, target, 'migrate_from', source)
  if (migrateFrom !== undefined && sourceMoved) return
  const both = { migrateTo: entry, migrateFrom }
  const targetNewer = hasNewerState(reading, target, both)
  const sourceNewer = hasNewerState(reading, source, both)
  if (targetNewer && sourceNewer) return
  if (migrateFrom?.exitCode === exitCodes.ok && migrateFrom.status === operationStatus.done) {
    reading.role = 'Stopped'
    state.danglingMigrations.push(node.name)
    return
  }
  reading.role = 'Started'
  const targetActive = !targetNewer && targetNode?.online === true ? targetNode : undefined
  if (migrateFrom !== undefined && migrateFrom.status !== operationStatus.pending) {
    if (targetActive !== undefined) addActive(world, resource, targetActive, 'Started')
    else recoverWithoutMigration(reading)
    return
  }
  // Nothing at all from a target that is up was most likely cleaned up: a probe will tell.
  if (targetNode?.online === true && entriesOn(reading, target).length === 0) return
  if (targetActive !== undefined) {
    addActive(world, resource, targetActive, 'Started')
    if (sourceNode?.online === true) state.partialMigration = { source, target }
  } else if (!sourceNewer) recoverWithoutMigration(reading)
}

function recoverWithoutMigration({ resource: { state } }: Reading): void {
  state.failed = true
  state.mustStop = true
  state.migratable = false
}

export function unpackFailedMigrateTo(reading: Reading): void {
  const { world, resource, entry } = reading
  const migration = migrationOf(reading)
  if (migration === undefined) return
  const { source, target, sourceNode, targetNode } = migration
  reading.role = 'Started'
  const both = { migrateTo: entry, migrateFrom: findEntry(reading, target, 'migrate_from', source) }
  if (entriesOn(reading, target).length === 0) return
  if (!hasNewerState(reading, target, both)) {
    if (targetNode?.online === true) addActive(world, resource, targetNode, 'Started')
  } else if (!hasNewerOperation(reading, source, entry, true)) {
    if (sourceNode !== undefined) resource.state.danglingMigrations.push(sourceNode.name)
  }
}

export function unpackFailedMigrateFrom(reading: Reading): void {
  const { world, resource, entry } = reading
  const migration = migrationOf(reading)
  if (migration === undefined) return
  const { source, target, sourceNode } = migration
  reading.role = 'Started'
  const both = { migrateTo: findEntry(reading, source, 'migrate_to', target), migrateFrom: entry }
  if (hasNewerState(reading, source, both) || entriesOn(reading, source).length === 0) return
  if (sourceNode?.online === true) addActive(world, resource, sourceNode, 'Started')
}

/** Under the instance's own name only: instances of an anonymous clone, which migrate nowhere, are recorded under another. */
function entriesOn({ world, resource }: Reading, name: NodeName): readonly HistoryEntry[] {
  return world.recorded.get(name)?.resourcesByName.get(resource.id)?.entries ?? []
}

function findEntry(reading: Reading, on: NodeName, operation: string, other: NodeName): HistoryEntry | undefined {
  return entriesOn(reading, on).find(
    (entry) =>
      entry.operation === operation &&
      (operation === 'migrate_from' ? entry.migrateSource : entry.migrateTarget) === other,
  )
}

interface BothEnds {
  readonly migrateTo: HistoryEntry | undefined
  readonly migrateFrom: HistoryEntry | undefined
}

/** Compared with the migration's own entry on that node where there is one: call ids are more reliable than clocks. */
function hasNewerState(reading: Reading, on: NodeName, { migrateTo, migrateFrom }: BothEnds): boolean {
  const end = migrateTo ?? migrateFrom
  const own = on === end?.migrateTarget ? migrateFrom : migrateTo
  const reference = own ?? end
  if (reference === undefined) return false
  const sameNode = own !== undefined
  return (
    hasNewerOperation(reading, on, reference, sameNode) ||
    entriesOn(reading, on).some(
      (entry) =>
        isProbe(entry) && entry.exitCode === exitCodes.notRunning && compareAge(entry, reference, sameNode) > 0,
    )
  )
}

const changing: readonly string[] = ['start', 'stop', 'migrate_to', 'migrate_from']

function hasNewerOperation(reading: Reading, on: NodeName, reference: HistoryEntry, sameNode: boolean): boolean {
  return entriesOn(reading, on).some(
    (entry) => changing.includes(entry.operation) && compareAge(entry, reference, sameNode) > 0,
  )
}
