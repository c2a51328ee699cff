/**
 * The last voter of three nodes and more, which goes on alone on an administrator's word only. No fencing is enough by itself here: two
 * lost voters of three have a majority of their own, and could be running without this node.
 */
import type { NodeName } from '../../base/index.ts'
import { refuse } from '../../rpc/index.ts'
import { type ClusterFile, storeHosts } from '../node-list/cluster-file.ts'

export interface LastVoter {
  readonly file: ClusterFile
  readonly self: NodeName
  readonly quorate: boolean
  /** Its copy of the store has everything that it ever confirmed to others. */
  readonly isComplete: boolean
  /** A node, or the witness. */
  readonly isSilent: (host: NodeName) => boolean
}

/** The hosts that must be off, the witness among them. Refuses where this node must not go on. Nodes without votes that are heard are not lost: they join again by themselves. */
export function lostHosts({ file, self, quorate, isComplete, isSilent }: LastVoter): readonly NodeName[] {
  if (file.store.kind !== 'etcd')
    throw refuse('not-own-store', 'The cluster does not manage its etcd, so it cannot change the majority.')
  if (quorate) throw refuse('has-quorum', 'This node has quorum. There is nothing to unblock.')
  const hosts = storeHosts(file).filter(({ name, votes }) => votes || name !== file.witness?.name)
  const voters = hosts.filter(({ votes }) => votes).map(({ name }) => name)
  if (!voters.includes(self))
    throw refuse(
      'no-vote',
      `${self} has no vote and no data. Run this command on the remaining voter (${voters.join(', ')}).`,
    )
  if (!isComplete)
    throw refuse(
      'not-complete',
      `${self} has not caught up with the other voters and lacks changes. Start one of them.`,
    )
  const heard = voters.filter((name) => name !== self && !isSilent(name))
  if (heard.length > 0)
    throw refuse(
      'peer-is-heard',
      `${heard.join(', ')}: this voter is reachable. Only one voter can continue alone: if enough voters are up they have quorum; otherwise stop the cluster there first (\`systole cluster stop\`; on a witness, \`systole qdevice stop net\`).`,
    )
  return hosts.map(({ name }) => name).filter((name) => name !== self && isSilent(name))
}
