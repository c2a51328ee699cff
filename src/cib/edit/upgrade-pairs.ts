/**
 * The pairs of a CIB as the schema 4.0 has them: names of today, one value for each name of a set, none without a value, and none that
 * nothing reads any more. A pair that stands for another under a name of its own becomes one itself.
 */
import { childElement, type XmlElement, type XmlNode } from '../document.ts'
import { descendants, withAttributes, withChildren } from '../tree.ts'

/** What Pacemaker's own upgrade puts before the ids that it makes. */
export const idPrefix = 'pcmk__3_10_upgrade-'

type Kind = 'options' | 'resource' | 'operation' | 'other'

const renamedOptions: Readonly<Record<string, string>> = {
  'crmd-finalization-timeout': 'join-finalization-timeout',
  'crmd-integration-timeout': 'join-integration-timeout',
  'crmd-transition-delay': 'transition-delay',
}

const goneNames: Readonly<Record<Kind, readonly string[]>> = {
  options: ['remove-after-stop'],
  resource: ['restart-type'],
  operation: ['can_fail', 'role_after_failure'],
  other: [],
}

const sets = ['cluster_property_set', 'instance_attributes', 'meta_attributes', 'utilization']

export function withPairsOf4(configuration: XmlElement): XmlElement {
  const options = childElement(configuration, 'crm_config')
  const renamed =
    options === undefined
      ? configuration
      : withChildren(
          configuration,
          configuration.children.map((child) => (child === options ? mapPairs(options, presentOption) : child)),
        )
  const targets = new Map(
    descendants(renamed).flatMap((one) =>
      one.name === 'nvpair' && one.attributes.id !== undefined ? [[one.attributes.id, one] as const] : [],
    ),
  )
  return inSets(renamed, targets, new Set())
}

function presentOption(pair: XmlElement): XmlElement {
  const { name = '', value } = pair.attributes
  if (name === 'stonith-action' && value === 'poweroff') return withAttributes(pair, { value: 'off' })
  return Object.hasOwn(renamedOptions, name) ? withAttributes(pair, { name: renamedOptions[name] }) : pair
}

function mapPairs(parent: XmlElement, change: (pair: XmlElement) => XmlElement): XmlElement {
  return withChildren(
    parent,
    parent.children.map((child) => {
      if (child.kind !== 'element') return child
      return child.name === 'nvpair' ? change(child) : mapPairs(child, change)
    }),
  )
}

type Targets = ReadonlyMap<string, XmlElement>

function inSets(parent: XmlElement, targets: Targets, made: Set<string>): XmlElement {
  return withChildren(
    parent,
    parent.children.map((child) => {
      if (child.kind !== 'element') return child
      return sets.includes(child.name)
        ? presentSet(child, kindOf(child, parent), targets, made)
        : inSets(child, targets, made)
    }),
  )
}

function kindOf(set: XmlElement, parent: XmlElement): Kind {
  if (set.name === 'cluster_property_set') return 'options'
  if (set.name !== 'meta_attributes') return 'other'
  return parent.name === 'op' || parent.name === 'op_defaults' ? 'operation' : 'resource'
}

function presentSet(set: XmlElement, kind: Kind, targets: Targets, made: Set<string>): XmlElement {
  const seen = new Set<string>()
  return withChildren(
    set,
    set.children.flatMap((child): readonly XmlNode[] => {
      if (child.kind !== 'element' || child.name !== 'nvpair') return [child]
      const target = targets.get(child.attributes['id-ref'] ?? '') ?? child
      const name = child.attributes.name ?? target.attributes.name ?? ''
      if (target.attributes.value === undefined || goneNames[kind].includes(name) || seen.has(name)) return []
      seen.add(name)
      return [child === target || child.attributes.name === undefined ? child : ownPair(target, name, made)]
    }),
  )
}

/** The first one of a name is a pair, the others stand for that. */
function ownPair(target: XmlElement, name: string, made: Set<string>): XmlElement {
  const id = `${idPrefix}${target.attributes.id}-${name}`
  if (made.has(id)) return { ...target, attributes: { 'id-ref': id } }
  made.add(id)
  return { ...target, attributes: { id, name, value: target.attributes.value ?? '' } }
}
