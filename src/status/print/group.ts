/** A group: its title, and its members below. */
import type { GroupResource } from '../cluster-status.ts'
import { printPrimitive } from './primitive.ts'
import { isDisabled, managementFlag } from './resource-state.ts'
import type { Told } from './told.ts'

export function printGroup(status: Told, group: GroupResource, promotable = false): readonly string[] {
  const flags = [
    ...(isDisabled(group.meta, promotable) ? ['disabled'] : []),
    ...managementFlag(group, status.options.maintenanceMode),
  ]
  const suffix = flags.length === 0 ? '' : ` (${flags.join(', ')})`
  const members = group.members.filter(({ implicit }) => !implicit)
  return [
    `* Resource Group: ${group.id}${suffix}:`,
    ...indent(members.map((member) => `* ${printPrimitive(status, member)}`)),
  ]
}

export const indent = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`)
