/** Which recurring operations a resource is configured to have, each for one role or for any but the promoted one. */
import { type OperationDefinition, parseRole, type Role } from '../../../cib/index.ts'
import { operationKey } from '../draft/action.ts'
import { isEnabled } from '../draft/operation.ts'
import type { PlannedPrimitive } from '../draft/planned-resource.ts'

export interface Recurring {
  readonly definition: OperationDefinition
  readonly key: string
  readonly role: Role | undefined
}

const notRecurring = new Set(['start', 'stop', 'promote', 'demote', 'migrate_to', 'migrate_from', 'reload-agent'])

/**
 * What is written twice with one name and interval does not run at all, since its results could not be told apart; a start
 * or stop with an interval is a mistake that is passed over.
 */
export function recurringOf({ id, resource: { operations } }: PlannedPrimitive): readonly Recurring[] {
  return operations.flatMap((definition) => {
    const { name, intervalMs, attributes } = definition
    if (intervalMs <= 0 || notRecurring.has(name) || !isEnabled(definition)) return []
    const isWrittenTwice = operations.some(
      (other) => other !== definition && other.name === name && other.intervalMs === intervalMs,
    )
    return isWrittenTwice
      ? []
      : [{ definition, key: operationKey(id, name, intervalMs), role: parseRole(attributes.role) }]
  })
}

/** Whether it runs while the resource has a role. */
export const isForRole = ({ role }: Recurring, current: Role): boolean =>
  role === undefined ? current !== 'Promoted' : current === role
