/** Names that must lead somewhere: references to resources, templates, tags, nodes, roles and other elements; and ids that are used once. */
import { similarWords } from '../../base/index.ts'
import { childElement, childElements, type XmlElement } from '../document.ts'
import { isResourceElement, nodeNamesOf, resourceElementsOf, standIns } from '../edit/find.ts'
import { isReference } from '../schema/ids.ts'
import { descendants } from '../tree.ts'
import { splitWords } from '../values/attribute-text.ts'
import type { AddReport, Where } from './report.ts'

/** Names that the system or an administrator gave, which are no XML ids. */
const freeIds: ReadonlySet<string> = new Set(['node', 'acl_target'])

export function validateIds(
  configuration: XmlElement,
  whereIs: (element: XmlElement) => Where,
  parentOf: (element: XmlElement) => XmlElement | undefined,
  add: AddReport,
): void {
  const byId = new Map<string, XmlElement[]>()
  for (const element of descendants(configuration)) {
    const { id } = element.attributes
    if (id === undefined || freeIds.has(element.name) || isReference(element)) continue
    const others = byId.get(id)
    if (others === undefined) byId.set(id, [element])
    else others.push(element)
  }
  for (const [id, elements] of byId) {
    const [first, second] = elements
    if (first === undefined || second === undefined) continue
    if (elements.every(isResourceElement)) {
      const parents = elements.map((element) => nameOf(parentOf(element)))
      add('error', second, { code: 'resource-twice', id, parents })
    } else
      for (const element of elements.slice(1))
        add('error', element, { code: 'duplicate-id', id, first: whereIs(first) })
  }
}

function nameOf(parent: XmlElement | undefined): string {
  const id = parent?.attributes.id
  return id === undefined ? `the ${parent?.name ?? 'configuration'} section` : `the ${parent?.name} '${id}'`
}

/** Nobody reads more, and to look for what resembles a name takes as long as there are names. */
const mostSuggestions = 20

/** For the first mistakes; of a document that is wrong everywhere the others say what is wrong alone. */
function suggester(): typeof similarWords {
  let suggestions = 0
  return (word, candidates) => (++suggestions > mostSuggestions ? [] : similarWords(word, candidates))
}

export function validateReferences(configuration: XmlElement, add: AddReport): void {
  const suggest = suggester()
  const resources = new Set(resourceElementsOf(configuration).flatMap(({ attributes }) => attributes.id ?? []))
  const subjects = new Set([...resources, ...standIns(configuration)])
  const all = descendants(configuration)
  const idsByName = groupIds(all)
  const everyId = new Set(
    all.filter((element) => !isReference(element)).flatMap(({ attributes }) => attributes.id ?? []),
  )
  const check = (
    element: XmlElement,
    wanted: {
      readonly id: string | undefined
      readonly what: string
      readonly among: ReadonlySet<string>
      readonly by: string
    },
  ): void => {
    if (wanted.id === undefined || wanted.among.has(wanted.id)) return
    const similar = suggest(wanted.id, wanted.among)
    add('error', element, { code: 'unknown-reference', what: wanted.what, id: wanted.id, by: wanted.by, similar })
  }
  const none: ReadonlySet<string> = new Set()
  const devices = new Set([...resources, 'watchdog'])
  for (const element of all) {
    const { attributes, name } = element
    const by = `The ${name} '${attributes.id ?? ''}'`
    check(element, { id: attributes['id-ref'], what: name, among: idsByName.get(name) ?? none, by: `This ${name}` })
    if (name === 'primitive')
      check(element, { id: attributes.template, what: 'template', among: idsByName.get('template') ?? none, by })
    if (name.startsWith('rsc_'))
      for (const attribute of ['rsc', 'with-rsc', 'first', 'then'])
        check(element, { id: attributes[attribute], what: 'resource', among: subjects, by })
    if (name === 'resource_set')
      for (const member of childElements(element, 'resource_ref'))
        check(member, { id: member.attributes.id, what: 'resource', among: subjects, by })
    if (name === 'tag')
      for (const member of childElements(element, 'obj_ref'))
        check(member, { id: member.attributes.id, what: 'element', among: everyId, by })
    if (name === 'fencing-level')
      for (const device of splitWords(attributes.devices))
        check(element, { id: device, what: 'fence device', among: devices, by })
    if (name === 'acl_target' || name === 'acl_group')
      for (const member of childElements(element, 'role'))
        check(member, { id: member.attributes.id, what: 'role', among: idsByName.get('acl_role') ?? none, by })
  }
  validateNodes(configuration, add)
}

function groupIds(elements: readonly XmlElement[]): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = new Map<string, Set<string>>()
  for (const { name, attributes } of elements) {
    if (attributes.id === undefined) continue
    const ids = groups.get(name) ?? new Set<string>()
    groups.set(name, ids.add(attributes.id))
  }
  return groups
}

/** A node may join later and a bundle's replica is a node of its own, so that an unknown one is only a warning. */
function validateNodes(configuration: XmlElement, add: AddReport): void {
  const suggest = suggester()
  const known = new Set(nodeNamesOf(configuration))
  const bundles = resourceElementsOf(configuration)
    .filter(({ name }) => name === 'bundle')
    .map(({ attributes }) => attributes.id ?? '')
  const isReplica = (node: string): boolean =>
    bundles.some((id) => node.startsWith(`${id}-`) && /^\d+$/.test(node.slice(id.length + 1)))
  const inSection = (section: string, attribute: string): void => {
    for (const element of childElements(childElement(configuration, section) ?? configuration)) {
      const node = element.attributes[attribute]
      if (node === undefined || known.has(node) || isReplica(node)) continue
      const by = `The ${element.name} '${element.attributes.id ?? ''}'`
      add('warning', element, { code: 'unknown-node', node, by, similar: suggest(node, known) })
    }
  }
  inSection('constraints', 'node')
  inSection('fencing-topology', 'target')
}
