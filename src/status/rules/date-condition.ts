/**
 * `date_expression`: whether it is before, after or within a time, or a calendar pattern matches (Pacemaker Explained,
 * "Date/Time Expressions"). A condition that lacks what its operation needs, or cannot be read, does not hold.
 *
 * | operation | holds | next change |
 * | --- | --- | --- |
 * | gt | now > start | start + 1 |
 * | lt | now < end | end |
 * | in_range | start <= now <= end (or start + duration) | start, then end + 1 |
 * | date_spec | the pattern matches | see date-spec.ts |
 */
import { assertNever } from '../../base/index.ts'
import type { RuleCondition } from '../../cib/index.ts'
import { addDuration } from './calendar.ts'
import { matchesDateSpec, nextDateSpecChange } from './date-spec.ts'
import { parseMoment, type TimeZone } from './moment.ts'

export type DateCondition = Extract<RuleCondition, { readonly kind: 'date' }>

export function dateHolds(condition: DateCondition, zone: TimeZone): boolean {
  const { start, end } = boundsOf(condition, zone)
  switch (condition.operation) {
    case 'gt':
      return start !== undefined && zone.now > start
    case 'lt':
      return end !== undefined && zone.now < end
    case 'in_range':
      if (start === undefined && end === undefined) return false
      return (start === undefined || zone.now >= start) && (end === undefined || zone.now <= end)
    case 'date_spec':
      return condition.spec !== undefined && matchesDateSpec(condition.spec, zone.now, zone)
    default:
      return assertNever(condition.operation)
  }
}

/** When the answer next changes, if it ever does. */
export function nextDateChange(condition: DateCondition, zone: TimeZone): number | undefined {
  const { start, end } = boundsOf(condition, zone)
  const later = (moment: number | undefined): number | undefined =>
    moment !== undefined && moment > zone.now ? moment : undefined
  const afterwards = (moment: number | undefined): number | undefined => (moment === undefined ? undefined : moment + 1)
  switch (condition.operation) {
    case 'gt':
      return later(afterwards(start))
    case 'lt':
      return later(end)
    case 'in_range':
      return later(start) ?? later(afterwards(end))
    case 'date_spec':
      return condition.spec === undefined ? undefined : nextDateSpecChange(condition.spec, zone)
    default:
      return assertNever(condition.operation)
  }
}

interface Bounds {
  readonly start?: number | undefined
  readonly end?: number | undefined
}

export function boundsOf(condition: DateCondition, zone: TimeZone): Bounds {
  const start = condition.start === undefined ? undefined : parseMoment(condition.start, zone)
  const end = condition.end === undefined ? undefined : parseMoment(condition.end, zone)
  const unreadable =
    (condition.start !== undefined && start === undefined) || (condition.end !== undefined && end === undefined)
  if (unreadable) return {}
  if (end === undefined && start !== undefined && condition.duration !== undefined)
    return { start, end: addDuration(start, condition.duration, zone) }
  return { start, end }
}
