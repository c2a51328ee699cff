/**
 * Which nodes an administrator must know to be off before the last voter of three nodes and more may go on alone. No fencing is enough
 * by itself here: two lost voters of three have a majority of their own, and could be running without this node.
 */
import type { NodeName } from '../../base/index.ts'
import { refuse } from '../../rpc/index.ts'
import type { ClusterFile } from '../nodes/cluster-file.ts'

export interface LastVoter {
  readonly file: ClusterFile
  readonly self: NodeName
  readonly quorate: boolean
  /** Its copy of the store has everything that it ever confirmed to others. */
  readonly isComplete: boolean
  readonly heartbeat: (node: NodeName) => 'heard' | 'restarting' | 'silent'
}

/** Refuses where this node must not go on. Nodes without votes that are heard are not lost: they join again by themselves. */
export function lostNodes({ file, self, quorate, isComplete, heartbeat }: LastVoter): readonly NodeName[] {
  if (file.store.kind !== 'etcd')
    throw refuse('not-own-store', 'The store is not the cluster’s own etcd: its majority is not decided here.')
  if (quorate) throw refuse('has-quorum', 'This node has quorum: there is nothing to unblock.')
  const voters = file.nodes.filter(({ votes }) => votes).map(({ name }) => name)
  if (!voters.includes(self))
    throw refuse(
      'no-vote',
      `${self} has no vote and no data: run this on the voter that is left (${voters.join(', ')}).`,
    )
  if (!isComplete)
    throw refuse(
      'not-complete',
      `${self} has not caught up with the other voters and lacks changes: start one of them.`,
    )
  const heard = voters.filter((name) => name !== self && heartbeat(name) !== 'silent')
  if (heard.length > 0)
    throw refuse(
      'peer-is-heard',
      `${heard.join(', ')}: votes as well and is not silent. Only one voter can go on alone: where enough of them are up they have quorum, and otherwise the cluster must be stopped there first (\`systole cluster stop --force\`).`,
    )
  return file.nodes.map(({ name }) => name).filter((name) => name !== self && heartbeat(name) === 'silent')
}
