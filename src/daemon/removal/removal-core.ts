/**
 * The removal of a node, as work that stands in the list of nodes (`leaving`) and that the DC carries on, whoever has begun it and whatever became of that
 * command: its vote goes first (vote-keeper.ts), while its own member can still agree to that; then it leaves, its resources first; then it is forgotten.
 * Each step may be done twice, and by two nodes at once. No I/O: removal-work.ts performs it, and so does the simulation.
 */

import { assertNever, type NodeName, type Step } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { othersAreMajority } from '../../quorum/index.ts'
import { connectedNodeNames } from '../../status/index.ts'
import type { ClusterFile, ClusterNodeEntry } from '../node-list/cluster-file.ts'

const shareTimeoutMs = 5_000
const retryMs = 500

export type RemovalStep = 'vote' | 'share' | 'stop' | 'leave' | 'forget'

/** What decides on the next step. */
export interface RemovalView {
  readonly file: ClusterFile
  readonly view: Pick<ClusterView, 'members' | 'nodeStates' | 'configuration'>
  /** Of a node, or of the witness. */
  readonly isUp: (host: NodeName) => boolean
  /** Its share of the authority's key counts still. */
  readonly hasShare: (node: NodeName) => boolean
}

/** The next one, by what the store shows. */
export function removalStep({ file, view, isUp, hasShare }: RemovalView, entry: ClusterNodeEntry): RemovalStep {
  if (file.store.kind === 'etcd' && entry.votes) return 'vote'
  // While the node is there, its share still counts: the others have a new generation first.
  if (isUp(entry.name) && hasShare(entry.name)) return 'share'
  if (view.members.has(entry.name)) return 'stop'
  const state = view.nodeStates.get(entry.name)
  // Out of the membership, and recorded so by the DC: what is deleted before would be written again.
  return state === undefined || (state.expected === 'down' && state.join === 'down') ? 'forget' : 'leave'
}

/** For `status`: a sentence for each removal that is under way, with what it waits for and the way out. */
export function removalNotes(seen: RemovalView): readonly string[] {
  return seen.file.nodes
    .filter(({ leaving }) => leaving === true)
    .map((entry) => `${entry.name} is being removed: ${whyNotYet(seen, entry)}. ${wayOut(entry.name)}`)
}

export const wayOut = (node: NodeName): string =>
  `The DC continues the removal. To keep the node: \`systole cluster node remove --cancel ${node}\``

export function whyNotYet(seen: RemovalView, entry: ClusterNodeEntry): string {
  const step = removalStep(seen, entry)
  switch (step) {
    case 'vote': {
      const { holds, missing } = othersAreMajority(seen.file, entry.name, seen.isUp)
      return holds ? 'its vote is being removed' : `its vote is needed until ${missing.join(' and ')} can be reached`
    }
    case 'share':
      return 'the others get new shares of the authority’s key first'
    case 'stop':
      return 'its resources stop or move first'
    case 'leave':
      return seen.isUp(entry.name) ? 'it is leaving' : 'it is lost and must be fenced or confirmed to be off'
    case 'forget':
      return 'its records are being deleted'
    default:
      return assertNever(step)
  }
}

/**
 * What is forgotten of a node that has left, in this order. It is told while it can still read in the store that it is leaving: one that is off finds that
 * nobody knows it any more when it is back. Its place in the list goes last: until then the next DC goes on with the rest.
 */
export const forgettingStages = ['configuration', 'records', 'tokens', 'tell', 'list'] as const
export type ForgettingStage = (typeof forgettingStages)[number]

/** On each node; it works on the one that leads. */
export interface RemovalState {
  /** Of these the next step is under way. */
  readonly working: ReadonlySet<NodeName>
  /** By a command on this node, which works on it as well: the DC may be of a version that does not. */
  readonly begunHere: ReadonlySet<NodeName>
  readonly sharesSince: ReadonlyMap<NodeName, number>
  /** When it looks again, whatever happens. */
  readonly lookAt?: number
}

export const noRemovals: RemovalState = { working: new Set(), begunHere: new Set(), sharesSince: new Map() }

export type RemovalInput =
  | { readonly kind: 'begun'; readonly node: NodeName }
  /** After every change that may matter, and at `lookAt`. */
  | { readonly kind: 'look'; readonly seen: RemovalView; readonly quorate: boolean; readonly leads: boolean }
  /** What was to be performed has ended, well or not. */
  | { readonly kind: 'ended'; readonly node: NodeName }

/**
 * `forget`: each of `forgettingStages`, one after the other, while `isStillGone`, up to the first that fails. `configure`: the configuration names it again,
 * as Pacemaker sees to it: somebody has put another configuration in its place, or an addition was interrupted. Without that it could not even leave in order.
 * `clear`: its records are deleted where the list in the store has it no more: a write of the DC that was not answered, and repeated, came after they were deleted.
 */
export interface RemovalEffect {
  readonly kind: 'stop' | 'forget' | 'configure' | 'clear'
  readonly node: NodeName
}

