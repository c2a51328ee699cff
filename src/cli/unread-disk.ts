/** Fence devices of SBD's shared disk: they write a message there, and a node is fenced only once its SBD daemon reads it. */
import type { Agent } from '../cib/index.ts'

/** Debian's agent of today, and that of old for the same disk. */
const types = ['fence_sbd', 'external/sbd']

export const writesToUnreadDisk = (agent: Agent): boolean => agent.class === 'stonith' && types.includes(agent.type)

export const unreadDisk = (type: string): string =>
  `${type} writes to a disk which a node must read by itself, and systoled does not: it would call a node fenced that runs on, and its resources would run twice. Use fence_scsi, or a watchdog (stonith sbd enable)`
