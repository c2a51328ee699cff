/** Puts right in the store what an earlier life of this node has left there (`node/start-up.ts`), and writes the first configuration of a cluster. */
import type { NodeName } from '../../base/index.ts'
import type { StartUpEffect } from '../../node/index.ts'
import type { Store } from '../../store/index.ts'
import { pushConfig } from '../configuration/config-history.ts'
import { firstConfiguration } from '../configuration/first-configuration.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'

export async function prepareStore(
  { stale, configure }: Extract<StartUpEffect, { kind: 'prepare' }>,
  { store, self, file }: { readonly store: Store; readonly self: NodeName; readonly file: ClusterFile },
): Promise<void> {
  if (stale.length > 0) await store.transaction({ compare: [], writes: stale.map((key) => ({ kind: 'delete', key })) })
  if (!configure) return
  const xml = firstConfiguration(file)
  await pushConfig(store, { xml, node: self, user: 'root', command: 'cluster setup', expectedVersion: 0 })
}
