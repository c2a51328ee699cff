/** Rules: when they hold, what they choose between, and when that next changes. */
export { addDuration, calendarFields } from './calendar.ts'
export { nextRuleChange, type RuleContext, ruleHolds } from './evaluate.ts'
export { parseLocalMoment, parseMoment, type TimeZone, type UtcOffsetAt, utc } from './moment.ts'
export { addNvSets, hasRules } from './resolve-nvsets.ts'
export { type Standing, standingOf } from './standing.ts'
