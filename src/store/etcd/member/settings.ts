/**
 * How the local etcd member is configured; pure. The figures: a heartbeat of 50 ms and an election time of 500 ms give a new
 * leader well within a second; a small snapshot count and Go's memory limit keep the member small, because the cluster's
 * whole state is a few megabytes; periodic compaction is enough, because the configuration's history is kept in keys.
 */
import type { EndpointAddress } from '../endpoint.ts'

/** A member with several URLs is several of these. */
export interface MemberAddress {
  readonly name: string
  readonly peerUrl: string
}

export interface MemberSettings {
  /** The node's name; etcd's member has the same. */
  readonly name: string
  /** Holds data, configuration, log and pid file of this member, and nothing else. */
  readonly directory: string
  /** Where the other nodes reach this one: on each of its links, one at least. */
  readonly addresses: readonly string[]
  /** Those of them that this host has now, on which it listens; where it has none, it tries all of them. Read at each start. */
  readonly listenOn?: readonly string[]
  readonly clientPort: number
  readonly peerPort: number
  /** What the node's certificate is made out to, where that is not its address. */
  readonly serverName?: string
  /** Paths of PEM files, used towards clients and peers alike, both of which must show a certificate of the same authority. */
  readonly tls?: MemberTls
  /** This node comes to a cluster that exists: as a learner, with the help of the others, and is promoted. */
  readonly joins?: boolean
  /** The voters that the cluster is first made of, this one among them; they all start with the same list and token. */
  readonly founders: readonly MemberAddress[]
  readonly token: string
  /** Client endpoints of the other members, for repairs; empty in a cluster of one. */
  readonly otherEndpoints: readonly EndpointAddress[]
  readonly heartbeatMs?: number
  readonly electionMs?: number
  readonly quotaBytes?: number
  readonly binary?: string
}

export interface MemberTls {
  readonly ca: string
  readonly certificate: string
  readonly key: string
  /** Lists the certificates that open nothing any more: it must be there. Read at each handshake. */
  readonly revoked?: string
}

export type MemberStart =
  | { readonly kind: 'found' }
  | { readonly kind: 'join'; readonly members: readonly MemberAddress[] }
  /** The survivor of a two-node cluster goes on alone; only after the other node was fenced. */
  | { readonly kind: 'alone' }

export const compactEveryMinutes = 10

export function peerUrls(settings: MemberSettings): readonly string[] {
  return settings.addresses.map((address) => peerUrl(settings, address))
}

export function peerUrl(settings: MemberSettings, address: string): string {
  return `${scheme(settings)}://${bracketed(address)}:${settings.peerPort}`
}

export function clientUrl(settings: MemberSettings, address: string): string {
  return `${scheme(settings)}://${bracketed(address)}:${settings.clientPort}`
}

function listeningOn({ addresses, listenOn = addresses }: MemberSettings): readonly string[] {
  return listenOn.length === 0 ? addresses : listenOn
}

/** etcd reads YAML, of which JSON is a part; beside a file it ignores flags and environment, so that all of it is here. */
export function etcdConfiguration(settings: MemberSettings, start: MemberStart): Record<string, unknown> {
  const members = start.kind === 'join' ? start.members : settings.founders
  const listening = listeningOn(settings)
  const security = settings.tls === undefined ? {} : transportSecurity(settings.tls)
  return {
    name: settings.name,
    'data-dir': dataDirectory(settings),
    'listen-client-urls': commas(listening.map((address) => clientUrl(settings, address))),
    'advertise-client-urls': commas(settings.addresses.map((address) => clientUrl(settings, address))),
    'listen-peer-urls': commas(listening.map((address) => peerUrl(settings, address))),
    'initial-advertise-peer-urls': commas(peerUrls(settings)),
    'initial-cluster': commas(members.map(({ name, peerUrl: url }) => `${name}=${url}`)),
    'initial-cluster-state': start.kind === 'join' ? 'existing' : 'new',
    'initial-cluster-token': settings.token,
    'force-new-cluster': start.kind === 'alone',
    // An election begins when five of them are missing. Twice as many find a dead leader no sooner, and are half of what an idle member costs.
    'heartbeat-interval': settings.heartbeatMs ?? 100,
    'election-timeout': settings.electionMs ?? 500,
    // A member that was cut off asks before it stands, and so does not depose the leader when it comes back.
    'pre-vote': true,
    'quota-backend-bytes': settings.quotaBytes ?? 512 * 1024 * 1024,
    // What etcd keeps of its log in memory, and for a member that lags: 6,000 entries less are 15 MB less after a busy
    // hour, and a member that lags further gets a snapshot, which is small here. The second has no flag, only this name.
    'snapshot-count': 1000,
    SnapshotCatchUpEntries: 500,
    'max-snapshots': 2,
    'max-wals': 2,
    'auto-compaction-mode': 'periodic',
    'auto-compaction-retention': `${compactEveryMinutes}m`,
    // In nanoseconds. The write-ahead log is what makes a change durable; the database may follow it once a second.
    'backend-batch-interval': 1_000_000_000,
    'max-txn-ops': 4096,
    'max-request-bytes': 8 * 1024 * 1024,
    'enable-v2': false,
    logger: 'zap',
    'log-level': 'warn',
    'log-outputs': ['stderr'],
    ...security,
  }
}

/** As they stand in the configuration of a member. */
export const commas = (values: readonly string[]): string => values.join(',')
export const fromCommas = (text: string): readonly string[] => text.split(',')

/** Little memory for a little more of the processor; and one thread for Go code, because a member has next to nothing to do. */
export function etcdEnvironment(): Record<string, string> {
  return {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    GOGC: '50',
    GOMEMLIMIT: '64MiB',
    GOMAXPROCS: '1',
    GODEBUG: 'madvdontneed=1',
  }
}

export const dataDirectory = ({ directory }: MemberSettings) => `${directory}/data`
export const configurationFile = ({ directory }: MemberSettings) => `${directory}/etcd.json`
export const logFile = ({ directory }: MemberSettings) => `${directory}/etcd.log`
export const pidFile = ({ directory }: MemberSettings) => `${directory}/etcd.pid`
/** Made once the member has started: from then on, data that is missing was lost and is not made anew under the old identity. */
export const startedMark = ({ directory }: MemberSettings) => `${directory}/started`
/** Says how far a replacement of this member has come. */
export const rejoinJournal = ({ directory }: MemberSettings) => `${directory}/rejoin.json`

function scheme({ tls }: MemberSettings): string {
  return tls === undefined ? 'http' : 'https'
}

function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address
}

function transportSecurity(tls: MemberTls) {
  const security = {
    'trusted-ca-file': tls.ca,
    'cert-file': tls.certificate,
    'key-file': tls.key,
    'client-cert-auth': true,
  }
  // A file has no name for what the flags --client-crl-file and --peer-crl-file set: these are the fields behind them.
  const revoked = tls.revoked === undefined ? {} : { CRLFile: tls.revoked }
  return {
    'client-transport-security': security,
    'peer-transport-security': security,
    ClientTLSInfo: revoked,
    PeerTLSInfo: revoked,
  }
}
