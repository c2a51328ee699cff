import {
  type AclSubject,
  aclIsOn,
  addAclPermissions,
  assignAclRole,
  childElement,
  childElements,
  configurationElement,
  createAclRole,
  createAclSubject,
  deleteAclPermission,
  deleteAclRole,
  deleteAclSubject,
  element,
  type NewPermission,
  readConfiguration,
  setClusterOptions,
  unassignAclRole,
  type XmlElement,
} from '../../../cib/index.ts'
import { selectXpath } from '../../../tools/index.ts'
import { kindNotNamed } from '../../as-pcs/not-there.ts'
import { type Call, type Command, changeFlags, type Outcome, Refusal } from '../../call/command.ts'
import { formatFlag, inFormat } from '../../call/output-format.ts'
import { changeCib } from '../../change/change.ts'
import { expectWords, wrongCall } from '../../grammar/words.ts'
import { rebuildingCommands } from '../../replay/index.ts'

export const aclConfig: Command = {
  path: ['acl', 'config'],
  bare: [['acl']],
  aliases: [['acl', 'show']],
  usage: '[--output-format text|cmd|json]',
  summary: 'Show who may read and change what',
  flags: [formatFlag],
  run: async (call) => {
    const { cib } = await call.cluster.readCib()
    const facts = aclFacts(cib)
    return await inFormat(call, {
      text: () => describeAcls(facts, call.speech.program),
      json: facts,
      cmd: () => rebuildingCommands(call, cib, { sections: ['acls'] }),
    })
  },
}

/** `acl enable` and `acl disable`: the cluster option under a name that one remembers. */
export const aclSwitches: readonly Command[] = [true, false].map((on) => ({
  path: ['acl', on ? 'enable' : 'disable'],
  usage: '',
  summary: on
    ? 'Enable access control: members of the group haclient may do only what their roles permit'
    : 'Disable access control: every member of the group haclient may do everything',
  flags: changeFlags,
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: `acl ${on ? 'enable' : 'disable'}` })
    return await changeCib(call, {
      edit: (cib) => setClusterOptions(cib, { values: { 'enable-acl': String(on) } }),
      message: ({ cib }) => (on ? describeEnabled(aclFacts(cib)) : disabled),
    })
  },
}))

const disabled = 'Access control is disabled: every member of the group haclient may do everything.'

function describeEnabled({ users, groups }: AclFacts): string {
  const holders = [
    ...users.filter(({ roles }) => roles.length > 0).map(({ id }) => id),
    ...groups.filter(({ roles }) => roles.length > 0).map(({ id }) => `the group ${id}`),
  ]
  const some = holders.length === 0 ? 'no user has a role yet' : `${holders.join(', ')}: what their roles permit`
  return `Access control is enabled. root and hacluster may do everything; ${some}; other members of the group haclient may do nothing.`
}

export const aclRoleCreate: Command = {
  path: ['acl', 'role', 'create'],
  usage: '<role> [description=<text>] [(read | write | deny) (xpath <query> | id <id>)]...',
  summary: 'Create a role with permissions',
  examples: ['systole acl role create watcher description=Watches read xpath /cib'],
  flags: changeFlags,
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, usage: 'acl role create <role> [<permission>...]' })
    const [id = '', ...rest] = call.words
    const described = rest[0]?.startsWith('description=') ? rest[0].slice('description='.length) : undefined
    const permissions = readPermissions(described === undefined ? rest : rest.slice(1))
    return await changeCib(call, {
      edit: (cib) =>
        createAclRole(cib, { id, permissions, ...(described === undefined ? {} : { description: described }) }),
      message: () => `The role ${id} exists.`,
      facts: ({ created }) => ({ created }),
    })
  },
}

export const aclRoleDelete: Command = {
  path: ['acl', 'role', 'delete'],
  aliases: [['acl', 'role', 'remove']],
  usage: '<role> [--autodelete]',
  summary: 'Delete a role and remove it from users and groups',
  flags: [...changeFlags, { name: 'autodelete', summary: 'Also delete users and groups that have no other role' }],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'acl role delete <role>' })
    const id = call.words[0] ?? ''
    return await changeCib(call, {
      edit: (cib) => deleteAclRole(cib, { id, emptyGo: call.flags.has('autodelete') }),
      message: () => `Deleted: ${id}.`,
    })
  },
}

