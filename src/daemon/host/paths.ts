/** Where the daemon keeps its files. All of them move together with SYSTOLE_ROOT, so that several nodes fit on a machine. */
import { join } from 'node:path'

export interface Paths {
  /** Empty for the machine's own daemon. */
  readonly root: string
  readonly clusterFile: string
  /** On a witness, in the place of the cluster's file, which only nodes have: the same text. */
  readonly witnessFile: string
  readonly pki: string
  /** Programs that check services. */
  readonly checks: string
  /** What this node does when services change. */
  readonly watches: string
  /** What it did last. */
  readonly watchesDone: string
  readonly data: string
  readonly run: string
  /** Exists from `cluster start` to `cluster stop`: a restarted daemon (a rebooted host) takes part again. Says in which boot it was made. */
  readonly startedMark: string
  /** Exists from `cluster disable` to `cluster enable`: a rebooted host waits for `cluster start`. */
  readonly disabledMark: string
  /** What this node's transitions were computed from, while it was the DC. */
  readonly transitions: string
  /** What this node has seen happen (src/daemon/journal). */
  readonly journal: string
  /** How its operations ended, and what agents printed (src/daemon/journal). */
  readonly operations: string
  readonly joinTokens: string
  /** The tokens for the HTTPS API, as this node has seen them last. */
  readonly apiTokens: string
  /** Exists while the HTTPS API of this node is enabled. */
  readonly console: string
  /** A certificate of the administrator's own that it shows, with its key. */
  readonly consoleCertificate: string
  /** Which certificates of clients it accepts, as this node has seen it last. */
  readonly apiClients: string
  /** Exists while access control is on in the last configuration that this node knew. */
  readonly accessControlMark: string
  readonly lock: string
  /** This machine has had quorum since it booted, and has not left since. */
  readonly metMark: string
  /** How far this node has come on its way to going on without the other of two. */
  readonly aloneJournal: string
}

export function pathsBelow(root: string): Paths {
  const base = root || '/'
  const etc = join(base, 'etc/systole')
  const data = join(base, 'var/lib/systole')
  const run = join(base, 'run/systole')
  return {
    root,
    clusterFile: join(etc, 'cluster.json'),
    witnessFile: join(etc, 'witness.json'),
    pki: join(etc, 'pki'),
    checks: join(etc, 'checks'),
    watches: join(etc, 'watches'),
    watchesDone: join(data, 'watches'),
    data,
    run,
    startedMark: join(data, 'started'),
    disabledMark: join(data, 'disabled'),
    transitions: join(data, 'pengine'),
    journal: join(data, 'journal'),
    operations: join(data, 'operations'),
    joinTokens: join(data, 'join-tokens.json'),
    apiTokens: join(data, 'api-tokens.json'),
    console: join(etc, 'console.json'),
    consoleCertificate: join(etc, 'console-certificate.json'),
    apiClients: join(data, 'api-clients.json'),
    accessControlMark: join(data, 'access-control'),
    lock: join(run, 'systoled.pid'),
    metMark: join(run, 'met'),
    aloneJournal: join(data, 'alone.json'),
  }
}
