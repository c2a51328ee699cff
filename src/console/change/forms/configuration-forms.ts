/** Forms for what stands beside resources in the configuration: fencing levels, permissions, alerts and tags. */
import { type Form, listIn } from './form.ts'
import { joined } from './lines.ts'

const node = { name: 'node', title: 'Node', of: 'node' } as const
const level = {
  name: 'level',
  title: 'Level',
  help: 'Levels are tried from 1 to 9 until one succeeds.',
  of: { choices: ['1', '2', '3', '4', '5', '6', '7', '8', '9'] },
} as const

export const fencingForms: Readonly<Record<string, Form>> = {
  'level-add': {
    title: 'Fencing level: add',
    area: 'Fencing',
    fields: [
      level,
      node,
      {
        name: 'devices',
        title: 'Devices',
        help: 'All of them must succeed, in the order in which they are chosen.',
        of: 'device',
        isMany: true,
      },
    ],
    line: (values) => joined(['stonith', 'level', 'add', values.level, values.node, ...listIn(values.devices)]),
  },
  'level-remove': {
    title: 'Fencing level: remove',
    area: 'Fencing',
    fields: [level, node],
    line: (values) => joined(['stonith', 'level', 'remove', values.level, 'target', values.node]),
  },
}

const role = { name: 'role', title: 'Role', of: 'role' } as const
const permission = [
  { name: 'kind', title: 'It may', of: { choices: ['read', 'write', 'deny'] } },
  { name: 'by', title: 'what is chosen by', of: { choices: ['xpath', 'id'] } },
  { name: 'on', title: 'XPath or id', help: 'Such as /cib, //resources, or the id of an element.', of: 'text' },
] as const

export const permissionForms: Readonly<Record<string, Form>> = {
  'role-create': {
    title: 'Role: create',
    area: 'Permissions',
    fields: [
      { name: 'role', title: 'Name', of: 'text' },
      { name: 'description', title: 'Description', of: 'text', isOptional: true },
      ...permission,
    ],
    line: ({ role: name, description = '', kind, by, on }) =>
      joined([
        ...['acl', 'role', 'create', name, description === '' ? undefined : `description=${description}`],
        ...[kind, by, on],
      ]),
  },
  'permission-add': {
    title: 'Role: add a permission',
    area: 'Permissions',
    fields: [role, ...permission],
    line: (values) => joined(['acl', 'permission', 'add', values.role, values.kind, values.by, values.on]),
  },
  'role-delete': {
    title: 'Role: delete',
    area: 'Permissions',
    fields: [role],
    line: (values) => joined(['acl', 'role', 'delete', values.role]),
  },
  'user-create': {
    title: 'User or group: create',
    area: 'Permissions',
    fields: [
      { name: 'what', title: 'What', of: { choices: ['user', 'group'] } },
      { name: 'name', title: 'Name', help: 'A user or group of the hosts.', of: 'text' },
      { ...role, title: 'Roles', isMany: true, isOptional: true },
    ],
    line: (values) => joined(['acl', values.what, 'create', values.name, ...listIn(values.role)]),
  },
  'role-assign': {
    title: 'User or group: assign or remove a role',
    area: 'Permissions',
    fields: [
      { name: 'verb', title: 'What', of: { choices: ['assign', 'unassign'] } },
      role,
      { name: 'name', title: 'User or group', of: 'user or group' },
    ],
    line: (values) => joined(['acl', 'role', values.verb, values.role, values.name]),
  },
  'user-delete': {
    title: 'User: delete',
    area: 'Permissions',
    fields: [{ name: 'name', title: 'User', of: 'user' }],
    line: (values) => joined(['acl', 'user', 'delete', values.name]),
  },
  'acl-switch': {
    title: 'Permissions: obey them or not',
    area: 'Permissions',
    fields: [
      {
        name: 'verb',
        title: 'Permissions are',
        help: 'While they are disabled, members of haclient may do everything.',
        of: { choices: ['enable', 'disable'] },
      },
    ],
    line: (values) => joined(['acl', values.verb]),
  },
}

const alert = { name: 'alert', title: 'Alert', of: 'alert' } as const

export const alertForms: Readonly<Record<string, Form>> = {
  'recipient-add': {
    title: 'Alert: add a recipient',
    area: 'Alerts',
    fields: [
      alert,
      {
        name: 'value',
        title: 'Recipient',
        help: 'A mail address, a URL, a host: what its program expects.',
        of: 'text',
      },
    ],
    line: (values) => joined(['alert', 'recipient', 'add', values.alert, `value=${values.value ?? ''}`]),
  },
  'alert-test': {
    title: 'Alert: send a test',
    area: 'Alerts',
    fields: [{ ...alert, help: 'A marked event goes to all of its recipients, from the node that serves this page.' }],
    line: (values) => joined(['alert', 'test', values.alert]),
  },
  'recipient-delete': {
    title: 'Alert: delete a recipient',
    area: 'Alerts',
    fields: [{ name: 'recipient', title: 'Recipient', of: 'recipient' }],
    line: (values) => joined(['alert', 'recipient', 'delete', values.recipient]),
  },
  'alert-delete': {
    title: 'Alert: delete',
    area: 'Alerts',
    fields: [alert],
    line: (values) => joined(['alert', 'delete', values.alert]),
  },
}

const tag = { name: 'tag', title: 'Tag', of: 'tag' } as const
const members = { name: 'members', title: 'Resources', of: 'resource', isMany: true } as const

export const tagForms: Readonly<Record<string, Form>> = {
  'tag-create': {
    title: 'Tag: create',
    area: 'Tags',
    fields: [{ name: 'tag', title: 'Name', of: 'text' }, members],
    line: (values) => joined(['tag', 'create', values.tag, ...listIn(values.members)]),
  },
  'tag-update': {
    title: 'Tag: add or remove resources',
    area: 'Tags',
    fields: [tag, { name: 'verb', title: 'What', of: { choices: ['add', 'remove'] } }, members],
    line: (values) => joined(['tag', 'update', values.tag, values.verb, ...listIn(values.members)]),
  },
  'tag-delete': {
    title: 'Tag: delete',
    area: 'Tags',
    fields: [tag],
    line: (values) => joined(['tag', 'delete', values.tag]),
  },
}
