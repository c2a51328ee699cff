/** What holds an action back although its inputs are there: loads, limits, other walks, and what must be known before it. */
import type { NodeName } from '../base/index.ts'
import type { ActionId, GraphAction, ResourceAction, TransitionGraph } from '../transition/index.ts'
import { mustWaitForVoter } from './needed-voters.ts'
import { actionLimit, isSlowed } from './node-load.ts'
import { heldByOtherWalk } from './overlap.ts'
import type { ControllerState } from './state.ts'
import { takesAwayTooSoon } from './unknown-neighbours.ts'
import {
  actionsToCome,
  actionsUnderWay,
  executingNode,
  isFencing,
  isGuestFencing,
  type Walk,
  type WalkLimits,
} from './walk.ts'

export function limitsOf(state: ControllerState, walk: Walk, now: number): WalkLimits {
  const { options, timings, loads, dcState } = state
  const { graph } = walk
  const givesUp = givesUpGuests(graph)
  const isBusyBeside = heldByOtherWalk(state, walk)
  const isTooSoon = stopsTooSoon(state, walk)
  return {
    batch: Math.max(0, Number(graph.attributes['batch-limit'] ?? '0') || 0),
    migrations: Number(graph.attributes['migration-limit'] ?? '-1'),
    onNode: (node) => actionLimit(options, loads.get(node), timings.nodeActionLimit),
    isSlowed: (node) => isSlowed(options, loads.get(node)),
    beside: (dcState?.walks ?? []).filter((other) => other !== walk).flatMap(actionsUnderWay),
    held: (action) => {
      if (isBusyBeside(action) || isTooSoon(action)) return true
      if (givesUp.has(action.id)) return isProbing(state, executingNode(action))
      if (action.kind !== 'cluster' || action.node === undefined) return false
      if (isFencing(action))
        return (dcState?.fencing.get(action.node)?.retryAt ?? 0) > now || mustWaitForVoter(state, action.node, now)
      return action.operation === 'do_shutdown' && isBusy(state, action.node)
    },
  }
}

/**
 * The recovery of guests by their containers: what records them as down, and the stops that come before it. Where a daemon has just
 * started, it is not known what runs there, nor whether the connections live that it held: a guest counts as lost only when no probe
 * that can be made now finds the one and the other.
 */
function givesUpGuests({ actions }: TransitionGraph): ReadonlySet<ActionId> {
  const found = new Set(actions.filter(isGuestFencing).map(({ id }) => id))
  if (found.size === 0) return found
  const byId = new Map(actions.map((action) => [action.id, action]))
  // A set that grows while it is walked.
  for (const id of found)
    for (const input of byId.get(id)?.inputs ?? []) {
      const before = byId.get(input)
      if (before !== undefined && before.kind !== 'cluster' && !isProbe(before)) found.add(input)
    }
  return found
}

/**
 * On a busy node probes go out a few at a time, and results are lost with a majority: the DC computes again from what is known by then, and would
 * stop what runs where it belongs ([ADR 89](../../docs/adr/0089-probes-before-moves.md)).
 */
function stopsTooSoon(state: ControllerState, { graph }: Walk): (action: GraphAction) => boolean {
  // Of many actions that are ready, hardly one asks.
  let asked: ((action: GraphAction) => boolean) | undefined
  return (action) => {
    if (action.operation === 'start' || isProbe(action)) return false
    asked ??= takesAwayTooSoon(state.view.configuration?.typed, { graph, probes: goingOn(state).filter(isProbe) })
    return asked(action)
  }
}

/** On a node, or anywhere. */
function isProbing(state: ControllerState, node: NodeName | undefined): boolean {
  return goingOn(state).some((action) => isProbe(action) && (node === undefined || executingNode(action) === node))
}

const isProbe = (action: GraphAction): action is ResourceAction =>
  action.kind === 'resource' && action.operation === 'monitor' && action.intervalMs === 0

/** A node leaves last: a probe that is about to begin may still find something that must be stopped first. */
function isBusy(state: ControllerState, node: NodeName): boolean {
  return goingOn(state).some((action) => action.kind === 'resource' && executingNode(action) === node)
}

/** What is under way, and what could be. */
function goingOn(state: ControllerState): readonly GraphAction[] {
  return (state.dcState?.walks ?? []).flatMap((walk) => [...actionsUnderWay(walk), ...actionsToCome(walk)])
}
