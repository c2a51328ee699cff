/**
 * What the DC records of every node: compares the members and the silence that it knows of with the node-states in the
 * store, and gives the edits that bring these up to date. Decides: who is integrated, who is lost and therefore unclean, who
 * went cleanly; whose lease ends; for whom everything waits.
 *
 * - A node is *present* while its member record is there (its lease is alive) and its silence is not agreed upon.
 * - One that is here for the first time, after it was down, or as a new incarnation starts without history: what runs on
 *   it is probed. After a mere loss of sight its history still holds.
 * - One that was declared down (fenced, or waited for) comes back as a new incarnation only: the old one may still run what
 *   others have been given.
 * - A lost node that was expected is unclean. The scheduler has it fenced. Without fencing, everything waits until it has
 *   surely stopped by itself, and only then it counts as down.
 * - While a cluster starts, nodes that are missing have some time to appear before they count as lost.
 */
import type { NodeName } from '../base/index.ts'
import type { NodeStateRecord } from '../cib/index.ts'
import { connectedNodeNames, isConnectionAgent } from '../status/index.ts'
import type { Edit } from './effects.ts'
import { bootAttributes, knownIncarnation } from './incarnation.ts'
import { keys } from './keys.ts'
import type { ClusterView, Confirmation, MemberRecord } from './view.ts'
import { isWatchdogOutdated, watchdogAttributes } from './watchdog.ts'

export interface NodeStateInput {
  readonly view: ClusterView
  readonly self: NodeName
  readonly term: number
  readonly now: number
  /** Silent for the DC itself, since when, and why: its silence is agreed upon, it lasts too long, or it no longer answers commands. */
  readonly lost: ReadonlyMap<NodeName, string>
  readonly silent: ReadonlySet<NodeName>
  readonly beingFenced: ReadonlySet<NodeName>
  readonly fencingEnabled: boolean
  /** While the cluster starts: until then missing nodes are waited for. */
  readonly startupUntil?: number
  /** Without fencing: until when lost nodes are waited for, as decided before. */
  readonly waits: ReadonlyMap<NodeName, number>
  readonly lossWaitMs: number
  readonly registrationMs: number
}

export interface NodeStateOutcome {
  readonly edits: readonly Edit[]
  /** Whose history starts anew: what was under way there is lost. */
  readonly gone: readonly NodeName[]
  readonly waits: ReadonlyMap<NodeName, number>
  /** In words, for each node that holds everything up. */
  readonly waitingFor: readonly string[]
  readonly revoke: readonly { readonly node: NodeName; readonly lease: string }[]
}

interface Verdict {
  readonly edits?: readonly Edit[]
  readonly gone?: boolean
  readonly waitUntil?: number
  readonly waitingFor?: string
  readonly revoke?: boolean
}

export function reconcileNodeStates(input: NodeStateInput): NodeStateOutcome {
  const { view } = input
  const waits = new Map<NodeName, number>()
  const edits: Edit[] = []
  const gone: NodeName[] = []
  const waitingFor: string[] = []
  const revoke: { node: NodeName; lease: string }[] = []
  for (const node of clusterNodes(view)) {
    const verdict = judge(input, node)
    edits.push(...(verdict.edits ?? []))
    if (verdict.gone) gone.push(node)
    if (verdict.waitUntil !== undefined) waits.set(node, verdict.waitUntil)
    if (verdict.waitingFor !== undefined) waitingFor.push(verdict.waitingFor)
    const lease = view.members.get(node)?.lease
    if (verdict.revoke && lease !== undefined) revoke.push({ node, lease })
  }
  edits.push(...forgottenRemotes(view).flatMap(forgetNode))
  return { edits, gone, waits, waitingFor, revoke }
}

/**
 * Remote and guest nodes that were recorded, are down, and are configured no more. Their state outlives every record of their connection, also that it
 * was stopped: of a connection in the history whose node has no state nobody knows what runs there, and the node would be fenced.
 */
function forgottenRemotes(view: ClusterView): readonly NodeName[] {
  const down = [...view.nodeStates.values()].filter(
    ({ inCcm, attributes }) => attributes?.remote_node === 'true' && inCcm === false,
  )
  const configuration = view.configuration?.typed
  if (down.length === 0 || configuration === undefined) return []
  const configured = new Set(connectedNodeNames(configuration))
  const forgotten = down.map(({ node }) => node).filter((node) => !configured.has(node))
  if (forgotten.length === 0) return []
  const recorded = new Set<string>(
    [...view.operations.values()].filter(isConnectionAgent).map(({ resource }) => resource),
  )
  return forgotten.filter((node) => !recorded.has(node))
}

function forgetNode(node: NodeName): readonly Edit[] {
  return [
    { kind: 'delete-node-state', node },
    { kind: 'delete-history', node },
    { kind: 'delete-attributes', node },
  ]
}

