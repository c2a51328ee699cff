/** What the command line asks about jobs. Who may, is settled before (access/job-rights.ts). */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { didYouMean, longestName, type NodeName, nodeName, similarWords, tooLong } from '../../base/index.ts'
import {
  hasEnded,
  isFinished,
  isTaskId,
  type JobNode,
  type JobRecord,
  jobStep,
  parseJob,
  parseTask,
  type TaskRecord,
} from '../../jobs/index.ts'
import { type Handlers, type localService, type Messages, refuse } from '../../rpc/index.ts'
import { rolesOf } from '../../status/index.ts'
import type { Entry } from '../../store/index.ts'
import { jobForLog } from '../jobs/job-for-log.ts'
import { jobId } from '../jobs/job-id.ts'
import { jobTransaction } from '../jobs/job-writes.ts'
import { longestWaitMs, readOutput } from '../jobs/read-output.ts'
import { tasksFolder } from '../jobs/task-files.ts'
import { isTaskNodeComing, isTaskNodeUp, memberLife, remoteNodesOf } from '../jobs/task-nodes.ts'
import { defaultOutputBytes } from '../jobs/task-order.ts'
import type { Daemon } from '../lifecycle/daemon.ts'
import { fromBytes } from '../records/json-value.ts'
import { jobKey, jobsPrefix, lockKey, taskKey } from '../records/keys.ts'
import { secretsOfView } from '../records/secrets-of-view.ts'
import { quorumSoon } from '../shared-state/quorum-soon.ts'
import { untilState } from '../shared-state/until-state.ts'
import { byConnection, readRemoteOutput } from './by-connection.ts'
import { configuredFile } from './configured-file.ts'

type JobHandlers = Pick<Handlers<typeof localService>, 'runJob' | 'listJobs' | 'getJob' | 'cancelJob' | 'readJobOutput'>

const attempts = 20
const mostActive = 100
const longestCommand = 128 * 1024
const longestInput = 256 * 1024
const longestTimeMs = 7 * 24 * 3_600_000
const mostOutput = 64 * 1024 * 1024
/** A node that is not reached is asked again after this. */
const pauseMs = 500
/** That of a node which kept less than was printed. */
const longestLineBetween = 200
/** A node that answers at all answers at once. */
const patienceMs = 5000

export function jobHandlers(daemon: Daemon): JobHandlers {
  return {
    runJob: async (asked) => {
      configuredFile(daemon)
      refuseWrong(asked)
      return await begin(daemon, asked)
    },
    listJobs: async () => {
      configuredFile(daemon)
      const { entries } = await daemon.node.store.list(jobsPrefix)
      return { jobs: entries.flatMap((entry) => known(entry) ?? []).map((one) => asMessage(daemon, one)) }
    },
    getJob: async ({ id, newerThan, waitMs }) => {
      const isNewer = (): boolean => (daemon.node.entry(jobKey(id))?.modRevision ?? 0) > (newerThan ?? 0)
      if (newerThan !== undefined) await untilState(daemon.node, isNewer, Math.min(waitMs, longestWaitMs))
      return withCommands(daemon, asMessage(daemon, await find(daemon, id)))
    },
    cancelJob: async ({ id, user }) => await cancel(daemon, id, user),
    readJobOutput: async (asked, { signal }) => await output(daemon, asked, signal),
  }
}

interface Known {
  readonly entry: Entry
  readonly job: JobRecord
}

function known(entry: Entry): Known | undefined {
  const job = parseJob(fromBytes(entry.value))
  return job && { entry, job }
}

/** Of a few hundred records, most do not change any more: each is read once. */
const active = new WeakMap<Entry, boolean>()

function isActive(entry: Entry): boolean {
  const before = active.get(entry)
  if (before !== undefined) return before
  const now = known(entry)?.job.state !== 'done'
  active.set(entry, now)
  return now
}

async function find({ node }: Daemon, id: string): Promise<Known> {
  const entry = isTaskId(id) ? (node.entry(jobKey(id)) ?? (await node.store.get(jobKey(id)))) : undefined
  const found = entry && known(entry)
  if (found) return found
  if (entry) throw refuse('job-unreadable', `The job '${id}' is one of a newer version of Systole.`)
  const { entries } = await node.store.list(jobsPrefix)
  const ids = entries.flatMap((one) => known(one)?.job.id ?? [])
  throw refuse('no-such-job', `There is no job '${id}'.${didYouMean(similarWords(id, ids))}`)
}

