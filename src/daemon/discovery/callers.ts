/** Who may ask here: this host, the cluster's nodes, and whom the setting names. */
import { type Door, isWithin, networksOf, parseIp, plainIp } from '../../services/index.ts'

export interface Callers {
  /** This host and the nodes. */
  readonly isKnown: (address: string) => boolean
  readonly isAnswered: (address: string) => boolean
  /** Somebody whom an administrator has named: a stranger's question is not passed on to others. */
  readonly isTrusted: (address: string) => boolean
}

export function callersOf(door: Door, hosts: readonly string[]): Callers {
  const networks = networksOf(door)
  const known = new Set(hosts)
  const isKnown = (address: string): boolean =>
    known.has(address) || address.startsWith('127.') || address === '::1' || known.has(withoutMapping(address))
  const isNamed = (address: string): boolean => {
    const bytes = parseIp(address.split('%')[0] ?? '')
    return bytes !== undefined && (networks ?? []).some((network) => isWithin(plainIp(bytes), network))
  }
  const isTrusted = (address: string): boolean => isKnown(address) || isNamed(address)
  return { isKnown, isTrusted, isAnswered: (address) => networks === undefined || isTrusted(address) }
}

const withoutMapping = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')
