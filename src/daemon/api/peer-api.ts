/** What other daemons ask of this one. Who may ask is settled before (call-rules.ts, admission.ts); whether a command of the DC is to be obeyed, here and by its term. */

import { join } from 'node:path'
import { isTaskId } from '../../jobs/index.ts'
import {
  type AuthorityShares,
  actionForm,
  authorityHash,
  type CallerIdentity,
  checkedJson,
  type Handlers,
  type nodeService,
  refuse,
  type TermAnswer,
} from '../../rpc/index.ts'
import type { Entry } from '../../store/index.ts'
import { readOutput } from '../jobs/read-output.ts'
import { tasksFolder } from '../jobs/task-files.ts'
import { writeFilePart } from '../jobs/write-file.ts'
import { linkObstacles } from '../joining/link-fitness.ts'
import type { Daemon } from '../lifecycle/daemon.ts'
import { acceptClusterFile } from '../node-list/accept-file.ts'
import { printClusterFile } from '../node-list/cluster-file.ts'
import { keepShare } from '../pki/authority-keeper.ts'
import { readShares } from '../pki/authority-shares.ts'
import { authoritiesIn, readIdentity, readWholeKey } from '../pki/identity.ts'
import { fromBytes } from '../records/json-value.ts'
import { keys } from '../records/keys.ts'
import { witnessPlace } from '../witness/ask-place.ts'
import { readRemoteOutput, writeRemoteFile } from './by-connection.ts'
import { ownJournal, ownOperations } from './journal-api.ts'

export function peerHandlers(daemon: Daemon): Handlers<typeof nodeService> {
  return {
    execute: async ({ term, plannedFrom, transitionKey, timeoutMs, action }, { caller }) => {
      const refusal = await refuseOtherThanDc(daemon, nameOf(caller), term)
      if (refusal !== undefined) return refusal
      return await daemon.node.takeCommand({
        term,
        plannedFrom,
        transitionKey,
        timeoutMs,
        action: checkedJson(actionForm, 'an action', action),
      })
    },
    runFenceDevice: async (request) => await daemon.node.fencing.runDevice(request),
    fence: async ({ target, action, ...how }) => await daemon.node.fencing.fenceForPeer(target, action, how),
    ...ownPartHandlers(daemon),
    updateClusterFile: async ({ json }, { caller }) => {
      daemon.takeBroughtList(acceptClusterFile(json), caller)
      return {}
    },
    getClusterFile: async () => {
      const quorate = daemon.running && daemon.node.quorate
      const lease = quorate ? daemon.node.lease : undefined
      return {
        json: daemon.file === undefined ? '' : printClusterFile(daemon.file),
        quorate,
        ...(lease === undefined ? {} : { lease }),
      }
    },
    checkLinks: async ({ addresses, towards }) => ({
      sentences: await linkObstacles(daemon.name, addresses, towards),
    }),
    getAuthorityShares: async ({ authority }, { caller }) => giveShares(daemon, authority, nameOf(caller)),
    getPki: async () => daemon.certificate.state(),
    bringPki: async (order, { caller }) => {
      if (daemon.node.view.dc?.node !== nameOf(caller))
        throw refuse('not-dc', `${nameOf(caller)} is not the DC, and only the DC replaces the authority.`)
      await daemon.certificate.follow(order)
      return {}
    },
    keepAuthorityShare: async (share) => {
      keepShare(daemon.paths.pki, share, daemon.running ? daemon.node.authority.record?.generation : undefined)
      return {}
    },
    readTaskOutput: async (asked, { signal }) => {
      const { task, offset, waitMs, remote } = asked
      if (!isTaskId(task)) throw refuse('bad-name', 'That is not the id of a task.')
      if (remote !== undefined) return await readRemoteOutput(daemon, remote, asked)
      return await readOutput(join(tasksFolder(daemon.paths.data), task), { offset, waitMs, signal })
    },
    readJournal: async () => ownJournal(daemon),
    readOperations: async (asked) => await Promise.resolve({ lines: ownOperations(daemon, asked), missing: [] }),
    writeFile: async (part, { caller }) => {
      if (part.remote !== undefined) return await writeRemoteFile(daemon, part.remote, part)
      if (part.phase === 'end')
        daemon.log.info('a file was copied here by a job', {
          path: part.path,
          sha256: part.sha256,
          from: nameOf(caller),
        })
      return await writeFilePart(part)
    },
    getWitnessPlace: async (_, { caller }) => {
      if (daemon.file === undefined || caller.kind !== 'node')
        throw refuse('not-configured', 'This host does not belong to a cluster.')
      return witnessPlace(daemon.file, caller)
    },
    forget: async () => {
      await daemon.removal.forgetIfRemoved()
      return {}
    },
  }
}

/** Whether this node takes part. */
function ownPartHandlers(
  daemon: Daemon,
): Pick<Handlers<typeof nodeService>, 'startCluster' | 'stopCluster' | 'enableCluster'> {
  return {
    startCluster: async () => {
      await daemon.startNode()
      return { node: daemon.name, ok: true, message: 'started' }
    },
    stopCluster: async () => {
      await daemon.stopNode()
      return { node: daemon.name, ok: true, message: 'stopped' }
    },
    enableCluster: async ({ enabled }) => {
      daemon.enableNode(enabled)
      return { node: daemon.name, ok: true, message: enabled ? 'enabled' : 'disabled' }
    },
  }
}

/**
 * A command comes from the node that the store names as the DC, in its term. A newer term may be that of a DC
 * whose election this node has not seen yet: the store is asked. As an answer and not as an error: whoever was the DC must hear that it is no more.
 */
export async function refuseOtherThanDc(
  daemon: Pick<Daemon, 'node'>,
  caller: string,
  term: number,
): Promise<TermAnswer | undefined> {
  const { node } = daemon
  const known = node.view.dc
  if (known?.node === caller && known.term === term) return undefined
  const message = `${caller} is not the DC in term ${term}.`
  const refusal = (why: string): TermAnswer => ({
    accepted: false,
    done: false,
    why,
    highestTerm: known?.term ?? 0,
    message,
  })
  if (known !== undefined && term <= known.term) return refusal('old-term')
  if (!node.quorate) return refusal('no-quorum')
  const entry = await node.store.get(keys.dc)
  const leads = entry !== undefined && nameIn(entry) === caller && Number(entry.createRevision) === term
  return leads ? undefined : refusal('old-term')
}

function nameIn(entry: Entry): unknown {
  const value = fromBytes(entry.value)
  return typeof value === 'object' && value !== null && 'node' in value ? value.node : undefined
}

const nameOf = (caller: CallerIdentity): string => (caller.kind === 'node' ? caller.name : '')

function giveShares(daemon: Daemon, authority: string, caller: string): AuthorityShares {
  const { pki } = daemon.paths
  if (!authoritiesIn(readIdentity(pki).authority).map(authorityHash).includes(authority))
    throw refuse('other-authority', `${daemon.name} has no share of that authority’s key.`)
  const wholeKey = readWholeKey(pki)
  const shares = readShares(pki).filter((share) => share.authority === authority)
  // With enough of them the caller can sign whatever it likes: who had them shows afterwards.
  daemon.log.info('a share of the authority’s key was given, to sign something', { to: caller })
  return { shares, ...(wholeKey === undefined ? {} : { wholeKey }) }
}
