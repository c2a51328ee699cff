/**
 * Whether a change of the configuration is one that a remote node may make: its own attributes and utilization, options that an agent keeps under
 * the name of a resource which runs there (`redis_REPL_INFO`), the utilization of such a resource, and a ban of a resource from the remote node
 * itself. All that differs must be one of these, whatever command made it.
 */
import { childElements, clusterOption, configurationElement, sameDocument, type XmlElement } from '../../cib/index.ts'
import { roleIn } from '../../status/index.ts'

export interface ChangeRights {
  readonly node: string
  /** The configured primitives that run there, by their ids. */
  readonly resources: ReadonlySet<string>
}

/**
 * Attributes that say what a node is: the cluster sets them (`#uname`, `#kind`, `#facts-…`; only `#health…` is an agent's to say), and rules keep what is confidential from other nodes
 * by them; jobs, plays and copies for a role come with input and files, and the role is an administrator's to give. A remote node says none of them, of itself neither.
 */
export const saysWhatANodeIs = (name: string): boolean => /^#(?!health)/i.test(name) || roleIn(name) !== undefined

/** The first place that may not be changed, for people; undefined where all may. */
export function forbiddenChange(before: XmlElement, after: XmlElement, rights: ChangeRights): string | undefined {
  for (const name of ['validate-with', 'admin_epoch', 'epoch'])
    if (before.attributes[name] !== after.attributes[name]) return `cib, ${name}`
  const place = compare([configurationElement(before)], [configurationElement(after)], rights)
  if (place !== undefined) return place
  const [was, is] = [before, after].map((cib) => ownSayings(configurationElement(cib), rights))
  return JSON.stringify(was) === JSON.stringify(is) ? undefined : `attributes of ${rights.node} that say what it is`
}

/** As it stands there, by name and value, without what stands elsewhere. */
function ownSayings(configuration: XmlElement, { node }: ChangeRights): readonly (readonly [string, string])[] {
  const own = childElements(configuration)
    .filter(({ name }) => name === 'nodes')
    .flatMap((nodes) => childElements(nodes))
    .filter(({ attributes }) => attributes.uname === node)
    .flatMap((one) => childElements(one).filter(({ name }) => name === 'instance_attributes'))
    .flatMap((set) => childElements(set).filter(({ name }) => name === 'nvpair'))
  return own.flatMap(({ attributes: { name = '', value = '' } }) => (saysWhatANodeIs(name) ? [[name, value]] : []))
}

/** From `configuration` to the element that is looked at. */
type Trail = readonly XmlElement[]

function compare(before: Trail, after: Trail, rights: ChangeRights): string | undefined {
  const [was, is] = [before.at(-1), after.at(-1)]
  if (was === undefined || is === undefined || sameDocument(was, is)) return undefined
  if (isOwn(before, rights) && isOwn(after, rights)) return undefined
  if (!sameDocument({ ...was, children: texts(was) }, { ...is, children: texts(is) })) return placeOf(after)
  const [old, current] = [keyed(was), keyed(is)]
  const common = [...old.keys()].filter((key) => current.has(key))
  if ([...current.keys()].filter((key) => old.has(key)).some((key, at) => key !== common[at])) return placeOf(after)
  for (const [key, child] of old) {
    const kept = current.get(key)
    const wrong =
      kept === undefined
        ? mayComeOrGo([...before, child], rights)
        : compare([...before, child], [...after, kept], rights)
    if (wrong !== undefined) return wrong
  }
  for (const [key, child] of current) {
    const wrong = old.has(key) ? undefined : mayComeOrGo([...after, child], rights)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

function mayComeOrGo(trail: Trail, rights: ChangeRights): string | undefined {
  return isOwn(trail, rights) || isOwnEntry(trail, rights) || isOwnOptions(trail, rights) ? undefined : placeOf(trail)
}

/** What may be changed with everything in it. */
function isOwn(trail: Trail, rights: ChangeRights): boolean {
  const [, section, first, second] = trail
  const last = trail.at(-1)
  switch (section?.name) {
    case 'nodes':
      return first?.attributes.uname === rights.node && second !== undefined && holdsAttributes(second)
    case 'crm_config':
      return trail.length === 4 && second !== undefined && isOwnOption(second, rights)
    case 'resources':
      return last?.name === 'utilization' && rights.resources.has(trail.at(-2)?.attributes.id ?? '')
    case 'constraints':
      return trail.length === 3 && first !== undefined && isOwnBan(first, rights)
    default:
      return false
  }
}

const holdsAttributes = ({ name }: XmlElement): boolean => name === 'instance_attributes' || name === 'utilization'

/** An agent's own word among the cluster's options. The cluster's are never one, whatever a resource is called: `stonith`, `maintenance`. */
function isOwnOption({ name, attributes }: XmlElement, { resources }: ChangeRights): boolean {
  const option = attributes.name ?? ''
  if (name !== 'nvpair' || clusterOption(option.toLowerCase()) !== undefined) return false
  return [...resources].some((id) => isNamedAfter(option, id))
}

/** Agents name what they keep after their resource: `galera-bootstrap`, `redis_REPL_INFO`, `rmq-node-attr-rabbitmq`, `master-db`. */
export function isNamedAfter(written: string, id: string): boolean {
  const [name, resource] = [written.toLowerCase(), id.toLowerCase()]
  return name.startsWith(`${resource}-`) || name.startsWith(`${resource}_`) || name.endsWith(`-${resource}`)
}

/** A set of cluster options that has nothing else. */
function isOwnOptions(trail: Trail, rights: ChangeRights): boolean {
  const [, section, set] = trail
  if (section?.name !== 'crm_config' || trail.length !== 3 || set === undefined) return false
  return set.children.every((child) => child.kind === 'element' && isOwnOption(child, rights))
}

/** A remote node may have none until somebody gives it an attribute. */
function isOwnEntry(trail: Trail, rights: ChangeRights): boolean {
  const [, section, node] = trail
  if (section?.name !== 'nodes' || trail.length !== 3 || node?.name !== 'node') return false
  const { id, uname, type } = node.attributes
  return uname === rights.node && id === rights.node && type === 'remote' && childElements(node).every(holdsAttributes)
}

function isOwnBan(constraint: XmlElement, { node }: ChangeRights): boolean {
  const { name, attributes, children } = constraint
  return (
    name === 'rsc_location' &&
    (attributes.id ?? '').startsWith('cli-ban-') &&
    attributes.node === node &&
    attributes.score === '-INFINITY' &&
    attributes['resource-discovery'] === undefined &&
    children.length === 0
  )
}

const texts = ({ children }: XmlElement) => children.filter(({ kind }) => kind !== 'element')

function keyed(parent: XmlElement): ReadonlyMap<string, XmlElement> {
  const children = new Map<string, XmlElement>()
  for (const child of childElements(parent)) {
    const name = JSON.stringify([child.name, child.attributes.id, child.attributes['id-ref']])
    let key = name
    for (let number = 2; children.has(key); number++) key = `${name} ${number}`
    children.set(key, child)
  }
  return children
}

const placeOf = (trail: Trail): string =>
  trail
    .slice(1)
    .map(({ name, attributes: { id } }) => (id === undefined ? name : `${name} ${id}`))
    .join(', ')
