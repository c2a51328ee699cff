/** Tags: names under which several elements can be named at once. */
import { failed, similarWords } from '../../base/index.ts'
import { childElement, childElements, element, type XmlElement } from '../document.ts'
import { configurationElement } from '../read-configuration.ts'
import { idSource } from '../schema/ids.ts'
import { appended, editSection, replaceElement, withChildren } from '../tree.ts'
import { badNewId } from './find.ts'
import { type EditReport, type EditResult, edited, unless } from './reports.ts'

export function createTag(
  cib: XmlElement,
  request: { readonly id: string; readonly members: readonly string[] },
): EditResult {
  const reports = [...badNewId(idSource(cib), request.id), ...checkMembers(cib, request.id, request.members)]
  return unless(reports, () =>
    edited(
      editSection(cib, 'tags', (section) =>
        appended(section, element('tag', { id: request.id }, request.members.map(reference))),
      ),
      { created: [request.id] },
    ),
  )
}

export function deleteTags(cib: XmlElement, request: { readonly ids: readonly string[] }): EditResult {
  const tags = tagsOf(cib)
  const known = tags.map(idOf)
  const constrained = constraintsOn(cib, request.ids)
  const reports: readonly EditReport[] = [
    ...(request.ids.length === 0 ? [{ code: 'nothing-given', what: 'tag' } as const] : []),
    ...request.ids.filter((id) => !known.includes(id)).map((id) => missing(id, known)),
    ...constrained.map(({ tag, by }) => ({ code: 'still-used', id: tag, by }) as const),
  ]
  return unless(reports, () => {
    const leaving = tags.filter((tag) => request.ids.includes(idOf(tag)))
    return edited(
      leaving.reduce((current, tag) => replaceElement(current, tag, []), cib),
      { removed: leaving.map((tag) => ({ element: 'tag', id: idOf(tag) })) },
    )
  })
}

export interface TagChange {
  readonly id: string
  readonly add: readonly string[]
  readonly remove: readonly string[]
  /** Where the added ones stand: at the end where neither is given. Members that are there already move. */
  readonly before?: string
  readonly after?: string
}

export function updateTag(cib: XmlElement, change: TagChange): EditResult {
  const tags = tagsOf(cib)
  const tag = tags.find((candidate) => idOf(candidate) === change.id)
  if (tag === undefined) return failed(missing(change.id, tags.map(idOf)))
  const present = childElements(tag, 'obj_ref').map(idOf)
  const neighbour = change.before ?? change.after
  const strangers = [...change.remove, ...(neighbour === undefined ? [] : [neighbour])].filter(
    (id) => !present.includes(id),
  )
  const fresh = change.add.filter((id) => !present.includes(id))
  const staying = present.filter((id) => !change.remove.includes(id) && !change.add.includes(id))
  const reports: readonly EditReport[] = [
    ...strangers.map((id) => ({ code: 'not-inside', id, parent: change.id }) as const),
    ...(fresh.length > 0 ? checkMembers(cib, change.id, fresh) : []),
    ...(staying.length + change.add.length === 0
      ? [{ code: 'nothing-left', id: change.id, kind: 'tag', remove: 'tag remove' } as const]
      : []),
  ]
  return unless(reports, () => {
    const at =
      neighbour === undefined ? staying.length : staying.indexOf(neighbour) + (change.after === undefined ? 0 : 1)
    const members = [...staying.slice(0, at), ...change.add, ...staying.slice(at)]
    return edited(replaceElement(cib, tag, (found) => withChildren(found, members.map(reference))))
  })
}

/** Resources that a tag stands for; any other id stands for itself. */
export function withoutTags(cib: XmlElement, ids: readonly string[]): readonly string[] {
  const tags = new Map(tagsOf(cib).map((tag) => [idOf(tag), childElements(tag, 'obj_ref').map(idOf)]))
  return [...new Set(ids.flatMap((id) => tags.get(id) ?? [id]))]
}

const idOf = ({ attributes }: XmlElement): string => attributes.id ?? ''
const reference = (id: string): XmlElement => element('obj_ref', { id })

function tagsOf(cib: XmlElement): readonly XmlElement[] {
  const section = childElement(configurationElement(cib), 'tags')
  return section === undefined ? [] : childElements(section, 'tag')
}

/** Whatever has an id may be tagged; a tag in a tag means nothing. */
function checkMembers(cib: XmlElement, tag: string, members: readonly string[]): readonly EditReport[] {
  const ids = idSource(cib)
  const tags = tagsOf(cib).map(idOf)
  return [
    ...(members.length === 0 ? [{ code: 'nothing-given', what: 'id for a tag' } as const] : []),
    ...members.filter((id, i) => members.indexOf(id) !== i).map((id) => ({ code: 'given-twice', id }) as const),
    ...members
      .filter((id) => !ids.isTaken(id) && id !== tag)
      .map((id) => ({ code: 'nothing-has-id', id, similar: similarWords(id, ids.all()) }) as const),
    ...members
      .filter((id) => id === tag || tags.includes(id))
      .map((id) => ({ code: 'wrong-kind', id, kind: 'tag', wanted: 'resource or another element' }) as const),
  ]
}

function constraintsOn(
  cib: XmlElement,
  tags: readonly string[],
): readonly { readonly tag: string; readonly by: string }[] {
  const section = childElement(configurationElement(cib), 'constraints')
  return (section === undefined ? [] : childElements(section)).flatMap((constraint) => {
    const named = [
      ...['rsc', 'with-rsc', 'first', 'then'].map((name) => constraint.attributes[name]),
      ...childElements(constraint, 'resource_set').flatMap((set) => childElements(set, 'resource_ref').map(idOf)),
    ]
    return tags.filter((tag) => named.includes(tag)).map((tag) => ({ tag, by: `the constraint '${idOf(constraint)}'` }))
  })
}

function missing(id: string, known: readonly string[]): EditReport {
  return { code: 'not-found', what: 'tag', id, similar: similarWords(id, known) }
}
