/**
 * A CIB read as what it says at one moment. First the nodes and their membership, then the resources as they are configured,
 * then the histories: of cluster nodes, then of remote and guest nodes as their connections turn out to run, then of the
 * nodes that are down.
 */
import type { NodeName } from '../../base/index.ts'
import { type Configuration, childElement, type Md5, parseBoolean, type XmlElement } from '../../cib/index.ts'
import type { ClusterStatus } from '../cluster-status.ts'
import type { NodeDraft, PrimitiveDraft, World } from '../drafts.ts'
import { interpretNode } from '../history/interpret.ts'
import { noteNamesakes } from '../history/namesakes.ts'
import { noteRemainingFailCounts } from '../history/note-fail-counts.ts'
import { decideShutdownLocks } from '../history/shutdown-lock.ts'
import {
  configuredNodes,
  connectedNode,
  type NodeContext,
  nameById,
  readMemberState,
  readPermanentAttributes,
  readRemoteState,
} from '../nodes/nodes.ts'
import { readRemoteFlags, updateRemoteOnline } from '../nodes/remote.ts'
import { readOptions } from '../options.ts'
import { nextChangeOf, type TimedChange } from '../recheck.ts'
import { readRecords } from '../records.ts'
import { guestNodes } from '../remote-definitions.ts'
import { buildResources } from '../resources/builder.ts'
import { type TimeZone, type UtcOffsetAt, utc } from '../rules/index.ts'
import { readTickets } from '../tickets.ts'
import { finishStatus } from './finish.ts'

export interface StatusInput {
  /** The whole document: the configuration's typed view does not hold the status section. */
  readonly cib: XmlElement
  readonly configuration: Configuration
  /** Seconds since the epoch. */
  readonly now: number
  /** For rules that name no time zone; UTC where it is left out. */
  readonly utcOffsetAt?: UtcOffsetAt
  /** With it, failures are forgotten whose parameters were changed since. */
  readonly md5?: Md5
}

export function readStatus(input: StatusInput): ClusterStatus {
  const { cib, configuration, now, utcOffsetAt = utc } = input
  const zone: TimeZone = { now, utcOffsetAt }
  const haveQuorum = parseBoolean(cib.attributes['have-quorum']) ?? false
  const statusSection = childElement(cib, 'status')
  const world = buildWorld(input, zone, haveQuorum)
  const read = readHistories(world)
  for (const { container, on } of world.containersToStop)
    if (on === undefined || container.state.active.has(on)) container.state.mustStop = true
  // Those with a history were judged by what was known before it: their own failures do not take them away from it.
  for (const node of world.nodes.values())
    if (node.kind !== 'member' && !read.has(node.name)) updateRemoteOnline(world, node)
  noteRemainingFailCounts(world)
  noteNamesakes(world)
  decideShutdownLocks(world)
  return finishStatus(world, {
    haveQuorum,
    tickets: readTickets(statusSection),
    nextChange: nextChangeOf(configuration, zone, world.moments),
  })
}

