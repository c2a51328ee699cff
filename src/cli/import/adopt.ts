/** The configuration that takes over, and whether everything was found where the other cluster had it. */
import { utcOffsetAt } from '../../base/index.ts'
import {
  childElement,
  childElements,
  type EditResult,
  setClusterOptions,
  type XmlElement,
  type XmlNode,
} from '../../cib/index.ts'
import { type PrimitiveResource, partsOf, type Resource, roleOrChange, statusOfCib } from '../../status/index.ts'

/**
 * The other cluster's configuration in this one's CIB, in maintenance, so that nothing is started or stopped before an administrator
 * has seen what was found. Nodes keep the ids that this cluster knows them by.
 */
export function adoptConfiguration(own: XmlElement, other: XmlElement): EditResult {
  const configuration = childElement(other, 'configuration')
  const ids = new Map(
    nodeElements(own).flatMap(({ attributes: { uname, id } }) => (uname && id ? [[uname, id] as const] : [])),
  )
  const children = (configuration?.children ?? []).map(
    (child): XmlNode => (child.kind === 'element' && child.name === 'nodes' ? withIds(child, ids) : child),
  )
  const others = own.children.filter((child) => child.kind !== 'element' || child.name !== 'configuration')
  const adopted = { ...own, children: [{ ...(configuration ?? own), name: 'configuration', children }, ...others] }
  return setMaintenance(adopted, true)
}

export function setMaintenance(cib: XmlElement, on: boolean): EditResult {
  return setClusterOptions(cib, { values: { 'maintenance-mode': String(on) }, force: true })
}

function nodeElements(cib: XmlElement): readonly XmlElement[] {
  const configuration = childElement(cib, 'configuration')
  const nodes = configuration && childElement(configuration, 'nodes')
  return nodes ? childElements(nodes, 'node') : []
}

function withIds(nodes: XmlElement, ids: ReadonlyMap<string, string>): XmlElement {
  const children = nodes.children.map((child): XmlNode => {
    if (child.kind !== 'element' || child.name !== 'node') return child
    const { uname = '', id = '' } = child.attributes
    return { ...child, attributes: { ...child.attributes, id: ids.get(uname) ?? id } }
  })
  return { ...nodes, children }
}

export interface Found {
  readonly resource: string
  /** `n1`, or `n1 (Promoted)`; empty where it is stopped. */
  readonly there: readonly string[]
  readonly here: readonly string[]
}

/** Where each resource was by the other cluster's status, and where this one has found it. */
export function compareRunning(there: XmlElement, here: XmlElement, now: number): readonly Found[] {
  const [before, after] = [placesOf(there, now), placesOf(here, now)]
  return [...new Set([...before.keys(), ...after.keys()])].sort().map((resource) => ({
    resource,
    there: before.get(resource) ?? [],
    here: after.get(resource) ?? [],
  }))
}

/** Instances of one clone together: their numbers are nobody's concern. Fence devices run nowhere that matters. */
function placesOf(cib: XmlElement, now: number): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, string[]>()
  const visit = (resource: Resource): void => {
    if (resource.kind === 'primitive') note(resource, places)
    else partsOf(resource).forEach(visit)
  }
  statusOfCib({ cib, now, utcOffsetAt }).resources.forEach(visit)
  return new Map([...places].map(([resource, nodes]) => [resource, nodes.sort()]))
}

function note(resource: PrimitiveResource, places: Map<string, string[]>): void {
  if (resource.agent.class === 'stonith') return
  const nodes = places.get(resource.configuredId) ?? []
  places.set(resource.configuredId, nodes)
  const role = roleOrChange(resource)
  const suffix = role === 'Started' || role === 'Unpromoted' ? '' : ` (${role})`
  for (const { node } of resource.state.active) nodes.push(`${node}${suffix}`)
}
