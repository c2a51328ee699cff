import { composeCib, type XmlElement } from '../cib/index.ts'
import type { ClusterView } from './view.ts'
import { watchdogMsOf } from './watchdog.ts'

/** The CIB of this view. `num_updates` is the store's revision. */
export function cibOfView(view: ClusterView, haveQuorum: boolean): XmlElement | undefined {
  const known = composed[haveQuorum ? 'quorate' : 'alone']
  const cib = known.get(view) ?? compose(view, haveQuorum)
  if (cib !== undefined) known.set(view, cib)
  return cib
}

/** Whoever asks twice of one view gets the same, of which what was found out once is still known (`GuardedCib`). */
const composed = {
  quorate: new WeakMap<ClusterView, XmlElement>(),
  alone: new WeakMap<ClusterView, XmlElement>(),
}

function compose(view: ClusterView, haveQuorum: boolean): XmlElement | undefined {
  const { configuration, dc } = view
  if (configuration === undefined) return undefined
  const dcState = dc && view.nodeStates.get(dc.node)
  return composeCib({
    configuration: configuration.cib,
    numUpdates: view.revision,
    haveQuorum,
    // Somebody has integrated nodes, which takes a majority.
    hadQuorum: !haveQuorum && view.nodeStates.size > 0,
    haveWatchdog: [...view.nodeStates.values()].some((state) => watchdogMsOf(state) !== undefined),
    ...(dcState === undefined ? {} : { dcId: dcState.id }),
    nodeStates: [...view.nodeStates.values()],
    operations: [...view.operations].sort(byKey).map(([, record]) => record),
    transientAttributes: [...view.attributes].sort(byKey).map(([, record]) => record),
    shutdownLocks: [...view.shutdownLocks].sort(byKey).map(([, record]) => record),
    tickets: [...view.tickets].sort(byKey).map(([, record]) => record),
  })
}

function byKey(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0
}
