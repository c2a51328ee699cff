/**
 * Whether a date condition is ahead, in effect or over: what `crm_rule --check` tells of a rule (Pacemaker Explained,
 * "Date/Time Expressions"). Of a calendar pattern the first field that does not match decides, from years to seconds.
 */
import type { RuleCondition } from '../../cib/index.ts'
import { calendarFields } from './calendar.ts'
import { boundsOf, type DateCondition } from './date-condition.ts'
import { type DateSpec, specFields, specRange } from './date-spec.ts'
import type { TimeZone } from './moment.ts'

export type Standing = 'ahead' | 'in-effect' | 'over' | 'unknown'

export function standingOf(condition: RuleCondition & DateCondition, zone: TimeZone): Standing {
  if (condition.operation === 'date_spec')
    return condition.spec === undefined ? 'unknown' : standingOfSpec(condition.spec, zone)
  const { start, end } = boundsOf(condition, zone)
  const { now } = zone
  switch (condition.operation) {
    case 'gt':
      return start === undefined ? 'unknown' : now > start ? 'in-effect' : 'ahead'
    case 'lt':
      return end === undefined ? 'unknown' : now < end ? 'in-effect' : 'over'
    case 'in_range':
      if (start === undefined && end === undefined) return 'unknown'
      if (start !== undefined && now < start) return 'ahead'
      return end !== undefined && now > end ? 'over' : 'in-effect'
  }
}

function standingOfSpec(spec: DateSpec, zone: TimeZone): Standing {
  const fields = calendarFields(zone.now, zone)
  for (const field of specFields) {
    const written = spec[field]
    if (written === undefined) continue
    const range = specRange(written)
    if (range === undefined) return 'unknown'
    if (fields[field] < range.from) return 'ahead'
    if (fields[field] > range.to) return 'over'
  }
  return 'in-effect'
}
