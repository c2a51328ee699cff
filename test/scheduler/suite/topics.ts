import { cases as composites } from './rules/composites.ts'
import { cases as constraints } from './rules/constraints.ts'
import { cases as failures } from './rules/failures.ts'
import { cases as state } from './rules/state.ts'
import type { RuleCase } from './words.ts'

/** The cases by topic; the answers of a topic are in `recorded/TOPIC.txt`. */
export const topics: Readonly<Record<string, readonly RuleCase[]>> = { state, failures, constraints, composites }
