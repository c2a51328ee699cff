/**
 * A client's change of elements that are composed of holds. Nothing of it is stored, so it must mean something: taking a ban or a preference away releases it, as
 * `crm_resource --clear` does; any other change is refused with the words for what is held.
 */
import {
  childElement,
  childElements,
  configurationElement,
  findResource,
  resourceElementsOf,
  writtenValue,
  type XmlElement,
} from '../cib/index.ts'
import { type HeldPart, splitHolds } from './compose-holds.ts'
import { type HoldNote, readNote } from './holds-in-cib.ts'

export interface HoldChange {
  readonly hold: HoldNote
  readonly change: 'removed' | 'changed'
}

/**
 * Of the holds in `before`, those whose element is not there any more or is another. What goes with its node or resource is no change of the hold. Elements of
 * holds that have ended meanwhile are nobody's.
 */
export function changedHolds(before: XmlElement, after: XmlElement): readonly HoldChange[] {
  const { held } = splitHolds(before)
  if (held.length === 0) return []
  const left = new Map(splitHolds(after).held.map(({ element }) => [element.attributes.id, element]))
  const places = placesIn(after)
  return held.flatMap(({ place, name, element }): readonly HoldChange[] => {
    const hold = readNote(element)
    if (hold === undefined) return []
    const found = left.get(element.attributes.id)
    if (found !== undefined) return saysTheSame(element, found) ? [] : [{ hold, change: 'changed' }]
    return place === 'constraints' || places.has(name) ? [{ hold, change: 'removed' }] : []
  })
}

/**
 * Holds whose effect a change of the stored configuration was to end, and does not: the operator's own standby is switched off on a drained node, a resource is
 * enabled that is held stopped. `held`: what is in force; the documents are without it.
 */
export function contradictedHolds(
  held: readonly HeldPart[],
  { before, after }: { readonly before: XmlElement; readonly after: XmlElement },
): readonly HoldNote[] {
  return held.flatMap(({ place, name, element }): readonly HoldNote[] => {
    const [pair] = pairsOf(element)
    const hold = readNote(element)
    if (place === 'constraints' || pair === undefined || hold === undefined) return []
    const own = (cib: XmlElement): string | undefined => {
      const parent = place === 'node' ? nodeIn(cib, name) : findResource(cib, name)
      return parent && writtenValue(parent, place === 'node' ? 'instance_attributes' : 'meta_attributes', pair[0] ?? '')
    }
    const value = own(after)
    return value !== own(before) && value !== pair[1] ? [hold] : []
  })
}

const nodeIn = (cib: XmlElement, name: string): XmlElement | undefined => {
  const nodes = childElement(configurationElement(cib), 'nodes')
  return nodes && childElements(nodes, 'node').find(({ attributes }) => attributes.uname === name)
}

/** Names of nodes and resources. */
function placesIn(cib: XmlElement): ReadonlySet<string> {
  const found = new Set<string>()
  const configuration = configurationElement(cib)
  const nodes = childElement(configuration, 'nodes')
  for (const { attributes } of nodes ? childElements(nodes, 'node') : []) found.add(attributes.uname ?? '')
  for (const { attributes } of resourceElementsOf(cib)) found.add(attributes.id ?? '')
  return found
}

/** Released by taking its element away, as a script does that clears what a move has left. */
export const endsByRemoval = ({ hold, change }: HoldChange): boolean =>
  change === 'removed' && (hold.kind === 'ban' || hold.kind === 'prefer')

/** Pairs that others have put in apart. */
function saysTheSame(element: XmlElement, found: XmlElement): boolean {
  const attributes = ({ attributes: { id: _, ...others } }: XmlElement): string =>
    JSON.stringify(Object.entries(others).sort())
  if (attributes(element) !== attributes(found)) return false
  const pairs = pairsOf(found)
  return [...pairsOf(element)].every(([name, value]) => pairs.get(name) === value)
}

const pairsOf = ({ children }: XmlElement): ReadonlyMap<string | undefined, string | undefined> =>
  new Map(
    children.flatMap((child) =>
      child.kind === 'element' && child.name === 'nvpair' ? [[child.attributes.name, child.attributes.value]] : [],
    ),
  )