export const aclRoleAssign: Command = {
  path: ['acl', 'role', 'assign'],
  usage: '<role> [to] [user | group] <name>',
  summary: 'Assign a role to a user or group',
  flags: changeFlags,
  run: (call) => assign(call, 'to'),
}

export const aclRoleUnassign: Command = {
  path: ['acl', 'role', 'unassign'],
  usage: '<role> [from] [user | group] <name> [--autodelete]',
  summary: 'Remove a role from a user or group',
  flags: [...changeFlags, { name: 'autodelete', summary: 'Also delete the user or group if it has no other role' }],
  run: (call) => assign(call, 'from'),
}

async function assign(call: Call, joint: 'to' | 'from'): Promise<Outcome> {
  const usage = `acl ${call.command.path.slice(1).join(' ')} ${call.command.usage}`
  const [role = '', ...rest] = call.words
  const words = rest[0] === joint ? rest.slice(1) : rest
  const [first, second] = words
  const kind: AclSubject | undefined =
    second !== undefined && (first === 'user' || first === 'group') ? first : undefined
  const names = kind === undefined ? words : words.slice(1)
  expectWords(
    [role, ...names].filter((word) => word !== ''),
    { atLeast: 2, atMost: 2, usage },
  )
  const request = { role, id: names[0] ?? '', ...(kind === undefined ? {} : { kind }) }
  if (kind === undefined) call.tell(kindNotNamed)
  return await changeCib(call, {
    edit: (cib) =>
      joint === 'to'
        ? assignAclRole(cib, request)
        : unassignAclRole(cib, { ...request, emptyGoes: call.flags.has('autodelete') }),
    message: () =>
      joint === 'to' ? `${request.id} has the role ${role}.` : `${request.id} no longer has the role ${role}.`,
  })
}

/** `acl user create` and its kin, for users and groups alike. */
export const aclSubjectCommands: readonly Command[] = (['user', 'group'] as const).flatMap((kind) => [
  {
    path: ['acl', kind, 'create'],
    usage: `<${kind}> [<role>...]`,
    summary: `Create a ${kind} that can have roles`,
    flags: changeFlags,
    run: async (call) => {
      expectWords(call.words, { atLeast: 1, usage: `acl ${kind} create <${kind}> [<role>...]` })
      const [id = '', ...roles] = call.words
      return await changeCib(call, {
        edit: (cib) => createAclSubject(cib, { kind, id, roles }),
        message: () =>
          `The ${kind} ${id} has ${roles.length === 0 ? 'no roles yet' : `the roles ${roles.join(', ')}`}.`,
        facts: ({ created }) => ({ created }),
      })
    },
  } satisfies Command,
  {
    path: ['acl', kind, 'delete'],
    aliases: [['acl', kind, 'remove']],
    usage: `<${kind}>`,
    summary: `Delete a ${kind} and its role assignments`,
    flags: changeFlags,
    run: async (call) => {
      expectWords(call.words, { atLeast: 1, atMost: 1, usage: `acl ${kind} delete <${kind}>` })
      const id = call.words[0] ?? ''
      return await changeCib(call, {
        edit: (cib) => deleteAclSubject(cib, { kind, id }),
        message: () => `Deleted: ${id}.`,
      })
    },
  } satisfies Command,
])

export const aclPermissionAdd: Command = {
  path: ['acl', 'permission', 'add'],
  usage: '<role> ((read | write | deny) (xpath <query> | id <id>))...',
  summary: 'Add permissions to a role, and create the role if it does not exist',
  flags: changeFlags,
  run: async (call) => {
    expectWords(call.words, { atLeast: 4, usage: 'acl permission add <role> (read|write|deny) (xpath|id) <what>' })
    const [role = '', ...rest] = call.words
    const permissions = readPermissions(rest)
    return await changeCib(call, {
      edit: (cib) => addAclPermissions(cib, { role, permissions }),
      message: ({ created }) =>
        created.includes(role)
          ? `The role ${role} did not exist: it was created with ${permissions.length === 1 ? 'this permission' : 'these permissions'}.`
          : `Added to ${role}: ${created.join(', ')}.`,
      facts: ({ created }) => ({ created }),
    })
  },
}

