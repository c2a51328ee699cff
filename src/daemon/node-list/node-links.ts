/**
 * The links of a cluster: its networks, numbered as Corosync numbers them. On each of them every node has one address. A node with one
 * address has link 0, and its entry in the list looks as it did before there were links.
 */
import { isIP } from 'node:net'
import { canBind } from '../host/can-bind.ts'

export interface NodeLink {
  readonly number: number
  readonly address: string
  /** Of several links that are up, that with the highest carries what daemons say to each other; 1 where it is left out. */
  readonly priority?: number
}

/** As many as Corosync's knet has. */
export const mostLinks = 8
export const highestPriority = 255

interface Addressed {
  readonly address: string
  readonly links?: readonly NodeLink[]
}

/** In the order of their numbers. */
export const linksOf = ({ address, links }: Addressed): readonly NodeLink[] => links ?? [{ number: 0, address }]

/** The one that is shown where there is room for one comes first. */
export const addressesOf = (host: Addressed): readonly string[] => linksOf(host).map(({ address }) => address)

export const addressOn = (host: Addressed, link: number): string | undefined =>
  linksOf(host).find(({ number }) => number === link)?.address

export function withLinks<Host extends Addressed>(
  host: Host,
  links: readonly NodeLink[],
): Omit<Host, keyof Addressed> & Addressed {
  const { links: _links, address: _address, ...rest } = host
  const [first, ...more] = [...links].sort((a, b) => a.number - b.number)
  if (first === undefined) throw new RangeError('A node has at least one link.')
  const isPlain = more.length === 0 && first.number === 0 && first.priority === undefined
  return { ...rest, address: first.address, ...(isPlain ? {} : { links: [first, ...more] }) }
}

/** Those of a host's own addresses on which its member of the store can listen now. */
export const presentAddresses = (own: Addressed): readonly string[] => addressesOf(own).filter(canBind)

/** The only address of a host, where the host does not have it now: of several, each that is missing is tried again later (listeners.ts). */
export function missingAddress(own: Addressed): string | undefined {
  const [only = '', ...more] = addressesOf(own)
  return more.length === 0 && isIP(only) !== 0 && !canBind(only) ? only : undefined
}

/** Preferred first: by priority, then by number, as Corosync's `link_mode: passive` has it. */
export const byPreference = (a: NodeLink, b: NodeLink): number =>
  (b.priority ?? 1) - (a.priority ?? 1) || a.number - b.number
