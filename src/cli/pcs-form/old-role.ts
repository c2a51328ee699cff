import type { Dialect } from '../call/speech.ts'

/** 0.9 knew no other words for roles. */
export const roleIn = (role: string, dialect: Dialect): string => (dialect === '0.9' ? oldRole(role) : role)

export function oldRole(role: string): string {
  return role === 'Promoted' ? 'Master' : role === 'Unpromoted' ? 'Slave' : role
}
