/** The alerts of a configuration. */
import { childElement, childElements, configurationElement, type XmlElement } from '../../../cib/index.ts'

export interface AlertFacts {
  readonly id: string
  readonly path: string
  readonly description?: string
  readonly options: Readonly<Record<string, string>>
  readonly meta: Readonly<Record<string, string>>
  readonly recipients: readonly {
    readonly id: string
    readonly value: string
    readonly description?: string
    readonly options: Readonly<Record<string, string>>
    readonly meta: Readonly<Record<string, string>>
  }[]
}

export function alertFacts(cib: XmlElement): readonly AlertFacts[] {
  const section = childElement(configurationElement(cib), 'alerts')
  return (section === undefined ? [] : childElements(section, 'alert')).map((alert) => ({
    id: alert.attributes.id ?? '',
    path: alert.attributes.path ?? '',
    ...common(alert),
    recipients: childElements(alert, 'recipient').map((recipient) => ({
      id: recipient.attributes.id ?? '',
      value: recipient.attributes.value ?? '',
      ...common(recipient),
    })),
  }))
}

function common(item: XmlElement): Pick<AlertFacts, 'options' | 'meta' | 'description'> {
  const pairs = (kind: string): Readonly<Record<string, string>> =>
    Object.fromEntries(
      childElements(item, kind).flatMap((set) =>
        childElements(set, 'nvpair').map(({ attributes }) => [attributes.name ?? '', attributes.value ?? ''] as const),
      ),
    )
  const { description } = item.attributes
  return {
    ...(description === undefined ? {} : { description }),
    options: pairs('instance_attributes'),
    meta: pairs('meta_attributes'),
  }
}
