/**
 * Walks a transition graph: which actions are ready, which of them go out next, and when it is over. It chooses nothing but
 * the order among ready actions: higher priority first, then what has not failed on its node, then what has not failed there for the
 * longest, so that resources which fail again and again keep no others from their turn, then the graph's own order; all that within the limits of the cluster
 * (`batch-limit`), of a node (`node-action-limit`, load) and of live migrations (`migration-limit`).
 *
 * An action is ready once all of its inputs have succeeded. One that failed leaves those after it waiting: the transition
 * then ends unfinished, and the next is computed. After an abort nothing more goes out but what has the priority INFINITY: those
 * actions tell clones what has been done (post-notifications), and no later transition would tell them. It is over when what is
 * under way has ended; the next transition may begin before that (`overlap.ts`).
 */
import type { NodeName } from '../base/index.ts'
import { INFINITY_SCORE } from '../cib/index.ts'
import type { ActionId, GraphAction, TransitionGraph } from '../transition/index.ts'

export interface Walk {
  readonly graph: TransitionGraph
  readonly number: number
  readonly beganAt: number
  /** The revision of the view that the graph was computed from. */
  readonly plannedFrom: number
  readonly byId: ReadonlyMap<ActionId, GraphAction>
  readonly dependents: ReadonlyMap<ActionId, readonly ActionId[]>
  /** Of actions of resources that have failed on the node: when they last did, in seconds since the epoch. */
  readonly failedAt: ReadonlyMap<ActionId, number>
  /** Of actions that are not ready yet: how many of their inputs have not succeeded. */
  readonly missing: ReadonlyMap<ActionId, number>
  readonly ready: readonly ActionId[]
  readonly underWay: ReadonlyMap<ActionId, UnderWay>
  readonly succeeded: ReadonlySet<ActionId>
  readonly failed: ReadonlySet<ActionId>
  /** When what is over began and ended: for people. */
  readonly timed: readonly Timed[]
  /** What has ended in this step, with the moment at which it was sent. */
  readonly justEnded: readonly Omit<Timed, 'endedAt'>[]
  readonly aborted?: string
  /** Of actions that were ready and had to wait: which limit was the last to keep them back. For people. */
  readonly keptBack: ReadonlyMap<ActionId, PlaceLimit>
  /** Prefixes of the keys that its actions delete: their going is no news. */
  readonly deletions: readonly string[]
  /** There are failures that its actions clear. A count under a name that they do not reach stays, whatever they do. */
  readonly clearsFailures: boolean
}

export interface Timed {
  readonly id: ActionId
  readonly sentAt: number
  readonly endedAt: number
}

/** An action of the transition with this number. */
export interface WalkedAction {
  readonly transition: number
  readonly action: ActionId
}

export interface UnderWay {
  readonly sentAt: number
  /** When it is given up, by the daemon's monotonic clock. */
  readonly deadline: number
  /** When the command is sent again because nobody knows whether it arrived. */
  readonly resendAt?: number
  /** Why it did not arrive when it was last sent, where it did not. */
  readonly unreached?: string
}

/** `load-threshold`: the node takes fewer than `node-action-limit` because of its load. */
export interface PlaceLimit {
  readonly limit: 'batch-limit' | 'node-action-limit' | 'load-threshold' | 'migration-limit'
  readonly places: number
}

export interface WalkLimits {
  /** In the whole cluster; 0 is without limit. */
  readonly batch: number
  readonly onNode: (node: NodeName) => number
  /** It takes fewer than it would without its load. */
  readonly isSlowed?: (node: NodeName) => boolean
  /** Live migrations on one node; -1 is without limit. */
  readonly migrations: number
  /** What other walks have under way: it takes the same places. */
  readonly beside: readonly GraphAction[]
  /** Actions that must not go out yet. */
  readonly held: (action: GraphAction) => boolean
}

