/** What was filled in, as the command that is typed for it: pure. */

/** As a shell takes it back apart. */
export function quoted(word: string): string {
  if (/^[\w@%+=:,./#!-]+$/.test(word)) return word
  return word.includes("'") ? `"${word}"` : `'${word}'`
}

const joined = (words: readonly (string | undefined)[]): string =>
  words.flatMap((word) => (word === undefined || word === '' ? [] : [quoted(word)])).join(' ')

export interface Created {
  readonly id: string
  readonly agent: string
  readonly parameters: Readonly<Record<string, string>>
  readonly monitor: string
  readonly as: 'one' | 'clone' | 'promotable' | 'group'
  readonly group: string
}

/** Parameters that were left empty have their defaults. */
export function createLine({ id, agent, parameters, monitor, as, group }: Created): string {
  const given = Object.entries(parameters).flatMap(([name, value]) => (value === '' ? [] : [`${name}=${value}`]))
  const operation = monitor === '' ? [] : ['op', 'monitor', `interval=${monitor}`]
  const place = as === 'one' ? [] : as === 'group' ? (group === '' ? [] : [`--group=${group}`]) : [as]
  return joined(['resource', 'create', id, agent, ...given, ...operation, ...place])
}

/** What agents do not refuse before they start: undefined where nothing is wrong. */
export function mistakeIn(type: string, value: string): string | undefined {
  if (type !== 'integer' || value === '' || /^[+-]?\d+$/.test(value)) return undefined
  return `'${value}' is not a whole number.`
}

export type Values = Readonly<Record<string, string>>

export interface Field {
  readonly name: string
  readonly title: string
  readonly help?: string
  readonly of: 'resource' | 'node' | 'text' | { readonly choices: readonly string[] }
  readonly isOptional?: true
}

export interface Form {
  readonly title: string
  readonly fields: readonly Field[]
  readonly line: (values: Values) => string
}

const resource = { name: 'resource', title: 'Resource', of: 'resource' } as const
const node = { name: 'node', title: 'Node', of: 'node' } as const
const score = {
  name: 'score',
  title: 'Score',
  help: 'Higher counts more; INFINITY: always.',
  of: 'text',
  isOptional: true,
} as const

/** Those that are the same for every cluster. What they may have is what the cluster has. */
export const simpleForms: Readonly<Record<string, Form>> = {
  move: {
    title: 'Move a resource',
    fields: [resource, { ...node, help: 'Omit it to let the scheduler choose.', isOptional: true }],
    line: (values) => joined(['resource', 'move', values.resource, values.node]),
  },
  drain: {
    title: 'Drain a node',
    fields: [
      node,
      { name: 'reason', title: 'Reason', help: 'Shown to whoever asks why.', of: 'text', isOptional: true },
    ],
    line: (values) => joined(['node', 'drain', values.node, values.reason ? `--reason=${values.reason}` : undefined]),
  },
  fence: {
    title: 'Fence a node',
    fields: [{ ...node, help: 'Its power is cut, or it is cut off.' }],
    line: (values) => joined(['stonith', 'fence', values.node]),
  },
  cleanup: {
    title: 'Clean up failures',
    fields: [{ ...resource, help: 'Its failures are forgotten, and it is probed again.' }],
    line: (values) => joined(['resource', 'cleanup', values.resource]),
  },
  location: {
    title: 'Constraint: a resource and a node',
    fields: [resource, { name: 'verb', title: 'It', of: { choices: ['prefers', 'avoids'] } }, node, score],
    line: ({ score: value = '', ...values }) =>
      joined([
        'constraint',
        'location',
        values.resource,
        values.verb,
        `${values.node ?? ''}${value === '' ? '' : `=${value}`}`,
      ]),
  },
  order: {
    title: 'Constraint: an order',
    fields: [
      { name: 'earlier', title: 'First', of: 'resource' },
      { name: 'later', title: 'Then', of: 'resource' },
      {
        name: 'kind',
        title: 'Kind',
        help: 'Mandatory: always. Optional: only if both change at once. Serialize: never at the same time.',
        of: { choices: ['Mandatory', 'Optional', 'Serialize'] },
      },
    ],
    line: (values) =>
      joined([
        ...['constraint', 'order', 'start', values.earlier, 'then', 'start', values.later],
        values.kind === 'Mandatory' ? undefined : `kind=${values.kind ?? ''}`,
      ]),
  },
  colocation: {
    title: 'Constraint: together or apart',
    fields: [
      { name: 'one', title: 'Resource', of: 'resource' },
      { name: 'other', title: 'is placed with', of: 'resource' },
      { ...score, help: 'INFINITY: always together; -INFINITY: never.' },
    ],
    line: (values) => joined(['constraint', 'colocation', 'add', values.one, 'with', values.other, values.score]),
  },
}

/** With the first choice where there is one. */
export function valuesAtFirst({ fields }: Form): Values {
  return Object.fromEntries(fields.map(({ name, of }) => [name, typeof of === 'string' ? '' : (of.choices[0] ?? '')]))
}

/** All that has to be filled in. */
export const isWhole = ({ fields }: Form, values: Values): boolean =>
  fields.every(({ name, isOptional }) => isOptional === true || (values[name] ?? '') !== '')

export const propertyLine = (name: string, value: string): string =>
  value === '' ? joined(['property', 'unset', name]) : joined(['property', 'set', `${name}=${value}`])
