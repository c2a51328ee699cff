/**
 * Setting and unsetting name/value pairs in the sets of an element: parameters, meta-attributes, utilization, node
 * attributes, options, defaults. As with `pcs`, an empty value takes the name away.
 */
import { similarWords } from '../../base/index.ts'
import { childElements, element, type XmlElement } from '../document.ts'
import { oldValues } from '../old-names.ts'
import { describeValues, isValueOf, type OptionDefinition } from '../options/definition.ts'
import { findOption } from '../options/lookup.ts'
import type { NvSetKind } from '../read-nvset.ts'
import { type IdSource, idPart } from '../schema/ids.ts'
import { appended, replaceElement, withAttributes, withChildren } from '../tree.ts'
import type { EditReport } from './reports.ts'

/** Names with their new values; an empty one unsets. */
export type NameValues = Readonly<Record<string, string>>

export interface NvSetEdit {
  readonly kind: NvSetKind
  /** The id of the set where a new one is made. */
  readonly setId: string
  readonly values: NameValues
  /** Options whose other names count as the same: setting one takes the others away. */
  readonly options?: readonly OptionDefinition[]
  /** An empty value is written as it is. */
  readonly keepsEmpty?: boolean | undefined
  /** What an id cannot have is left out of it; elsewhere a dot stands for it. */
  readonly shortIds?: boolean
  /** Of several sets the first alone is read and changed, as pcs does with cluster options. */
  readonly onlyFirst?: boolean
  /** A new name goes into the set with this id alone, as crm_attribute writes it. */
  readonly inOwnSet?: boolean | undefined
}

/**
 * The element with its pairs changed. A name is changed in every set without a rule that has it, so that the change holds;
 * new ones go into the first set without a rule, which is made where there is none. Sets that become empty go in the end, unless
 * they have a rule: until then a new pair finds its set.
 */
export function setNameValues(parent: XmlElement, edit: NvSetEdit, ids: IdSource): XmlElement {
  const changed = Object.entries(edit.values).reduce(
    (current, [name, value]) =>
      value === '' && edit.keepsEmpty !== true ? unset(current, edit, name) : set(current, { edit, name, value, ids }),
    parent,
  )
  const before = new Set(plainSets(parent, edit).map(({ attributes }) => attributes.id))
  return plainSets(changed, edit)
    .filter(
      (one) =>
        before.has(one.attributes.id) && childElements(one).length === 0 && !plainSets(parent, edit).includes(one),
    )
    .reduce((current, emptied) => replaceElement(current, emptied, []), changed)
}

/** Sets that an administrator changes by name: without a rule, and not a reference to another element's. */
function plainSets(
  parent: XmlElement,
  { kind, onlyFirst = false }: { readonly kind: NvSetKind; readonly onlyFirst?: boolean },
): readonly XmlElement[] {
  const sets = childElements(parent, kind)
  return (onlyFirst ? sets.slice(0, 1) : sets).filter(
    (set) => set.attributes['id-ref'] === undefined && childElements(set, 'rule').length === 0,
  )
}

function isNamed(pair: XmlElement, name: string, options: readonly OptionDefinition[] | undefined): boolean {
  const written = pair.attributes.name
  if (written === undefined) return false
  if (written === name) return true
  const definition = options && findOption(options, name)
  return definition !== undefined && findOption(options ?? [], written) === definition
}

function set(
  parent: XmlElement,
  change: { readonly edit: NvSetEdit; readonly name: string; readonly value: string; readonly ids: IdSource },
): XmlElement {
  const { edit, name, value, ids } = change
  const holders = plainSets(parent, edit).filter((candidate) =>
    childElements(candidate, 'nvpair').some((pair) => isNamed(pair, name, edit.options)),
  )
  if (holders.length > 0)
    return holders.reduce(
      (current, holder) =>
        replaceElement(current, holder, (found) => {
          const [first, ...others] = childElements(found, 'nvpair').filter((pair) => isNamed(pair, name, edit.options))
          const kept = found.children.filter((child) => !others.some((other) => other === child))
          return withChildren(
            found,
            kept.map((child) => (child === first && first ? withAttributes(first, { name, value }) : child)),
          )
        }),
      parent,
    )
  const [target] = plainSets(parent, edit).filter(
    ({ attributes }) => edit.inOwnSet !== true || attributes.id === edit.setId,
  )
  const setId = target?.attributes.id ?? ids.free(edit.setId)
  const pair = element('nvpair', {
    id: ids.free(`${setId}-${edit.shortIds === true ? idPart(name) : name}`),
    name,
    value,
  })
  if (target) return replaceElement(parent, target, (found) => appended(found, pair))
  return withSet(parent, element(edit.kind, { id: setId }, [pair]))
}

/** New sets stand before operations and inner resources, after the sets that are there. */
function withSet(parent: XmlElement, set: XmlElement): XmlElement {
  const kinds = ['instance_attributes', 'meta_attributes', 'utilization', 'cluster_property_set']
  const last = parent.children.findLastIndex((child) => child.kind === 'element' && kinds.includes(child.name))
  return withChildren(parent, [...parent.children.slice(0, last + 1), set, ...parent.children.slice(last + 1)])
}

function unset(parent: XmlElement, edit: NvSetEdit, name: string): XmlElement {
  return plainSets(parent, edit).reduce((current, holder) => {
    const kept = holder.children.filter((child) => child.kind !== 'element' || !isNamed(child, name, edit.options))
    if (kept.length === holder.children.length) return current
    return replaceElement(current, holder, [withChildren(holder, kept)])
  }, parent)
}

/** The value that stands for a name in the sets without a rule, if any does. */
export function writtenValue(parent: XmlElement, kind: NvSetKind, name: string): string | undefined {
  for (const set of plainSets(parent, { kind }).toReversed())
    for (const pair of childElements(set, 'nvpair')) if (pair.attributes.name === name) return pair.attributes.value
  return undefined
}

/** A name of an administrator's own is taken, where the caller allows notes; one that is nearly a known one is a mistake. */
export const isMisspelt = (report: EditReport): boolean => report.code !== 'unknown-option' || report.similar.length > 0

/** What is wrong with values that are to be set. Names are checked unless the caller allows unknown ones. */
export function checkNameValues(
  values: NameValues,
  against: { readonly options: readonly OptionDefinition[]; readonly where: string; readonly allowUnknown: boolean },
): readonly EditReport[] {
  return Object.entries(values).flatMap(([name, value]): readonly EditReport[] => {
    const definition = findOption(against.options, name)
    if (definition === undefined) {
      const names = against.options.flatMap((option) => [option.name, ...(option.otherNames ?? [])])
      if (against.allowUnknown || value === '') return []
      return [{ code: 'unknown-option', name, where: against.where, similar: similarWords(name, names), known: names }]
    }
    const oldWords = oldValues[definition.name] ?? {}
    const known = value === '' || isValueOf(definition, value) || Object.hasOwn(oldWords, value.toLowerCase())
    // The whole configuration is looked at before it is pushed into a cluster.
    return known || against.allowUnknown
      ? []
      : [{ code: 'bad-value', name, value, expected: describeValues(definition) }]
  })
}
