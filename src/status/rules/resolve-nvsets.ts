/**
 * The values that blocks of name/value pairs give under their rules: the block that decides first wins, whatever later
 * ones say (`nvSetsByPrecedence`; Pacemaker Explained, "Nvpair Sets").
 */
import { type NvSet, nvSetsByPrecedence } from '../../cib/index.ts'
import { type RuleContext, ruleHolds } from './evaluate.ts'

/** Adds the names that are not there yet. `#default` as a value stands for not having it written. */
export function addNvSets(values: Map<string, string>, sets: readonly NvSet[], context: RuleContext): void {
  for (const set of sets.length > 1 ? nvSetsByPrecedence(sets) : sets) {
    if (set.rule !== undefined && !ruleHolds(set.rule, context)) continue
    for (const { name, value } of set.pairs) if (!values.has(name) && value !== '#default') values.set(name, value)
  }
}

export const hasRules = (sets: readonly NvSet[]): boolean => sets.some((set) => set.rule !== undefined)
