/** The formats of the files that a play is made from: Directord's orchestration files, and Task-Core's services, inventory and roles. Published with the reference. */
import type { Schema } from '../base/index.ts'

const text = (title: string, more: Omit<Schema, 'type'> = {}): Schema => ({
  type: 'string',
  title,
  minLength: 1,
  maxLength: 65_536,
  ...more,
})

const name = text('a name of letters, digits, dots, - and _', { pattern: '^[A-Za-z0-9._-]+$', maxLength: 200 })
const names = (description: string): Schema => ({
  type: 'array',
  title: 'a list of names',
  maxItems: 1000,
  items: name,
  description,
})

/** What stands after a verb. */
const written: Schema = {
  title: 'a text',
  oneOf: [
    { type: 'string', title: 'a text', maxLength: 65_536 },
    { type: 'integer', title: 'a number' },
    { type: 'boolean', title: 'true or false' },
    { type: 'null', title: 'nothing' },
  ],
}

const job: Schema = {
  type: 'object',
  title: 'one verb with its text, such as RUN: uptime',
  minProperties: 1,
  additionalProperties: false,
  properties: {
    vars: {
      type: 'object',
      title: 'a map of options',
      additionalProperties: false,
      patternProperties: { '^[a-z][a-z_-]*$': written },
      description: 'Options of the component, with _ for -, as `stdout_arg: host`.',
    },
  },
  patternProperties: { '^[A-Z][A-Z0-9_]*$': written },
}

const jobs = (description: string): Schema => ({
  type: 'array',
  title: 'a list of jobs',
  minItems: 1,
  maxItems: 10_000,
  items: job,
  description,
})

export const orchestrationSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'a list of items with jobs',
  type: 'array',
  minItems: 1,
  maxItems: 1000,
  items: {
    type: 'object',
    title: 'a map with jobs',
    additionalProperties: false,
    required: ['jobs'],
    properties: {
      name: text('a name', { maxLength: 200, description: 'The name of the item. Default: its number.' }),
      async: {
        type: 'boolean',
        title: 'true or false',
        default: false,
        description: 'Runs beside other such items; an item without it waits for all before it.',
      },
      targets: {
        ...names('The nodes. Without it, all cluster nodes.'),
        items: text('a node', { maxLength: 255 }),
        minItems: 1,
      },
      jobs: jobs('In this order on each node.'),
    },
  },
}

export const drivers = ['directord', 'service', 'print', 'noop', 'local', 'ansible_runner'] as const

const task: Schema = {
  type: 'object',
  title: 'a task',
  additionalProperties: false,
  required: ['id', 'driver'],
  properties: {
    id: name,
    action: text('a word', { description: 'Without effect: Task-Core demands it.' }),
    driver: { type: 'string', title: 'a driver', enum: drivers, description: 'The program that does the task.' },
    provides: names('Names that others may require, once the task is done on all its nodes.'),
    requires: names('Names that must be provided before the task begins.'),
    'needed-by': names('Tasks that provide one of these wait for this one.'),
    jobs: jobs('Of `directord`, as in an orchestration file. Of `service`, `echo: text` only.'),
    message: text('a text', { description: 'Of `print`.' }),
    command: text('a command', {
      description: 'Of `local`: a command for /bin/sh, on the node where the play is started.',
    }),
    quiet: {
      type: 'boolean',
      title: 'true or false',
      default: false,
      description: 'Of `local`: its output is not kept.',
    },
    returncodes: {
      type: 'array',
      title: 'a list of exit codes',
      minItems: 1,
      maxItems: 256,
      items: { type: 'integer', title: 'an exit code', minimum: 0, maximum: 255 },
      description: 'Of `local`: which exit codes are success. Default: 0.',
    },
    playbook: text('a file', { description: 'Of `ansible_runner`: run on the node where the play is started.' }),
    inventory: text('a file', {
      description:
        'Of `ansible_runner`. Default: inventory.yaml in the working folder, or else the nodes of the cluster.',
    }),
    working_dir: text('a folder', { description: 'Of `ansible_runner`. Default: the folder of the service file.' }),
    global_fact_cache: {
      type: 'boolean',
      title: 'true or false',
      default: true,
      description: 'Of `ansible_runner`: facts are kept in ~/.ansible/fact_cache for other playbooks.',
    },
    runner_options: {
      type: 'object',
      title: 'a map of options',
      additionalProperties: false,
      description: 'Of `ansible_runner`.',
      properties: {
        extravars: {
          type: 'object',
          title: 'a map',
          patternProperties: { '^[A-Za-z_][A-Za-z0-9_]*$': { title: 'a value' } },
          description: 'Variables: -e.',
        },
        limit: text('a pattern of hosts', { description: '--limit' }),
        tags: text('tags', { description: '--tags' }),
        skip_tags: text('tags', { description: '--skip-tags' }),
        forks: { type: 'integer', title: 'a number', minimum: 1, maximum: 1000, description: '--forks' },
        verbosity: { type: 'integer', title: 'a number', minimum: 0, maximum: 6, description: '-v, so often' },
      },
    },
  },
}

/** In services of Task-Core a job of `service` is `echo: text`. */
const echo: Schema = { ...job, properties: { ...job.properties, echo: text('a text') } }

export const serviceSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'a service',
  type: 'object',
  additionalProperties: false,
  required: ['id', 'type', 'version', 'tasks'],
  properties: {
    id: name,
    type: { type: 'string', title: 'service', const: 'service' },
    version: text('a version in quotes', { pattern: '^[0-9.]+$', description: 'Shown with the plan.' }),
    tasks: {
      type: 'array',
      title: 'a list of tasks',
      minItems: 1,
      maxItems: 1000,
      items: { ...task, properties: { ...task.properties, jobs: { ...task.properties?.jobs, items: echo } } },
    },
  },
}

export const inventorySchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'an inventory',
  type: 'object',
  additionalProperties: false,
  required: ['hosts'],
  properties: {
    hosts: {
      type: 'object',
      title: 'a map of nodes',
      minProperties: 1,
      additionalProperties: false,
      patternProperties: {
        '^\\S+$': {
          type: 'object',
          title: 'a map with role',
          additionalProperties: false,
          required: ['role'],
          properties: { role: name },
        },
      },
      description: 'Cluster nodes, each with its role.',
    },
  },
}

export const rolesSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'roles',
  type: 'object',
  additionalProperties: false,
  required: ['roles'],
  properties: {
    roles: {
      type: 'object',
      title: 'a map of roles',
      minProperties: 1,
      additionalProperties: false,
      patternProperties: {
        '^[A-Za-z0-9._-]+$': {
          type: 'object',
          title: 'a map with services',
          additionalProperties: false,
          required: ['services'],
          properties: { services: { ...names('Ids of services.') } },
        },
      },
    },
  },
}
