/** What changed between two configurations, for people and programs, without showing secrets. */
import {
  type ConfigurationChange,
  childElements,
  describeChanges,
  diffConfiguration,
  hiddenValue,
  type IsSecret,
  secretNames,
  withoutSecrets,
  type XmlElement,
} from '../../cib/index.ts'

export function difference(before: XmlElement, after: XmlElement): readonly ConfigurationChange[] {
  const isSecret = secretNames(before, after)
  const pairs = new Set([...secretPairs(before, isSecret), ...secretPairs(after, isSecret)])
  return diffConfiguration(before, after).map((change) => shown(change, isSecret, pairs))
}

export function describeDifference(changes: readonly ConfigurationChange[]): string {
  return changes.length === 0 ? 'Nothing changed.\n' : describeChanges(changes)
}

function shown(change: ConfigurationChange, isSecret: IsSecret, pairs: ReadonlySet<string>): ConfigurationChange {
  switch (change.kind) {
    case 'added':
    case 'removed':
      return { ...change, element: withoutSecrets(change.element, isSecret) }
    case 'changed': {
      const id = /@id='([^']*)'\]$/.exec(change.path)?.[1]
      if (id === undefined || !pairs.has(id)) return change
      return {
        ...change,
        attributes: change.attributes.map((attribute) =>
          attribute.name === 'value'
            ? { ...attribute, before: hiddenValue, after: `(another) ${hiddenValue}` }
            : attribute,
        ),
      }
    }
    default:
      return change
  }
}

/** The ids of the pairs whose values are secret. */
function secretPairs(root: XmlElement, isSecret: IsSecret): readonly string[] {
  const { id, name, value } = root.attributes
  const own = id !== undefined && name !== undefined && value !== undefined && isSecret(name) ? [id] : []
  return [...own, ...childElements(root).flatMap((child) => secretPairs(child, isSecret))]
}
