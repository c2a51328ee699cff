/** What a node puts right in the store before it takes part. */

import type { NodeName } from '../../base/index.ts'
import type { ClusterView, DiskFencing } from '../../controller/index.ts'
import { meansBoot } from '../../quorum/index.ts'
import type { Store } from '../../store/index.ts'
import { pushConfig } from '../configuration/config-history.ts'
import { firstConfiguration } from '../configuration/first-configuration.ts'
import { readBootId } from '../host/boot-id.ts'
import type { Paths } from '../host/paths.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import { keys } from '../records/keys.ts'
import { hasSlots } from '../watchdog/sbd-disks.ts'

export async function prepareStore(
  store: Store,
  {
    node,
    view,
    file,
    paths,
  }: { readonly node: NodeName; readonly view: ClusterView; readonly file: ClusterFile; readonly paths: Paths },
): Promise<void> {
  // The wish to leave of an earlier life, which nobody was there to see off, must not send this one away.
  const shutdown = keys.attribute(node, '', 'shutdown')
  const stale = [
    ...(view.attributes.has(shutdown) ? [shutdown] : []),
    ...(view.selfFencing.has(node) ? [keys.selfFencing(node)] : []),
    ...(isObeyed(view.diskFencing.get(node), paths) ? [keys.diskFencing(node)] : []),
  ]
  if (stale.length > 0) await store.transaction({ compare: [], writes: stale.map((key) => ({ kind: 'delete', key })) })
  if (view.configuration !== undefined) return
  const xml = firstConfiguration(file)
  await pushConfig(store, { xml, node, user: 'root', command: 'cluster setup', expectedVersion: 0 })
}

/** Another boot was meant, or what this boot has run has ended in order since. A daemon that has only been started anew obeys it. */
function isObeyed(word: DiskFencing | undefined, paths: Paths): boolean {
  return word !== undefined && (!meansBoot(word.bootId, readBootId()) || !hasSlots(paths))
}
