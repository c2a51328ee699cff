import type { Role } from './words.ts'

const ranks: Readonly<Record<Role, number>> = { Stopped: 1, Started: 2, Unpromoted: 3, Promoted: 4 }

/** Which of two roles is the higher one; a role that is not known ranks below Stopped. */
export const roleRank = (role: Role | undefined): number => (role === undefined ? 0 : ranks[role])
