/**
 * `pcs resource relations`: what is inside what, and what is ordered with what, as a tree. Each resource and each relation is shown in full
 * where it is nearest to the top, and marked wherever else it comes.
 */
import { childElements, configurationElement, type XmlElement } from '../../cib/index.ts'
import { innerResources, withInner } from './resources.ts'

interface Relation {
  readonly kind: 'inner resource(s)' | 'outer resource' | 'order' | 'order set'
  readonly id: string
  /** Of an inner or outer one: the resource that it belongs to. */
  readonly of?: string
  readonly members: readonly string[]
  readonly lines: readonly string[]
}

interface Node {
  readonly key: string
  readonly id: string
  /** Where it stands among its siblings, before its id counts. */
  readonly place: number
  readonly label: string
  readonly lines: readonly string[]
  /** Whether it is shown here: elsewhere it is only named. */
  shown: boolean
  readonly children: Node[]
}

interface Graph {
  readonly resources: ReadonlyMap<string, XmlElement>
  readonly relations: readonly Relation[]
  readonly full: boolean
}

export function relationLines(cib: XmlElement, id: string, full: boolean): readonly string[] {
  const resources = childElements(configurationElement(cib), 'resources')
    .flatMap((section) => childElements(section))
    .flatMap(withInner)
  const graph = {
    resources: new Map(resources.map((one) => [one.attributes.id ?? '', one])),
    // In the order in which they are gone through; what is printed is sorted.
    relations: [...orders(cib), ...resources.flatMap(containments)],
    full,
  }
  return printed(spread(graph, id))
}

function containments(outer: XmlElement): readonly Relation[] {
  const id = outer.attributes.id ?? ''
  const members = innerResources(outer).map(({ attributes }) => attributes.id ?? '')
  const lines = members.length > 1 ? [`members: ${members.join(' ')}`] : []
  // A bundle with nothing in it has its place for it.
  if (members.length === 0 && outer.name !== 'bundle') return []
  return [
    { kind: 'inner resource(s)', id, of: id, members, lines },
    ...members.map((member): Relation => ({ kind: 'outer resource', id, of: member, members: [id], lines: [] })),
  ]
}

function orders(cib: XmlElement): readonly Relation[] {
  const all = childElements(configurationElement(cib), 'constraints').flatMap((section) =>
    childElements(section, 'rsc_order'),
  )
  const setsOf = (order: XmlElement): readonly XmlElement[] => childElements(order, 'resource_set')
  return [
    ...all.filter((order) => setsOf(order).length === 0).map(orderOfTwo),
    ...all.filter((order) => setsOf(order).length > 0).map((order) => orderSet(order, setsOf(order))),
  ]
}

function orderOfTwo({ attributes }: XmlElement): Relation {
  const { id = '', first = '', then: last = '', 'first-action': firstAction = 'start', ...rest } = attributes
  const { 'then-action': thenAction = firstAction, ...options } = rest
  const said = `${firstAction} ${first} then ${thenAction} ${last}`
  return { kind: 'order', id, members: [first, last], lines: [said, ...optionLines(options)] }
}

function orderSet({ attributes: { id = '', ...options } }: XmlElement, sets: readonly XmlElement[]): Relation {
  const references = sets.map((set) => childElements(set, 'resource_ref').map(({ attributes }) => attributes.id ?? ''))
  const setLines = sets.map(({ attributes: { id: _, ...own } }, index) => {
    const said = optionLines(own)
    return `   set ${(references[index] ?? []).join(' ')}${said.length === 0 ? '' : ` (${said.join(' ')})`}`
  })
  return {
    kind: 'order set',
    id,
    members: [...new Set(references.flat())].sort(),
    lines: [...optionLines(options), ...setLines],
  }
}

const optionLines = (options: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(options)
    .map(([name, value]) => `${name}=${value}`)
    .sort()

/** Level by level, so that what is nearest to the top is met first. */
function spread(graph: Graph, id: string): Node {
  const seen = new Set<string>()
  const root = resourceNode(graph, id)
  const waiting: { readonly node: Node; readonly at: string | Relation; readonly from: Came }[] = [
    { node: root, at: id, from: {} },
  ]
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { node, at, from } = next
    if (seen.has(node.key)) continue
    seen.add(node.key)
    node.shown = true
    const below =
      typeof at === 'string'
        ? relationsOf(graph, at, from).map((relation) => ({
            node: relationNode(graph, relation),
            at: relation,
            from: { resource: at, relation, outer: from.resource },
          }))
        : others(at, from).map((member) => ({ node: resourceNode(graph, member), at: member, from }))
    waiting.push(...below)
    node.children.push(...below.map((one) => one.node))
    node.children.sort((a, b) => a.place - b.place || (a.id < b.id ? -1 : 1))
  }
  return root
}

/** The way that led to a place. */
interface Came {
  readonly resource?: string | undefined
  readonly relation?: Relation
  /** The resource before that. */
  readonly outer?: string | undefined
}

/** Of a resource, without the one by which it was reached, and without what only leads back. */
function relationsOf({ relations }: Graph, id: string, { resource, relation }: Came): readonly Relation[] {
  const own = relations.filter((one) => (one.of === undefined ? one.members.includes(id) : one.of === id))
  return own.filter(
    (one) =>
      one !== relation &&
      !(one.of !== undefined && one.members.length > 0 && one.members.every((member) => member === resource)),
  )
}

const places = ['inner resource(s)', 'outer resource', 'order', 'order set']

function others({ kind, members }: Relation, { resource, outer }: Came): readonly string[] {
  const back = kind === 'inner resource(s)' ? outer : resource
  return members.filter((member) => member !== back)
}

function resourceNode({ resources, full }: Graph, id: string): Node {
  const { name = '', attributes = {} } = resources.get(id) ?? {}
  const { class: standard, provider, type } = attributes
  const what = name === 'primitive' ? [standard, provider, type].filter((part) => part !== undefined).join(':') : name
  const label = full ? `${id} (resource: ${name === 'master' ? 'clone' : what})` : id
  return { key: `resource ${id}`, id, place: 0, label, lines: [], shown: false, children: [] }
}

function relationNode({ full }: Graph, { kind, id, lines }: Relation): Node {
  const label = full ? `${kind} (${id})` : kind
  return { key: `${kind} ${id}`, id, place: places.indexOf(kind), label, lines, shown: false, children: [] }
}

function printed(root: Node): readonly string[] {
  const lines: string[] = [root.label]
  const print = ({ children }: Node, indent: string): void => {
    for (const [index, child] of children.entries()) {
      const isLast = index === children.length - 1
      lines.push(`${indent}${isLast ? '`-' : '|-'} ${child.label}${child.shown ? '' : ' [displayed elsewhere]'}`)
      if (!child.shown) continue
      const below = `${indent}${isLast ? '   ' : '|  '}`
      lines.push(...child.lines.map((line) => `${below}${child.children.length > 0 ? '|  ' : '   '}${line}`))
      print(child, below)
    }
  }
  print(root, '')
  return lines
}
