/** What a rollout sees of the cluster: one look at this node's view, as of one revision. */
import { createHash } from 'node:crypto'
import { type NodeName, utcOffsetAt } from '../../base/index.ts'
import { type ClusterView, cibOfView } from '../../controller/index.ts'
import { parseTask } from '../../jobs/index.ts'
import {
  countRoles,
  isUnderWay,
  type NodeFacts,
  type NodeSeen,
  type NodeVersion,
  type NodeVersionRecord,
  nodeFactsOf,
  type RolloutInput,
  type RolloutRecord,
} from '../../rollout/index.ts'
import { catalogueOf, healthyOf } from '../../services/index.ts'
import { type ClusterStatus, statusOfCib } from '../../status/index.ts'
import { remoteNodesOf, taskNodeLife } from '../jobs/task-nodes.ts'
import { type ClusterFile, storeHosts } from '../node-list/cluster-file.ts'
import { fromBytes } from '../records/json-value.ts'
import { tasksPrefix } from '../records/keys.ts'
import { versionsIn } from './known-rollouts.ts'
import { type Below, type StoredRollout, taskSeen } from './rollout-records.ts'

export interface Sights {
  readonly view: ClusterView
  readonly file: ClusterFile
  readonly below: Below
  readonly witnessUp: boolean
  /** Nothing is left to do for what this view shows. */
  readonly settled: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

export function rolloutInput(
  sights: Sights,
  record: RolloutRecord,
  others: readonly StoredRollout[],
): RolloutInput | undefined {
  const { view, file, settled, now } = sights
  const status = statusOfView(view, now)
  if (status === undefined) return undefined
  const voters = storeHosts(file).filter(({ votes }) => votes)
  // One of two goes on alone when the other has left in order.
  const isOneOfTwo = file.nodes.length === 2 && voters.length === 2
  const taken = takenBy(record, others)
  const versions = new Map(versionsIn(sights.below).map((one) => [one.node, one]))
  const own = new Set(
    [...view.holds.values()].flatMap(({ owner, node }) =>
      owner.kind === 'rollout' && owner.name === record.id && node ? [node] : [],
    ),
  )
  const nodes = status.nodes.map(
    (node) => [node.name, nodeSeen(node, { sights, status, own, taken, versions })] as const,
  )
  return {
    nodes: new Map(nodes),
    tasks: tasksOf(sights.below, record),
    roles: countRoles(status.nodes.filter(({ online, unclean }) => online && !unclean)),
    services: healthyCounts(status, record),
    removed: removedOf(sights, record),
    held: own,
    settled,
    ...(view.dc !== undefined && { dc: view.dc.node }),
    majority: isOneOfTwo ? 1 : Math.floor(voters.length / 2) + 1,
    otherVotes: sights.witnessUp && file.witness?.votes === true ? 1 : 0,
    clock: clockAt(now),
  }
}

/** Only where they are asked for: a rollout looks after every change. */
function healthyCounts(
  status: ClusterStatus,
  { definition: { requires = [] } }: RolloutRecord,
): ReadonlyMap<string, number> {
  if (requires.every(({ service }) => service === undefined)) return new Map()
  const { services } = catalogueOf(status, () => undefined)
  return new Map(services.map((service) => [service.definition.name, healthyOf(service).length]))
}

/** Those that are only away stand in the list of nodes. One that is being removed counts from when it has left: its tasks are lost then. */
export function removedOf(
  {
    view,
    file,
  }: {
    readonly view: Pick<ClusterView, 'members' | 'configuration'>
    readonly file: ClusterFile
  },
  { nodes, limits }: RolloutRecord,
): ReadonlySet<NodeName> {
  const staying = file.nodes.filter(({ leaving }) => leaving !== true).map(({ name }) => name)
  const present = new Set([...staying, ...view.members.keys(), ...remoteNodesOf(view)])
  const meant = [...nodes.map(({ node }) => node), ...limits.flatMap((limit) => limit.nodes)]
  return new Set(meant.filter((node) => !present.has(node)))
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

const known = new WeakMap<ClusterView, ClusterStatus>()

/** Rules by date are of no account here: of one view there is one status. */
function statusOfView(view: ClusterView, now: number): ClusterStatus | undefined {
  const before = known.get(view)
  if (before) return before
  const cib = cibOfView(view, true)
  const status = cib && statusOfCib({ cib, now: Math.floor(now / 1000), md5, utcOffsetAt })
  if (status) known.set(view, status)
  return status
}

interface Around {
  readonly sights: Sights
  readonly status: ClusterStatus
  readonly own: ReadonlySet<NodeName>
  readonly taken: ReadonlyMap<NodeName, string>
  readonly versions: ReadonlyMap<NodeName, NodeVersionRecord>
}

function nodeSeen(
  { name, kind, online, unclean, pending, standby, maintenance }: ClusterStatus['nodes'][number],
  { sights: { view, file }, status, own, taken, versions }: Around,
): NodeSeen {
  const life = taskNodeLife(view, name)
  const isOwn = own.has(name)
  const rollout = taken.get(name)
  const record = versions.get(name)
  return {
    online: online && !unclean && !pending && life !== undefined,
    ...(kind === 'remote' && { isRemote: true as const }),
    standby: standby && !isOwn,
    maintenance: maintenance && !isOwn,
    empty: isEmpty(status, name),
    ...(rollout !== undefined && { rollout }),
    ...(life?.bootId !== undefined && { bootId: life.bootId }),
    votes: file.nodes.find((node) => node.name === name)?.votes === true ? 1 : 0,
    ...(record && { version: versionOf(record) }),
  }
}

const versionOf = ({ state, version, failedIn }: NodeVersionRecord): NodeVersion => ({
  state,
  ...(version !== undefined && { version }),
  ...(failedIn !== undefined && { failedIn }),
})

/** What is not managed stays, whatever holds the node. */
function isEmpty({ primitivesById }: ClusterStatus, node: NodeName): boolean {
  for (const { state } of primitivesById.values())
    if (state.managed && state.active.some((active) => active.node === node)) return false
  return true
}

function takenBy(record: RolloutRecord, others: readonly StoredRollout[]): ReadonlyMap<NodeName, string> {
  return new Map(
    others
      .filter((other) => other.record.id !== record.id)
      .flatMap((other) => other.record.nodes.filter(isUnderWay).map(({ node }) => [node, other.record.id] as const)),
  )
}

function tasksOf(below: Below, { id }: RolloutRecord): RolloutInput['tasks'] {
  return new Map(
    below(tasksPrefix).flatMap((entry) => {
      const task = parseTask(fromBytes(entry.value))
      return task?.owner.kind === 'rollout' && task.owner.name === id ? [[task.id, taskSeen(task)] as const] : []
    }),
  )
}

function clockAt(now: number): RolloutInput['clock'] {
  const local = new Date(now + utcOffsetAt(Math.floor(now / 1000)) * 1000)
  return { day: local.getUTCDay(), minutes: local.getUTCHours() * 60 + local.getUTCMinutes() }
}

export function nodesOfView(view: ClusterView, now: number): readonly NodeFacts[] {
  const status = statusOfView(view, now)
  return status === undefined ? [] : nodeFactsOf(status)
}
