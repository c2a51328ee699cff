/**
 * What changed between two configurations, element by element. Elements are the same if they have the same name and id in
 * the same place; those without an id are paired in their order. The order of elements counts, that of attributes does not.
 */
import { assertNever } from '../base/index.ts'
import { childElements, printXml, type XmlElement, type XmlNode } from './document.ts'
import { configurationElement } from './read-configuration.ts'

export type ConfigurationChange =
  | { readonly kind: 'added'; readonly path: string; readonly element: XmlElement }
  | { readonly kind: 'removed'; readonly path: string; readonly element: XmlElement }
  | { readonly kind: 'changed'; readonly path: string; readonly attributes: readonly AttributeChange[] }
  /** The same children in another order: members of a group, resources of a set. */
  | {
      readonly kind: 'reordered'
      readonly path: string
      readonly before: readonly string[]
      readonly after: readonly string[]
    }
  | { readonly kind: 'remarked'; readonly path: string; readonly before: string; readonly after: string }

export interface AttributeChange {
  readonly name: string
  readonly before?: string
  readonly after?: string
}

/** From one configuration, or the one in a CIB, to another. Paths begin below `configuration`. */
export function diffConfiguration(before: XmlElement, after: XmlElement): readonly ConfigurationChange[] {
  return diffElements(configurationElement(before), configurationElement(after), '')
}

function diffElements(before: XmlElement, after: XmlElement, path: string): readonly ConfigurationChange[] {
  if (before === after) return []
  const attributes = changedAttributes(before, after)
  const here: readonly ConfigurationChange[] = attributes.length === 0 ? [] : [{ kind: 'changed', path, attributes }]
  return [...here, ...remarks(before, after, path), ...diffChildren(before, after, path)]
}

function changedAttributes(before: XmlElement, after: XmlElement): readonly AttributeChange[] {
  const names = [...new Set([...Object.keys(before.attributes), ...Object.keys(after.attributes)])]
  return names
    .filter((name) => before.attributes[name] !== after.attributes[name])
    .map((name) => {
      const [old, current] = [before.attributes[name], after.attributes[name]]
      return {
        name,
        ...(old === undefined ? {} : { before: old }),
        ...(current === undefined ? {} : { after: current }),
      }
    })
}

/** Text and comments, white space around them apart. */
function remarks(before: XmlElement, after: XmlElement, path: string): readonly ConfigurationChange[] {
  const [old, current] = [textOf(before), textOf(after)]
  return old === current ? [] : [{ kind: 'remarked', path, before: old, after: current }]
}

function textOf(element: XmlElement): string {
  return element.children.flatMap((child) => (child.kind === 'element' ? [] : [child.text.trim()])).join('\n')
}

function diffChildren(before: XmlElement, after: XmlElement, path: string): readonly ConfigurationChange[] {
  const old = keyed(before)
  const current = keyed(after)
  const removed = [...old]
    .filter(([key]) => !current.has(key))
    .map(([key, element]) => ({ kind: 'removed', path: joined(path, key), element }) as const)
  const rest = [...current].flatMap(([key, element]): readonly ConfigurationChange[] => {
    const was = old.get(key)
    const at = joined(path, key)
    return was === undefined ? [{ kind: 'added', path: at, element }] : diffElements(was, element, at)
  })
  const orderBefore = [...old.keys()].filter((key) => current.has(key))
  const orderAfter = [...current.keys()].filter((key) => old.has(key))
  const moved = orderBefore.some((key, i) => key !== orderAfter[i])
  return [
    ...removed,
    ...rest,
    ...(moved
      ? [{ kind: 'reordered', path, before: orderBefore.map(bare), after: orderAfter.map(bare) } as const]
      : []),
  ]
}

/** Children under a key that names them: `primitive[@id='web']`, or for those without an id `resource_set[2]`. */
function keyed(parent: XmlElement): ReadonlyMap<string, XmlElement> {
  const children = new Map<string, XmlElement>()
  for (const child of childElements(parent)) {
    const { id, 'id-ref': reference } = child.attributes
    const key = id !== undefined ? `[@id='${id}']` : reference !== undefined ? `[@id-ref='${reference}']` : ''
    let unique = `${child.name}${key}`
    for (let number = 2; children.has(unique); number++) unique = `${child.name}${key}[${number}]`
    children.set(unique, child)
  }
  return children
}

const bare = (key: string): string => /@id(?:-ref)?='([^']*)'/.exec(key)?.[1] ?? key

const joined = (path: string, key: string): string => (path === '' ? key : `${path}/${key}`)

/** For `config diff`: a line for each change, the XML of what came and went below it. */
export function describeChanges(changes: readonly ConfigurationChange[]): string {
  return changes.map(describeChange).join('')
}

function describeChange(change: ConfigurationChange): string {
  const at = change.path === '' ? 'configuration' : change.path
  switch (change.kind) {
    case 'added':
      return `+ ${at}\n${indented(change.element, '+')}`
    case 'removed':
      return `- ${at}\n${indented(change.element, '-')}`
    case 'changed':
      return `~ ${at}\n${change.attributes.map(describeAttribute).join('')}`
    case 'reordered':
      return `~ ${at}\n    order: ${change.before.join(', ')} -> ${change.after.join(', ')}\n`
    case 'remarked':
      return `~ ${at}\n    remark: ${quoted(change.before)} -> ${quoted(change.after)}\n`
    default:
      return assertNever(change)
  }
}

function describeAttribute({ name, before, after }: AttributeChange): string {
  const old = before === undefined ? 'not set' : quoted(before)
  return `    ${name}: ${old} -> ${after === undefined ? 'not set' : quoted(after)}\n`
}

const quoted = (text: string): string => JSON.stringify(text)

function indented(element: XmlElement, sign: string): string {
  return printXml(element)
    .trimEnd()
    .split('\n')
    .map((line) => `${sign}   ${line}\n`)
    .join('')
}

/** Whether two documents say the same: the order of attributes, white space and places apart. */
export function sameDocument(a: XmlElement, b: XmlElement): boolean {
  if (a === b) return true
  if (a.name !== b.name || a.children.length !== b.children.length) return false
  const names = Object.keys(a.attributes)
  if (names.length !== Object.keys(b.attributes).length) return false
  if (names.some((name) => a.attributes[name] !== b.attributes[name])) return false
  return a.children.every((child, i) => sameNode(child, b.children[i]))
}

function sameNode(a: XmlNode, b: XmlNode | undefined): boolean {
  if (b === undefined || a.kind !== b.kind) return false
  if (a.kind === 'element') return b.kind === 'element' && sameDocument(a, b)
  return b.kind !== 'element' && a.text.trim() === b.text.trim()
}