/** Cluster nodes that are configured, here, or recorded; remote and guest nodes are the scheduler's. */
export function clusterNodes(view: ClusterView): readonly NodeName[] {
  const configured = (view.configuration?.typed.nodes ?? []).filter(({ type }) => type === 'member')
  const recorded = [...view.nodeStates.values()].filter(({ attributes }) => attributes?.remote_node !== 'true')
  const nodes = [...configured.map(({ name }) => name), ...view.members.keys(), ...recorded.map(({ node }) => node)]
  return [...new Set(nodes)].sort()
}

/** A remote or guest node. */
export function isRemoteNode(view: ClusterView, node: NodeName): boolean {
  return !clusterNodes(view).includes(node)
}

function judge(input: NodeStateInput, node: NodeName): Verdict {
  const record = input.view.members.get(node)
  const state = input.view.nodeStates.get(node)
  const confirmation = input.view.confirmedDown.get(node)
  if (confirmation !== undefined) return judgeConfirmed(input, node, { confirmation, record, state })
  if (record === undefined) return judgeAbsent(input, node, { record, state })
  const lost = node === input.self ? undefined : input.lost.get(node)
  return lost === undefined ? judgePresent(input, record, state) : judgeAbsent(input, node, { record, state, lost })
}

/** Why a node counts as off of which an administrator has said so. */
export const administratorsWord = 'declared to be off by an administrator'

/** The word of an administrator, or of the survivor of two, counts for nodes that are not here; for one that is, it is taken back. */
function judgeConfirmed(
  input: NodeStateInput,
  node: NodeName,
  {
    confirmation,
    record,
    state,
  }: {
    readonly confirmation: Confirmation
    readonly record: MemberRecord | undefined
    readonly state: NodeStateRecord | undefined
  },
): Verdict {
  const here = record !== undefined && (node === input.self || !input.lost.has(node))
  const forget: Edit = { kind: 'delete-confirmation', node }
  if (here) return { edits: [forget] }
  const id = state?.id ?? configuredId(input.view, node)
  const incarnation = knownIncarnation(input.view, node)
  const { reason = administratorsWord, fencedAt } = confirmation
  const fenced = fencedAt === undefined ? {} : { fencedAt }
  return {
    edits: [...downEdits({ node, id, incarnation, reason, term: input.term, ...fenced }), forget],
    gone: true,
    revoke: true,
  }
}

function judgePresent(input: NodeStateInput, record: MemberRecord, state: NodeStateRecord | undefined): Verdict {
  const { node } = record
  const sameIncarnation = state?.attributes?.incarnation === String(record.incarnation)
  if (input.beingFenced.has(node)) return {}
  if (state?.expected === 'down' && sameIncarnation) {
    // On its way out after a clean stop; or it was declared down and must come back as somebody new.
    return record.state === 'leaving' ? {} : { revoke: node !== input.self }
  }
  if (state === undefined && record.state === 'leaving') return {}
  if (isMember(state) && sameIncarnation && !isWatchdogOutdated(state, record)) return {}
  if (node !== input.self && input.silent.has(node))
    // It holds a lease, so that it counts; but commands to it would be lost. Soon it is heard, or it is given up.
    return state === undefined ? { waitingFor: `${node} is here, but its heartbeats do not reach the DC` } : {}
  const joined: NodeStateRecord = {
    node,
    id: record.id,
    inCcm: true,
    crmd: 'online',
    join: 'member',
    expected: 'member',
    term: input.term,
    attributes: { incarnation: String(record.incarnation), ...bootAttributes(record), ...watchdogAttributes(record) },
  }
  const fresh = !sameIncarnation || state === undefined || state.expected === 'down'
  const put: Edit = { kind: 'put-node-state', record: joined }
  if (!fresh) return { edits: [put] }
  // Its earlier incarnation may have wanted to leave; this one has not asked for it, and what runs on it is not known yet.
  const forget: Edit = { kind: 'delete-attribute', node, set: '', name: 'shutdown' }
  return { edits: [put, { kind: 'delete-history', node }, forget], gone: true }
}

