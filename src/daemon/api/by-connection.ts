/** What the daemon asks of remote nodes for those who read output and copy files: over its own connection, or by the member that holds one. */
import type { NodeName } from '../../base/index.ts'
import { CallFailedError, fitsRemote } from '../../remote/index.ts'
import { type Messages, type PeerClient, refuse } from '../../rpc/index.ts'
import type { HeldRemote } from '../jobs/remote-task-keeper.ts'
import type { Daemon } from '../lifecycle/daemon.ts'
import { fromBytes } from '../records/json-value.ts'
import { remoteOwnerKey } from '../records/keys.ts'

/** It may be tried again. */
export const notConnectedCode = 'not-connected'

type Link = HeldRemote['link']

/** Over the connection that this member holds. */
async function asked<Answer>(
  { node }: Pick<Daemon, 'node'>,
  remote: string,
  ask: (link: Link) => Promise<Answer>,
): Promise<Answer> {
  const held = node.heldRemote(remote)
  if (held === undefined) throw refuse(notConnectedCode, `${node.name} holds no connection to ${remote}.`)
  try {
    return await ask(held.link)
  } catch (error) {
    if (error instanceof CallFailedError && /does not (know|support) '/.test(error.message))
      throw refuse('old-version', `The version of Systole on ${remote} runs no jobs. Upgrade it.`)
    throw error
  }
}

export async function readRemoteOutput(
  daemon: Daemon,
  remote: string,
  { task: id, offset, waitMs }: Messages['TaskOutputRequest'],
): Promise<Messages['JobOutput']> {
  return await asked(daemon, remote, async (link) => await link.call('readTask', { id, offset, waitMs }))
}

export async function writeRemoteFile(
  daemon: Daemon,
  remote: string,
  { remote: _, ...part }: Messages['FilePart'],
): Promise<Messages['FileAnswer']> {
  if (!fitsRemote('writeFile', part)) throw refuse('too-long', `${remote} takes no such copy: the path is too long.`)
  const answer = await asked(daemon, remote, async (link) => await link.call('writeFile', part))
  if ('refused' in answer) throw refuse('cannot-write', answer.refused)
  return answer
}

/** By this member or by the one that holds the connection, as the store says. */
export async function byConnection<Answer>(
  daemon: Daemon,
  remote: NodeName,
  { here, there }: { readonly here: () => Promise<Answer>; readonly there: (peer: PeerClient) => Promise<Answer> },
): Promise<Answer> {
  if (daemon.node.heldRemote(remote) !== undefined) return await here()
  const entry = daemon.node.entry(remoteOwnerKey(remote))
  const owner = entry && (fromBytes(entry.value) as { readonly node?: NodeName }).node
  if (owner === undefined || owner === daemon.node.name)
    throw refuse(notConnectedCode, `No node is connected to ${remote} now.`)
  return await there(daemon.peer(owner))
}
