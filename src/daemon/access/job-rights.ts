/**
 * Who may run commands on nodes: root, and users of whose roles one has `<acl_permission kind="write" object-type="job"/>` while access control is on. Members of
 * haclient may do everything with the cluster where it is off, which is not that: a job is root on all nodes.
 */
import { denied } from './guarded-cib.ts'
import type { LimitedRights, Rights } from './rights.ts'

interface JobRights {
  readonly user: string
  readonly mayNameAnother: boolean
}

const cluster = 'hacluster'

/** Refuses everybody else. */
export function mayRunJobs(rights: Rights): JobRights {
  if (rights.kind === 'all') {
    // root, and the user that the daemon runs as.
    if (rights.mayNameAnother && rights.user !== cluster) return rights
  } else if (holdsJobs(rights)) return { user: rights.user, mayNameAnother: false }
  throw denied(
    `Jobs run as root on the nodes: only root may run and read them, and users whose role has the permission 'write' on the object type 'job' while access control is enabled. ${rights.user} may not.`,
  )
}

export function holdsJobs({ permissions }: LimitedRights): boolean {
  const ofJobs = permissions.filter(
    ({ on }) => on.by === 'element' && on.name === 'job' && on.id === undefined && on.attribute === undefined,
  )
  return ofJobs.some(({ kind }) => kind === 'write') && ofJobs.every(({ kind }) => kind !== 'deny')
}
