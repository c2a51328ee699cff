/**
 * Which names the authority signs. TLS compares names without regard to case, reads `*` as a wildcard and an address as an address: a
 * certificate whose name means more than its own host could pass for another one.
 */
import { isIP } from 'node:net'
import { tlsName } from '../../rpc/index.ts'
import { type ClusterFile, storeHosts } from './cluster-file.ts'
import { addressesOf } from './node-links.ts'

/** A label of DNS, or some of them. */
const hostName = /^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?)*$/i
const longestName = 253

/** For a host that no list names before it joins. */
export function remoteNameObstacle(file: Pick<ClusterFile, 'nodes' | 'witness'>, name: string): string | undefined {
  if (name.length > longestName || !hostName.test(name))
    return `'${name.slice(0, longestName)}' cannot be the name of a remote node. Use letters, digits, '-' and '_', and dots between them.`
  if (isIP(name) !== 0 || /^[0-9.]+$/.test(name)) return `${name} is an address, but a remote node needs a name.`
  const taken = storeHosts(file).find((host) => namesOf(host).some((one) => isSameName(one, name)))
  if (taken !== undefined)
    return `${name} means ${taken.name}, which is ${taken === file.witness ? 'the witness' : 'a member'} of the cluster. Use another name for the remote node.`
  if (isSameName(name, 'localhost') || isSameName(name.slice(-'.systole'.length), '.systole'))
    return `${name} could match more than one host. Use another name for the remote node.`
  return undefined
}

/** Two names that TLS takes for one; or a name that is another host's address. */
export function alikeHosts(hosts: readonly Parameters<typeof namesOf>[0][]): readonly string[] {
  return hosts.flatMap((one, index) =>
    hosts
      .slice(index + 1)
      .filter((other) => isNameOf(one.name, other) || isNameOf(other.name, one))
      .map(
        (other) =>
          `${one.name} and ${other.name} cannot be distinguished by their certificates. Use another name for one of them.`,
      ),
  )
}

const isNameOf = (name: string, host: Parameters<typeof namesOf>[0]): boolean =>
  namesOf(host).some((its) => isSameName(its, name))

export const isSameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

const namesOf = (host: Parameters<typeof addressesOf>[0] & { readonly name: string }): readonly string[] => [
  host.name,
  tlsName(host.name),
  ...addressesOf(host),
]
