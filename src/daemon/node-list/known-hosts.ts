/**
 * The addresses from which the hosts of the cluster come: those of the list of nodes, and the witness's. Who connects from another is a stranger, whom
 * the ports that serve members alone (heartbeats, the store) do not listen to.
 */
import { isIP } from 'node:net'
import type { DoorRule } from '../../rpc/index.ts'
import { plainAddress } from '../host/plain-address.ts'
import type { StrangerRules } from '../host/stranger-table.ts'
import { type ClusterFile, storeHosts, type WitnessEntry } from './cluster-file.ts'
import { addressesOf } from './node-links.ts'

/** How far strangers get: SYSTOLE_FILTER of this host (docs/security.md). */
export type Filter = 'nft' | 'socket' | 'process' | 'off'

export function filterOfHost(): Filter {
  const { SYSTOLE_FILTER: asked = 'nft' } = process.env
  return asked === 'socket' || asked === 'process' || asked === 'off' ? asked : 'nft'
}

type Listed = Pick<ClusterFile, 'nodes' | 'witness'>

/** Undefined where one has a name in the place of its address: nobody knows where it comes from. */
export function knownAddresses(file: Listed): readonly string[] | undefined {
  const all = storeHosts(file).flatMap(addressesOf).map(plainAddress)
  return all.every((address) => isIP(address) !== 0) ? [...new Set(all)].sort() : undefined
}

/** Of nodes, as other hosts see them: what belongs to an interface of one host means nothing to another. */
export const memberAddresses = ({ nodes }: Pick<ClusterFile, 'nodes'>): readonly string[] | undefined =>
  knownAddresses({ nodes })?.filter((address) => !address.includes('%'))

/** Of a port that serves members alone. */
export function membersDoor(file: Listed): DoorRule {
  const known = knownAddresses(file)
  return { known: known ?? [], knownOnly: known !== undefined && filterOfHost() !== 'off' }
}

/** Of a port at which others may knock, too: a removed host that asks what became of it. */
export const openDoorOf = (current: () => Listed): DoorRule => ({
  // As the list is when somebody knocks.
  get known() {
    return knownAddresses(current()) ?? []
  },
  knownOnly: false,
})

/**
 * For the table of nftables, where this host is to have one: not where names stand for addresses, nor where all that listens is on the loopback
 * device, as in a demonstration.
 */
export function strangerRules(file: ClusterFile, own: WitnessEntry): StrangerRules | undefined {
  const hosts = knownAddresses(file)
  const isAlone = addressesOf(own).every((address) => /^127\.|^::1$/.test(address))
  if (hosts === undefined || isAlone || filterOfHost() !== 'nft') return undefined
  const { peer, heartbeat, etcdClient, etcdPeer, enrolment } = own.ports
  const store = file.store.kind === 'etcd' ? [etcdClient, etcdPeer] : []
  return { hosts, closed: [heartbeat, ...store], limited: [peer, enrolment] }
}

/**
 * Of a remote node, for its one port. Cluster nodes come from their listed addresses without a limit. Others are limited in number and not dropped,
 * unless its administrator says so: a node that reaches a guest or a container over another network comes from an address that no list names, and one
 * that is kept out would have a healthy host fenced.
 */
export function remoteRules(at: {
  readonly address: string | undefined
  readonly port: number
  readonly known: readonly string[]
  readonly isClosed: boolean
}): StrangerRules | undefined {
  const isAlone = at.address !== undefined && /^127\.|^::1$/.test(at.address)
  if (isAlone || filterOfHost() !== 'nft') return undefined
  return { hosts: at.known, ...(at.isClosed ? { closed: [at.port], limited: [] } : { closed: [], limited: [at.port] }) }
}
