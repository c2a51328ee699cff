/**
 * The difference of two documents as Pacemaker writes it (`<diff format="2">`): what goes, with its old place where it is a comment; then what is changed, made and
 * moved, in the order of the new document. A change names its element by a path of names and ids: `/cib/configuration/nodes/node[@id='3']`.
 */
import { element, type XmlElement, type XmlNode } from '../../cib/index.ts'

export interface PatchForm {
  /** Without them, a difference of versions is none. */
  readonly withVersions: boolean
  /** Attributes in another order are a difference. */
  readonly ordered?: boolean
}

export function makePatch(before: XmlElement, written: XmlElement, form: PatchForm): XmlElement | undefined {
  const after = form.withVersions ? written : withVersionOf(written, before)
  const gone: XmlElement[] = []
  const changes = changesOf({ before, after, path: pathOf('', after) }, form, gone)
  if (gone.length === 0 && changes.length === 0) return undefined
  return element('diff', { format: '2' }, [
    ...(form.withVersions ? [versions(before, after)] : []),
    ...gone,
    ...changes,
  ])
}

const versionAttributes = ['admin_epoch', 'epoch', 'num_updates'] as const

function withVersionOf(cib: XmlElement, other: XmlElement): XmlElement {
  const same = Object.entries(cib.attributes).map(([name, value]) =>
    versionAttributes.some((one) => one === name) ? [name, other.attributes[name] ?? value] : [name, value],
  )
  return { ...cib, attributes: Object.fromEntries(same) }
}

/** What is no CIB has the version 1.1.1. */
function versions(before: XmlElement, after: XmlElement): XmlElement {
  const of = (name: string, { attributes }: XmlElement): XmlElement =>
    element(name, Object.fromEntries(versionAttributes.map((one) => [one, attributes[one] ?? '1'])))
  return element('version', {}, [of('source', before), of('target', after)])
}

function pathOf(parent: string, node: XmlNode): string {
  if (node.kind !== 'element') return `${parent}/comment`
  const { id } = node.attributes
  return `${parent}/${node.name}${id === undefined ? '' : `[@id='${id}']`}`
}

interface Pair {
  readonly before: XmlElement
  readonly after: XmlElement
  readonly path: string
}

function changesOf({ before, after, path }: Pair, form: PatchForm, gone: XmlElement[]): readonly XmlElement[] {
  const [old, now] = [nodesOf(before), nodesOf(after)]
  const places = new Places(old, now)
  const below = new Map<XmlNode, readonly XmlElement[]>()
  const matched = new Map<XmlNode, XmlNode>()
  const find = finder(now)
  for (const child of old) {
    const same = find(child, (comment) => places.new(comment) === places.old(child))
    if (same === undefined) {
      gone.push(deletion(child, path, places.old(child)))
      places.leaveOut(child)
    } else {
      // Of several that look alike the first stands for all.
      if (!matched.has(same)) matched.set(same, child)
      if (child.kind === 'element' && same.kind === 'element') {
        const inner = changesOf({ before: child, after: same, path: pathOf(path, same) }, form, gone)
        below.set(same, [...(below.get(same) ?? []), ...inner])
      }
    }
  }
  const findOld = finder(old)
  const children = now.flatMap((child, position): readonly XmlElement[] => {
    const was = matched.get(child) ?? (child.kind === 'element' ? findOld(child, () => false) : undefined)
    if (was === undefined) {
      places.leaveOut(child)
      return [element('change', { operation: 'create', path, position: String(position) }, [child])]
    }
    const inner = below.get(child) ?? []
    return places.moved(was, child)
      ? [...inner, element('change', { operation: 'move', path: pathOf(path, child), position: String(position) })]
      : inner
  })
  return [...modification({ before, after, path }, form), ...children]
}

/** Text means nothing in a CIB. */
const nodesOf = ({ children }: XmlElement): readonly XmlNode[] => children.filter(({ kind }) => kind !== 'text')

/** An element by its name and id; a comment by its words, at a place that fits. */
function finder(
  nodes: readonly XmlNode[],
): (wanted: XmlNode, fits: (comment: XmlNode) => boolean) => XmlNode | undefined {
  const byKey = new Map<string, XmlNode>()
  for (const node of nodes) {
    const key = node.kind === 'element' ? pathOf('', node) : undefined
    if (key !== undefined && !byKey.has(key)) byKey.set(key, node)
  }
  return (wanted, fits) =>
    wanted.kind === 'element'
      ? byKey.get(pathOf('', wanted))
      : nodes.find(
          (node) => node.kind === 'comment' && node.text.toLowerCase() === wanted.text.toLowerCase() && fits(node),
        )
}

function deletion(child: XmlNode, path: string, position: number): XmlElement {
  const place = child.kind === 'element' ? {} : { position: String(position) }
  return element('change', { operation: 'delete', path: pathOf(path, child), ...place })
}

/** Places among what is in both and has not moved, so that what stands still is not said to move because others do. */
class Places<Node> {
  readonly #old: readonly Node[]
  readonly #new: readonly Node[]
  readonly #left = new Set<Node>()

  constructor(before: readonly Node[], after: readonly Node[]) {
    this.#old = before
    this.#new = after
  }

  old(node: Node): number {
    return this.#placeIn(this.#old, node)
  }

  new(node: Node): number {
    return this.#placeIn(this.#new, node)
  }

  /** It has gone, come, or moved. */
  leaveOut(node: Node): void {
    this.#left.add(node)
  }

  moved(was: Node, is: Node): boolean {
    const [before, after] = [this.old(was), this.new(is)]
    if (before === after) return false
    this.leaveOut(before > after ? was : is)
    return true
  }

  #placeIn(nodes: readonly Node[], node: Node): number {
    const before = nodes.slice(0, nodes.indexOf(node))
    return this.#left.size === 0 ? before.length : before.filter((one) => !this.#left.has(one)).length
  }
}

function modification({ before, after, path }: Pair, { ordered = false }: PatchForm): readonly XmlElement[] {
  const changed = changedAttributes(before, after, ordered)
  const unset = Object.keys(before.attributes).filter((name) => after.attributes[name] === undefined)
  const list = [
    ...changed.map((name) => element('change-attr', { name, operation: 'set', value: after.attributes[name] ?? '' })),
    ...unset.map((name) => element('change-attr', { name, operation: 'unset' })),
  ]
  if (list.length === 0) return []
  const result = element('change-result', {}, [{ ...after, children: [] }])
  return [element('change', { operation: 'modify', path }, [element('change-list', {}, list), result])]
}

/** In the order in which the new element has them. */
function changedAttributes(before: XmlElement, after: XmlElement, ordered: boolean): readonly string[] {
  const [old, now] = [Object.keys(before.attributes), Object.keys(after.attributes)]
  const places = new Places(
    old.map((name) => `old ${name}`),
    now.map((name) => `new ${name}`),
  )
  const moved = new Set(
    ordered
      ? old.filter(
          (name) => after.attributes[name] === before.attributes[name] && places.moved(`old ${name}`, `new ${name}`),
        )
      : [],
  )
  return now.filter((name) => moved.has(name) || after.attributes[name] !== before.attributes[name])
}
