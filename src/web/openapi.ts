/** The description of the API, made from the commands: what a command's help says is what the description says. */
import type { Flag } from '../cli/index.ts'
import type { Endpoint } from './command-table.ts'

const problems = {
  '400': 'The request or the command is wrong. The sentence is the command line’s.',
  '401': 'There is no token, or the token is not known or has expired.',
  '403': 'The token’s roles do not permit it.',
  '404': 'Nothing has that name.',
  '409': 'Another user was faster, or what is asked for contradicts what is there.',
  '429': 'Too much at a time.',
  '503': 'The cluster is stopped on this node, or the node has no quorum.',
} as const

const problemAnswers = Object.fromEntries(
  Object.entries(problems).map(([status, description]) => [
    status,
    { description, content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } },
  ]),
)

const answer = {
  description: 'The field `result` has what the command line prints with --json.',
  headers: { ETag: { description: 'The version of the configuration, for If-Match.', schema: { type: 'string' } } },
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Answer' } } },
} as const

export function openApi(endpoints: readonly Endpoint[], version: string): object {
  const paths: Record<string, Record<string, object>> = { ...fixedPaths }
  for (const endpoint of endpoints)
    paths[`/api/v1${endpoint.path}`] = { [endpoint.method.toLowerCase()]: operation(endpoint) }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Systole',
      version,
      description:
        'Each command of the command line, with the same words, options and answers. The path is the name of the command.',
      license: { name: 'GPL-2.0-or-later', identifier: 'GPL-2.0-or-later' },
    },
    security: [{ token: [] }, { session: [] }],
    paths,
    components: { securitySchemes, schemas },
  }
}

function operation(endpoint: Endpoint): object {
  const { command, method, flags } = endpoint
  const usage = [command.path.join(' '), command.usage].filter((text) => text !== '').join(' ')
  const common = {
    operationId: command.path.join('_').replaceAll('-', '_'),
    summary: command.summary,
    description: [`\`systole ${usage}\``, ...(command.details === undefined ? [] : [command.details])].join('\n\n'),
    tags: [command.path[0] ?? ''],
    responses: { '200': answer, ...problemAnswers },
  }
  if (method === 'GET')
    return {
      ...common,
      parameters: [
        {
          name: 'word',
          in: 'query',
          description: `The words after the name: ${command.usage || 'none'}`,
          schema: { type: 'array', items: { type: 'string' } },
        },
        ...flags.map((flag) => ({ name: flag.name, in: 'query', description: flag.summary, schema: schemaOf(flag) })),
      ],
    }
  return {
    ...common,
    parameters: [
      ...(endpoint.canPreview
        ? [
            {
              name: 'dry-run',
              in: 'query',
              description: 'Nothing is changed. The answer has the actions that the change would cause.',
              schema: { type: 'boolean' },
            },
          ]
        : []),
      {
        name: 'If-Match',
        in: 'header',
        description:
          'The version of the configuration that the change is meant for, in quotes. With another version nothing is changed.',
        schema: { type: 'string' },
      },
    ],
    requestBody: {
      content: {
        'application/json': {
          schema: {
            type: 'object',
            additionalProperties: false,
            properties: {
              words: { type: 'array', items: { type: 'string' }, description: command.usage },
              flags: {
                type: 'object',
                additionalProperties: false,
                properties: Object.fromEntries(
                  flags.map((flag) => [flag.name, { description: flag.summary, ...schemaOf(flag) }]),
                ),
              },
              ...(command.completes?.includes('file') === true && { files: filesOfWords }),
            },
          },
        },
      },
    },
  }
}

/** Of commands whose words name files. */
const filesOfWords = {
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'The texts of files that the words name. Files of the host are not read.',
} as const

function schemaOf({ value, repeats }: Flag): object {
  if (value === undefined) return { type: 'boolean' }
  if (repeats === true) return { type: ['string', 'array'], items: { type: 'string' } }
  return value.startsWith('[') ? { type: ['string', 'boolean'] } : { type: 'string' }
}

const session = {
  description: 'The caller. A login sets the cookie.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Session' } } },
} as const

const text = (description: string, type: string): object => ({
  description,
  content: { [type]: { schema: { type: 'string' } } },
})
const health = (summary: string, more: object = {}): Record<string, object> => ({
  get: {
    summary,
    security: [],
    responses: { '200': { description: 'Yes.' }, '503': { description: 'No.' } },
    ...more,
  },
})
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }

const fixedPaths: Readonly<Record<string, Record<string, object>>> = {
  '/live': health('Whether the daemon of this node answers'),
  '/ready': health('Whether this node is a member of the cluster and has quorum'),
  '/resource/{id}/active': health('Whether a resource is active on this node', { parameters: [id] }),
  '/resource/{id}/promoted': health('Whether a resource is promoted on this node', { parameters: [id] }),
  '/metrics': {
    get: {
      summary: 'The metrics of this node',
      responses: { '200': text('OpenMetrics', 'application/openmetrics-text') },
    },
  },
  '/api/openapi.json': {
    get: { summary: 'This description', security: [], responses: { '200': { description: 'OpenAPI 3.1' } } },
  },
  '/api/v1/session': {
    get: { summary: 'Who calls', responses: { '200': session, ...problemAnswers } },
    post: {
      summary: 'Log in as a user of the host: a member of haclient, or one that the access control lists name',
      security: [],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              additionalProperties: false,
              required: ['user', 'password'],
              properties: { user: { type: 'string' }, password: { type: 'string', format: 'password' } },
            },
          },
        },
      },
      responses: { '200': session, ...problemAnswers },
    },
    delete: { summary: 'Log out', responses: { '204': { description: 'The session has ended.' }, ...problemAnswers } },
  },
  '/api/v1/events': {
    get: {
      summary: 'Every change of the status, as server-sent events',
      description:
        'An event `snapshot` has the whole status; each event `change` has the part that has changed, by name where it is a node or resource. `Last-Event-ID` resumes where a stream was cut off.',
      parameters: [{ name: 'Last-Event-ID', in: 'header', schema: { type: 'string' } }],
      responses: { '200': text('Server-sent events', 'text/event-stream'), ...problemAnswers },
    },
  },
}

const securitySchemes = {
  token: { type: 'http', scheme: 'bearer' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-systole-7705',
    description:
      'Set by POST /api/v1/session; the name ends with the port. A request other than GET and HEAD also needs the header X-CSRF-Token with `csrf` of the session, and is refused from other origins.',
  },
} as const

const schemas = {
  Session: {
    type: 'object',
    required: ['user', 'limited'],
    properties: {
      user: { type: 'string' },
      limited: { type: 'boolean', description: 'Only its roles permit something to it' },
      validUntil: {
        type: 'string',
        format: 'date-time',
        description: 'It ends earlier after 30 minutes without a request',
      },
      csrf: { type: 'string', description: 'For X-CSRF-Token; only of a session' },
    },
  },
  Answer: {
    type: 'object',
    required: ['result', 'exitCode', 'notes', 'files'],
    properties: {
      result: { description: 'As --json prints it' },
      exitCode: { type: 'integer', description: 'That the command would have had' },
      notes: {
        type: 'array',
        items: { type: 'string' },
        description: 'The lines that the command line prints to standard error',
      },
      files: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'The files that the command line would have written',
      },
    },
  },
  Problem: {
    type: 'object',
    required: ['type', 'title', 'status', 'detail', 'errors'],
    properties: {
      type: { type: 'string' },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
      errors: { type: 'array', items: { type: 'string' } },
      code: { type: 'string' },
    },
  },
} as const
