/**
 * The format of a cluster file: one JSON Schema, which is published (docs/reference/cluster-file.schema.json) and by which files are checked. All values are read as the text
 * that they are written as, so that `1.10` stays 1.10. A `title` is what a sentence about a wrong value calls the right one.
 */
import type { Schema } from '../../base/index.ts'

const use = (name: string, more: Omit<Schema, '$ref'> = {}): Schema => ({ $ref: `#/$defs/${name}`, ...more })

const longest = 64 * 1024
const text = (title: string, more: Omit<Schema, 'type' | 'title'> = {}): Schema => ({
  type: 'string',
  title,
  maxLength: longest,
  ...more,
})
const oneOfWords = (title: string, words: readonly string[]): Schema => ({ type: 'string', title, enum: words })

const value: Schema = {
  description:
    'A text, or a secret by reference: the content of a file or of an environment variable where the file is read.',
  oneOf: [
    text('a value'),
    {
      type: 'object',
      title: 'one of from-file, from-env',
      additionalProperties: false,
      minProperties: 1,
      maxProperties: 1,
      properties: { 'from-file': text('the name of a file'), 'from-env': text('the name of an environment variable') },
    },
  ],
}

const id = text('an id', { minLength: 1, maxLength: 255 })
const idPattern = '^[\\p{L}_][\\p{L}\\p{N}_.-]*$'
const namePattern = '^[^\\s]+$'

const mapOf = (
  title: string,
  items: Schema,
  more: { readonly pattern?: string; readonly most?: number } = {},
): Schema => ({
  type: 'object',
  title,
  additionalProperties: false,
  patternProperties: { [more.pattern ?? idPattern]: items },
  ...(more.most === undefined ? {} : { minProperties: 1, maxProperties: more.most }),
})

const listOf = (title: string, items: Schema): Schema => ({ type: 'array', title, items })
const options = (description: string): Schema => use('options', { description })

const fields = (
  title: string,
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
): Schema => ({
  type: 'object',
  title,
  additionalProperties: false,
  ...(required.length > 0 ? { required } : {}),
  properties,
})

const description = text('a text', { description: 'A remark for people.' })
const asXml = text('XML', {
  description: 'The whole element as XML, for what has no fields here. No other field stands beside it.',
})
const parameters = options('Parameters of the agent.')
const meta = options('Meta-attributes.')

const operation = fields(
  'an operation',
  {
    name: id,
    interval: use('word'),
    timeout: use('word'),
    role: use('word'),
    'on-fail': use('word'),
    enabled: use('word'),
    'start-delay': use('word'),
    'interval-origin': use('word'),
    'record-pending': use('word'),
    requires: use('word'),
    description,
    parameters,
    meta,
  },
  ['name'],
)

const primitiveFields = {
  agent: text('an agent such as ocf:heartbeat:IPaddr2', {
    pattern: '^[^:\\s]+(:[^:\\s]+)?:[^\\s]+$',
    examples: ['ocf:heartbeat:IPaddr2', 'systemd:nginx', 'stonith:fence_ipmilan'],
  }),
  template: use('id', { description: 'A template whose agent and options it has.' }),
  description,
  parameters,
  meta,
  utilization: options('The part of the capacity of a node that it takes.'),
  operations: listOf('a list of operations', use('operation')),
}

const container = fields('a container', {
  image: use('word'),
  replicas: use('word'),
  'replicas-per-host': use('word'),
  'promoted-max': use('word'),
  masters: use('word'),
  network: use('word'),
  'run-command': use('word'),
  options: use('word'),
})

const bundle = fields('a bundle', {
  docker: use('container'),
  podman: use('container'),
  network: fields('a network', {
    id,
    'add-host': use('word'),
    'ip-range-start': use('word'),
    'control-port': use('word'),
    'host-interface': use('word'),
    'host-netmask': use('word'),
    ports: mapOf(
      'a map of port mappings',
      fields('a port mapping', { port: use('word'), 'internal-port': use('word'), range: use('word') }),
    ),
  }),
  storage: mapOf(
    'a map of storage mappings',
    fields('a storage mapping', {
      'source-dir': use('word'),
      'source-dir-root': use('word'),
      'target-dir': use('word'),
      options: use('word'),
    }),
  ),
  primitive: { ...mapOf('a map of one resource', use('resource'), { most: 1 }) },
})

const resource = fields('a resource', {
  ...primitiveFields,
  group: mapOf('a map of resources', use('resource')),
  clone: mapOf('a map of one resource', use('resource'), { most: 1 }),
  bundle: use('bundle'),
  xml: asXml,
})

const set = fields(
  'a resource set',
  {
    resources: listOf('a list of resources', use('id')),
    action: use('word'),
    role: use('word'),
    sequential: use('word'),
    'require-all': use('word'),
    ordering: use('word'),
    score: use('word'),
    kind: use('word'),
  },
  ['resources'],
)

const resourceOrSets: Schema = { oneOf: [use('id'), listOf('a list of resource sets', use('set'))] }

const rule = fields(
  'a rule',
  {
    id,
    when: text('an expression', { minLength: 1, examples: ['rack eq a and not_defined gpu', 'date gt 2026-12-01'] }),
    score: use('word'),
    'score-attribute': use('word'),
    role: use('word'),
  },
  ['when'],
)

