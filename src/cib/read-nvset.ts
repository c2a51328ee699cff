/**
 * Blocks of name/value pairs: options, node attributes, parameters, meta-attributes, utilization. They keep the order of the
 * document; `nvSetsByPrecedence` says which one wins.
 */

import type { NvPair, NvSet } from './configuration.ts'
import { childElements, type XmlElement } from './document.ts'
import { oldMetaNames, oldOptionNames, withPresentNames } from './old-names.ts'
import { readOneRule } from './read-rule.ts'
import type { References } from './references.ts'
import { present } from './values/attribute-text.ts'
import { parseScore } from './values/score.ts'

export type NvSetKind = 'cluster_property_set' | 'meta_attributes' | 'instance_attributes' | 'utilization'

/** The sets of one kind directly inside an element, references resolved; a reference that leads nowhere is left out. */
export function readNvSets(parent: XmlElement | undefined, kind: NvSetKind, references: References): readonly NvSet[] {
  if (parent === undefined) return []
  return childElements(parent, kind).flatMap((written) => {
    const meant = references.resolve(written)
    return meant === undefined ? [] : [readNvSet(meant, references)]
  })
}

/**
 * The sets in the order in which they decide: the first that has a name, and whose rule holds, gives its value. Higher
 * scores come first; of equal ones that which stands later in the document. `firstId` names a set that precedes all,
 * as `cib-bootstrap-options` does among cluster options. Within one set the first pair of a name counts.
 */
export function nvSetsByPrecedence(sets: readonly NvSet[], firstId?: string): readonly NvSet[] {
  return sets
    .map((set, position) => ({ set, position }))
    .sort(
      (a, b) =>
        Number(b.set.id === firstId) - Number(a.set.id === firstId) ||
        b.set.score - a.set.score ||
        b.position - a.position,
    )
    .map(({ set }) => set)
}

function readNvSet(element: XmlElement, references: References): NvSet {
  const pairs = childElements(element, 'nvpair').flatMap((written) => readNvPair(written, references))
  return {
    id: element.attributes.id ?? '',
    score: parseScore(element.attributes.score ?? '0') ?? 0,
    pairs: withPresentNames(pairs, oldNamesOf(element.name)),
    ...present({ rule: readOneRule(element, references) }),
  }
}

/** A pair without a value says nothing, so that it is left out; a reference may give the value another name. */
function readNvPair(written: XmlElement, references: References): readonly NvPair[] {
  const meant = references.resolve(written)
  const name = written.attributes.name ?? meant?.attributes.name
  const value = meant?.attributes.value
  if (name === undefined || value === undefined) return []
  return [{ id: written.attributes.id ?? meant?.attributes.id ?? '', name, value }]
}

function oldNamesOf(kind: string): Readonly<Record<string, string>> {
  if (kind === 'cluster_property_set') return oldOptionNames
  return kind === 'meta_attributes' ? oldMetaNames : {}
}
