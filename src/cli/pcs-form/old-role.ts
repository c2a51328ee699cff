import type { Dialect } from '../call/speech.ts'

/** 0.9 knew no other words for roles, and since 0.11 only the present ones are shown. */
export const roleIn = (role: string, dialect: Dialect): string =>
  dialect === '0.9' ? oldRole(role) : dialect === '0.10' ? role : presentRole(role)

/** Whatever the CIB says. */
export function presentRole(role: string): string {
  return role === 'Master' ? 'Promoted' : role === 'Slave' ? 'Unpromoted' : role
}

export function oldRole(role: string): string {
  return role === 'Promoted' ? 'Master' : role === 'Unpromoted' ? 'Slave' : role
}
