/** The fence devices as this node knows them, by the configuration, the metadata of agents, and the nodes that feed watchdogs. */
import { type MonotonicMs, type NodeName, parseDurationMs } from '../base/index.ts'
import { type Configuration, clusterOptionValue, nvSetsByPrecedence, parseBoolean } from '../cib/index.ts'
import {
  type FenceDevice,
  type FencingSetup,
  initialFencing,
  isFenceable,
  levelsFor,
  readFenceDevices,
  watchdogDevice,
} from '../fencing/index.ts'
import { step } from './fencing-steps.ts'
import { after, type FencingTurn, only, tell, withFencing } from './fencing-turn.ts'
import type { NodeState } from './state.ts'
import { watchdogWaits } from './watchdog-fencing.ts'

const defaultTimeoutMs = 60_000

/** By the configuration alone: a device that must be asked first may still refuse. */
export function isNodeFenceable(state: NodeState, node: NodeName): boolean {
  const { devices, topology } = knownSetup(state)
  return isFenceable({ node, attributes: attributesOf(state, node) }, topology, devices)
}

/** Watchdogs count as one. */
export const fenceDevices = (state: NodeState): readonly FenceDevice[] => knownSetup(state).devices

/** Where the configuration has changed, or which nodes feed a watchdog. */
export function configure(state: NodeState, now: MonotonicMs): FencingTurn {
  const { configuration } = state.view
  if (configuration === undefined) return only(state)
  const { configuredFrom } = state.fencing
  if (configuration !== configuredFrom) {
    const known = withFencing(state, { configuredFrom: configuration })
    const turn = useDevices(withWaits(known), now)
    return configuredFrom === undefined
      ? after(turn, (next) => only(next, tell({ kind: 'read-recorded-alone' })))
      : turn
  }
  const next = withWaits(state)
  const isSame = next.fencing.watchdogWaits === state.fencing.watchdogWaits
  return isSame ? only(next) : giveDevices(next, now)
}

function withWaits(state: NodeState): NodeState {
  const { watchdogWaits: before, waitsFrom } = state.fencing
  const { nodeStates, configuration } = state.view
  if (waitsFrom?.nodeStates === nodeStates && waitsFrom.configuration === configuration) return state
  const waits = watchdogWaits(state.view, state.timings)
  const same = waits.size === before.size && [...waits].every(([node, ms]) => before.get(node) === ms)
  return withFencing(state, { waitsFrom: { nodeStates, configuration }, watchdogWaits: same ? before : waits })
}

export function useDevices(state: NodeState, now: MonotonicMs): FencingTurn {
  const configuration = state.view.configuration?.typed
  if (configuration === undefined) return only(state)
  const devices = readFenceDevices(configuration, { metadata: state.fencing.metadata })
  const concurrent = parseBoolean(clusterOptionValue(configuration, 'concurrent-fencing')) ?? true
  const setup = { devices, topology: configuration.fencingLevels, concurrent }
  return after(only(withFencing(state, { setup }), tell({ kind: 'use-devices', devices })), (next) =>
    giveDevices(next, now),
  )
}

/** Without a majority nobody can know that a watchdog was not fed: the survivor of two does not count on it. */
function giveDevices(state: NodeState, now: MonotonicMs): FencingTurn {
  const { setup } = state.fencing
  if (setup === undefined) return only(state)
  return after(step(state, { by: 'dc', input: { kind: 'configured', setup: knownSetup(state) } }, now), (next) =>
    step(next, { by: 'alone', input: { kind: 'configured', setup } }, now),
  )
}

function knownSetup({ fencing: { setup, watchdogWaits: waits } }: NodeState): FencingSetup {
  const { devices, topology, concurrent } = setup ?? initialFencing.setup
  const watchdogs = waits.size > 0 ? [watchdogDevice(waits)] : []
  return { devices: [...devices, ...watchdogs], topology, concurrent }
}

export function firstLevel(state: NodeState, node: NodeName): readonly string[] {
  const { devices, topology } = knownSetup(state)
  return levelsFor({ node, attributes: attributesOf(state, node) }, topology, devices)[0] ?? []
}

export function attributesOf(state: NodeState, target: NodeName): ReadonlyMap<string, string> {
  const definition = typed(state)?.nodes.find(({ name }) => name === target)
  const sets = nvSetsByPrecedence(definition?.attributes ?? []).filter(({ rule }) => rule === undefined)
  const values = new Map<string, string>()
  for (const { name, value } of sets.flatMap(({ pairs }) => pairs)) if (!values.has(name)) values.set(name, value)
  return values
}

const typed = ({ view }: NodeState): Configuration | undefined => view.configuration?.typed

export const timeoutMs = (state: NodeState): number =>
  parseDurationMs(clusterOptionValue(typed(state), 'fencing-timeout')) ?? defaultTimeoutMs
