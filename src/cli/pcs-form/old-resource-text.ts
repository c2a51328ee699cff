/** Resource definitions as pcs 0.9 and most releases of 0.10 printed them: the values of a kind on one line, without the ids of their blocks. */
import { childElement, childElements, hiddenValue, type XmlElement } from '../../cib/index.ts'
import type { Dialect } from '../call/speech.ts'
import type { FormContext } from './nvset.ts'
import { roleIn } from './old-role.ts'

interface OldResourceLayout {
  readonly dialect: Dialect
  readonly context: FormContext
}

/** The lines of those elements, each with what is inside it. */
export function oldResourceLines(elements: readonly XmlElement[], layout: OldResourceLayout): readonly string[] {
  return elements.flatMap((element) => linesOf(element, ' ', layout))
}

const titles: Readonly<Record<string, string>> = {
  primitive: 'Resource',
  group: 'Group',
  clone: 'Clone',
  master: 'Master',
  bundle: 'Bundle',
}

function linesOf(element: XmlElement, indent: string, layout: OldResourceLayout): readonly string[] {
  const title = titles[element.name]
  if (title === undefined) return []
  const { id = '', description: _said, ...attributes } = element.attributes
  const traits = pairs(Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1)))
  const own = [
    ...(element.name === 'bundle' ? bundleLines(element) : []),
    ...valueLine(element, 'instance_attributes', 'Attributes', layout),
    ...valueLine(element, 'meta_attributes', 'Meta Attrs', layout),
    ...valueLine(element, 'utilization', 'Utilization', layout),
    ...operationLines(element, layout),
  ]
  return [
    `${indent}${title}: ${id}${traits === '' ? '' : ` (${traits})`}`,
    ...own.map((line) => `${indent} ${line}`),
    ...childElements(element).flatMap((child) => linesOf(child, `${indent} `, layout)),
  ]
}

function valueLine(element: XmlElement, block: string, title: string, layout: OldResourceLayout): readonly string[] {
  const values = childElements(element, block).flatMap((set) => nvpairs(set, layout))
  return values.length === 0 ? [] : [`${title}: ${pairs(values)}`]
}

/** The first operation stands behind the title, the others below it. */
function operationLines(element: XmlElement, layout: OldResourceLayout): readonly string[] {
  const { dialect } = layout
  const operations = childElement(element, 'operations')
  const title = 'Operations: '
  return (operations ? childElements(operations, 'op') : []).map((operation, index) => {
    const { id = '', name = '', ...attributes } = operation.attributes
    const inside = childElements(operation).flatMap((set) => nvpairs(set, layout))
    const words = [
      name,
      ...Object.entries(attributes)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, value]) => `${key}=${key === 'role' ? roleIn(value, dialect) : value}`),
      ...inside.map(([key, value]) => `${key}=${value}`),
      `(${id})`,
    ]
    return `${index === 0 ? title : ' '.repeat(title.length)}${words.join(' ')}`
  })
}

const technologies = ['docker', 'podman', 'rkt']

function bundleLines(bundle: XmlElement): readonly string[] {
  const options = (element: XmlElement | undefined): string => {
    const { id: _id, ...attributes } = element?.attributes ?? {}
    return pairs(Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1)))
  }
  const line = (title: string, text: string): readonly string[] => (text === '' ? [] : [`${title}: ${text}`])
  const mappings = (parent: string, name: string, title: string): readonly string[] => {
    const list = childElements(bundle, parent).flatMap((one) => childElements(one, name))
    return list.length === 0 ? [] : [`${title}:`, ...list.map((one) => ` ${options(one)} (${one.attributes.id ?? ''})`)]
  }
  return [
    ...technologies.flatMap((name) => {
      const container = childElement(bundle, name)
      return container ? line(`${name.charAt(0).toUpperCase()}${name.slice(1)}`, options(container)) : []
    }),
    ...line('Network', options(childElement(bundle, 'network'))),
    ...mappings('network', 'port-mapping', 'Port Mapping'),
    ...mappings('storage', 'storage-mapping', 'Storage Mapping'),
  ]
}

function nvpairs(
  set: XmlElement,
  { context: { isHidden } }: OldResourceLayout,
): readonly (readonly [string, string])[] {
  return childElements(set, 'nvpair').map(({ attributes: { name = '', value = '' } }) => [
    name,
    isHidden(name) ? hiddenValue : value,
  ])
}

const pairs = (values: readonly (readonly [string, string])[]): string =>
  values.map(([name, value]) => `${name}=${value.includes(' ') ? `"${value}"` : value}`).join(' ')