function refuseWrong({
  argv,
  env,
  timeoutMs,
  order,
  limit,
  maxOutput,
  user,
  lock,
  stdin,
}: Messages['RunJobRequest']): void {
  const [program = ''] = argv
  if (program === '') throw refuse('no-command', 'A job needs a command.')
  const words = [...argv, ...Object.entries(env).flat()]
  if (words.some((word) => word.includes('\0'))) throw refuse('unfit-value', 'A command cannot hold a NUL character.')
  if (words.reduce((sum, word) => sum + Buffer.byteLength(word), 0) > longestCommand)
    throw refuse('too-long', `The command is longer than ${longestCommand / 1024} KiB. Copy a script to the nodes.`)
  if (Buffer.byteLength(stdin ?? '') > longestInput)
    throw refuse('too-long', `The input is longer than ${longestInput / 1024} KiB. Copy a file to the nodes.`)
  if (Object.keys(env).some((name) => name === '' || name.includes('=')))
    throw refuse('bad-name', 'A name in --env is empty or holds an equals sign.')
  if (!(timeoutMs >= 1 && timeoutMs <= longestTimeMs))
    throw refuse('bad-duration', 'The time limit of a job is at least a moment and at most seven days.')
  if (maxOutput !== undefined && !(maxOutput >= 1024 && maxOutput <= mostOutput))
    throw refuse('bad-size', 'Between 1 KiB and 64 MiB of the output can be kept.')
  if (order !== 'parallel' && order !== 'serial' && order !== 'once') throw refuse('bad-order', 'Unknown order.')
  if (!Number.isInteger(limit) || limit < 0) throw refuse('bad-limit', 'The number of nodes at a time is wrong.')
  if (lock === '') throw refuse('bad-name', 'A lock needs a name.')
  const sentence = tooLong('user', user, longestName) ?? tooLong('name of the lock', lock ?? '', longestName)
  if (sentence !== undefined) throw refuse('bad-name', sentence)
}

/** The first nodes begin in the transaction that makes the job; the DC goes on with it. */
async function begin(daemon: Daemon, asked: Messages['RunJobRequest']): Promise<Messages['Job']> {
  const { node } = daemon
  if (!(await quorumSoon(node))) throw refuse('no-quorum', 'This node has no quorum and cannot run a job.')
  const nodes = targets(daemon, asked)
  // Its start takes longer than all that is written before.
  if (nodes.includes(node.name)) node.runners.warm()
  const { argv, env, stdin, timeoutMs, maxFail, maxOutput, queue, lock, user, notes } = asked
  for (let attempt = 1; attempt <= attempts; attempt++) {
    if (node.below(jobsPrefix).filter(isActive).length >= mostActive)
      throw refuse('too-many', `${mostActive} jobs are under way. Wait until some have ended, or cancel some.`)
    const fresh: JobRecord = {
      id: jobId(),
      user: user || 'unknown',
      node: node.name,
      created: new Date().toISOString(),
      argv,
      ...(Object.keys(env).length > 0 && { env }),
      ...(stdin !== undefined && { stdin }),
      timeoutMs,
      ...(maxOutput !== undefined && { maxOutput }),
      ...(notes && { notes }),
      order: asked.order as JobRecord['order'],
      limit: asked.limit === 0 ? nodes.length : asked.limit,
      ...(maxFail !== undefined && { maxFail }),
      ...(queue && { queue }),
      ...(lock !== undefined && { lock }),
      begun: 0,
      state: 'active',
      nodes: nodes.map((name) => ({ node: name, state: 'waiting' })),
    }
    const locked = lock === undefined ? undefined : await node.store.get(lockKey(lock))
    const world = {
      tasks: new Map<string, TaskRecord>(),
      isUp: isUp(daemon),
      isComing: isComing(daemon),
      lifeOf: (name: NodeName) => memberLife(node.view, name),
      // They were found in the list.
      isListed: () => true,
      isLocked: locked !== undefined,
    }
    const { state, effects } = jobStep(fresh, world, fresh.created)
    // Its keys are new: only the lock can be there.
    const transaction = jobTransaction({ job: state, effects }, (key) => (key === locked?.key ? locked : undefined))
    const { applied, revision } = await node.store.transaction(transaction)
    if (!applied) continue
    daemon.log.info('a job begins', { ...jobForLog(state, secretsOfView(node.view)), nodes, order: state.order })
    return asMessage(daemon, { job: state, entry: { modRevision: revision } })
  }
  throw refuse('job-busy', 'Others change the same lock at this moment. Nothing was begun: try again.')
}

