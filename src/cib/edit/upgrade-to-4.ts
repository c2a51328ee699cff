/**
 * The configuration of a schema 3.x as one of the schema 4.0. Names, places and ids are those of Pacemaker 3's own upgrade; where that
 * would change what the cluster does (lifetimes), this one does not follow.
 */
import { childElements, element, type XmlElement, type XmlNode } from '../document.ts'
import { descendants, editSection, withAttributes, withChildren } from '../tree.ts'
import { madeId, withoutGone, withPermissionsFor, withReferredParts } from './upgrade-gone.ts'
import { locationsOf4 } from './upgrade-locations.ts'
import { withPairsOf4 } from './upgrade-pairs.ts'

/** Undefined: the schema 4.0 cannot say what this configuration says. */
export function configurationOf4(configuration: XmlElement): XmlElement | undefined {
  if (descendants(configuration).some(hasLifetimeElsewhere)) return undefined
  const paired = withPairsOf4(configuration)
  const left = withReferredParts(paired, withoutGone(paired))
  const { placed, splits } = withPlaces(withPings(mapped(left, presentElement)))
  return withPermissionsFor(placed, splits)
}

/** Pacemaker's upgrade drops it, so that the constraint holds for ever. */
const hasLifetimeElsewhere = (constraint: XmlElement): boolean =>
  constraint.name !== 'rsc_location' && childElements(constraint, 'lifetime').length > 0

function mapped(parent: XmlElement, change: (child: XmlElement) => readonly XmlElement[]): XmlElement {
  return withChildren(
    parent,
    parent.children.flatMap((child): readonly XmlNode[] =>
      child.kind === 'element' ? change(child).map((one) => mapped(one, change)) : [child],
    ),
  )
}

const lastLevel = 9

function presentElement(child: XmlElement): readonly XmlElement[] {
  switch (child.name) {
    case 'master':
      return [promotableClone(child)]
    case 'docker':
    case 'podman':
      return [presentContainer(child)]
    case 'date_spec':
      return [withAttributes(child, { moon: undefined })]
    case 'fencing-level':
      return Number(child.attributes.index) > lastLevel ? [] : [child]
    default:
      return [child]
  }
}

function presentContainer(container: XmlElement): XmlElement {
  const attributes = Object.entries(container.attributes).map(
    ([name, value]) => [name === 'masters' ? 'promoted-max' : name, value] as const,
  )
  return { ...container, attributes: Object.fromEntries(attributes) }
}

/** What it cloned comes before its own settings, which a set of the highest score precedes. */
function promotableClone(master: XmlElement): XmlElement {
  const id = madeId('promotable-legacy', master.attributes.id, 'meta_attributes')
  const promotable = element('meta_attributes', { id, score: 'INFINITY' }, [
    element('nvpair', { id: `${id}-promotable`, name: 'promotable', value: 'true' }),
  ])
  const isSet = (child: XmlNode): boolean => child.kind === 'element' && child.name.endsWith('_attributes')
  return {
    ...master,
    name: 'clone',
    children: [promotable, ...master.children.filter((child) => !isSet(child)), ...master.children.filter(isSet)],
  }
}

/** A ping node runs nothing: a member on which nothing may run. */
function withPings(configuration: XmlElement): XmlElement {
  const pings = descendants(configuration).filter(
    ({ name, attributes }) => name === 'node' && attributes.type === 'ping',
  )
  if (pings.length === 0) return configuration
  const members = mapped(configuration, (child) => [
    pings.some(({ attributes }) => child.name === 'node' && attributes.id === child.attributes.id)
      ? withAttributes(child, { type: 'member' })
      : child,
  ])
  const bans = pings.map(({ attributes: { uname = '' } }) =>
    element('rsc_location', {
      id: madeId('ping-node-ban', uname),
      'rsc-pattern': '.*',
      node: uname,
      score: '-INFINITY',
      'resource-discovery': 'never',
    }),
  )
  return editSection(members, 'constraints', (section) => withChildren(section, [...section.children, ...bans]))
}

interface Placed {
  readonly placed: XmlElement
  /** The constraints that one became. */
  readonly splits: ReadonlyMap<string, readonly string[]>
}

function withPlaces(configuration: XmlElement): Placed {
  const rules = new Map(
    descendants(configuration).flatMap((one) =>
      one.name === 'rule' && one.attributes.id !== undefined ? [[one.attributes.id, one] as const] : [],
    ),
  )
  const splits = new Map<string, readonly string[]>()
  const placed = mapped(configuration, (child) => {
    if (child.name !== 'rsc_location') return [child]
    const locations = locationsOf4(child, rules)
    if (locations.length > 1)
      splits.set(
        child.attributes.id ?? '',
        locations.map(({ attributes }) => attributes.id ?? ''),
      )
    return locations
  })
  return { placed, splits }
}
