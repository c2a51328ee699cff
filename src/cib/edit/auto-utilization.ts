/**
 * Capacities of nodes that were computed, not typed: in a set of their own, so that nobody takes them for an administrator's, whose capacities
 * stand in the node's other sets and win.
 */
import { childElement, childElements, element, type XmlElement } from '../document.ts'
import { configurationElement } from '../read-configuration.ts'
import { idSource } from '../schema/ids.ts'
import { appended, replaceElement, withChildren } from '../tree.ts'
import { missingNodes } from './find.ts'
import type { NameValues } from './name-values.ts'
import { addRemoteEntry } from './remote-entry.ts'
import { type EditResult, edited } from './reports.ts'

const setIdOf = (node: XmlElement): string => `nodes-${node.attributes.id ?? ''}-utilization-auto`

export function autoUtilization(
  cib: XmlElement,
  capacities: readonly { readonly node: string; readonly values: NameValues }[],
): EditResult {
  return edited(
    capacities.reduce((current, { node, values }) => {
      const before = withoutAuto(current, node)
      const cleared = withEntry(before, node)
      const found = findNode(cleared, node)
      if (found === undefined) return before
      const typed = new Set(
        childElements(found, 'utilization').flatMap((set) =>
          childElements(set, 'nvpair').map((pair) => pair.attributes.name),
        ),
      )
      const own = Object.entries(values).filter(([name]) => !typed.has(name))
      if (own.length === 0) return before
      const ids = idSource(cleared)
      const id = ids.free(setIdOf(found))
      const pairs = own.map(([name, value]) => element('nvpair', { id: ids.free(`${id}-${name}`), name, value }))
      return replaceElement(cleared, found, (inside) => appended(inside, element('utilization', { id }, pairs)))
    }, cib),
  )
}

/** A remote node has no entry until it has an attribute of its own. */
const withEntry = (cib: XmlElement, name: string): XmlElement =>
  findNode(cib, name) !== undefined || missingNodes(cib, [name]).length > 0 ? cib : addRemoteEntry(cib, name)

export function withoutAutoUtilization(cib: XmlElement, nodes: readonly string[]): EditResult {
  return edited(nodes.reduce(withoutAuto, cib))
}

function withoutAuto(cib: XmlElement, name: string): XmlElement {
  const node = findNode(cib, name)
  const set = node && autoSetOf(node)
  return set === undefined ? cib : replaceElement(cib, set, [])
}

const autoSetOf = (node: XmlElement): XmlElement | undefined =>
  childElements(node, 'utilization').find(({ attributes }) => attributes.id === setIdOf(node))

/** What an administrator types takes the place of what was computed. */
export function withoutComputed(
  node: XmlElement,
  names: readonly string[],
): { readonly node: XmlElement; readonly auto?: XmlElement } {
  const set = autoSetOf(node)
  if (set === undefined) return { node }
  const kept = set.children.filter((child) => child.kind !== 'element' || !names.includes(child.attributes.name ?? ''))
  const rest = replaceElement(node, set, [])
  return kept.some((child) => child.kind === 'element') ? { node: rest, auto: withChildren(set, kept) } : { node: rest }
}

function findNode(cib: XmlElement, name: string): XmlElement | undefined {
  const nodes = childElement(configurationElement(cib), 'nodes')
  return nodes && childElements(nodes, 'node').find(({ attributes }) => attributes.uname === name)
}
