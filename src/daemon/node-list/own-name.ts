/** Which of a cluster's nodes this host is. */
import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { canBind } from '../host/can-bind.ts'
import { readIfThere } from '../host/files.ts'
import type { ClusterFile, ClusterNodeEntry } from './cluster-file.ts'

/** The name by which this host would be a node; SYSTOLE_NODE_NAME is for several nodes on one machine. */
export const ownName = (): string => process.env.SYSTOLE_NODE_NAME ?? hostname().split('.')[0] ?? ''

export function isThisHost(name: string): boolean {
  if (name === ownName() || name === hostname()) return true
  return isIP(name) !== 0 && process.env.SYSTOLE_NODE_NAME === undefined && hasAddress(name)
}

/** A node may be named by one of its addresses, also by that of a card without carrier, which is in no list of cards. */
function hasAddress(address: string): boolean {
  const isListed = Object.values(networkInterfaces()).some((own) => own?.some((one) => one.address === address))
  return isListed || (!bindsForeignAddresses(address) && canBind(address))
}

/** Hosts of load balancers are set so: there, that an address can be listened on does not make it the host's own. */
const bindsForeignAddresses = (address: string): boolean =>
  readIfThere(`/proc/sys/net/ipv${isIP(address)}/ip_nonlocal_bind`)?.trim() === '1'

export function findOwnNode(file: ClusterFile): ClusterNodeEntry | undefined {
  return file.nodes.find(({ name }) => isThisHost(name))
}
