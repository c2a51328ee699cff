/** Forms for services that resources offer, gates that wait for them, and rollouts that are under way. */
import type { Form, Values } from './form.ts'
import { joined } from './lines.ts'

const resource = { name: 'resource', title: 'Resource', of: 'resource' } as const
const service = { name: 'service', title: 'Service', of: 'service' } as const
const own = ['monitor', 'tcp', 'http', 'grpc', 'command'] as const
const same = 'as it is'

/** Options of a service that may stay as they are. */
const optional = [
  { name: 'tags', title: 'Tags', help: 'Such as public,v3: names of their own in DNS.', of: 'text', isOptional: true },
  {
    name: 'address',
    title: 'Address',
    help: 'node, an IP address, or a resource with the parameter ip. Default: node.',
    of: 'text',
    isOptional: true,
  },
  {
    name: 'path',
    title: 'Path',
    help: 'That the check by http asks for, such as /healthcheck.',
    of: 'text',
    isOptional: true,
  },
  {
    name: 'expected',
    title: 'Expected members',
    help: 'As many as there should be. Default: as many as the configuration allows.',
    of: 'text',
    isOptional: true,
  },
] as const

const optionsIn = (values: Values, names: readonly string[]): readonly string[] =>
  names.flatMap((name) => ((values[name] ?? '') === '' ? [] : [`${name}=${values[name] ?? ''}`]))

export const serviceForms: Readonly<Record<string, Form>> = {
  'service-create': {
    title: 'Service: declare',
    area: 'Services',
    fields: [
      { name: 'name', title: 'Name', help: 'By which clients find it.', of: 'text' },
      { ...resource, help: 'It has one member wherever this, or an instance of it, runs.' },
      { name: 'port', title: 'Port', of: 'text' },
      { name: 'protocol', title: 'Protocol', of: { choices: ['tcp', 'udp'] } },
      { name: 'role', title: 'Members are', of: { choices: ['all instances', 'promoted instances'] } },
      {
        name: 'check',
        title: 'Healthy by',
        help: 'monitor: the recorded results of the resource. The others also ask the member itself.',
        of: { choices: own },
      },
      ...optional,
    ],
    line: (values) =>
      joined([
        ...['service', 'create', values.name, values.resource, `port=${values.port ?? ''}`],
        values.protocol === 'udp' ? 'protocol=udp' : undefined,
        values.role === 'promoted instances' ? 'role=Promoted' : undefined,
        values.check === 'monitor' ? undefined : `check=${values.check ?? ''}`,
        ...optionsIn(values, ['tags', 'address', 'path', 'expected']),
      ]),
  },
  'service-update': {
    title: 'Service: change',
    area: 'Services',
    fields: [
      service,
      { name: 'port', title: 'Port', of: 'text', isOptional: true },
      { name: 'weight', title: 'Weight', help: 'In SRV records.', of: 'text', isOptional: true },
      { name: 'check', title: 'Healthy by', of: { choices: [same, ...own] } },
      ...optional,
    ],
    line: (values) => {
      const check = values.check === same ? [] : optionsIn(values, ['check'])
      const options = [...optionsIn(values, ['port', 'weight']), ...check]
      const all = [...options, ...optionsIn(values, ['tags', 'address', 'path', 'expected'])]
      return all.length === 0 ? '' : joined(['service', 'update', values.service, ...all])
    },
  },
  'service-delete': {
    title: 'Service: delete',
    area: 'Services',
    fields: [{ ...service, help: 'Its resource stays as it is.' }],
    line: (values) => joined(['service', 'delete', values.service]),
  },
  'gate-add': {
    title: 'Gate: add',
    area: 'Services',
    fields: [
      { ...resource, help: 'It starts once enough members of the service are healthy.' },
      service,
      { name: 'min', title: 'Members', help: 'At least this many. Default: 1.', of: 'text', isOptional: true },
    ],
    line: (values) =>
      joined(['service', 'gate', 'add', values.resource, values.service, ...optionsIn(values, ['min'])]),
  },
  'gate-remove': {
    title: 'Gate: remove',
    area: 'Services',
    fields: [{ name: 'gate', title: 'Resource and service', of: 'gate' }],
    line: (values) => joined(['service', 'gate', 'remove', ...(values.gate ?? '').split(' ')]),
  },
  'service-door': {
    title: 'Questions about services: answer them or not',
    area: 'Services',
    fields: [
      {
        name: 'door',
        title: 'By',
        help: 'dns: port 53. http: port 8500, as Consul.',
        of: { choices: ['dns', 'http'] },
      },
      { name: 'verb', title: 'What', of: { choices: ['enable', 'disable'] } },
      {
        name: 'clients',
        title: 'Who may ask',
        help: 'Networks, such as 10.0.0.0/8. Empty: anyone who reaches the port.',
        of: 'text',
        isOptional: true,
      },
    ],
    line: (values) =>
      joined([
        ...['service', values.door, values.verb],
        ...(values.verb === 'enable' ? optionsIn(values, ['clients']) : []),
      ]),
  },
}

export const rolloutForms: Readonly<Record<string, Form>> = {
  'rollout-word': {
    title: 'Rollout: pause, continue, put back or confirm',
    area: 'Rollouts',
    fields: [
      { name: 'rollout', title: 'Rollout', of: 'rollout' },
      {
        name: 'word',
        title: 'What',
        help: 'pause: no further node begins. resume: it goes on. abort: its undo commands run on every node that it has changed. confirm: it stays.',
        of: { choices: ['pause', 'resume', 'abort', 'confirm'] },
      },
    ],
    line: ({ word, rollout }) =>
      joined(['rollout', word, rollout, word === 'resume' || word === 'abort' ? '--no-wait' : undefined]),
  },
}