export const aclPermissionDelete: Command = {
  path: ['acl', 'permission', 'delete'],
  aliases: [['acl', 'permission', 'remove']],
  usage: '<permission id>',
  summary: 'Delete a permission',
  flags: changeFlags,
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'acl permission delete <permission id>' })
    const id = call.words[0] ?? ''
    return await changeCib(call, {
      edit: (cib) => deleteAclPermission(cib, { id }),
      message: () => `Deleted: ${id}.`,
    })
  },
}

/** One that cannot be evaluated would give nothing, and as a deny it would close everything. */
function checkXpath(xpath: string): void {
  const found = selectXpath(element('cib'), xpath)
  // What finds a number is understood, and finds nothing.
  if (!found.ok && found.reports.some((report) => report.includes('not understood')))
    throw new Refusal(...found.reports.map((report) => `${report}.`))
}

function readPermissions(words: readonly string[]): readonly NewPermission[] {
  const permissions: NewPermission[] = []
  for (let at = 0; at < words.length; at += 3) {
    const [kind, by] = words.slice(at, at + 2).map((word) => word.toLowerCase())
    const what = words[at + 2]
    if (kind !== 'read' && kind !== 'write' && kind !== 'deny')
      throw new Refusal(wrongCall(`A permission begins with read, write or deny, not '${kind ?? ''}'.`))
    if ((by !== 'xpath' && by !== 'id') || what === undefined)
      throw new Refusal(wrongCall(`After '${kind}' comes 'xpath <query>' or 'id <id>', not '${by ?? ''}'.`))
    if (by === 'xpath') checkXpath(what)
    permissions.push({ kind, on: by === 'xpath' ? { by, xpath: what } : { by, id: what } })
  }
  return permissions
}

interface AclFacts {
  readonly enabled: boolean
  readonly users: readonly { readonly id: string; readonly roles: readonly string[] }[]
  readonly groups: readonly { readonly id: string; readonly roles: readonly string[] }[]
  readonly roles: readonly {
    readonly id: string
    readonly description?: string
    readonly permissions: readonly { readonly id: string; readonly kind: string; readonly on: string }[]
  }[]
}

function aclFacts(cib: XmlElement): AclFacts {
  const section = childElement(configurationElement(cib), 'acls')
  const of = (name: string): readonly XmlElement[] => (section === undefined ? [] : childElements(section, name))
  const idOf = ({ attributes }: XmlElement): string => attributes.id ?? ''
  const holders = (name: string): AclFacts['users'] =>
    of(name).map((holder) => ({ id: idOf(holder), roles: childElements(holder, 'role').map(idOf) }))
  return {
    enabled: aclIsOn(readConfiguration(cib)),
    users: holders('acl_target'),
    groups: holders('acl_group'),
    roles: of('acl_role').map((role) => ({
      id: idOf(role),
      ...(role.attributes.description === undefined ? {} : { description: role.attributes.description }),
      permissions: childElements(role, 'acl_permission').map(({ attributes }) => ({
        id: attributes.id ?? '',
        kind: attributes.kind ?? '',
        on:
          attributes.xpath !== undefined
            ? `xpath ${attributes.xpath}`
            : attributes.reference !== undefined
              ? `id ${attributes.reference}`
              : `object-type ${attributes['object-type'] ?? ''}`,
      })),
    })),
  }
}

function describeAcls({ enabled, users, groups, roles }: AclFacts, program: string): string {
  const holders = (title: string, items: AclFacts['users']): string =>
    items.map(({ id, roles: own }) => `${title}: ${id}\n  Roles:${own.map((role) => ` ${role}`).join('')}\n`).join('')
  const described = roles.map(
    ({ id, description, permissions }) =>
      `Role: ${id}\n${description === undefined ? '' : `  Description: ${description}\n`}${permissions
        .map(({ id: permission, kind, on }) => `  Permission: ${kind} ${on} (${permission})\n`)
        .join('')}`,
  )
  return `ACLs are ${enabled ? 'enabled' : `disabled, run '${program} acl enable' to enable`}\n\n${holders('User', users)}${holders('Group', groups)}${described.join('')}`
}
