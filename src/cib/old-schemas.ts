/**
 * CIBs of the schemas 1.x and 2.x: what they wrote in another place or under another name, put where the typed views look for it.
 * Pacemaker does the same with its upgrade of schemas, so that the decisions are the same; the CIB itself stays as it was written.
 */
import { childElement, childElements, element, type XmlElement, type XmlNode } from './document.ts'
import { appended } from './tree.ts'

/** `pacemaker-1.2`, `pacemaker-2.10`: of what is not named so nothing is known, and it is read as it stands. */
export function hasOldSchema(cib: XmlElement): boolean {
  return /^pacemaker-[12]\./.test(cib.attributes['validate-with'] ?? '')
}

export interface OldOption {
  readonly name: string
  /** Another section than its own: it was a default for all resources or operations. */
  readonly section?: 'rsc_defaults' | 'op_defaults'
  /** Values that have a meaning still; the others have none, and it is left out. */
  readonly values?: Readonly<Record<string, string>>
}

/** The smallest failure stickiness meant "never again after the first failure"; the others were scores and have no successor. */
const failureStickiness: Readonly<Record<string, string>> = { '-INFINITY': '1' }

/** Names of cluster options, each also written with underscores. */
const oldClusterOptions: Readonly<Record<string, OldOption>> = {
  'default-action-timeout': { name: 'timeout', section: 'op_defaults' },
  'default-resource-stickiness': { name: 'resource-stickiness', section: 'rsc_defaults' },
  'default-resource-failure-stickiness': {
    name: 'migration-threshold',
    section: 'rsc_defaults',
    values: failureStickiness,
  },
  'is-managed-default': { name: 'is-managed', section: 'rsc_defaults' },
}

const underscored: readonly string[] = [
  'cluster-recheck-interval',
  'dc-deadtime',
  'election-timeout',
  'no-quorum-policy',
  'remove-after-stop',
  'shutdown-escalation',
  'startup-fencing',
  'stonith-action',
  'stonith-enabled',
  'stop-orphan-actions',
  'stop-orphan-resources',
  'symmetric-cluster',
]

export function oldClusterOption(name: string): OldOption | undefined {
  if (name === 'transition_idle_timeout') return { name: 'cluster-delay' }
  // Names were written with hyphens or with underscores throughout, never with both.
  if (name.includes('_') && name.includes('-')) return undefined
  const hyphened = name.replaceAll('_', '-')
  if (Object.hasOwn(oldClusterOptions, hyphened)) return oldClusterOptions[hyphened]
  return hyphened !== name && underscored.includes(hyphened) ? { name: hyphened } : undefined
}

export function oldMetaAttribute(name: string): OldOption | undefined {
  if (name.replaceAll('_', '-') === 'resource-failure-stickiness')
    return { name: 'migration-threshold', values: failureStickiness }
  return undefined
}

/** `pcmk_off_cmd` is `pcmk_off_action` by now. */
function presentParameter(name: string): string {
  return name.replace(/^(pcmk_(?:list|monitor|off|on|reboot|status))_cmd$/, '$1_action')
}

/** The `configuration` as it would be written today. */
export function withPresentSchema(configuration: XmlElement): XmlElement {
  const defaults: Record<'rsc_defaults' | 'op_defaults', XmlElement[]> = { rsc_defaults: [], op_defaults: [] }
  const options = inChild(configuration, 'crm_config', (section) =>
    mapPairs(section, (pair) => {
      const old = oldClusterOption(pair.attributes.name ?? '')
      if (old === undefined) return pair
      const present = renamed(pair, old)
      if (old.section === undefined || present === undefined) return present
      defaults[old.section].push(present)
      return undefined
    }),
  )
  const resources = inChild(options, 'resources', (section) => mapDescendants(section, presentResource))
  return (['rsc_defaults', 'op_defaults'] as const).reduce(
    (current, section) => withDefaults(current, section, defaults[section]),
    resources,
  )
}

function renamed(pair: XmlElement, { name, values }: OldOption): XmlElement | undefined {
  const written = pair.attributes.value ?? ''
  const value = values === undefined ? written : values[written]
  return value === undefined ? undefined : { ...pair, attributes: { ...pair.attributes, name, value } }
}

