/** Alerts (Pacemaker Explained, "Alerts"): the programs that are called when something happens, for whom, and for which events. */
import type { AlertDefinition, AlertSelection } from './configuration.ts'
import { childElement, childElements, type XmlElement } from './document.ts'
import { readNvSets } from './read-nvset.ts'
import type { References } from './references.ts'

export function readAlerts(section: XmlElement | undefined, references: References): readonly AlertDefinition[] {
  if (section === undefined) return []
  return childElements(section, 'alert').flatMap((alert) => {
    const { id, path } = alert.attributes
    if (id === undefined || path === undefined) return []
    return [
      {
        id,
        path,
        selects: readSelection(childElement(alert, 'select')),
        meta: readNvSets(alert, 'meta_attributes', references),
        parameters: readNvSets(alert, 'instance_attributes', references),
        recipients: childElements(alert, 'recipient').map((recipient) => ({
          id: recipient.attributes.id ?? '',
          value: recipient.attributes.value ?? '',
          meta: readNvSets(recipient, 'meta_attributes', references),
          parameters: readNvSets(recipient, 'instance_attributes', references),
        })),
      },
    ]
  })
}

/** Without a word about it, of everything but attributes, which change too often. */
const byDefault: AlertSelection = { nodes: true, fencing: true, resources: true, attributes: [] }

function readSelection(select: XmlElement | undefined): AlertSelection {
  if (select === undefined || childElements(select).length === 0) return byDefault
  const has = (name: string): boolean => childElement(select, name) !== undefined
  const attributes = childElement(select, 'select_attributes')
  const names = (attributes === undefined ? [] : childElements(attributes, 'attribute')).flatMap(
    (attribute) => attribute.attributes.name ?? [],
  )
  return {
    nodes: has('select_nodes'),
    fencing: has('select_fencing'),
    resources: has('select_resources'),
    attributes: attributes === undefined ? [] : names.length === 0 ? 'all' : names,
  }
}
