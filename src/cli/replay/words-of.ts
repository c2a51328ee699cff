/** Parts of the CIB as words of commands. */
import { childElements, type XmlElement } from '../../cib/index.ts'

/** The pairs of the sets of one kind; undefined where they are more than words can say: several sets, a rule, a reference. */
export function pairWords(parent: XmlElement, kind: string): readonly string[] | undefined {
  // An empty set says nothing.
  const sets = childElements(parent, kind).filter(
    (set) => childElements(set).length > 0 || set.attributes['id-ref'] !== undefined,
  )
  const [set] = sets
  if (set === undefined) return []
  const pairs = childElements(set)
  if (sets.length > 1 || Object.keys(set.attributes).some((name) => name !== 'id')) return undefined
  if (pairs.some(({ name, attributes }) => name !== 'nvpair' || attributes['id-ref'] !== undefined)) return undefined
  return pairs.map(({ attributes }) => `${attributes.name ?? ''}=${attributes.value ?? ''}`)
}

/** Attributes as words, but for those that are said otherwise. */
export function attributeWords({ attributes }: XmlElement, without: readonly string[]): readonly string[] {
  return Object.entries(attributes)
    .filter(([name]) => !without.includes(name))
    .map(([name, value]) => `${name}=${value}`)
}

/** `[keyword, ...words]`, or nothing where there are no words. */
export function section(keyword: string, words: readonly string[]): readonly string[] {
  return words.length === 0 ? [] : [keyword, ...words]
}

export const idOf = ({ attributes }: XmlElement): string => attributes.id ?? ''
