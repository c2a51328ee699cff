/** What pcs finds first where a line names something that is not there, or is something else than the command is about. */
import {
  childElements,
  configurationElement,
  elementWithId,
  findResource,
  readConfiguration,
  type XmlElement,
} from '../../cib/index.ts'
import { type Call, Refusal } from '../call/command.ts'
import { type Notice, saidByPcs } from '../call/message.ts'
import { writesAs011 } from './speech.ts'

type Found = (cib: XmlElement, call: Call) => readonly string[] | string | undefined

/** A list is said as a whole and closed; a sentence alone ends the line. */
const finders: Readonly<Record<string, Found>> = {
  'resource defaults set delete': (cib, { words }) => foreignSets(cib, words, 'rsc_defaults'),
  'resource defaults set update': (cib, { words }) => foreignSets(cib, words.slice(0, 1), 'rsc_defaults'),
  'resource op defaults set delete': (cib, { words }) => foreignSets(cib, words, 'op_defaults'),
  'resource op defaults set update': (cib, { words }) => foreignSets(cib, words.slice(0, 1), 'op_defaults'),
  'acl role assign': subjectOfRole,
  'acl role unassign': subjectOfRole,
  'acl role delete': (cib, { words }) => notOfAcl(cib, words, 'role'),
  'acl user create': (cib, { words: [id] }) => takenBy(cib, id, ['acl_target']),
  'acl group create': (cib, { words: [id] }) => takenBy(cib, id),
  'acl user delete': (cib, { words }) => notOfAcl(cib, words, 'user'),
  'acl group delete': (cib, { words }) => notOfAcl(cib, words, 'group'),
  'acl permission add': (cib, { words: [role] }) => {
    const element = role === undefined ? undefined : elementWithId(cib, role)
    return element === undefined || element.name === 'acl_role' ? undefined : `'${role}' is not an ACL role`
  },
  'alert recipient add': (cib, { words: [alert] }) =>
    alert === undefined || elementWithId(cib, alert)?.name === 'alert' ? undefined : `alert '${alert}' does not exist`,
  'resource relations': (cib, { words: [id] }) =>
    id === undefined || findResource(cib, id) !== undefined || elementWithId(cib, id) === undefined
      ? undefined
      : `'${id}' is not a resource`,
  'tag delete': (cib, { words }) => notTags(cib, words),
}

export async function refuseNotThere(call: Call, name: string): Promise<void> {
  const find = finders[name]
  if (find === undefined || call.words.length === 0) return
  const found = find((await call.cluster.readCib()).cib, call)
  if (typeof found === 'string') throw new Refusal({ own: found, about: { code: 'said-by-pcs', errors: [found] } })
  if (found !== undefined && found.length > 0) throw new Refusal(saidByPcs(...found))
}

function foreignSets(cib: XmlElement, ids: readonly string[], section: string): readonly string[] {
  const own = childElements(configurationElement(cib), section).flatMap((found) =>
    childElements(found, 'meta_attributes'),
  )
  return ids.flatMap((id) => {
    if (own.some(({ attributes }) => attributes.id === id)) return []
    const other = elementWithId(cib, id)
    return other?.name === 'meta_attributes'
      ? [`meta_attributes '${id}' exists but does not belong to '${section}'`]
      : other === undefined
        ? [`options set '${id}' does not exist`]
        : [`'${id}' is not an options set`]
  })
}

export const kindNotNamed: Notice = {
  code: 'deprecated',
  text: "Assigning / unassigning a role to a user / group without specifying 'user' or 'group' keyword is deprecated and might be removed in a future release.",
}

/** The user or group comes before the role: `role assign ROLE [to] [user|group] NAME`. */
function subjectOfRole(cib: XmlElement, call: Call): string | undefined {
  const { words, speech } = call
  const rest = words.slice(1).filter((word, index) => !(index === 0 && (word === 'to' || word === 'from')))
  const named = rest.length > 1 && (rest[0] === 'user' || rest[0] === 'group') ? rest[0] : undefined
  const id = named === undefined ? rest[0] : rest[1]
  if (id === undefined) return undefined
  const element = elementWithId(cib, id)
  // In 0.11 whoever is not called a group is a user.
  const kind = named ?? (writesAs011(speech) && element?.name === 'acl_group' ? 'user' : undefined)
  const isSubject =
    element !== undefined &&
    (kind === undefined ? ['acl_target', 'acl_group'].includes(element.name) : element.name === elementOf[kind])
  if (isSubject) return undefined
  if (named === undefined) call.tell(kindNotNamed)
  const wanted = kind === undefined ? 'ACL group/ACL user' : `ACL ${kind}`
  if (element === undefined) return `${wanted} '${id}' does not exist`
  return `'${id}' is not ${kind === undefined ? 'an ACL group/ACL user' : `an ACL ${kind}`}`
}

const elementOf = { user: 'acl_target', group: 'acl_group', role: 'acl_role' } as const

function notOfAcl(cib: XmlElement, [id]: readonly string[], kind: 'user' | 'group' | 'role'): string | undefined {
  const element = id === undefined ? undefined : elementWithId(cib, id)
  if (element === undefined || element.name === elementOf[kind]) return undefined
  // The name of a user is no id: nothing else is called so.
  return element.name === 'acl_target' ? `ACL ${kind} '${id}' does not exist` : `'${id}' is not an ACL ${kind}`
}

/** A user may have the name of something else. */
function takenBy(cib: XmlElement, id: string | undefined, names?: readonly string[]): string | undefined {
  const other = id === undefined ? undefined : elementWithId(cib, id)
  return other !== undefined && (names?.includes(other.name) ?? true) ? `'${id}' already exists` : undefined
}

function notTags(cib: XmlElement, ids: readonly string[]): readonly string[] {
  const { tags } = readConfiguration(cib)
  return ids.flatMap((id) => {
    if (tags.some((tag) => tag.id === id)) return []
    return [elementWithId(cib, id) === undefined ? `tag '${id}' does not exist` : `'${id}' is not a tag`]
  })
}
