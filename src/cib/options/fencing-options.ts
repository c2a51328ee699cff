/** What every fence device takes besides its agent's own parameters (Pacemaker Explained, "Special Meta-Attributes for Fencing Resources"). */
import { duration, integer, type OptionDefinition, oneOf, score, text } from './definition.ts'

const actions = ['off', 'on', 'reboot', 'status', 'list', 'monitor'] as const

export const fenceDeviceOptions: readonly OptionDefinition[] = [
  {
    name: 'pcmk_host_list',
    type: text,
    description: 'The nodes that the device can fence, with blanks or commas between them.',
  },
  {
    name: 'pcmk_host_map',
    type: text,
    description: 'What the device calls each node, such as `alpha:1;beta:2,3`.',
  },
  {
    name: 'pcmk_host_check',
    type: oneOf('static-list', 'dynamic-list', 'status', 'none'),
    description:
      'How it is found out which nodes the device can fence (default: by what is written, and what its agent can be asked).',
  },
  {
    name: 'pcmk_host_argument',
    type: text,
    description:
      'The parameter of the agent that names the node (default: `plug` or `port`); `none` for no such parameter.',
  },
  {
    name: 'pcmk_delay_base',
    type: text,
    default: '0',
    description:
      'How long the device waits before it fences: a duration, or one for each node, such as `alpha:0;beta:5s`.',
  },
  {
    name: 'pcmk_delay_max',
    type: duration,
    default: '0',
    description: 'The longest delay of a device that waits for a random time before it fences.',
  },
  {
    name: 'pcmk_action_limit',
    type: integer(-1),
    default: '1',
    description: 'How many actions the device does at the same time; -1 sets no limit.',
  },
  ...actions.flatMap((action): readonly OptionDefinition[] => [
    {
      name: `pcmk_${action}_action`,
      type: text,
      default: action,
      description: `What the agent is asked for instead of \`${action}\`.`,
    },
    {
      name: `pcmk_${action}_timeout`,
      type: duration,
      description: `How long \`${action}\` may take with this device (default: fencing-timeout).`,
    },
    {
      name: `pcmk_${action}_retries`,
      type: integer(0),
      default: '2',
      description: `How often \`${action}\` is tried before it counts as failed.`,
    },
  ]),
  {
    name: 'fencing-timeout',
    type: duration,
    otherNames: ['stonith-timeout'],
    deprecated: true,
    description: 'How long an action of the device may take.',
    withoutEffect: 'pcmk_reboot_timeout and pcmk_off_timeout have replaced it.',
  },
  {
    name: 'provides',
    type: text,
    deprecated: true,
    description: 'Unfencing where the device must switch a node on before it may run resources.',
  },
  {
    name: 'priority',
    type: score,
    default: '0',
    description: 'Which of several devices is used first for a node: the one with the highest priority.',
  },
]
