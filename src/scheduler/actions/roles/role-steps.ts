/** The operations that lead an instance from one role to another: what is promoted was started before, and is demoted first. */
import type { Role } from '../../../cib/index.ts'

export type RoleStep = 'start' | 'promote' | 'demote' | 'stop'

const down: Readonly<Record<Role, readonly RoleStep[]>> = {
  Stopped: [],
  Started: ['stop'],
  Unpromoted: ['stop'],
  Promoted: ['demote', 'stop'],
}

const up: Readonly<Record<Role, readonly RoleStep[]>> = {
  Stopped: [],
  Started: ['start'],
  Unpromoted: ['start'],
  Promoted: ['start', 'promote'],
}

export function roleSteps(from: Role, to: Role): readonly RoleStep[] {
  if (from === to) return []
  if (to === 'Stopped') return down[from]
  if (from === 'Stopped') return up[to]
  if (to === 'Promoted') return ['promote']
  if (to === 'Unpromoted') return from === 'Promoted' ? ['demote'] : []
  // What has a role and shall have none is of another kind now than when it was started.
  return [...down[from], ...up[to]]
}
