/** What an administrator should know of the cluster before something fails: the notes under `systole status`. Pure. */
import type { NodeName } from '../../base/index.ts'
import { type Configuration, parseBoolean } from '../../cib/index.ts'
import { clusterOptionValue } from '../configuration/cluster-option.ts'
import type { ClusterFile } from '../nodes/cluster-file.ts'

export interface NoteSources {
  readonly file: ClusterFile
  readonly configuration: Configuration | undefined
  readonly deviceCount: number
  /** No fence device can be used for it, by the configuration alone. */
  readonly isFenceable: (node: NodeName) => boolean
}

export function clusterNotes({ file, configuration, deviceCount, isFenceable }: NoteSources): readonly string[] {
  const notes: string[] = []
  const several = file.nodes.length > 1
  if (several && configuration) notes.push(...fencingNotes(configuration, file, deviceCount, isFenceable))
  if (several && file.store.kind === 'etcd') notes.push(...voteNotes(file, configuration))
  return notes
}

/** Two nodes with fencing go on by themselves; an even number of voters among more nodes stands no more losses than one less. */
function voteNotes(file: ClusterFile, configuration: Configuration | undefined): readonly string[] {
  if (file.nodes.filter(({ votes }) => votes).length !== 2) return []
  if (file.nodes.length > 2)
    return ['Only two nodes vote: the loss of one stops the cluster until another has joined and got a vote.']
  if (configuration === undefined || fencingEnabled(configuration)) return []
  return [
    'Two nodes without fencing: when one is lost, the other stops until `systole quorum unblock`. Fencing would let it go on by itself.',
  ]
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
      'Fencing is disabled: a lost node that hangs instead of stopping may run the same resources as the node that takes them over.',
    ]
  const confirm = 'until an administrator confirms that it is off (`systole stonith confirm`)'
  if (deviceCount === 0) return [`There is no fence device: what runs on a lost node is not recovered ${confirm}.`]
  const names = nodes.map(({ name }) => name).filter((node) => !isFenceable(node))
  if (names.length === 0) return []
  const list = names.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
  return [`No fence device can fence ${list}: what runs there when it is lost is not recovered ${confirm}.`]
}
