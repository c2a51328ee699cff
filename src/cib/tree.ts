/**
 * Changing an immutable document: each function returns a new tree that shares what did not change. Elements are found
 * by identity, so that an edit first looks for what it means and then says what stands there instead.
 */
import { childElement, childElements, element, type XmlElement, type XmlNode } from './document.ts'

/** The document with one of its elements replaced by none, one or several. */
export function replaceElement(
  root: XmlElement,
  target: XmlElement,
  replacement: readonly XmlNode[] | ((found: XmlElement) => XmlElement),
): XmlElement {
  const replaceIn = (parent: XmlElement): XmlElement => {
    let changed = false
    const children = parent.children.flatMap((child): readonly XmlNode[] => {
      if (child.kind !== 'element') return [child]
      if (child === target) {
        changed = true
        return typeof replacement === 'function' ? [replacement(child)] : replacement
      }
      const inner = changed ? child : replaceIn(child)
      if (inner !== child) changed = true
      return [inner]
    })
    return changed ? { ...parent, children } : parent
  }
  if (root === target && typeof replacement === 'function') return replacement(root)
  return replaceIn(root)
}

/** Attributes set, or with undefined taken away; the others keep their place. */
export function withAttributes(target: XmlElement, changes: Readonly<Record<string, string | undefined>>): XmlElement {
  const entries = Object.entries({ ...target.attributes, ...changes })
  const attributes = entries.filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { ...target, attributes: Object.fromEntries(attributes) }
}

export function withChildren(target: XmlElement, children: readonly XmlNode[]): XmlElement {
  return { ...target, children }
}

export function appended(target: XmlElement, ...children: readonly XmlNode[]): XmlElement {
  return { ...target, children: [...target.children, ...children] }
}

/** Every element below the root, in document order. */
export function descendants(root: XmlElement): readonly XmlElement[] {
  const found: XmlElement[] = []
  const visit = (parent: XmlElement): void => {
    for (const child of childElements(parent)) {
      found.push(child)
      visit(child)
    }
  }
  visit(root)
  return found
}

/** The elements that contain one, outermost first. */
export function ancestorsOf(root: XmlElement, target: XmlElement): readonly XmlElement[] {
  const search = (parent: XmlElement): readonly XmlElement[] | undefined => {
    for (const child of childElements(parent)) {
      if (child === target) return [parent]
      const below = search(child)
      if (below) return [parent, ...below]
    }
    return undefined
  }
  return search(root) ?? []
}

/** The sections of a configuration, in the order in which a new one is put in. */
export const configurationSections = [
  'crm_config',
  'nodes',
  'resources',
  'constraints',
  'tags',
  'acls',
  'fencing-topology',
  'rsc_defaults',
  'op_defaults',
  'alerts',
] as const

/** The configuration changed within a `cib` or `configuration` element. */
function editConfiguration(cib: XmlElement, edit: (configuration: XmlElement) => XmlElement): XmlElement {
  if (cib.name === 'configuration') return edit(cib)
  const configuration = childElement(cib, 'configuration')
  if (configuration) return replaceElement(cib, configuration, edit)
  return { ...cib, children: [edit(element('configuration')), ...cib.children] }
}

/** A section of the configuration changed; it is made where it is missing. */
export function editSection(cib: XmlElement, name: string, edit: (section: XmlElement) => XmlElement): XmlElement {
  return editConfiguration(cib, (configuration) => {
    const section = childElement(configuration, name)
    if (section) return replaceElement(configuration, section, edit)
    const sections: readonly string[] = configurationSections
    const later = sections.slice(sections.indexOf(name) + 1)
    const position = configuration.children.findIndex((child) => child.kind === 'element' && later.includes(child.name))
    const at = position === -1 ? configuration.children.length : position
    const made = edit(element(name))
    return withChildren(configuration, [
      ...configuration.children.slice(0, at),
      made,
      ...configuration.children.slice(at),
    ])
  })
}
