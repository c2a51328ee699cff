/**
 * The format of a rollout file: one JSON Schema, which is published as it is (docs/reference/rollout.schema.json) and by which files are checked
 * (`base/check-schema.ts`). A `title` is what a sentence about a wrong value calls the right one.
 */
import type { Schema } from '../base/index.ts'
import { failurePolicies, holdKinds, meanings, playbookPlaces, weekdays } from './definition.ts'

const use = (name: string, more: Omit<Schema, '$ref'> = {}): Schema => ({ $ref: `#/$defs/${name}`, ...more })

const duration: Schema = {
  type: 'string',
  title: 'a duration',
  pattern: '^\\d{1,9}(\\.\\d{1,3})? ?(ms|s|min|h)$',
  examples: ['30s', '10min', '1h'],
}

const argv: Schema = {
  description: 'A list is a program with its arguments; a text is given to `sh -c`.',
  oneOf: [
    { type: 'string', title: 'a command', minLength: 1, maxLength: 32_768 },
    {
      type: 'array',
      title: 'a program with its arguments',
      minItems: 1,
      maxItems: 256,
      items: { type: 'string', title: 'an argument in quotes', maxLength: 32_768 },
    },
  ],
}

const path: Schema = {
  type: 'string',
  title: 'an absolute path',
  minLength: 2,
  maxLength: 4096,
  pattern: '^/[^\\r\\n]+$',
}

const name: Schema = { type: 'string', title: 'a name', minLength: 1, maxLength: 255, pattern: '^[^\\s/]+$' }

const command: Schema = {
  type: 'object',
  title: 'a command with its settings',
  additionalProperties: false,
  properties: {
    name: {
      type: 'string',
      title: 'a name of one line',
      minLength: 1,
      maxLength: 100,
      pattern: '^[^\\r\\n]+$',
      description: 'Shown while it runs. Default: the first word of `run`.',
    },
    run: use('argv', {
      description: 'A list is a program with its arguments; a text is given to `sh -c`. Either `run` or `playbook`.',
    }),
    playbook: use('path', {
      description:
        'Instead of `run`: `ansible-playbook` plays this file, limited to the node. Of its exit codes 5 (wrong options) is not retried.',
      examples: ['/srv/ansible/upgrade.yaml'],
    }),
    'playbook-on': {
      type: 'string',
      title: 'a place',
      enum: playbookPlaces,
      default: 'node',
      description:
        'Where `ansible-playbook` and the file are: on the node itself, which is reached without SSH, or on the DC, whichever node that is by then, from where it reaches the node as Ansible does.',
    },
    inventory: use('path', {
      description: 'The inventory of the playbook. Default: one of the node alone.',
      examples: ['/srv/ansible/inventory'],
    }),
    vars: {
      type: 'object',
      title: 'a map of variables',
      additionalProperties: false,
      patternProperties: { '^[A-Za-z_][A-Za-z0-9_]*$': { type: 'string', title: 'a text in quotes', maxLength: 4096 } },
      description:
        "Variables of the playbook. It finds the version in the environment: `lookup('env', 'SYSTOLE_ROLLOUT_VERSION')`.",
    },
    'undo-playbook': use('path', { description: 'Instead of `undo`, where `playbook` is played.' }),
    undo: use('argv', {
      description:
        'Takes the command back, on `abort` and by `on-failure`. It also runs where the command failed or was lost in the middle.',
    }),
    timeout: use('duration', { description: 'It is ended then, and has failed.', default: '10min' }),
    retries: {
      type: 'integer',
      title: 'a number of retries',
      minimum: 0,
      maximum: 100,
      default: 0,
      description: 'How often a command that failed, or was lost with its node, runs again by itself.',
    },
    'retry-delay': use('duration', { default: '5s' }),
    'exit-codes': {
      type: 'object',
      title: 'a map of exit codes',
      additionalProperties: false,
      patternProperties: {
        '^([0-9]|[1-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-5])$': {
          type: 'string',
          title: 'the meaning of an exit code',
          enum: meanings,
        },
      },
      description:
        'Says which exit codes are ok and which have failed. Without it 0 is ok, and others have failed and are retried. One that is `failed` here is not retried. Puppet with --detailed-exitcodes: 2 is ok, 4 and 6 have failed.',
      examples: [{ '2': 'ok', '4': 'failed', '6': 'failed' }],
    },
    env: {
      type: 'object',
      title: 'a map of environment variables',
      additionalProperties: false,
      patternProperties: { '^[A-Za-z_][A-Za-z0-9_]*$': { type: 'string', title: 'a text in quotes', maxLength: 4096 } },
      description: 'Besides SYSTOLE_ROLLOUT, SYSTOLE_ROLLOUT_VERSION and SYSTOLE_ROLLOUT_NODE.',
    },
    reboots: {
      type: 'boolean',
      title: 'true or false',
      default: false,
      description:
        'The node boots while it runs. It counts as done once the node is back. A remote node leaves the cluster first, and needs a reconnect_interval.',
    },
    'stops-cluster': {
      type: 'boolean',
      title: 'true or false',
      default: false,
      description:
        'The command stops the cluster on its node. However it ends, the cluster is started there again, and it counts as done once the node is back.',
    },
  },
}

