/** Attributes of operations (Pacemaker Explained 3.0, "Resource Operations"), which are also what operation defaults may set. */
import { boolean, duration, type OptionDefinition, oneOf, text } from './definition.ts'

export const operationOptions: readonly OptionDefinition[] = [
  { name: 'id', type: text, description: 'A unique name for the operation.' },
  { name: 'name', type: text, description: 'The action: monitor, start, stop, promote and so on.' },
  {
    name: 'interval',
    type: duration,
    default: '0',
    description: 'How often the operation is repeated; 0 is never.',
  },
  { name: 'timeout', type: duration, default: '20s', description: 'How long the operation may take.' },
  {
    name: 'on-fail',
    type: oneOf(
      'ignore',
      'block',
      'stop',
      'restart',
      'demote',
      'standby',
      'fence',
      'restart-container',
      'reset-remote',
    ),
    description: 'What to do when the operation fails (default: fence for stop, demote for promote, else restart).',
  },
  {
    name: 'role',
    type: { kind: 'role' },
    description: 'Of monitors: the role in which they run (default: the role that the resource has).',
  },
  { name: 'enabled', type: boolean, default: 'true', description: 'Whether the operation is done at all.' },
  {
    name: 'record-pending',
    type: boolean,
    default: 'true',
    description: 'Whether the operation is shown while it runs.',
    withoutEffect:
      'an operation that starts something is always recorded before it begins, so that the next DC knows of it; one that stops something never is.',
  },
  {
    name: 'interval-origin',
    type: text,
    description: 'A moment from which the repetitions are counted, as an ISO 8601 date and time.',
    withoutEffect: 'repetitions are counted from the first one.',
  },
  {
    name: 'start-delay',
    type: duration,
    default: '0',
    description: 'How long to wait before the operation is done for the first time.',
  },
  { name: 'description', type: text, description: 'A remark.' },
  {
    name: 'requires',
    type: oneOf('nothing', 'quorum', 'fencing', 'unfencing'),
    deprecated: true,
    description: 'Of starts: what must hold before; a meta-attribute of the resource now.',
  },
]