export const isUp =
  ({ node }: Daemon) =>
  (name: NodeName): boolean =>
    isTaskNodeUp(node.view, name)

export const isComing =
  ({ node }: Daemon) =>
  (name: NodeName): boolean =>
    isTaskNodeComing(node.view, name)

/** Without names or a role, the members of the cluster. */
export function targets(
  daemon: Daemon,
  { nodes, role }: Pick<Messages['RunJobRequest'], 'nodes' | 'role'>,
): readonly NodeName[] {
  const members = daemon.node.file.nodes.map(({ name }) => name)
  const known = [...members, ...remoteNodesOf(daemon.node.view)]
  if (role !== undefined) {
    const meant = known.filter((name) => hasRole(daemon, name, role))
    if (meant.length > 0) return meant
    throw refuse('no-such-role', `No node has the role '${role}'. 'systole role list' shows the roles.`)
  }
  if (nodes.length === 0) return members
  for (const name of nodes) {
    if (known.includes(nodeName(name))) continue
    throw refuse('no-such-node', `There is no node '${name}'.${didYouMean(similarWords(name, known))}`)
  }
  return [...new Set(nodes)].map(nodeName)
}

function hasRole({ node }: Daemon, name: NodeName, role: string): boolean {
  const sets = node.view.configuration?.typed.nodes.find(({ name: own }) => own === name)?.attributes ?? []
  const attributes = new Map(sets.flatMap(({ pairs }) => pairs.map((pair) => [pair.name, pair.value])))
  return rolesOf({ attributes }).includes(role)
}

async function cancel(daemon: Daemon, id: string, user: string): Promise<Messages['Job']> {
  if (!(await quorumSoon(daemon.node))) throw refuse('no-quorum', 'This node has no quorum and cannot cancel a job.')
  const { store } = daemon.node
  for (let attempt = 1; attempt <= attempts; attempt++) {
    await find(daemon, id)
    const entry = await store.get(jobKey(id))
    const now = entry && known(entry)
    if (!now) continue
    if (now.job.state !== 'active') return asMessage(daemon, now)
    const state: JobRecord = { ...now.job, state: 'cancelling' }
    const { compare, writes } = jobTransaction({ job: state, effects: [] }, (key) =>
      key === entry.key ? entry : undefined,
    )
    const { applied, revision } = await store.transaction({ compare, writes })
    if (!applied) continue
    daemon.log.info('a job is cancelled', { job: id, user })
    return asMessage(daemon, { job: state, entry: { modRevision: revision } })
  }
  throw refuse('job-busy', `The job '${id}' changes at this moment. Try again.`)
}

/** From the node where the task ran. Where that cannot be asked, the record has the last of it. */
async function output(
  daemon: Daemon,
  { id, node, offset, waitMs, task: ofOwner }: Messages['JobOutputRequest'],
  signal: AbortSignal,
): Promise<Messages['JobOutput']> {
  const ofNode =
    ofOwner === undefined ? await begun(daemon, { id, node, waitMs }) : taskOfOwner(daemon, { id, node, task: ofOwner })
  if (ofNode?.task === undefined) return { data: '', ended: ofNode === undefined || hasEnded(ofNode) }
  const entry = daemon.node.entry(taskKey(ofNode.task))
  const task = entry && parseTask(fromBytes(entry.value))
  const isOver = hasEnded(ofNode) || (task !== undefined && isFinished(task))
  const asked = { task: ofNode.task, offset, waitMs: isOver ? 0 : Math.min(waitMs, longestWaitMs) }
  try {
    const most = (task?.maxOutput ?? defaultOutputBytes) + longestLineBetween
    if (offset > most) return { data: '', ended: true, note: `${ofNode.node} sent more than it was to keep.` }
    const answer = await outputOf(daemon, ofNode.node, asked, signal)
    // One that is lost leaves no result behind.
    return { ...answer, ended: answer.ended || (isOver && answer.data === '') }
  } catch (error) {
    if (!isOver) {
      await delay(pauseMs)
      return { data: '', ended: false }
    }
    daemon.log.info('the output of a task could not be read on its node', { task: ofNode.task, error })
    const note = `${ofNode.node} could not be asked for all of its output.`
    return { data: offset > 0 ? '' : Buffer.from(task?.tail ?? '').toString('base64'), ended: true, note }
  }
}

