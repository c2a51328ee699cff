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
  /** The store reached its quota. It runs, and refuses to grow. */
  | { readonly kind: 'store-full' }
  /** The other members have removed this one. */
  | { readonly kind: 'removed' }
  | { readonly kind: 'port-taken'; readonly detail: string }
  | { readonly kind: 'certificate'; readonly detail: string }
  | { readonly kind: 'not-installed'; readonly binary: string }
  | { readonly kind: 'died'; readonly detail: string }

const patterns: readonly {
  readonly kind: 'damaged' | 'disk-full' | 'removed' | 'port-taken' | 'certificate'
  readonly pattern: RegExp
}[] = [
  { kind: 'disk-full', pattern: /no space left on device|disk quota exceeded/i },
  {
    kind: 'removed',
    pattern:
      /permanently removed from the cluster|the member has been removed|ErrMemberRemoved|member has been permanently removed/i,
  },
  {
    kind: 'damaged',
    pattern:
      /crc mismatch|walpb: crc|wal: (file|slice|max entry|crc|decod)|snap: |proto: wrong wireType|proto: illegal|unexpected EOF|failed to (open|read|recover|find) (WAL|v3 backend|database|snapshot)|invalid database|version mismatch|file size too small|checksum error|tocommit\(\d+\) is out of range|already been bootstrapped|database snapshot file path not found/i,
  },
  { kind: 'port-taken', pattern: /address already in use|cannot assign requested address/i },
  {
    kind: 'certificate',
    pattern:
      /(cert|key|ca)[^"]{0,40}(no such file|not presented|permission denied)|tls: |x509: |KeyFile|CertFile|could not load cert/i,
  },
]

/** Looks at the last lines first: the reason stands at the end. */
export function refusalIn(log: string): Refusal {
  const lines = log
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-60)
    .reverse()
  const fatal = lines.filter((line) => /"level":"(fatal|panic)"|^panic:|^fatal error|error verifying flags/.test(line))
  for (const line of [...fatal, ...lines]) {
    // A certificate that a peer does not like is logged at every attempt and stops nobody.
    const found = patterns.find(({ kind, pattern }) => pattern.test(line) && (kind !== 'certificate' || isFatal(line)))
    if (found === undefined) continue
    const detail = messageIn(line)
    switch (found.kind) {
      case 'disk-full':
      case 'removed':
        return { kind: found.kind }
      case 'damaged':
      case 'port-taken':
      case 'certificate':
        return { kind: found.kind, detail }
      default:
        return assertNever(found.kind)
    }
  }
  return { kind: 'died', detail: fatal[0] === undefined ? 'it left no reason in its log' : messageIn(fatal[0]) }
}

export function describeRefusal(refusal: Refusal, directory: string): string {
  switch (refusal.kind) {
    case 'damaged':
      return `etcd does not start on its data in ${directory} (${refusal.detail}). The member is replaced with the help of the others; in a cluster of one, restore a backup.`
    case 'data-missing':
      return `The data of etcd in ${directory} is gone. The member is replaced with the help of the others; in a cluster of one, restore a backup.`
    case 'disk-full':
      return `etcd stopped because the disk under ${directory} is full. Make room; it is started again every few seconds.`
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

function isFatal(line: string): boolean {
  return /"level":"(fatal|panic)"|^panic:|error verifying flags|failed to start etcd/.test(line)
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
    return line.slice(0, 200)
  }
}
