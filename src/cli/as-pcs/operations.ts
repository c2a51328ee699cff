/** Roles of operations, in the words that they have. */
import { type Call, Refusal } from '../command.ts'
import type { WrittenOperation } from '../resource-words.ts'
import { exactRoles, isExactRole } from './constraints.ts'
import { judgesAsPcs } from './speech.ts'

/** Of a new resource all are looked at as its values are; of one that is there, one by one. */
export function refuseOperationRoles(call: Call, operations: readonly WrittenOperation[]): void {
  if (!judgesAsPcs(call.speech)) return
  const isNew = call.command.path.at(-1) === 'create'
  const roles = operations.flatMap(({ attributes }) => attributes.get('role') ?? [])
  const wrong = roles.find((role) => !isExactRole(isNew && !oldWord.test(role) ? capitalized(role) : role))
  if (wrong === undefined) return
  if (isNew)
    throw new Refusal({
      own: `'${wrong}' is no role.`,
      about: { code: 'bad-choice', name: 'role', value: wrong, choices: exactRoles },
    })
  throw new Refusal("role must be: 'Promoted', 'Started', 'Stopped' or 'Unpromoted' (use --force to override)")
}

const capitalized = (role: string): string => `${role.slice(0, 1).toUpperCase()}${role.slice(1).toLowerCase()}`
/** Words of older versions are read as these wrote them. */
const oldWord = /^(master|slave)$/i
