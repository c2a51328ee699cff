/** A group: its title, and its members below. */
import type { GroupResource } from '../cluster-status.ts'
import { printPrimitive } from './primitive.ts'
import { describedAs, type PrintedStatus } from './printed-status.ts'
import { isActive, isDisabled, managementFlag } from './resource-state.ts'

export function printGroup(status: PrintedStatus, group: GroupResource, promotable = false): readonly string[] {
  const { isTold = () => true } = status
  const members = group.members.filter((member) => !member.implicit && isTold(member))
  const active = members.filter((member) => isActive(status, member))
  // A member that was asked for is shown beside those that are active, inactive as it may be.
  const shown = status.tellsInactive || active.length === 0 ? members : active
  // Those that nobody asked for are counted too.
  const inactive = group.members.filter((member) => !member.implicit && !isActive(status, member))
  const hidden = status.tellsInactive ? 0 : inactive.length
  const flags = [
    ...(hidden === 0 ? [] : [`${hidden} member${hidden === 1 ? '' : 's'} inactive`]),
    ...(isDisabled(group.meta, promotable) ? ['disabled'] : []),
    ...managementFlag(group, status.options.maintenanceMode),
  ]
  const suffix = flags.length === 0 ? '' : ` (${flags.join(', ')})`
  return [
    `* Resource Group: ${group.id}${suffix}${describedAs(status, group.configuredId)}:`,
    ...indent(shown.map((member) => `* ${printPrimitive(status, member)}`)),
  ]
}

export const indent = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`)