function judgeAbsent(
  input: NodeStateInput,
  node: NodeName,
  {
    record,
    state,
    lost,
  }: {
    readonly record: MemberRecord | undefined
    readonly state: NodeStateRecord | undefined
    readonly lost?: string
  },
): Verdict {
  // Whoever was here since this DC rules is not missing but lost.
  const starting = input.startupUntil !== undefined && input.now < input.startupUntil
  const missing = starting && state?.term !== input.term
  const waitForStart = { waitingFor: `${node} has not been seen since the start` }
  if (state === undefined) return missing ? waitForStart : {}
  const revoke = record !== undefined
  if (state.expected === 'down') {
    const isDown = state.inCcm === false && state.crmd === 'offline' && state.join === 'down'
    const { id, reason = 'left' } = state
    const down = {
      node,
      id,
      incarnation: knownIncarnation(input.view, node),
      reason,
      term: input.term,
      keepHistory: true,
    }
    return isDown ? { revoke } : { edits: downEdits(down), gone: true, revoke }
  }
  if (missing) return waitForStart
  if (!input.fencingEnabled) return waitForStop(input, record, state)
  const forget: Edit = { kind: 'delete-attribute', node, set: '', name: 'shutdown' }
  if (state.inCcm === false) return { revoke, edits: asksToLeave(input.view, node) ? [forget] : [] }
  const registers = waitForRegistration(input, node, record !== undefined || lost !== undefined)
  if (registers) return registers
  const reason = lost ?? 'its lease is gone'
  const unclean = { ...state, inCcm: false, crmd: 'offline', join: 'down', reason, term: input.term } as const
  // It was not told that it may go: with its wish to leave it would count as gone in order, and nothing would be fenced.
  return { edits: [{ kind: 'put-node-state', record: unclean }, forget], gone: true, revoke }
}

const asksToLeave = ({ attributes }: ClusterView, node: NodeName): boolean =>
  attributes.has(keys.attribute(node, '', 'shutdown'))

/** As long as its peers excuse it (src/membership/heartbeat.ts). */
const announcedMs = 60_000

/**
 * A daemon that was restarted ends the lease of its earlier incarnation and is heard before it has a new one: it gets the time to register.
 * Waiting is always safe; a node that is heard without a lease for longer is lost. One that has announced its restart has longer: if its host falls silent
 * meanwhile, that is noticed as always.
 */
function waitForRegistration(input: NodeStateInput, node: NodeName, isRegisteredOrLost: boolean): Verdict | undefined {
  if (isRegisteredOrLost || input.silent.has(node)) return undefined
  const { restarts } = input.view
  const isAnnounced = restarts.has(node) && restarts.get(node) === knownIncarnation(input.view, node)
  const waitUntil = input.waits.get(node) ?? input.now + (isAnnounced ? announcedMs : input.registrationMs)
  if (input.now >= waitUntil) return undefined
  return { waitUntil, waitingFor: `${node} is heard and has no lease: it is given the time to register` }
}

/** Counted from the moment at which its lease is seen to be gone; until then it is ended again and again. */
function waitForStop(input: NodeStateInput, record: MemberRecord | undefined, state: NodeStateRecord): Verdict {
  const { node } = state
  const waitingFor = `${node} is lost and cannot be fenced: it is given the time to stop what it runs`
  if (record !== undefined) return { waitingFor, revoke: true }
  const waitUntil = input.waits.get(node) ?? input.now + input.lossWaitMs
  if (input.now < waitUntil) return { waitUntil, waitingFor }
  const reason = 'lost; its lease and the time to stop are over'
  return {
    edits: downEdits({ node, id: state.id, incarnation: knownIncarnation(input.view, node), reason, term: input.term }),
    gone: true,
  }
}

export function isMember(state: NodeStateRecord | undefined): boolean {
  return state !== undefined && state.inCcm !== false && state.crmd === 'online' && state.join === 'member'
}

/** Expected to be here and not: it must be fenced. */
export function isUnclean(state: NodeStateRecord | undefined): boolean {
  return state !== undefined && state.expected === 'member' && !isMember(state)
}

export interface Down {
  readonly node: NodeName
  readonly id: string
  /** The incarnation that is declared down. */
  readonly incarnation: number | undefined
  readonly reason: string
  readonly term: number
  /** After a clean stop: the history says truly that everything is stopped. */
  readonly keepHistory?: boolean
  /** Seconds since the epoch, for fencing. */
  readonly fencedAt?: number
  /** A remote or guest node: its membership is its connection's. */
  readonly isRemote?: boolean
}

/** Nothing runs there any more: no history, no transient attributes, not expected. */
export function downEdits(down: Down): readonly Edit[] {
  const { node, id, incarnation, reason, term } = down
  const attributes = {
    ...(down.isRemote === true ? { remote_node: 'true' } : {}),
    ...(incarnation === undefined ? {} : { incarnation: String(incarnation) }),
    ...(down.fencedAt === undefined ? {} : { node_fenced: String(down.fencedAt) }),
  }
  const record: NodeStateRecord = {
    node,
    id,
    inCcm: false,
    crmd: 'offline',
    join: 'down',
    expected: 'down',
    reason,
    term,
    attributes,
  }
  return [
    { kind: 'put-node-state', record },
    ...(down.keepHistory ? [] : [{ kind: 'delete-history', node } as const]),
    { kind: 'delete-attributes', node },
  ]
}

export function configuredId(view: ClusterView, node: NodeName): string {
  return view.configuration?.typed.nodes.find(({ name }) => name === node)?.id ?? node
}
