/** Values of cluster options: words as they are written, and whole numbers below what has a sense. */
import { clusterOption, clusterOptions } from '../../cib/index.ts'
import { Refusal } from '../call/command.ts'
import { quoted } from '../pcs-words/said.ts'
import { mentioned } from '../pcs-words/sentences.ts'

type Values = Readonly<Record<string, string>>

/** Words that pcs 0.12 takes besides those that we write ourselves. */
const alsoTaken: Readonly<Record<string, readonly string[]>> = { 'no-quorum-policy': ['suicide'] }

const isTime = (text: string): boolean =>
  /^\+?\d+(ms|msec|us|usec|s|sec|m|min|h|hr)?$/i.test(text) || /^P(?=.)/.test(text)

/** The cluster reads some words in any case, and words of older versions; pcs takes them with --force. */
export function refuseInexactValues(values: Values): void {
  const mistakes = Object.entries(values).flatMap(([name, value]) => {
    const definition = clusterOption(name)
    const { type } = definition ?? {}
    if (value === '' || type === undefined) return []
    if (type.kind === 'duration' && !isTime(value)) return [{ name, value, expected: 'a duration' }]
    if (type.kind === 'score' && /infinity/i.test(value) && !/^[+-]?INFINITY$/.test(value))
      return [{ name, value, expected: 'a score' }]
    if (type.kind !== 'one-of') return []
    const choices = [...type.values, ...(alsoTaken[name] ?? [])].sort()
    return choices.includes(value) ? [] : [{ name, value, expected: `one of ${choices.join(', ')}` }]
  })
  if (mistakes.length > 0)
    throw new Refusal(
      ...mistakes.map((mistake) => ({
        own: `'${mistake.value}' is no value for ${mistake.name}.`,
        about: { code: 'bad-value', ...mistake } as const,
      })),
    )
}

/** What pcs never sets or unsets, not even with --force. */
export function unknownProperties(names: readonly string[]): string {
  const option = names.length === 1 ? `option '${names[0]}'` : `options: ${quoted(names)}`
  const known = mentioned(
    'cluster property',
    clusterOptions.flatMap(({ name, otherNames }) => [name, ...(otherNames ?? [])]),
  )
  return `invalid cluster property ${option}, allowed options are: ${quoted(known)}`
}

/** Whole numbers are taken as they are, below the least that has a sense as well. */
export function isAnyWholeNumber(name: string, value: string): boolean {
  return clusterOption(name)?.type.kind === 'integer' && /^[+-]?\d+$/.test(value)
}
