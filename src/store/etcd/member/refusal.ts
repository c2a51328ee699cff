/**
 * Why etcd does not run, read from the end of its log; and what is done about it. Pure. The messages are those of etcd 3.4,
 * each of them provoked once (../shared/compat/feasibility.md, section 2, and the tests of this room).
 */
import { assertNever } from '../../../base/index.ts'

export type Refusal =
  /** The log or the database is damaged: etcd does not start on it. */
  | { readonly kind: 'damaged'; readonly detail: string }
  /** The log is gone, although this member has been running. */
  | { readonly kind: 'data-missing' }
  | { readonly kind: 'disk-full' }
  | { readonly kind: 'disk-read-only' }
  /** It runs, and answers nobody. */
  | { readonly kind: 'silent'; readonly pid: number }
  /** The store reached its quota. It runs, and refuses to grow. */
  | { readonly kind: 'store-full' }
  /** The other members have removed this one. */
  | { readonly kind: 'removed' }
  | { readonly kind: 'port-taken'; readonly detail: string }
  | { readonly kind: 'certificate'; readonly detail: string }
  | { readonly kind: 'not-installed'; readonly binary: string }
  | { readonly kind: 'died'; readonly detail: string }

/** The first that is found wins. */
const patterns: readonly {
  readonly kind: 'damaged' | 'disk-full' | 'disk-read-only' | 'removed' | 'port-taken' | 'certificate'
  readonly pattern: RegExp
  readonly evenAsWarning: boolean
}[] = [
  { kind: 'disk-full', pattern: /no space left on device|disk quota exceeded/i, evenAsWarning: true },
  { kind: 'disk-read-only', pattern: /read-only file system/i, evenAsWarning: true },
  {
    kind: 'removed',
    pattern: /(the member has been|member has been|was) permanently removed from the cluster/i,
    evenAsWarning: true,
  },
  { kind: 'port-taken', pattern: /address already in use|cannot assign requested address/i, evenAsWarning: false },
  {
    kind: 'certificate',
    pattern: /\.(pem|crt|key)"?: (no such file|permission denied)|tls: |x509: |KeyFile|CertFile|could not load cert/i,
    evenAsWarning: false,
  },
  {
    kind: 'damaged',
    pattern: new RegExp(
      [
        'crc|checksum|proto: |unexpected EOF|invalid database|version mismatch|file size too small|snap: |wal: ',
        'failed to (open|read|recover|find|repair)[^"]*(WAL|backend|database|snapshot)|already been bootstrapped',
        'database snapshot file path not found|is out of range|tocommit',
        '^(panic: )?.*(go\\.etcd\\.io/(bbolt|etcd/(wal|mvcc|raft|etcdserver/api/snap)))\\b',
      ].join('|'),
      'i',
    ),
    evenAsWarning: false,
  },
]

/**
 * The end of the log says it. Only what was fatal counts for a diagnosis that costs something: a warning of a peer's broken
 * connection ("unexpected EOF") in the log of a member that was killed must not make its data look damaged.
 */
export function refusalIn(log: string): Refusal {
  const lines = log.split('\n').filter((line) => line.trim() !== '')
  const panic = lines.findIndex((line) => /^(panic|fatal error):/.test(line))
  const fatal = lines.filter((line, i) => fatalLine.test(line) || (panic !== -1 && i >= panic)).slice(-linesOfInterest)
  for (const { kind, pattern, evenAsWarning } of patterns) {
    const line = (evenAsWarning ? lines.slice(-linesOfInterest) : fatal).find((candidate) => pattern.test(candidate))
    if (line === undefined) continue
    switch (kind) {
      case 'disk-full':
      case 'disk-read-only':
      case 'removed':
        return { kind }
      case 'damaged':
      case 'port-taken':
      case 'certificate':
        return { kind, detail: messageIn(fatal[0] ?? line) }
      default:
        return assertNever(kind)
    }
  }
  return { kind: 'died', detail: fatal[0] === undefined ? 'it left no reason in its log' : messageIn(fatal[0]) }
}

const linesOfInterest = 60
const fatalLine = /"level":"(fatal|panic)"|error verifying flags/

export function describeRefusal(refusal: Refusal, directory: string): string {
  switch (refusal.kind) {
    case 'damaged':
      return `etcd does not start on its data in ${directory} (${refusal.detail}). The member is replaced with the help of the others; in a cluster of one, restore a backup.`
    case 'data-missing':
      return `The data of etcd in ${directory} is gone. The member is replaced with the help of the others; in a cluster of one, restore a backup.`
    case 'disk-full':
      return `etcd stopped because the disk under ${directory} is full (\`df ${directory}\`, and \`df -i\` for its files). Make room; it is started again every few seconds.`
    case 'disk-read-only':
      return `etcd stopped because the file system of ${directory} is read-only. Check the kernel log for a disk failure. Once the file system is writable, etcd restarts within seconds.`
    case 'silent':
      return `etcd (process ${refusal.pid}) runs and does not answer. See what it waits for (\`ps -o stat,wchan ${refusal.pid}\`: a disk that hangs, or a stopped process); if it is killed, it is started again.`
    case 'store-full':
      return `The store has reached its quota and refuses changes. It is compacted and defragmented; if that is not enough, raise the quota.`
    case 'removed':
      return `The other nodes have removed this node's etcd member. Add the node again: 'systole cluster node add'.`
    case 'port-taken':
      return `etcd cannot listen (${refusal.detail}). Find the other program with 'ss -ltnp' and stop it.`
    case 'certificate':
      return `etcd cannot use its certificates (${refusal.detail}). Check the files in the daemon's pki folder.`
    case 'not-installed':
      return `${refusal.binary} is missing. Install it: 'apt-get install etcd-server'.`
    case 'died':
      return `etcd died (${refusal.detail}) and is started again.`
    default:
      return assertNever(refusal)
  }
}

/** etcd's log lines are JSON; `panic:` and a few early messages are not. */
function messageIn(line: string): string {
  try {
    const entry: unknown = JSON.parse(line)
    if (typeof entry !== 'object' || entry === null) return line.slice(0, 200)
    const message = 'msg' in entry ? String(entry.msg) : ''
    const error = 'error' in entry ? `: ${String(entry.error)}` : ''
    return `${message}${error}`.slice(0, 200)
  } catch {
    // The disk was full before the line was.
    return (/"msg":"([^"]*)"/.exec(line)?.[1] ?? line).slice(0, 200)
  }
}