function buildWorld({ cib, configuration, md5 }: StatusInput, zone: TimeZone, haveQuorum: boolean): World {
  const options = readOptions(configuration.options, zone, {
    haveQuorum,
    panicWithoutQuorum: parseBoolean(cib.attributes['no-quorum-panic']) ?? false,
  })
  const context: NodeContext = { configuration, options, zone, dcId: cib.attributes['dc-uuid'], haveQuorum }
  const nodes = configuredNodes(context)
  for (const node of nodes.values()) readPermanentAttributes(node, context)
  const unfencingEnabled = mentionsUnfencing(childElement(cib, 'configuration') ?? cib)
  const built = buildResources(
    configuration,
    guestNodes(configuration),
    { options, zone, unfencingEnabled, resourceDefaults: configuration.resourceDefaults },
    {
      count: () => nodes.size,
      addBundleNode: (name) => {
        const node = connectedNode(nodes, name, 'guest')
        node.isBundleNode = true
        readPermanentAttributes(node, context)
      },
    },
  )
  linkConnections(nodes, built.primitives.values(), options.startupFencing && options.fencingEnabled)
  const recorded = readRecords(childElement(cib, 'status'), nameById(nodes))
  const moments: TimedChange[] = []
  for (const state of recorded.values()) {
    const node = nodes.get(state.name)
    if (node === undefined) continue
    if (node.kind !== 'member') {
      readRemoteState(node, state)
      continue
    }
    const changesAt = readMemberState(node, state, context)
    if (changesAt !== undefined)
      moments.push({ at: changesAt, because: `${node.name} has been pending for node-pending-timeout` })
  }
  return {
    configuration,
    options,
    zone,
    haveQuorum,
    // Nodes with a watchdog fence themselves.
    haveFenceDevice:
      options.haveWatchdog || [...built.primitives.values()].some(({ agent }) => agent.class === 'stonith'),
    unfencingEnabled,
    md5,
    nodes,
    ...built,
    recorded,
    failures: new Map(),
    containersToStop: [],
    moments,
  }
}

/**
 * Nodes are switched on again once they are healthy: some fence device provides that, or some resource requires it. Asked of the
 * text, so that neither rules nor what a default is for play a part.
 */
function mentionsUnfencing({ name, children, attributes }: XmlElement, inMeta = false): boolean {
  if (inMeta && name === 'nvpair' && (attributes.name === 'provides' || attributes.name === 'requires'))
    return attributes.value === 'unfencing'
  const below = inMeta || name === 'meta_attributes'
  return children.some((child) => child.kind === 'element' && mentionsUnfencing(child, below))
}

/** A remote node that was never connected may run anything, unless startup-fencing is off. */
function linkConnections(
  nodes: Map<NodeName, NodeDraft>,
  primitives: Iterable<PrimitiveDraft>,
  startupFencing: boolean,
): void {
  for (const primitive of primitives) {
    const { connectionOf, container } = primitive
    if (connectionOf === undefined) continue
    const named = nodes.get(connectionOf)
    // A resource may have the name of a cluster node, which stays one.
    const isMember = container === undefined && named?.kind === 'member'
    const node = isMember ? named : connectedNode(nodes, connectionOf, container === undefined ? 'remote' : 'guest')
    node.connectionResource = primitive
    if (container !== undefined || isMember) continue
    node.unclean = startupFencing
    node.unseen = true
  }
}

/** Each pass may find connections running, so that the nodes behind them can be read in the next. Returns those read. */
function readHistories(world: World): ReadonlySet<NodeName> {
  const waiting = new Set(world.recorded.keys())
  const done = new Set<NodeName>()
  const read = (isReady: (node: NodeDraft) => boolean): boolean => {
    let any = false
    for (const name of waiting) {
      const [node, state] = [world.nodes.get(name), world.recorded.get(name)]
      if (node === undefined || state === undefined || !isReady(node)) continue
      waiting.delete(name)
      done.add(name)
      if (node.kind !== 'member') {
        updateRemoteOnline(world, node)
        readRemoteFlags(node, state)
      }
      interpretNode(world, node, state)
      any = true
    }
    return any
  }
  while (read((node) => isReadable(world, node)));
  // What is left is down: what it ran is only of interest if it can be fenced.
  if (world.options.fencingEnabled) read(() => true)
  return done
}

/**
 * Offline nodes come last where nothing is done about what they ran, so that instances of clones are counted from those
 * that run.
 */
function isReadable({ options }: World, node: NodeDraft): boolean {
  const connection = node.connectionResource
  switch (node.kind) {
    case 'guest':
      return connection?.state.role === 'Started' && connection.container?.state.role === 'Started'
    case 'remote':
      return connection !== undefined && (connection.state.role === 'Started' || options.shutdownLock)
    case 'member':
      return options.fencingEnabled || options.shutdownLock || node.online
  }
}
