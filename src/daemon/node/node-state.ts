/** What a node that takes part tells of the cluster, gathered from those of its parts that know. */

import type { NodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import type { PeerLink } from '../../membership/index.ts'
import { watchdogSetting } from '../../node/index.ts'
import type { ClusterState } from '../../rpc/index.ts'
import { clusterState } from '../cluster-state/cluster-state.ts'
import type { LinkStates } from '../cluster-state/link-states.ts'
import { clusterNotes } from '../cluster-state/notes.ts'
import type { FencingDriver } from '../fencing/fencing-driver.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import { linksOf } from '../node-list/node-links.ts'
import { fencingHistoryPrefix, keys } from '../records/keys.ts'
import type { KnownState } from './known-state.ts'

export interface NodeStateSources {
  readonly self: NodeName
  readonly file: ClusterFile
  readonly known: KnownState
  readonly fencing: FencingDriver
  /** By this node's own clock, now. */
  readonly quorate: boolean
  readonly silent: ReadonlySet<NodeName>
  readonly links: LinkStates
  readonly connectionsStay: string | undefined
  readonly storeTrouble: string | undefined
  readonly watchdogTroubles: readonly string[]
  readonly twoNode: ClusterState['twoNode']
  readonly witness: ClusterState['witness']
  /** What the removal of a node waits for. */
  readonly removals: readonly string[]
  /** Takes part again after a boot of its host. */
  readonly enabled: boolean
}

export function nodeState(sources: NodeStateSources): ClusterState {
  const {
    self,
    file,
    known,
    fencing,
    quorate,
    silent,
    links,
    connectionsStay,
    storeTrouble,
    watchdogTroubles,
    removals,
    twoNode,
    witness,
    enabled,
  } = sources
  const { view } = known
  const state = clusterState({
    file,
    localNode: self,
    enabled,
    view,
    quorate,
    silent,
    links,
    witness,
    transition: known.get(keys.transition),
    fencing: known.below(fencingHistoryPrefix),
    // With quorum the store answers, whatever was the matter before.
    storeTrouble: quorate ? undefined : storeTrouble,
    notes: clusterNotes({
      file,
      links: linksDown(file, self, silent, links),
      connectionsStay,
      witness,
      configuration: view.configuration?.typed,
      deviceCount: fencing.deviceCount,
      isFenceable: (node) => fencing.isFenceable(node),
      watchdogs: watchdogsOf(view),
      troubles: troublesOf(view),
      deaf: deafMembers(view, self),
      watchdogTroubles,
      removals,
    }),
  })
  return { ...state, ...(twoNode === undefined ? {} : { twoNode }) }
}

/** Milliseconds, of the members that feed one. */
function watchdogsOf({ members }: ClusterView): ReadonlyMap<NodeName, number> {
  return new Map(
    [...members].flatMap(([node, { watchdogMs }]) => (watchdogMs === undefined ? [] : [[node, watchdogMs] as const])),
  )
}

function troublesOf({ members }: ClusterView): ReadonlyMap<NodeName, readonly string[]> {
  return new Map([...members].map(([node, { troubles = [] }]) => [node, troubles] as const))
}

/** This node tells more of itself. */
function deafMembers({ members, configuration }: ClusterView, self: NodeName): readonly NodeName[] {
  return [...members.values()]
    .filter(({ node, state, sbd }) => node !== self && state === 'member' && sbd === undefined)
    .map(({ node }) => node)
    .filter((node) => watchdogSetting(configuration?.typed, node)?.disks !== undefined)
}

/** A node that is silent altogether is told as lost. */
function linksDown(
  { nodes }: ClusterFile,
  self: NodeName,
  silent: ReadonlySet<NodeName>,
  links: LinkStates,
): readonly PeerLink[] {
  return nodes
    .filter(({ name }) => name !== self && !silent.has(name))
    .flatMap((node) =>
      linksOf(node)
        .filter(({ number }) => links.stateOf(node.name, number) === 'down')
        .map(({ number }) => ({ node: node.name, link: number })),
    )
}
