/**
 * What a successful operation says of a resource on a node: its role, and whether it ends the failures before it.
 *
 * | operation | role | ends failures |
 * | --- | --- | --- |
 * | start, migrate_from | Started | yes |
 * | stop, or found not running | Stopped | yes |
 * | promote | Promoted | yes |
 * | demote | Unpromoted | those with on-fail=demote |
 * | monitor | active | those of the same monitor |
 * | migrate_to | see migration.ts | no |
 *
 * Stop, standby and fence are not undone by a later success: an administrator's clean-up or expiry ends them.
 */
import { type Role, roleRank } from '../../cib/index.ts'
import type { OnFail } from '../cluster-status.ts'
import type { PrimitiveDraft } from '../drafts.ts'
import { unpackMigrateTo } from './migration.ts'
import { exitCodes } from './outcome.ts'
import type { Reading } from './reading.ts'

export function applySuccess(reading: Reading, exitCode: number | undefined): void {
  const { entry, resource } = reading
  if (exitCode === exitCodes.notInstalled) {
    reading.role = 'Stopped'
    return
  }
  if (exitCode === exitCodes.notRunning) {
    clearFailures(reading)
    return
  }
  switch (entry.operation) {
    case 'monitor':
      if (reading.lastFailure?.key === entry.key) clearFailures(reading)
      setActive(reading)
      return
    case 'start':
    case 'migrate_from':
      reading.role = 'Started'
      clearFailures(reading)
      return
    case 'stop':
      reading.role = 'Stopped'
      // A recurring monitor that was still on its way has lost its subject.
      endPendingMonitor(reading)
      clearFailures(reading)
      return
    case 'promote':
      reading.role = 'Promoted'
      clearFailures(reading)
      return
    case 'demote':
      if (reading.onFail === 'demote') clearFailures(reading)
      reading.role = 'Unpromoted'
      return
    case 'migrate_to':
      unpackMigrateTo(reading)
      return
    default:
      setActive(reading, resource)
  }
}

function endPendingMonitor({ resource: { state }, node }: Reading): void {
  if (state.pending?.node === node.name && state.pending.operation === 'monitor') delete state.pending
}

/** Running, in the lowest role that says so. */
export function setActive(reading: Reading, resource: PrimitiveDraft = reading.resource): void {
  if (roleRank(reading.role) < roleRank('Started')) reading.role = activeRole(resource)
}

export const activeRole = ({ promotable }: PrimitiveDraft): Role => (promotable ? 'Unpromoted' : 'Started')

const lasting: readonly OnFail[] = ['stop', 'standby', 'fence']

export function clearFailures(reading: Reading): void {
  const { resource } = reading
  if (lasting.includes(reading.onFail)) return
  if (reading.onFail === 'reset-remote' && resource.reconnectIntervalMs !== undefined) return
  reading.onFail = 'ignore'
  delete resource.state.demandedRole
}
