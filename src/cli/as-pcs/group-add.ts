/** Everything that pcs 0.12 finds wrong with `resource group add`, in its order; ours stops at the first kind of mistake. */
import { childElements, findResource, type XmlElement } from '../../cib/index.ts'
import { type Call, Refusal } from '../call/command.ts'
import { saidByPcs } from '../call/message.ts'
import { badCharacter } from '../pcs-words/about-ids.ts'
import { quoted } from '../pcs-words/said.ts'

export async function refuseGroupAdd({ words, flags, cluster }: Call): Promise<void> {
  const [group = '', ...resources] = words
  const sides = ['before', 'after'].flatMap((side) => flags.get(side) ?? [])
  if (resources.length === 0 || sides.length > 1) return
  const { cib } = await cluster.readCib()
  const found = findResource(cib, group)
  if (found !== undefined && found.name !== 'group') return
  const members = found === undefined ? [] : childElements(found, 'primitive').map(({ attributes }) => attributes.id)
  const beside = typeof sides[0] === 'string' ? sides[0] : undefined
  if (beside !== undefined && findResource(cib, beside) === undefined)
    throw new Refusal(saidByPcs(`'${beside}' does not exist`))
  const errors = [
    ...(found === undefined ? [badCharacter(group, 'group name')].filter((error) => error !== undefined) : []),
    ...aboutResources(cib, resources, group),
    ...aboutMembers(resources, { group, members, beside }),
  ]
  if (errors.length > 0) throw new Refusal(saidByPcs(...errors))
}

function aboutResources(cib: XmlElement, resources: readonly string[], group: string): readonly string[] {
  const known = resources.filter((id) => findResource(cib, id) !== undefined)
  const twice = [...new Set(known.filter((id, index) => known.indexOf(id) !== index))]
  return [
    ...[...new Set(resources)].filter((id) => !known.includes(id)).map((id) => `'${id}' does not exist`),
    ...[...new Set(known)].flatMap((id) => unfit(cib, id)),
    ...(known.length === 0 ? [`Cannot modify group '${group}', no resources to add or remove specified`] : []),
    ...(twice.length === 0 ? [] : [`Resources to add or remove must be unique, duplicate resources: ${quoted(twice)}`]),
  ]
}

function unfit(cib: XmlElement, id: string): readonly string[] {
  const resource = findResource(cib, id)
  const kind =
    resource?.attributes.class === 'stonith' ? 'stonith' : resource?.name === 'master' ? 'clone' : resource?.name
  return kind === undefined || kind === 'primitive'
    ? []
    : [`'${id}' is a ${kind} resource, ${kind} resources cannot be put into a group`]
}

interface Place {
  readonly group: string
  readonly members: readonly (string | undefined)[]
  readonly beside: string | undefined
}

function aboutMembers(resources: readonly string[], { group, members, beside }: Place): readonly string[] {
  if (beside === undefined)
    return [...new Set(resources)]
      .filter((id) => members.includes(id))
      .map((id) => `Cannot add resource '${id}', it is already present in group '${group}'`)
  return [
    ...(members.includes(beside)
      ? []
      : [`There is no resource '${beside}' in the group '${group}', cannot add resources next to it`]),
    ...(resources.includes(beside) ? [`Cannot put resource '${beside}' next to itself`] : []),
  ]
}
