/** Finding what an edit is about, with a report that suggests the right name where it is not there. */
import { longestName, similarWords, tooLong } from '../../base/index.ts'
import { childElement, childElements, type XmlElement } from '../document.ts'
import { configurationElement } from '../read-configuration.ts'
import { type IdSource, isValidId } from '../schema/ids.ts'
import { ancestorsOf, descendants } from '../tree.ts'
import type { EditReport } from './reports.ts'

const resourceElements = new Set(['primitive', 'group', 'clone', 'master', 'bundle'])

export const isResourceElement = (candidate: XmlElement): boolean => resourceElements.has(candidate.name)

/** All resources, nested ones included. */
export function resourceElementsOf(cib: XmlElement): readonly XmlElement[] {
  const section = childElement(configurationElement(cib), 'resources')
  return section === undefined ? [] : descendants(section).filter(isResourceElement)
}

export function findResource(cib: XmlElement, id: string): XmlElement | undefined {
  return resourceElementsOf(cib).find(({ attributes }) => attributes.id === id)
}

/** The group, clone or bundle directly around a resource. */
export function parentResource(cib: XmlElement, resource: XmlElement): XmlElement | undefined {
  const parent = ancestorsOf(configurationElement(cib), resource).at(-1)
  return parent && isResourceElement(parent) ? parent : undefined
}

export function childResources(resource: XmlElement): readonly XmlElement[] {
  return childElements(resource).filter(isResourceElement)
}

export function kindOf(resource: XmlElement): string {
  return resource.name === 'master' ? 'clone' : resource.name
}

export function missingResource(cib: XmlElement, id: string): EditReport {
  const candidates = resourceElementsOf(cib).flatMap(({ attributes }) => attributes.id ?? [])
  // What older pcs called `galera-master` newer ones call `galera-clone`.
  const renamed = otherCloneNames(id).filter((other) => candidates.includes(other))
  const similar = similarWords(id, candidates).filter((other) => !renamed.includes(other))
  return { code: 'resource-not-found', id, similar: [...renamed, ...similar].slice(0, 3) }
}

function otherCloneNames(id: string): readonly string[] {
  const match = /^(.+)-(clone|master)$/.exec(id)
  return match ? [`${match[1] ?? ''}-${match[2] === 'clone' ? 'master' : 'clone'}`] : []
}

/** Reports for the resources that are not there. Tags and templates may stand for resources in constraints. */
export function missingResources(
  cib: XmlElement,
  ids: readonly string[],
  also: ReadonlySet<string> = new Set(),
): readonly EditReport[] {
  return ids.filter((id) => !also.has(id) && findResource(cib, id) === undefined).map((id) => missingResource(cib, id))
}

/** Ids of tags and templates, which constraints may name instead of a resource. */
export function standIns(cib: XmlElement): ReadonlySet<string> {
  const configuration = configurationElement(cib)
  const of = (section: string, name: string): readonly string[] =>
    childElements(childElement(configuration, section) ?? configuration, name).flatMap(
      ({ attributes }) => attributes.id ?? [],
    )
  return new Set([...of('tags', 'tag'), ...of('resources', 'template')])
}

/** Cluster nodes, and remote and guest nodes by the name of their connection. */
export function nodeNamesOf(cib: XmlElement): readonly string[] {
  const nodes = childElement(configurationElement(cib), 'nodes')
  const members = nodes === undefined ? [] : childElements(nodes, 'node')
  const guests = descendants(configurationElement(cib)).flatMap((candidate) => {
    const { name, value, id, class: agentClass, provider, type } = candidate.attributes
    if (candidate.name === 'nvpair' && name === 'remote-node') return value ?? []
    const isConnection = agentClass === 'ocf' && provider === 'pacemaker' && type === 'remote'
    return candidate.name === 'primitive' && isConnection ? (id ?? []) : []
  })
  return [...new Set([...members.flatMap(({ attributes }) => attributes.uname ?? []), ...guests])]
}

export function missingNodes(cib: XmlElement, nodes: readonly string[]): readonly EditReport[] {
  const known = nodeNamesOf(cib)
  return nodes
    .filter((node) => !known.includes(node))
    .map((node) => ({ code: 'node-not-found', node, similar: similarWords(node, known) }))
}

/** What is wrong with an id that an administrator chose for something new. `longest`: of what nobody calls by its name it is longestId. */
export function badNewId(ids: IdSource, id: string, longest: number = longestName): readonly EditReport[] {
  if (!isValidId(id)) return [{ code: 'bad-id', id }]
  const sentence = tooLong('id', id, longest)
  if (sentence !== undefined) return [{ code: 'too-long', sentence }]
  return ids.isTaken(id) ? [{ code: 'id-in-use', id, by: 'another element' }] : []
}
