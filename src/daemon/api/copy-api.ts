/** Copies of files: the parts go to the nodes as they come, and what became of it is listed as a job. */

import { type NodeName, nodeName } from '../../base/index.ts'
import type { JobNode, JobRecord } from '../../jobs/index.ts'
import { type Handlers, type localService, type Messages, RefusedError, refuse } from '../../rpc/index.ts'
import { jobId } from '../jobs/job-id.ts'
import { jobTransaction } from '../jobs/job-writes.ts'
import { writeFilePart } from '../jobs/write-file.ts'
import type { Daemon } from '../lifecycle/daemon.ts'
import { notCurrentCode } from '../node-list/refusal-codes.ts'
import { quorumSoon } from '../shared-state/quorum-soon.ts'
import { untilState } from '../shared-state/until-state.ts'
import { byConnection, notConnectedCode, writeRemoteFile } from './by-connection.ts'
import { configuredFile } from './configured-file.ts'
import { asMessage, isComing, isUp, targets } from './job-api.ts'

type Copied = Messages['CopyFileAnswer.Node']

/** A part that waits for its node to read and check a large file. */
const timeoutMs = 120_000

export function copyHandlers(daemon: Daemon): Pick<Handlers<typeof localService>, 'copyFile'> {
  return {
    copyFile: async (asked) => {
      configuredFile(daemon)
      const { part } = asked
      if (part === undefined) throw refuse('bad-part', 'There is no part of a file.')
      // Later parts are for those that go on, of whom there may be none.
      const nodes = part.phase !== 'check' && asked.nodes.length === 0 ? [] : targets(daemon, asked)
      if (part.phase === 'check') {
        if (!(await quorumSoon(daemon.node)))
          throw refuse('no-quorum', 'This node has no quorum and cannot copy a file.')
        const { path, sha256, size, mode } = part
        daemon.log.info('a file is copied to nodes', { path, sha256, size, mode, nodes, user: asked.user })
      }
      const answers = await Promise.all(nodes.map((node) => give(daemon, node, part)))
      if (part.phase !== 'end') return { nodes: answers }
      return { nodes: answers, job: await listed(daemon, asked, answers) }
    },
  }
}

async function give(daemon: Daemon, node: NodeName, part: Messages['FilePart']): Promise<Copied> {
  const isKnown = (): boolean => isUp(daemon)(node) || !isComing(daemon)(node)
  if (part.phase === 'check') await untilState(daemon.node, isKnown, timeoutMs)
  if (part.phase === 'check' && !isUp(daemon)(node)) return { node, outcome: 'offline' }
  try {
    const { outcome } = await write(daemon, node, part)
    return { node, outcome }
  } catch (error) {
    const isRefusal = error instanceof RefusedError && ![notCurrentCode, notConnectedCode].includes(error.code)
    const reason = error instanceof Error ? error.message : String(error)
    // What is no refusal may be a daemon that is restarted: the same part may be sent again.
    return { node, outcome: isRefusal ? 'failed' : 'no-answer', reason }
  }
}

async function write(daemon: Daemon, node: NodeName, part: Messages['FilePart']): Promise<Messages['FileAnswer']> {
  if (node === daemon.node.name) return await writeFilePart(part)
  if (daemon.node.file.nodes.some(({ name }) => name === node))
    return await daemon.peer(node).writeFile(part, { timeoutMs })
  return await byConnection(daemon, node, {
    here: async () => await writeRemoteFile(daemon, node, part),
    there: async (peer) => await peer.writeFile({ ...part, remote: node }, { timeoutMs }),
  })
}

/** As a job that has ended: `job list` shows who has copied what. */
async function listed(
  daemon: Daemon,
  { part, user, failed, unchanged }: Messages['CopyFileRequest'],
  answers: readonly Copied[],
): Promise<Messages['Job']> {
  const now = new Date().toISOString()
  const reasons = new Map([
    ...Object.entries(failed),
    ...answers.flatMap(({ node, outcome, reason = outcome }) => (outcome === 'ended' ? [] : [[node, reason] as const])),
  ])
  const nodes = [...new Set([...answers.map(({ node }) => node), ...unchanged, ...reasons.keys()])].sort()
  const ofNode = (node: string): JobNode => {
    const reason = reasons.get(node)
    const state = reason === undefined ? 'succeeded' : reason === 'offline' ? 'offline' : 'failed'
    const why = unchanged.includes(node)
      ? 'it was there already'
      : state === 'offline'
        ? 'the node was not online'
        : reason
    return { node: nodeName(node), state, ended: now, ...(why !== undefined && { reason: why }) }
  }
  const job: JobRecord = {
    id: jobId(),
    user: user || 'unknown',
    node: daemon.node.name,
    created: now,
    ended: now,
    argv: ['systole', 'job', 'copy', `--to=${part?.path ?? ''}`, `sha256=${part?.sha256 ?? ''}`],
    timeoutMs,
    order: 'parallel',
    limit: nodes.length,
    begun: 0,
    state: 'done',
    nodes: nodes.map(ofNode),
  }
  const { applied, revision } = await daemon.node.store.transaction(
    jobTransaction({ job, effects: [] }, () => undefined),
  )
  if (!applied) throw refuse('job-busy', 'The file is on the nodes, but that could not be recorded.')
  return asMessage(daemon, { job, entry: { modRevision: revision } })
}
