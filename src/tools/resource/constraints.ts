/** crm_resource --constraints and --stack: where a resource may be, and with which others, as far as one follows them. */
import { element, formatScore, type XmlElement } from '../../cib/index.ts'
import { type ListedColocation, listPlacement, type PlacementListing } from '../../scheduler/index.ts'
import { hasOption } from '../options.ts'
import { printed, type ToolReply } from '../reply.ts'
import { findResource, statusOf, topOf } from '../status-of.ts'
import type { ParsedCall } from '../tool.ts'
import type { ToolWorld } from '../world.ts'

/** Of the group, clone or bundle around it, unless --force is given. */
export function constraintsOf({ given }: ParsedCall, resource: string, world: ToolWorld): ToolReply {
  const status = statusOf(world)
  const found = findResource(status, resource)
  if (found === undefined) return printed('', [element('constraints')])
  const top = topOf(status, found)
  // What runs in a bundle has a clone around it of which no constraint speaks.
  const { id } = hasOption(given, 'force') || top.kind === 'bundle' ? found : top
  const walk = {
    listing: listPlacement(status),
    isRecursive: hasOption(given, 'stack') || hasOption(given, 'recursive'),
  }
  const told = [
    ...locationsOf(id, walk.listing),
    ...colocatedWith(id, { ...walk, side: 'primary', met: new Set() }),
    ...colocatedWith(id, { ...walk, side: 'dependent', met: new Set() }),
  ]
  return printed(
    told
      .flatMap(linesOf)
      .map((line) => `${line}\n`)
      .join(''),
    [element('constraints', {}, told.flatMap(elementsOf))],
  )
}

/** A title with its items, each of which may have titles below it. */
interface Titled {
  readonly title: string
  readonly items: readonly Item[]
}

interface Item {
  readonly line: string
  readonly xml: XmlElement
  readonly below: readonly Titled[]
}

const linesOf = ({ title, items }: Titled): readonly string[] => [
  title,
  ...items.flatMap(({ line, below }) => [`  * ${line}`, ...below.flatMap(linesBelow)]),
]

const linesBelow = (one: Titled): readonly string[] =>
  linesOf(one).map((line, index) => (index === 0 ? `    * ${line}` : `    ${line}`))

const elementsOf = ({ items }: Titled): readonly XmlElement[] =>
  items.flatMap(({ xml, below }) => [xml, ...below.flatMap(elementsOf)])

const titled = (title: string, items: readonly Item[]): readonly Titled[] =>
  items.length === 0 ? [] : [{ title, items }]

function locationsOf(resource: string, { locations }: PlacementListing): readonly Titled[] {
  const items = locations
    .filter((location) => location.resource === resource)
    .map(({ id, node, score: number }) => {
      const score = formatScore(number)
      return {
        line: `Node ${node} (score=${score}, id=${id}, rsc=${resource})`,
        xml: element('rsc_location', { node, rsc: resource, id, score }),
        below: [],
      }
    })
  return titled('Locations:', items)
}

interface Walk {
  readonly listing: PlacementListing
  readonly isRecursive: boolean
  /** What the resource that is asked about is of the colocations: the walk goes to the other side. */
  readonly side: 'dependent' | 'primary'
  /** Whoever was asked about already is not followed again. */
  readonly met: Set<string>
}

function colocatedWith(resource: string, walk: Walk): readonly Titled[] {
  if (walk.met.has(resource)) return []
  walk.met.add(resource)
  const isPrimary = walk.side === 'primary'
  const { byDependent, byPrimary } = walk.listing
  const items = (isPrimary ? byDependent : byPrimary)
    .filter((one) => one[walk.side] === resource)
    .map((one): Item => {
      const other = isPrimary ? one.dependent : one.primary
      const xml = colocationElement(one)
      if (walk.met.has(other)) return { line: `${other} (id=${one.id} - loop)`, xml, below: [] }
      const role = isNarrow(one.primaryRole) ? `${isPrimary ? 'needs' : 'with'} role=${one.primaryRole}, ` : ''
      return {
        line: `${other} (score=${formatScore(one.score)}, ${role}id=${one.id})`,
        xml,
        below: [...locationsOf(other, walk.listing), ...(walk.isRecursive ? colocatedWith(other, walk) : [])],
      }
    })
  return titled(isPrimary ? `Resources colocated with ${resource}:` : `Resources ${resource} is colocated with:`, items)
}

const isNarrow = (role: ListedColocation['primaryRole']): boolean => role === 'Promoted' || role === 'Unpromoted'

function colocationElement(one: ListedColocation): XmlElement {
  const { id, dependent, primary, nodeAttribute, score, dependentRole, primaryRole } = one
  return element('rsc_colocation', {
    id,
    rsc: dependent,
    'with-rsc': primary,
    score: formatScore(score),
    ...(nodeAttribute === '#uname' ? {} : { 'node-attribute': nodeAttribute }),
    ...(dependentRole === undefined ? {} : { 'rsc-role': dependentRole }),
    ...(primaryRole === undefined ? {} : { 'with-rsc-role': primaryRole }),
  })
}