const constraint = fields('a constraint', {
  location: { ...resourceOrSets, description: 'Where a resource may run: with node and score, or rules.' },
  'location-pattern': use('word', { description: 'The same for all resources whose ids match.' }),
  node: use('word'),
  rules: listOf('a list of rules', use('rule')),
  'resource-discovery': use('word'),
  colocation: { ...resourceOrSets, description: 'A resource that runs where another (with) runs.' },
  with: use('id'),
  'with-role': use('word'),
  influence: use('word'),
  'node-attribute': use('word'),
  order: { ...resourceOrSets, description: 'A resource that comes before another (then).' },
  // biome-ignore lint/suspicious/noThenProperty: the word of the CIB; this is never awaited.
  then: use('id'),
  'first-action': use('word'),
  'then-action': use('word'),
  kind: use('word'),
  symmetrical: use('word'),
  'require-all': use('word'),
  ticket: use('word'),
  resource: { ...resourceOrSets, description: 'Which resource needs the ticket.' },
  'loss-policy': use('word'),
  role: use('word'),
  score: use('word'),
  description,
  xml: asXml,
})

const level = fields('a fencing level', {
  level: use('word'),
  devices: listOf('a list of fence devices', use('id')),
  node: use('word'),
  pattern: use('word'),
  attribute: use('word'),
  value: use('word'),
  xml: asXml,
})

const roles: Schema = {
  oneOf: [listOf('a list of roles', use('id')), fields('a map with xml', { xml: asXml }, ['xml'])],
}

const permission = fields(
  'a permission',
  {
    id,
    kind: oneOfWords('a kind of permission', ['read', 'write', 'deny']),
    xpath: use('word'),
    reference: use('word'),
    'object-type': use('word'),
    attribute: use('word'),
    description,
  },
  ['kind'],
)

const alert = fields('an alert', {
  path: use('word'),
  description,
  parameters,
  meta,
  recipients: mapOf(
    'a map of recipients',
    fields('a recipient', { value: use('value'), description, parameters, meta }),
  ),
  xml: asXml,
})

/** Sections that may stand as XML. */
export const xmlSections = [
  'crm_config',
  'nodes',
  'resources',
  'constraints',
  'tags',
  'acls',
  'fencing-topology',
  'rsc_defaults',
  'op_defaults',
  'alerts',
] as const

export const clusterSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Systole cluster file',
  type: 'object',
  additionalProperties: false,
  properties: {
    name: text('a name', {
      minLength: 1,
      maxLength: 100,
      pattern: '^[^\\s/]+$',
      description:
        'By which the cluster remembers what the file said when it was last applied. Default: the name of the file.',
    }),
    vars: mapOf('a map of variables', use('value'), { pattern: '^[A-Za-z_][A-Za-z0-9_-]*$' }),
    include: listOf('a list of files', text('the name of a file', { minLength: 1 })),
    properties: options('Cluster options.'),
    'resource-defaults': options('Defaults of meta-attributes.'),
    'operation-defaults': options('Defaults of operations.'),
    nodes: mapOf(
      'a map of nodes',
      fields('a node', {
        id: use('word'),
        type: use('word'),
        score: use('word'),
        description,
        attributes: options('Node attributes.'),
        utilization: options('Its capacity.'),
        xml: asXml,
      }),
      { pattern: namePattern },
    ),
    resources: mapOf('a map of resources', use('resource')),
    constraints: mapOf('a map of constraints', use('constraint')),
    tags: mapOf('a map of tags', {
      oneOf: [listOf('a list of ids', use('id')), fields('a map with xml', { xml: asXml }, ['xml'])],
    }),
    acls: fields('a map of roles, users, groups', {
      roles: mapOf(
        'a map of roles',
        fields('a role', { description, permissions: listOf('a list of permissions', use('permission')), xml: asXml }),
      ),
      users: mapOf('a map of users', roles, { pattern: namePattern }),
      groups: mapOf('a map of groups', roles, { pattern: namePattern }),
    }),
    'fencing-levels': mapOf('a map of fencing levels', level),
    alerts: mapOf('a map of alerts', use('alert')),
    xml: {
      ...fields('a map of sections', Object.fromEntries(xmlSections.map((name) => [name, asXml]))),
      description: 'Whole sections as XML, for what has no fields here. They stand beside the fields.',
    },
  },
  $defs: {
    value,
    word: text('a text'),
    id,
    options: mapOf('a map of options', use('value'), { pattern: namePattern }),
    operation,
    container,
    bundle,
    resource,
    set,
    rule,
    constraint,
    permission,
    alert,
  },
}

/** For editors: a number or `true` is as good as a text. */
export function publishedClusterSchema(): unknown {
  const widened = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(widened)
    if (typeof part !== 'object' || part === null) return part
    const entries = Object.entries(part).map(
      ([key, one]) =>
        [key, key === 'type' && one === 'string' ? ['string', 'number', 'boolean'] : widened(one)] as const,
    )
    return Object.fromEntries(entries)
  }
  return widened(clusterSchema)
}