function presentResource(resource: XmlElement): XmlElement {
  switch (resource.name) {
    case 'primitive':
    case 'template':
      return withRequires(presentSets(resource))
    case 'group':
    case 'clone':
    case 'master':
    case 'bundle':
      return presentSets(resource)
    default:
      return resource
  }
}

function presentSets(resource: XmlElement): XmlElement {
  return mapPairs(resource, (pair, set) => {
    const name = pair.attributes.name ?? ''
    if (set === 'instance_attributes')
      return { ...pair, attributes: { ...pair.attributes, name: presentParameter(name) } }
    const old = set === 'meta_attributes' ? oldMetaAttribute(name) : undefined
    return old === undefined ? pair : renamed(pair, old)
  })
}

/** What a start or promotion required is a matter of the whole resource, unless that says something itself. */
function withRequires(primitive: XmlElement): XmlElement {
  const operations = childElements(primitive, 'operations').flatMap((list) => childElements(list, 'op'))
  const op = operations.find(
    (one) => requiresOf(one) !== undefined && /^(start|promote)$/.test(one.attributes.name ?? ''),
  )
  if (op === undefined) return primitive
  const own = childElements(primitive, 'meta_attributes').flatMap((set) => childElements(set, 'nvpair'))
  if (own.some(({ attributes }) => attributes.name === 'requires')) return primitive
  return appended(primitive, defaultsSet(`${op.attributes.id}-requires`, [requiresPair(op)]))
}

/** As an attribute of the operation, or in a set of it. */
function requiresOf(op: XmlElement): string | undefined {
  const pairs = childElements(op).flatMap((set) => childElements(set, 'nvpair'))
  return op.attributes.requires ?? pairs.find(({ attributes }) => attributes.name === 'requires')?.attributes.value
}

function requiresPair(op: XmlElement): XmlElement {
  const { id = '' } = op.attributes
  const requires = requiresOf(op) ?? ''
  return element('nvpair', { id: `${id}-requires-value`, name: 'requires', value: requires })
}

/** Only where the section does not say something of its own. */
function withDefaults(configuration: XmlElement, section: string, pairs: readonly XmlElement[]): XmlElement {
  const known = childElement(configuration, section)
  const written = new Set(
    (known ? childElements(known) : []).flatMap((set) =>
      childElements(set, 'nvpair').map(({ attributes }) => attributes.name),
    ),
  )
  const missing = pairs.filter(({ attributes }) => !written.has(attributes.name))
  if (missing.length === 0) return configuration
  const set = defaultsSet(`old-${section}`, missing)
  return known
    ? inChild(configuration, section, (found) => appended(found, set))
    : appended(configuration, element(section, {}, [set]))
}

function defaultsSet(id: string, pairs: readonly XmlElement[]): XmlElement {
  return element('meta_attributes', { id }, pairs)
}

function inChild(parent: XmlElement, name: string, change: (child: XmlElement) => XmlElement): XmlElement {
  const child = childElement(parent, name)
  if (child === undefined) return parent
  return { ...parent, children: parent.children.map((other) => (other === child ? change(child) : other)) }
}

function mapDescendants(parent: XmlElement, change: (child: XmlElement) => XmlElement): XmlElement {
  const children = parent.children.map((child) =>
    child.kind === 'element' ? mapDescendants(change(child), change) : child,
  )
  return { ...parent, children }
}

/** Every pair of the sets right below; what becomes undefined is left out. */
function mapPairs(parent: XmlElement, change: (pair: XmlElement, set: string) => XmlElement | undefined): XmlElement {
  const inSet = (set: XmlElement): XmlElement => ({
    ...set,
    children: set.children.flatMap((child): readonly XmlNode[] => {
      if (child.kind !== 'element' || child.name !== 'nvpair') return [child]
      const changed = change(child, set.name)
      return changed === undefined ? [] : [changed]
    }),
  })
  return {
    ...parent,
    children: parent.children.map((child) => (child.kind === 'element' ? inSet(child) : child)),
  }
}
