/** The forms that are a table: the same for every cluster. What can be chosen is what the cluster has. */
import { alertForms, fencingForms, permissionForms, tagForms } from './configuration-forms.ts'
import type { Form } from './form.ts'
import { joined } from './lines.ts'
import { rolloutForms, serviceForms } from './service-forms.ts'

const resource = { name: 'resource', title: 'Resource', of: 'resource' } as const
const node = { name: 'node', title: 'Node', of: 'node' } as const
const score = {
  name: 'score',
  title: 'Score',
  help: 'Higher counts more; INFINITY: always.',
  of: 'text',
  isOptional: true,
} as const

export const simpleForms: Readonly<Record<string, Form>> = {
  move: {
    title: 'Move a resource',
    area: 'Resources',
    fields: [resource, { ...node, help: 'Omit it to let the scheduler choose.', isOptional: true }],
    line: (values) => joined(['resource', 'move', values.resource, values.node]),
  },
  drain: {
    title: 'Drain a node',
    area: 'Nodes',
    fields: [
      node,
      { name: 'reason', title: 'Reason', help: 'Shown to anyone who asks why.', of: 'text', isOptional: true },
    ],
    line: (values) => joined(['node', 'drain', values.node, values.reason ? `--reason=${values.reason}` : undefined]),
  },
  fence: {
    title: 'Fence a node',
    area: 'Nodes',
    fields: [{ ...node, help: 'Its power is cut, or it is cut off.' }],
    line: (values) => joined(['stonith', 'fence', values.node]),
  },
  cleanup: {
    title: 'Clean up failures',
    area: 'Resources',
    fields: [{ ...resource, help: 'Its failures are forgotten, and it is probed again.' }],
    line: (values) => joined(['resource', 'cleanup', values.resource]),
  },
  location: {
    title: 'Constraint: a resource and a node',
    area: 'Constraints',
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
    area: 'Constraints',
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
    area: 'Constraints',
    fields: [
      { name: 'one', title: 'Resource', of: 'resource' },
      { name: 'other', title: 'is placed with', of: 'resource' },
      { ...score, help: 'INFINITY: always together; -INFINITY: never.' },
    ],
    line: (values) => joined(['constraint', 'colocation', 'add', values.one, 'with', values.other, values.score]),
  },
  ...fencingForms,
  ...permissionForms,
  ...alertForms,
  ...tagForms,
  ...serviceForms,
  ...rolloutForms,
}
