/** What a form is: fields, and the command that is typed for what was filled in. Pure. */

export type Values = Readonly<Record<string, string>>

/** What the cluster has of a kind, to choose from. */
export type Listed = 'resource' | 'node' | OfCommand

/** Those that a command lists; the others are in the status. */
export type OfCommand =
  | 'role'
  | 'user'
  | 'user or group'
  | 'alert'
  | 'recipient'
  | 'tag'
  | 'device'
  | 'service'
  | 'gate'
  | 'rollout'

export interface Field {
  readonly name: string
  readonly title: string
  readonly help?: string
  readonly of: 'text' | Listed | { readonly choices: readonly string[] }
  readonly isOptional?: true
  /** Several of them, in the order in which they were chosen. */
  readonly isMany?: true
}

export const areas = [
  'Resources',
  'Nodes',
  'Constraints',
  'Fencing',
  'Permissions',
  'Alerts',
  'Tags',
  'Services',
  'Rollouts',
  'Cluster',
] as const

export interface Form {
  readonly title: string
  readonly area: (typeof areas)[number]
  readonly fields: readonly Field[]
  readonly line: (values: Values) => string
}

/** Of a field with several: one a line. */
export const listIn = (value: string | undefined): readonly string[] =>
  value === undefined || value === '' ? [] : value.split('\n')

/** Chosen where it was not, and the other way round; what is chosen last stands last. */
export function toggled(value: string | undefined, one: string): string {
  const chosen = listIn(value)
  return (chosen.includes(one) ? chosen.filter((other) => other !== one) : [...chosen, one]).join('\n')
}

/** With the first choice where there is one. */
export function valuesAtFirst({ fields }: Pick<Form, 'fields'>): Values {
  return Object.fromEntries(fields.map(({ name, of }) => [name, typeof of === 'string' ? '' : (of.choices[0] ?? '')]))
}

/** All that has to be filled in. */
export const isWhole = ({ fields }: Pick<Form, 'fields'>, values: Values): boolean =>
  fields.every(({ name, isOptional }) => isOptional === true || (values[name] ?? '') !== '')