export function startWalk(
  graph: TransitionGraph,
  {
    lastFailure,
    ...plan
  }: Pick<Walk, 'number' | 'beganAt' | 'plannedFrom' | 'deletions' | 'clearsFailures'> & {
    /** Of the action's resource on its node; undefined: none. */
    readonly lastFailure: (action: GraphAction) => number | undefined
  },
): Walk {
  const byId = new Map(graph.actions.map((action) => [action.id, action]))
  const dependents = new Map<ActionId, ActionId[]>()
  const missing = new Map<ActionId, number>()
  const ready: ActionId[] = []
  for (const action of graph.actions) {
    const inputs = [...new Set(action.inputs)].filter((input) => byId.has(input))
    if (inputs.length === 0) ready.push(action.id)
    else missing.set(action.id, inputs.length)
    for (const input of inputs) {
      const after = dependents.get(input)
      if (after === undefined) dependents.set(input, [action.id])
      else after.push(action.id)
    }
  }
  const nothing = {
    underWay: new Map(),
    succeeded: new Set<ActionId>(),
    failed: new Set<ActionId>(),
    timed: [],
    justEnded: [],
    keptBack: new Map<ActionId, PlaceLimit>(),
  }
  const failedAt = new Map(
    graph.actions.flatMap((action) => {
      const at = lastFailure(action)
      return at === undefined ? [] : [[action.id, at] as const]
    }),
  )
  return passPseudo({ ...plan, graph, byId, dependents, failedAt, missing, ready, ...nothing })
}

/** Which ready actions go out now. They are not marked as sent: `markSent` does that. */
export function nextActions(walk: Walk, limits: WalkLimits): readonly GraphAction[] {
  return chooseActions(walk, limits).next
}

/** The same, and which of the others wait for a place. What must not go out yet waits for something else. */
export function chooseActions(
  walk: Walk,
  limits: WalkLimits,
): { readonly next: readonly GraphAction[]; readonly keptBack: ReadonlyMap<ActionId, PlaceLimit> } {
  const keptBack = new Map<ActionId, PlaceLimit>()
  if (walk.ready.length === 0) return { next: [], keptBack }
  const counts = new Counts([...limits.beside, ...actionsUnderWay(walk)])
  const candidates = [...actionsToCome(walk)].sort(
    (a, b) => b.priority - a.priority || rankOf(walk, a) - rankOf(walk, b) || a.id - b.id,
  )
  const next = candidates.filter((action) => {
    if (limits.held(action)) return false
    const full = counts.limitReached(action, limits)
    if (full !== undefined) keptBack.set(action.id, full)
    else counts.add(action)
    return full === undefined
  })
  return { next, keptBack }
}

/** The walk itself where nothing is new. */
export function noteKeptBack(walk: Walk, keptBack: Walk['keptBack']): Walk {
  const news = [...keptBack].filter(([id, { limit, places }]) => {
    const known = walk.keptBack.get(id)
    return known?.limit !== limit || known.places !== places
  })
  return news.length === 0 ? walk : { ...walk, keptBack: new Map([...walk.keptBack, ...news]) }
}

export function markSent(walk: Walk, id: ActionId, underWay: UnderWay): Walk {
  return {
    ...walk,
    ready: walk.ready.filter((other) => other !== id),
    underWay: new Map(walk.underWay).set(id, underWay),
  }
}

/** Its result is known. What was not under way (any more) changes nothing. */
export function markEnded(walk: Walk, id: ActionId, outcome: 'succeeded' | 'failed'): Walk {
  const known = walk.underWay.get(id)
  if (known === undefined) return walk
  const underWay = new Map(walk.underWay)
  underWay.delete(id)
  const ended = { ...walk, underWay, justEnded: [...walk.justEnded, { id, sentAt: known.sentAt }] }
  if (outcome === 'failed') return { ...ended, failed: new Set(walk.failed).add(id) }
  return passPseudo(release(ended, [id]))
}

/** Gives what has ended in this step its moment. */
export function withTimes(walk: Walk, now: number): Walk {
  if (walk.justEnded.length === 0) return walk
  const timed = [...walk.timed, ...walk.justEnded.map((one) => ({ ...one, endedAt: now }))]
  return { ...walk, timed, justEnded: [] }
}

/** The first reason stays. */
export function abortWalk(walk: Walk, reason: string): Walk {
  return walk.aborted === undefined ? { ...walk, aborted: reason } : walk
}

/** Nothing is under way, and nothing more can go out. */
export function isOver(walk: Walk): boolean {
  return walk.underWay.size === 0 && actionsToCome(walk).length === 0
}

/** It was aborted, and nothing of it is left but what is under way. */
export function isStalled(walk: Walk): boolean {
  return walk.aborted !== undefined && actionsToCome(walk).length === 0
}

