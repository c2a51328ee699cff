/** The facts of `fleet status`, for `--json` and the console. Times are ISO 8601. */
import type { FleetCluster, FleetState } from '../../rpc/index.ts'

export interface FleetClusterFacts {
  readonly name: string
  readonly state: string
  /** Of the state. */
  readonly since: string | null
  /** Of one that does not say how it is. */
  readonly lastReached: string | null
  readonly why: string | null
  /** As it calls itself. */
  readonly cluster: string | null
  readonly quorate: boolean | null
  readonly nodes: { readonly online: number; readonly all: number } | null
  /** How many things need attention there, and the most urgent of them. */
  readonly urgent: number
  readonly worst: readonly { readonly level: string; readonly text: string }[]
  readonly addresses: readonly string[]
  /** Where its consoles are. */
  readonly consoles: readonly string[]
  readonly trust: string
  readonly fingerprint: string
  readonly added: string
  readonly addedBy: string
}

export interface FleetFacts {
  /** False: nobody asks them now, and what is shown is what was heard last. */
  readonly current: boolean
  /** The worst first. */
  readonly clusters: readonly FleetClusterFacts[]
}

const order = ['critical', 'unreachable', 'untrusted', 'refused', 'unreadable', 'warning', 'unknown', 'well']

export function fleetFacts({ clusters, isCurrent }: FleetState): FleetFacts {
  const facts = clusters.map(clusterFacts)
  const rank = ({ state }: FleetClusterFacts): number => order.indexOf(state)
  return { current: isCurrent, clusters: facts.sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name)) }
}

export function clusterFacts(cluster: FleetCluster): FleetClusterFacts {
  const { name, state, since, lastReached, why, known, worst, addresses, trust, fingerprint, added, addedBy } = cluster
  return {
    name,
    state,
    since: since ?? null,
    lastReached: lastReached ?? null,
    why: why ?? null,
    cluster: known?.cluster ?? null,
    quorate: known?.quorate ?? null,
    nodes: known === undefined ? null : { online: known.nodesOnline, all: known.nodes },
    urgent: known?.urgent ?? 0,
    worst,
    addresses,
    consoles: addresses.map((address) => `https://${withPort(address)}/`),
    trust,
    fingerprint,
    added,
    addedBy,
  }
}

const usualPort = 7705

function withPort(address: string): string {
  const isBareIpv6 = !address.startsWith('[') && address.split(':').length > 2
  if (isBareIpv6) return `[${address}]:${usualPort}`
  return /:\d+$/.test(address) ? address : `${address}:${usualPort}`
}