/** Of a play or a rollout, whose record names it. */
function taskOfOwner(
  { node: here }: Daemon,
  { id, node, task }: { readonly id: string; readonly node: string; readonly task: string },
): JobNode {
  const entry = isTaskId(task) ? here.entry(taskKey(task)) : undefined
  const known = entry && parseTask(fromBytes(entry.value))
  if (known === undefined || known.owner.kind === 'job' || known.owner.name !== id || known.node !== node)
    throw refuse('no-such-task', `There is no task '${task}' of '${id}' on '${node}'.`)
  return { node: known.node, task, state: isFinished(known) ? 'succeeded' : 'started' }
}

async function outputOf(
  daemon: Daemon,
  node: NodeName,
  asked: Omit<Messages['TaskOutputRequest'], 'remote'>,
  signal: AbortSignal,
): Promise<Messages['JobOutput']> {
  const options = { timeoutMs: asked.waitMs + patienceMs, signal }
  if (node === daemon.node.name)
    return await readOutput(join(tasksFolder(daemon.paths.data), asked.task), { ...asked, signal })
  if (daemon.node.file.nodes.some(({ name }) => name === node))
    return await daemon.peer(node).readTaskOutput(asked, options)
  return await byConnection(daemon, node, {
    here: async () => await readRemoteOutput(daemon, node, asked),
    there: async (peer) => await peer.readTaskOutput({ ...asked, remote: node }, options),
  })
}

/** The node of a job, once it has a task or never will have one, or when the wait is over. */
async function begun(
  daemon: Daemon,
  { id, node, waitMs }: Pick<Messages['JobOutputRequest'], 'id' | 'node' | 'waitMs'>,
): Promise<JobNode | undefined> {
  const find_ = async (): Promise<JobNode | undefined> =>
    (await find(daemon, id)).job.nodes.find((one) => one.node === node)
  const first = await find_()
  if (first === undefined) throw refuse('no-such-node', `The job '${id}' is not for a node '${node}'.`)
  if (first.task !== undefined || hasEnded(first)) return first
  const hasBegun = (): boolean => {
    const entry = daemon.node.entry(jobKey(id))
    const now = entry && known(entry)?.job.nodes.find((one) => one.node === node)
    return now === undefined || now.task !== undefined || hasEnded(now)
  }
  await untilState(daemon.node, hasBegun, Math.min(waitMs, longestWaitMs))
  return await find_()
}

/** With the results of each command of a list: there may be thousands, so that a list of jobs goes without. */
function withCommands({ node }: Daemon, job: Messages['Job']): Messages['Job'] {
  const nodes = job.nodes.map((one) => {
    const entry = one.task === undefined ? undefined : node.entry(taskKey(one.task))
    const commands = entry && parseTask(fromBytes(entry.value))?.commands
    return commands === undefined ? one : { ...one, commands }
  })
  return { ...job, nodes }
}

export function asMessage(
  daemon: Daemon,
  { job, entry }: { readonly job: JobRecord; readonly entry: Pick<Entry, 'modRevision'> },
): Messages['Job'] {
  const { id, user, node, created, ended, argv, order, limit, timeoutMs, maxFail, queue, lock, state, nodes } = job
  return {
    id,
    user,
    node,
    created,
    ...(ended !== undefined && { ended }),
    argv,
    order,
    limit,
    timeoutMs,
    ...(maxFail !== undefined && { maxFail }),
    queue: queue ?? false,
    ...(lock !== undefined && { lock }),
    waitsForLock: state === 'active' && lock !== undefined && !job.holdsLock,
    state,
    nodes: nodes.map(({ timedOut, ...one }) => ({
      ...one,
      timedOut: timedOut ?? false,
      away: one.state === 'waiting' && !isUp(daemon)(one.node),
    })),
    revision: entry.modRevision,
  }
}
