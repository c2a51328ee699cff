/**
 * A primitive's element as its template completes it (Pacemaker Explained, "Reusing Resource Definitions"): what the template has comes
 * first, the primitive's own follows, and an operation of the primitive stands for the template's of its name and role.
 */
import { childElement, childElements, configurationElement, element, type XmlElement } from '../../cib/index.ts'

export function withTemplate(cib: XmlElement, primitive: XmlElement): XmlElement {
  const { id = '', template: name } = primitive.attributes
  const resources = childElement(configurationElement(cib), 'resources')
  const template =
    name === undefined || resources === undefined
      ? undefined
      : childElements(resources, 'template').find(({ attributes }) => attributes.id === name)
  if (template === undefined) return primitive
  const own = childElement(primitive, 'operations')
  const theirs = childElement(template, 'operations')
  const children =
    own === undefined || theirs === undefined
      ? [...template.children, ...primitive.children]
      : [
          ...template.children.filter((child) => child !== theirs),
          ...primitive.children.map((child) => (child === own ? merged(own, theirs) : child)),
        ]
  return element('primitive', { ...template.attributes, id }, children)
}

function merged(own: XmlElement, inherited: XmlElement): XmlElement {
  const key = ({ attributes: { name, role } }: XmlElement): string => `${name} ${role}`
  const replaced = new Set(childElements(own).map(key))
  return { ...own, children: [...own.children, ...childElements(inherited).filter((one) => !replaced.has(key(one)))] }
}