const clusterName: Schema = {
  type: 'string',
  title: 'the name of a cluster of the fleet',
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
}

const commands: Schema = { type: 'array', title: 'a list of commands', maxItems: 100, items: use('command') }

const selectorProperties = {
  name: {
    description: 'A node, or a list of nodes.',
    oneOf: [use('name'), { type: 'array', title: 'a list of names', minItems: 1, maxItems: 1000, items: use('name') }],
  },
  role: use('name', { description: 'Nodes with this role (`systole role list`).' }),
  where: {
    type: 'string',
    title: 'an expression on node attributes',
    minLength: 1,
    maxLength: 1000,
    examples: ['rack eq a and disk ne ssd'],
    description: 'Nodes with such attributes: eq, ne, lt, gt, lte, gte, defined, not_defined, and, or, parentheses.',
  },
} as const satisfies Readonly<Record<string, Schema>>

const maxUnavailable: Schema = {
  type: 'integer',
  title: 'a number of nodes',
  minimum: 0,
  maximum: 1000,
  description: 'How many of them may be unavailable at once, whatever the reason. 0: no node begins.',
}

const time: Schema = {
  type: 'string',
  title: 'a time of day in quotes',
  pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
  examples: ['22:00'],
}

export const rolloutSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Systole rollout file',
  type: 'object',
  additionalProperties: false,
  required: ['rollout', 'version', 'nodes', 'steps'],
  properties: {
    rollout: use('name', { description: 'The name of what is rolled out.' }),
    version: {
      type: 'string',
      title: 'a version in quotes',
      minLength: 1,
      maxLength: 255,
      pattern: '^[^\\s/]+$',
      examples: ['17.1'],
      description: 'The version that the nodes run afterwards. Nodes that run it already are left out.',
    },
    nodes: {
      description:
        'Which nodes are concerned. `all` means all cluster nodes; remote and guest nodes are concerned where a name, a role or an expression means them.',
      oneOf: [
        { type: 'string', title: 'all', const: 'all' },
        {
          type: 'array',
          title: 'a list of nodes',
          minItems: 1,
          maxItems: 100,
          items: {
            type: 'object',
            title: 'one of name, role, where',
            additionalProperties: false,
            minProperties: 1,
            maxProperties: 1,
            properties: selectorProperties,
          },
        },
      ],
    },
    clusters: {
      type: 'array',
      title: 'a list of waves',
      minItems: 1,
      maxItems: 100,
      description:
        'Clusters of the fleet (`systole fleet list`) on which the rollout is done, instead of this one: wave after wave. Each cluster performs it on its own nodes. A wave begins when the wave before is complete and all of its clusters can be reached.',
      examples: [['west'], ['east', 'north']],
      items: {
        description: 'A cluster, or a list of clusters that go at the same time.',
        oneOf: [
          clusterName,
          { type: 'array', title: 'a list of clusters', minItems: 1, maxItems: 100, items: clusterName },
        ],
      },
    },
    waves: {
      type: 'object',
      title: 'a map',
      additionalProperties: false,
      properties: {
        'max-unavailable': {
          ...maxUnavailable,
          default: 1,
          description: 'Of all cluster nodes, and of the remote nodes that are concerned.',
        },
        limits: {
          type: 'array',
          title: 'a list of limits',
          maxItems: 100,
          description: 'Further limits, of a role or any group of nodes.',
          items: {
            type: 'object',
            title: 'max-unavailable with one of name, role, where',
            additionalProperties: false,
            required: ['max-unavailable'],
            minProperties: 2,
            maxProperties: 2,
            properties: { ...selectorProperties, 'max-unavailable': maxUnavailable },
          },
        },
        order: {
          type: 'array',
          title: 'a list of roles',
          maxItems: 100,
          items: use('name'),
          description:
            'One wave for each role; it begins when the wave before is complete. Nodes of no such role are the last wave.',
        },
      },
    },
    requires: {
      type: 'array',
      title: 'a list of requirements',
      maxItems: 100,
      description:
        'How many nodes of a role must be online, remote nodes included, or how many members of a service must be healthy, before a node begins. Until then the rollout waits.',
      items: {
        type: 'object',
        title: 'role or service, and min',
        additionalProperties: false,
        required: ['min'],
        minProperties: 2,
        maxProperties: 2,
        properties: {
          role: use('name', { description: 'A role (`systole role list`).' }),
          service: use('name', {
            description: 'A service of this cluster (`systole service list`), whose checks validate it.',
          }),
          min: { type: 'integer', title: 'a number of nodes', minimum: 1, maximum: 1000 },
        },
      },
    },
    steps: {
      type: 'object',
      title: 'a map',
      additionalProperties: false,
      required: ['actions'],
      description: 'The steps on each node, in this order.',
      properties: {
        hold: {
          type: 'string',
          title: 'a kind of hold',
          enum: holdKinds,
          default: 'drain',
          description: 'In force from before the first command until after the last.',
        },
        'hold-timeout': use('duration', {
          default: '10min',
          description: 'If the node is not drained and the cluster not settled by then, the node has failed.',
        }),
        before: commands,
        actions: { ...commands, minItems: 1 },
        after: commands,
        validate: { ...commands, description: 'If one of them fails, the node has failed.' },
        'release-timeout': use('duration', {
          default: '10min',
          description: 'If the cluster has not settled that long after the hold has ended, the node has failed.',
        }),
      },
    },
    'on-failure': {
      type: 'string',
      title: 'what a failure means',
      enum: failurePolicies,
      default: 'halt',
      description: 'Halt as it is; or put the node, or all nodes of its wave, back first.',
    },
    window: {
      type: 'object',
      title: 'a map',
      additionalProperties: false,
      required: ['from', 'to'],
      description:
        "When nodes may begin, by the time of the DC's host. None begins if it would not be done before the end, by the longest time that a node of the rollout has taken. A node that has begun is finished.",
      properties: {
        from: time,
        to: time,
        days: {
          type: 'array',
          title: 'a list of weekdays',
          minItems: 1,
          maxItems: 7,
          items: { type: 'string', title: 'a weekday', enum: weekdays },
        },
      },
    },
    'confirm-within': use('duration', {
      description: 'If nobody runs `rollout confirm` that long after the last node, everything is put back.',
    }),
  },
  $defs: { name, path, duration, argv, command },
}