function rankOf(walk: Walk, { id }: GraphAction): number {
  return walk.failedAt.get(id) ?? 0
}

function mayBegin(walk: Walk, action: GraphAction): boolean {
  return walk.aborted === undefined || action.priority >= INFINITY_SCORE
}

export function actionsUnderWay(walk: Walk): readonly GraphAction[] {
  return [...walk.underWay.keys()].flatMap((id) => actionOf(walk, id))
}

/** What is ready and may still go out: of an aborted walk, hardly anything. */
export function actionsToCome(walk: Walk): readonly GraphAction[] {
  return walk.ready.flatMap((id) => actionOf(walk, id)).filter((action) => mayBegin(walk, action))
}

/** The node that is busy with an action: the cluster node that carries it out for a remote one. */
export function executingNode(action: GraphAction): NodeName | undefined {
  return action.kind === 'pseudo' ? undefined : (action.routerNode ?? action.node)
}

function actionOf(walk: Walk, id: ActionId): readonly GraphAction[] {
  const action = walk.byId.get(id)
  return action === undefined ? [] : [action]
}

/** Pseudo-actions have nothing to wait for but their inputs; that a guest is down is written first. */
function passPseudo(walk: Walk): Walk {
  const passes = (id: ActionId) =>
    actionOf(walk, id).some((action) => action.kind === 'pseudo' && !isGuestFencing(action) && mayBegin(walk, action))
  const pseudo = walk.ready.filter(passes)
  if (pseudo.length === 0) return walk
  return passPseudo(release({ ...walk, ready: walk.ready.filter((id) => !passes(id)) }, pseudo))
}

function release(walk: Walk, ended: readonly ActionId[]): Walk {
  const succeeded = new Set([...walk.succeeded, ...ended])
  const missing = new Map(walk.missing)
  const ready = [...walk.ready]
  for (const after of ended.flatMap((id) => walk.dependents.get(id) ?? [])) {
    const left = (missing.get(after) ?? 1) - 1
    if (left > 0) missing.set(after, left)
    else {
      missing.delete(after)
      ready.push(after)
    }
  }
  return { ...walk, succeeded, missing, ready }
}

/** How many actions are under way, in all, on each node, and of live migrations on each node. */
class Counts {
  #all = 0
  readonly #onNode = new Map<NodeName, number>()
  readonly #migrations = new Map<NodeName, number>()

  constructor(actions: readonly GraphAction[]) {
    for (const action of actions) this.add(action)
  }

  /** Fencing waits for no limit: others wait for it. */
  limitReached(action: GraphAction, limits: WalkLimits): PlaceLimit | undefined {
    if (isFencing(action) || isGuestFencing(action)) return undefined
    if (limits.batch > 0 && this.#all >= limits.batch) return { limit: 'batch-limit', places: limits.batch }
    const node = executingNode(action)
    if (node === undefined) return undefined
    const places = limits.onNode(node)
    if ((this.#onNode.get(node) ?? 0) >= places)
      return { limit: limits.isSlowed?.(node) === true ? 'load-threshold' : 'node-action-limit', places }
    if (limits.migrations < 0 || !isMigration(action)) return undefined
    const isFull = (this.#migrations.get(node) ?? 0) >= limits.migrations
    return isFull ? { limit: 'migration-limit', places: limits.migrations } : undefined
  }

  add(action: GraphAction): void {
    if (isFencing(action) || isGuestFencing(action)) return
    this.#all++
    const node = executingNode(action)
    if (node === undefined) return
    this.#onNode.set(node, (this.#onNode.get(node) ?? 0) + 1)
    if (isMigration(action)) this.#migrations.set(node, (this.#migrations.get(node) ?? 0) + 1)
  }
}

export function isFencing(action: GraphAction): boolean {
  return action.kind === 'cluster' && action.operation === 'stonith'
}

/** A guest node is fenced by the stop of its container, or of its host, and needs no device: that it is down is only to be recorded. */
export function isGuestFencing(action: GraphAction): boolean {
  return action.kind === 'pseudo' && action.operation === 'stonith' && action.node !== undefined
}

function isMigration(action: GraphAction): boolean {
  return action.kind === 'resource' && (action.operation === 'migrate_to' || action.operation === 'migrate_from')
}
