/** What changed between two configurations, for people and programs, without showing secrets. */
import { type ConfigurationChange, describeChanges, diffConfiguration, type XmlElement } from '../cib/index.ts'
import { isSecretName } from './secrets.ts'

export function difference(before: XmlElement, after: XmlElement): readonly ConfigurationChange[] {
  return diffConfiguration(before, after).map(withoutSecrets)
}

export function describeDifference(changes: readonly ConfigurationChange[]): string {
  return changes.length === 0 ? 'Nothing changed.\n' : describeChanges(changes)
}

function withoutSecrets(change: ConfigurationChange): ConfigurationChange {
  switch (change.kind) {
    case 'added':
    case 'removed':
      return { ...change, element: masked(change.element) }
    case 'changed': {
      // A pair's id ends with its name: fence-n1-instance_attributes-password.
      const name = change.path.split(/[-/[\]'"= ]+/).findLast((part) => part !== '') ?? ''
      if (!isSecretName(name)) return change
      return {
        ...change,
        attributes: change.attributes.map((attribute) => ({
          ...attribute,
          before: '******',
          after: '(another) ******',
        })),
      }
    }
    default:
      return change
  }
}

function masked(element: XmlElement): XmlElement {
  const { name, value } = element.attributes
  const attributes =
    name !== undefined && value !== undefined && isSecretName(name)
      ? { ...element.attributes, value: '******' }
      : element.attributes
  return {
    ...element,
    attributes,
    children: element.children.map((child) => (child.kind === 'element' ? masked(child) : child)),
  }
}
