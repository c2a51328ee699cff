/**
 * What stands in the way of taking over a Pacemaker cluster, and what will be otherwise. A problem stops the import, a note only
 * says what an administrator should know before.
 */
import {
  type Agent,
  configuredPrimitives,
  type PrimitiveDefinition,
  readConfiguration,
  type XmlElement,
} from '../../cib/index.ts'
import { guestNodes, remoteNodeNames } from '../../status/index.ts'
import { unreadDisks } from '../change/unread-disk.ts'
import type { CorosyncFacts } from './corosync-conf.ts'
import { corosyncNotes, type OwnCluster } from './corosync-notes.ts'

export interface Findings {
  readonly problems: readonly string[]
  readonly notes: readonly string[]
}

export interface ImportSources {
  readonly cib: XmlElement
  readonly corosync: CorosyncFacts | undefined
  /** What a running cluster has besides its CIB. */
  readonly own: OwnCluster
  /** What a host name means here; undefined where nobody knows it. */
  readonly addressOf: (written: string) => string | undefined
  /** The nodes of the cluster that takes over. */
  readonly clusterNodes: readonly string[]
  /** Why an agent cannot be run on this node; undefined where it can. */
  readonly missing: (agent: Agent) => string | undefined
}

export function findingsOf(sources: ImportSources): Findings {
  const configuration = readConfiguration(sources.cib)
  const primitives = configuredPrimitives(configuration)
  const nodes = configuration.nodes.filter(({ type }) => type !== 'remote').map(({ name }) => String(name))
  const { clusterNodes, corosync, own, addressOf } = sources
  const unknown = nodes.filter((name) => !clusterNodes.includes(name))
  const added = clusterNodes.filter((name) => !nodes.includes(name))
  const unlisted =
    corosync === undefined ? [] : nodes.filter((name) => !corosync.nodes.some((node) => node.name === name))
  return {
    problems: [
      ...unknown.map(
        (name) =>
          `The node ${name} is in the CIB but not in this cluster. Add it with 'systole cluster node add ${name}'.`,
      ),
      ...remoteNodeNames(configuration).map(
        (name) => `The host of the remote node ${name} must join this cluster: run 'systoled --remote --join' on it.`,
      ),
      ...guestNodes(configuration).map(
        ({ name, container }) =>
          `The guest node ${name}, which ${container} runs, must join this cluster: run 'systoled --remote --join' in it, with --node ${name}.`,
      ),
      ...configuration.resources.flatMap((resource) =>
        resource.kind === 'bundle' && resource.child !== undefined
          ? [
              `The containers of ${resource.id} run Pacemaker’s remote daemon for ${resource.child.id}. Stop them, and use an image with systoled for the bundle.`,
            ]
          : [],
      ),
      ...unreadDisks(sources.cib).map(({ text }) => text),
      ...agentsOf([...primitives, ...configuration.templates]).flatMap((agent) => sources.missing(agent) ?? []),
    ],
    notes: [
      ...added.map(
        (name) => `The node ${name} of this cluster is not in the CIB, so no constraint keeps resources away from it.`,
      ),
      ...unlisted.map((name) => `The node ${name} is in the CIB but not in corosync.conf. It may no longer exist.`),
      ...(corosync === undefined ? [] : corosyncNotes(corosync, own, (written) => addressOf(written) ?? written)),
    ],
  }
}

/** Every agent once. */
function agentsOf(primitives: readonly PrimitiveDefinition[]): readonly Agent[] {
  return [
    ...new Map(
      primitives.map(({ agent }) => [`${agent.class}:${agent.provider ?? ''}:${agent.type}`, agent] as const),
    ).values(),
  ]
}
