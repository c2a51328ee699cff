/** Roles of operations, in the words that they have. */
import { type Call, Refusal } from '../call/command.ts'
import type { WrittenOperation } from '../grammar/resource-words.ts'
import { isExactRole } from './constraints.ts'
import { judgesAsPcs } from './speech.ts'

/** Of a resource that is there. Those of a new one are judged with its other values (new-operations.ts). */
export function refuseOperationRoles(call: Call, operations: readonly WrittenOperation[]): void {
  if (!judgesAsPcs(call.speech)) return
  const roles = operations.flatMap(({ attributes }) => attributes.get('role') ?? [])
  const wrong = roles.find((role) => !isExactRole(role))
  if (wrong === undefined) return
  throw new Refusal("role must be: 'Promoted', 'Started', 'Stopped' or 'Unpromoted' (use --force to override)")
}

/** A new operation may have it in any case. */
export const isAnyRole = (role: string): boolean => isExactRole(oldWord.test(role) ? role : capitalized(role))

const capitalized = (role: string): string => `${role.slice(0, 1).toUpperCase()}${role.slice(1).toLowerCase()}`
/** Words of older versions are read as these wrote them. */
const oldWord = /^(master|slave)$/i