export function removalCore(state: RemovalState, input: RemovalInput, now: number): Step<RemovalState, RemovalEffect> {
  switch (input.kind) {
    case 'begun':
      return { state: { ...state, begunHere: including(state.begunHere, input.node) }, effects: [] }
    case 'ended':
      return { state: { ...state, working: without(state.working, input.node), lookAt: now + retryMs }, effects: [] }
    case 'look':
      return look(state, input, now)
    default:
      return assertNever(input)
  }
}

function look(
  state: RemovalState,
  { seen, quorate, leads }: Extract<RemovalInput, { kind: 'look' }>,
  now: number,
): Step<RemovalState, RemovalEffect> {
  const leaving = seen.file.nodes.filter((entry) => entry.leaving === true)
  const names = new Set(leaving.map(({ name }) => name))
  const { lookAt: _before, ...rest } = state
  // Nothing else may change once quorum is back: the last node of a cluster hears of nobody.
  if (!quorate) return { state: leaving.length === 0 ? rest : { ...rest, lookAt: now + retryMs }, effects: [] }
  let next: RemovalState = {
    ...rest,
    ...(state.lookAt !== undefined && state.lookAt > now ? { lookAt: state.lookAt } : {}),
    begunHere: new Set([...state.begunHere].filter((node) => names.has(node))),
    sharesSince: new Map([...state.sharesSince].filter(([node]) => names.has(node))),
  }
  const effects: RemovalEffect[] = []
  for (const effect of leads ? tidyingUp(seen) : []) {
    if (next.working.has(effect.node)) continue
    next = { ...next, working: including(next.working, effect.node) }
    effects.push(effect)
  }
  for (const entry of leaving) {
    if (next.working.has(entry.name) || !(leads || next.begunHere.has(entry.name))) continue
    const worked = work(next, { seen, entry }, now)
    next = worked.state
    effects.push(...worked.effects)
  }
  return { state: next, effects }
}

const tidyingUp = (seen: RemovalView): readonly RemovalEffect[] => [
  ...unconfigured(seen).map(({ name }) => ({ kind: 'configure', node: name }) as const),
  ...leftRecords(seen).map((node) => ({ kind: 'clear', node }) as const),
]

/**
 * Recorded as down, but neither in the list nor in the configuration. What is lost and may run something stays recorded: its fencing needs that,
 * and an administrator's `cluster node clear` ends it.
 */
function leftRecords({ file, view: { configuration, members, nodeStates } }: RemovalView): readonly NodeName[] {
  if (configuration === undefined) return []
  const known = new Set<string>([
    ...file.nodes.map(({ name }) => name),
    ...configuration.typed.nodes.map(({ name }) => name),
    ...connectedNodeNames(configuration.typed),
  ])
  return [...nodeStates.values()].flatMap(({ node, expected, join, attributes }) => {
    const isDown = expected === 'down' && join === 'down' && !members.has(node)
    return isDown && !known.has(node) && attributes?.remote_node !== 'true' ? [node] : []
  })
}

/** Members that the configuration does not name. */
function unconfigured({ file, view }: RemovalView): readonly ClusterNodeEntry[] {
  const { configuration, members } = view
  if (configuration === undefined) return []
  const named = new Set(configuration.typed.nodes.map(({ name }) => name))
  return file.nodes.filter(({ name }) => members.has(name) && !named.has(name))
}

/** It has not come back, and nobody has thought better of it. */
export const isStillGone = ({ file, view }: Pick<RemovalView, 'file' | 'view'>, node: NodeName): boolean =>
  !view.members.has(node) && file.nodes.some(({ name, leaving }) => name === node && leaving === true)

/** Of more than two nodes the others can replace the share later as well; where one alone is left, it could sign nothing any more. */
function work(
  state: RemovalState,
  { seen, entry: { name: node }, entry }: { readonly seen: RemovalView; readonly entry: ClusterNodeEntry },
  now: number,
): Step<RemovalState, RemovalEffect> {
  const step = removalStep(seen, entry)
  const since = state.sharesSince.get(node) ?? now
  const begin = (kind: RemovalEffect['kind']): Step<RemovalState, RemovalEffect> => ({
    state: { ...state, working: including(state.working, node), sharesSince: withoutKey(state.sharesSince, node) },
    effects: [{ kind, node }],
  })
  switch (step) {
    case 'vote':
    case 'leave':
      return { state, effects: [] }
    case 'share':
      return seen.file.nodes.length > 2 && now - since >= shareTimeoutMs
        ? begin('stop')
        : {
            state: { ...state, sharesSince: new Map(state.sharesSince).set(node, since), lookAt: now + retryMs },
            effects: [],
          }
    case 'stop':
    case 'forget':
      return begin(step)
    default:
      return assertNever(step)
  }
}

const including = <T>(set: ReadonlySet<T>, one: T): ReadonlySet<T> => new Set([...set, one])
const without = <T>(set: ReadonlySet<T>, one: T): ReadonlySet<T> => new Set([...set].filter((other) => other !== one))
const withoutKey = <T>(map: ReadonlyMap<T, number>, key: T): ReadonlyMap<T, number> =>
  new Map([...map].filter(([other]) => other !== key))
