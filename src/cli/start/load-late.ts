import { loadPermission } from '../../rpc/index.ts'

/** For a process that gives up its rights: what commands load when they run is loaded before. */
export async function loadLate(): Promise<void> {
  await import('../metrics/metrics-text.ts')
  await loadPermission()
}
