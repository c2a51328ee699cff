/** The cluster's state as `status`, `--wait` and the live view get it: put together from this node's view of the store. */
import { type NodeName, nodeName } from '../../base/index.ts'
import type { ClusterView, TransitionRecord } from '../../controller/index.ts'
import { quorumVotes } from '../../quorum/index.ts'
import type { ClusterState, FencingRecord, Member, MemberLink } from '../../rpc/index.ts'
import type { Entry } from '../../store/index.ts'
import type { ClusterFile, ClusterNodeEntry, StoreChoice } from '../node-list/cluster-file.ts'
import { linksOf } from '../node-list/node-links.ts'
import { fromBytes } from '../records/json-value.ts'
import type { LinkStates } from './link-states.ts'

export interface StateSources {
  readonly file: ClusterFile
  readonly localNode: string
  readonly enabled: boolean
  readonly view: ClusterView
  /** By this node's own clock. */
  readonly quorate: boolean
  readonly silent: ReadonlySet<string>
  readonly links: LinkStates
  readonly witness: ClusterState['witness']
  readonly transition: Entry | undefined
  readonly fencing: readonly Entry[]
  readonly storeTrouble: string | undefined
  readonly notes: readonly string[]
}

export const noTransition: ClusterState['transition'] = {
  state: 'computing',
  number: 0,
  computedVersion: 0,
  computedHolds: 0,
  pending: [],
  blockedBy: [],
  blockedResources: [],
}

export function clusterState(sources: StateSources): ClusterState {
  const { file, view, quorate } = sources
  const members = file.nodes.map((node) => memberOf(sources, node))
  return {
    configured: true,
    started: true,
    enabled: sources.enabled,
    clusterName: file.clusterName,
    localNode: sources.localNode,
    quorate,
    votes: votesOf(members, sources.witness),
    ...(sources.witness === undefined ? {} : { witness: sources.witness }),
    ...(view.dc === undefined ? {} : { dc: view.dc.node, term: view.dc.term }),
    members,
    transition: transitionOf(sources),
    fencing: sources.fencing.flatMap(fencingRecordOf).sort((a, b) => (a.begun < b.begun ? 1 : -1)),
    store: {
      kind: file.store.kind,
      healthy: sources.storeTrouble === undefined,
      ...(sources.storeTrouble === undefined ? {} : { message: sources.storeTrouble }),
    },
    tokenMs: file.timings.tokenMs,
    configVersion: view.configuration?.version ?? 0,
    revision: view.revision,
    notes: sources.notes,
  }
}

/** Votes that do not count yet are neither present nor expected. */
export function withJoiningVotes(state: ClusterState, joining: ReadonlySet<string>): ClusterState {
  const members = state.members.map((member) => (joining.has(member.node) ? { ...member, joiningVote: true } : member))
  const witness =
    state.witness && joining.has(state.witness.name) ? { ...state.witness, joiningVote: true } : state.witness
  const counted = members.filter(({ joiningVote }) => joiningVote !== true)
  const votes = votesOf(counted, witness?.joiningVote === true ? undefined : witness)
  return { ...state, members, votes, ...(witness === undefined ? {} : { witness }) }
}

function votesOf(members: readonly Member[], witness: ClusterState['witness']): ClusterState['votes'] {
  const voters = [
    ...members.map(({ node, state, votes }) => ({ name: nodeName(node), votes, isHere: isHere(state) })),
    ...(witness === undefined
      ? []
      : [{ name: nodeName(witness.name), votes: witness.votes, isHere: witness.state === 'up' }]),
  ].filter(({ votes }) => votes)
  const present = voters.filter((voter) => voter.isHere)
  return quorumVotes(voters.map(nameOf), new Set(present.map(nameOf)))
}

const isHere = (state: Member['state']): boolean => state !== 'offline' && state !== 'lost'
const nameOf = ({ name }: { readonly name: NodeName }): NodeName => name

/** Of a daemon whose node takes no part: what its files say. */
export function stoppedState(file: ClusterFile | undefined, localNode: string, enabled: boolean): ClusterState {
  const nodes = file?.nodes ?? []
  return {
    configured: file !== undefined,
    started: false,
    enabled,
    clusterName: file?.clusterName ?? '',
    localNode,
    quorate: false,
    votes: { present: 0, expected: nodes.length, needed: Math.floor(nodes.length / 2) + 1 },
    members: nodes.map((node) => ({
      node: node.name,
      address: node.address,
      state: 'offline',
      votes: node.votes,
      links: memberLinks(node, () => 'unknown'),
      sbdDisks: [],
    })),
    transition: { ...noTransition, state: 'idle' },
    fencing: [],
    store: { kind: storeKind(file?.store), healthy: false, message: 'The cluster is not started on this node.' },
    configVersion: 0,
    revision: 0,
    notes: [],
    ...(file === undefined ? {} : { tokenMs: file.timings.tokenMs }),
  }
}

const storeKind = (store: StoreChoice | undefined): string => store?.kind ?? ''

function memberOf(sources: StateSources, node: ClusterFile['nodes'][number]): Member {
  const { view, silent } = sources
  const record = view.members.get(node.name)
  const lost = silent.has(node.name) && record !== undefined
  const watchdogMs = record?.watchdogMs ?? record?.sbd?.watchdogMs
  return {
    node: node.name,
    address: node.address,
    state: lost ? 'lost' : (record?.state ?? 'offline'),
    votes: node.votes,
    links: memberLinks(node, (number) => linkState(sources, node, { number, isHere: record !== undefined && !lost })),
    ...(record === undefined ? {} : { daemonVersion: record.daemonVersion }),
    sbdDisks: record?.sbd?.disks.map(({ path }) => path) ?? [],
    ...(watchdogMs === undefined ? {} : { watchdogMs }),
  }
}

function memberLinks(node: ClusterNodeEntry, stateOf: (number: number) => MemberLink['state']): readonly MemberLink[] {
  return linksOf(node).map(({ number, address, priority = 1 }) => ({
    number,
    address,
    priority,
    state: stateOf(number),
  }))
}

/** A node with one link is heard on that or not at all. */
function linkState(
  { localNode, links }: StateSources,
  node: ClusterNodeEntry,
  { number, isHere }: { readonly number: number; readonly isHere: boolean },
): MemberLink['state'] {
  if (node.links === undefined || node.links.length === 1) return isHere ? 'up' : 'unknown'
  return node.name === localNode ? links.ownStateOf(number) : links.stateOf(node.name, number)
}

function transitionOf({ transition }: StateSources): ClusterState['transition'] {
  const value = transition && fromBytes(transition.value)
  if (typeof value !== 'object' || value === null) return noTransition
  // Written by a DC of this cluster; what it may lack is filled in.
  const {
    state,
    number,
    computedVersion,
    computedHolds = 0,
    pending,
    blockedBy,
    blockedResources,
  } = {
    ...noTransition,
    ...(value as Partial<TransitionRecord>),
  }
  return { state, number, computedVersion, computedHolds, pending, blockedBy, blockedResources }
}

export function fencingRecordOf(entry: Entry): readonly FencingRecord[] {
  const value = fromBytes(entry.value)
  return typeof value === 'object' && value !== null && 'target' in value ? [value as FencingRecord] : []
}
