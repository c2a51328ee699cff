/** What an administrator should know of the cluster before something fails: the notes under `systole status`. Pure. */

import type { NodeName } from '../../base/index.ts'
import { type Configuration, clusterOptionValue, parseBoolean } from '../../cib/index.ts'
import { selfResetMs } from '../../fencing/index.ts'
import type { PeerLink } from '../../membership/index.ts'
import { isCountedOn } from '../../node/index.ts'
import type { ClusterState } from '../../rpc/index.ts'
import { type ClusterFile, storeHosts } from '../node-list/cluster-file.ts'
import { linksOf } from '../node-list/node-links.ts'

export interface NoteSources {
  readonly file: ClusterFile
  /** Those of several that are down, to nodes that are heard. */
  readonly links: readonly PeerLink[]
  /** Why this node cannot end connections on one that is down. */
  readonly connectionsStay: string | undefined
  readonly witness: ClusterState['witness']
  readonly configuration: Configuration | undefined
  readonly deviceCount: number
  /** No fence device can be used for it, by the configuration alone. */
  readonly isFenceable: (node: NodeName) => boolean
  /** Nodes that feed a watchdog, with its time. */
  readonly watchdogs: ReadonlyMap<NodeName, number>
  /** What the removal of a node waits for, a sentence each. */
  readonly removals: readonly string[]
  /** What members say is wrong with them, a sentence each. */
  readonly troubles: ReadonlyMap<NodeName, readonly string[]>
  /** Members that are to read disks of SBD's, and have not told that they do. */
  readonly deaf: readonly NodeName[]
  /** What is wrong with this node's own, and with the disks that it reads. */
  readonly watchdogTroubles: readonly string[]
}

export function clusterNotes(sources: NoteSources): readonly string[] {
  const { file, configuration, deviceCount, isFenceable } = sources
  const notes: string[] = [...sources.removals]
  const several = file.nodes.length > 1
  if (several && configuration) notes.push(...fencingNotes(configuration, file, deviceCount, isFenceable))
  if (several && file.store.kind === 'etcd') notes.push(...voteNotes(file, configuration))
  for (const [node, troubles] of sources.troubles) notes.push(...troubles.map((trouble) => `On ${node}: ${trouble}`))
  notes.push(...linkNotes(sources), ...witnessNotes(sources), ...watchdogNotes(sources), ...deafNotes(sources))
  return notes
}

function linkNotes({ file, links, connectionsStay }: NoteSources): readonly string[] {
  const down = [...new Set(links.map(({ link }) => link))].map((number) => {
    const nodes = links.filter(({ link }) => link === number).map(({ node }) => node)
    return `Link ${number} to ${nodes.join(', ')} is down: \`systole cluster status\` shows which links are left.`
  })
  if (connectionsStay === undefined || file.nodes.every((node) => linksOf(node).length === 1)) return down
  return [
    ...down,
    `This node cannot close connections on a failed link (${connectionsStay}): its store would stall for seconds when a link fails.`,
  ]
}

function watchdogNotes({ file, configuration, watchdogs, watchdogTroubles }: NoteSources): readonly string[] {
  const option = clusterOptionValue(configuration, 'fencing-watchdog-timeout')
  const short = [...watchdogs].filter(([, ms]) => isCountedOn(option) && selfResetMs(option, ms) === undefined)
  const tooShort = short.map(
    ([node, ms]) =>
      `The watchdog of ${node} takes ${ms / 1000} s, so fencing-watchdog-timeout=${option} is too short to rely on it.`,
  )
  const twoVoters = storeHosts(file).filter(({ votes }) => votes).length === 2
  if (!twoVoters || watchdogs.size === 0 || !isCountedOn(option)) return [...watchdogTroubles, ...tooShort]
  return [
    ...watchdogTroubles,
    ...tooShort,
    'fencing-watchdog-timeout requires three nodes or more: two voters that lose each other are both reset by their watchdogs and then wait for each other.',
  ]
}

function deafNotes({ deaf }: NoteSources): readonly string[] {
  return deaf.map(
    (node) => `${node} does not read its SBD disks, so fence_sbd cannot fence it: \`systole status\` there shows why.`,
  )
}

/** Two nodes with fencing go on by themselves; an even number of voters among more nodes stands no more losses than one less. */
function voteNotes(file: ClusterFile, configuration: Configuration | undefined): readonly string[] {
  if (storeHosts(file).filter(({ votes }) => votes).length !== 2) return []
  if (file.nodes.length > 2)
    return ['Only two nodes vote: if one is lost, the cluster stops until another node joins and gets a vote.']
  if (configuration === undefined || fencingEnabled(configuration)) return []
  return [
    'Two nodes without fencing: if one is lost, the other stops until `systole quorum unblock`. With fencing it would continue automatically.',
  ]
}

function witnessNotes({ witness }: NoteSources): readonly string[] {
  if (witness === undefined) return []
  const { name, state, votes, problem } = witness
  const lost = votes ? 'one more lost voter may stop the cluster' : 'it cannot break ties'
  if (state === 'silent')
    return [`The witness ${name} is unreachable: ${lost}. On the witness, \`systole qdevice status net\` shows why.`]
  if (state === 'stopped')
    return [`The witness ${name} is stopped: ${lost}. Start it with \`systole qdevice start net\`.`]
  return problem === undefined ? [] : [`The witness ${name}: ${problem}`]
}

const fencingEnabled = (configuration: Configuration): boolean =>
  parseBoolean(clusterOptionValue(configuration, 'fencing-enabled')) !== false

function fencingNotes(
  configuration: Configuration,
  { nodes }: ClusterFile,
  deviceCount: number,
  isFenceable: (node: NodeName) => boolean,
): readonly string[] {
  if (!fencingEnabled(configuration))
    return [
      'Fencing is disabled: a lost node that hangs may keep running resources that are also started on another node.',
    ]
  const confirm = 'until an administrator confirms that it is off (`systole stonith confirm`)'
  if (deviceCount === 0)
    return [`No fence device is configured: the resources of a lost node are not recovered ${confirm}.`]
  const names = nodes.map(({ name }) => name).filter((node) => !isFenceable(node))
  if (names.length === 0) return []
  const list = names.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
  return [`No fence device can fence ${list}: if it is lost, its resources are not recovered ${confirm}.`]
}
