/**
 * What an option is: its published name, the values it takes, its default and what it does. Validation, help, `property
 * describe` and the reference in the documentation all read these definitions.
 */
import { parseDurationMs } from '../../base/index.ts'
import { parseBoolean, parseRole } from '../values/attribute-text.ts'
import { parseScore } from '../values/score.ts'

export type OptionType =
  | { readonly kind: 'boolean' }
  | { readonly kind: 'score' }
  | { readonly kind: 'duration' }
  | { readonly kind: 'integer'; readonly min?: number; readonly max?: number }
  | { readonly kind: 'percentage' }
  | { readonly kind: 'role' }
  | { readonly kind: 'one-of'; readonly values: readonly string[] }
  | { readonly kind: 'text'; readonly pattern?: RegExp; readonly means?: string }

export interface OptionDefinition {
  readonly name: string
  readonly type: OptionType
  /** As it would be written; absent where the default depends on something, which the description then says. */
  readonly default?: string
  readonly description: string
  /** Other spellings that are read: names of older versions, and of newer ones. */
  readonly otherNames?: readonly string[]
  /** Written by the cluster itself, so that a value set by an administrator is overwritten or without effect. */
  readonly setByCluster?: boolean
  /** Read for the sake of existing configurations; new ones should not use it. */
  readonly deprecated?: boolean
  /** Words of older versions that are read as another value. */
  readonly otherValues?: readonly string[]
  /** Taken so that existing configurations go on to work, and obeyed by nothing: why. Whoever sets it is told. Absent: it acts. */
  readonly withoutEffect?: string
}

/** For the reference and for `describe`: the reader learns first that the option does nothing. */
export function describeOption({ description, withoutEffect }: OptionDefinition): string {
  return withoutEffect === undefined
    ? description
    : `Read, without effect: ${withoutEffect} In Pacemaker: ${description}`
}

export const boolean: OptionType = { kind: 'boolean' }
export const score: OptionType = { kind: 'score' }
export const duration: OptionType = { kind: 'duration' }
export const text: OptionType = { kind: 'text' }
export const oneOf = (...values: readonly string[]): OptionType => ({ kind: 'one-of', values })
export const integer = (min?: number, max?: number): OptionType => ({
  kind: 'integer',
  ...(min === undefined ? {} : { min }),
  ...(max === undefined ? {} : { max }),
})

/** Of a clone, and replicas of a bundle: each is scheduled by itself, and a number with some zeros too many must not stop the scheduler of every node. */
export const mostInstances = 1000

/** Whether a text is a value of the option, old words included. */
export function isValueOf(definition: OptionDefinition, value: string): boolean {
  const { type } = definition
  const word = value.trim().toLowerCase()
  if (definition.otherValues?.includes(word)) return true
  switch (type.kind) {
    case 'boolean':
      return parseBoolean(value) !== undefined
    case 'score':
      return parseScore(value) !== undefined
    case 'duration':
      return parseDurationMs(value) !== undefined
    case 'integer':
      return (
        /^[+-]?\d+$/.test(word) && Number(word) >= (type.min ?? -Infinity) && Number(word) <= (type.max ?? Infinity)
      )
    case 'percentage':
      return /^\d+(\.\d+)?%$/.test(word)
    case 'role':
      return parseRole(value) !== undefined
    case 'one-of':
      return type.values.includes(word)
    case 'text':
      return type.pattern?.test(value.trim()) ?? true
  }
}

/** The values that an option takes, for people: `true or false`, `a duration such as 20s or 5min`. */
export function describeValues(definition: OptionDefinition): string {
  const { type } = definition
  switch (type.kind) {
    case 'boolean':
      return 'true or false'
    case 'score':
      return 'a whole number, INFINITY or -INFINITY'
    case 'duration':
      return 'a duration such as 20s, 5min or PT1M30S'
    case 'integer':
      if (type.max !== undefined) return `a whole number from ${type.min ?? -type.max} to ${type.max}`
      return type.min === undefined ? 'a whole number' : `a whole number of at least ${type.min}`
    case 'percentage':
      return 'a percentage such as 80%'
    case 'role':
      return 'one of Started, Stopped, Promoted, Unpromoted'
    case 'one-of':
      return `one of ${type.values.join(', ')}`
    case 'text':
      return type.means ?? 'text'
  }
}
