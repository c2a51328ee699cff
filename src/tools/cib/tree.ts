/** Finding and changing elements of an immutable document, for commands whose edits are those of Pacemaker's tools to the byte. */
import {
  childElement,
  childElements,
  configurationElement,
  element,
  type XmlElement,
  type XmlNode,
} from '../../cib/index.ts'

/** The document with one element replaced by others, found by identity. */
export function replaced(root: XmlElement, target: XmlElement, ...by: readonly XmlNode[]): XmlElement {
  if (root === target) {
    const [only] = by
    return only?.kind === 'element' ? only : root
  }
  let changed = false
  const children = root.children.flatMap((child): readonly XmlNode[] => {
    if (child.kind !== 'element') return [child]
    if (child === target) {
      changed = true
      return by
    }
    const inner = changed ? child : replaced(child, target, ...by)
    if (inner !== child) changed = true
    return [inner]
  })
  return changed ? { ...root, children } : root
}

export function appended(target: XmlElement, ...children: readonly XmlNode[]): XmlElement {
  return { ...target, children: [...target.children, ...children] }
}

export function removed(root: XmlElement, target: XmlElement): XmlElement {
  return replaced(root, target)
}

/** Every element below the root, in document order. */
export function descendants(root: XmlElement): readonly XmlElement[] {
  return childElements(root).flatMap((child) => [child, ...descendants(child)])
}

/** A section of the configuration, or `status`; undefined where it is not there. */
export function sectionOf(cib: XmlElement, name: string): XmlElement | undefined {
  if (name === 'cib') return cib
  if (name === 'configuration' || name === 'status') return childElement(cib, name)
  return childElement(configurationElement(cib), name)
}

/** The CIB with a section in it, made where it is missing: after all others, as Pacemaker does. */
export function withSection(cib: XmlElement, name: string): XmlElement {
  if (sectionOf(cib, name) !== undefined) return cib
  if (name === 'status') return appended(cib, element('status'))
  const configuration = childElement(cib, 'configuration')
  return configuration === undefined
    ? appended(cib, element('configuration', {}, [element(name)]))
    : replaced(cib, configuration, appended(configuration, element(name)))
}

export function nodeElement(cib: XmlElement, node: string): XmlElement | undefined {
  const nodes = sectionOf(cib, 'nodes')
  return nodes && childElements(nodes, 'node').find(({ attributes }) => attributes.uname === node)
}

export function nodeState(cib: XmlElement, node: string): XmlElement | undefined {
  const status = childElement(cib, 'status')
  return status && childElements(status, 'node_state').find(({ attributes }) => attributes.uname === node)
}
