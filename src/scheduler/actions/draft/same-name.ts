/**
 * The actions of one resource that are named alike: its starts, its probes. Most have one or two, but a probe may have one for
 * each of a thousand nodes, and every one that is drafted asks first whether it is there already.
 */
import type { NodeName } from '../../../base/index.ts'
import type { NodeStatus } from '../../../status/index.ts'
import { type Findable, latestFor } from './action.ts'

/** So many are looked through faster than an index is made of them. */
const few = 8

export class SameName<Action extends Findable & { readonly id: number }> {
  readonly #all: Action[]
  /** Made once there are many. */
  #index: NodeIndex<Action> | undefined = undefined

  constructor(first: Action) {
    this.#all = [first]
  }

  /** In the order in which they came about. */
  get all(): readonly Action[] {
    return this.#all
  }

  add(action: Action): void {
    this.#all.push(action)
    if (this.#index) file(this.#index, action)
  }

  /** One that has no node yet is taken to be meant for any. */
  latestFor(node: NodeStatus | undefined): Action | undefined {
    if (!node || this.#all.length <= few) return latestFor(node, this.#all)
    this.#index ??= indexed(this.#all)
    fileAgain(this.#index)
    const there = this.#index.byNode.get(node.name)
    const anywhere = this.#index.nodeless.at(-1)
    return there && anywhere ? later(there, anywhere) : (there ?? anywhere)
  }
}

interface NodeIndex<Action> {
  /** The latest on each node. */
  readonly byNode: Map<NodeName, Action>
  /** Those that had no node when they were looked at. */
  nodeless: Action[]
}

function indexed<Action extends Findable & { readonly id: number }>(actions: readonly Action[]): NodeIndex<Action> {
  const index: NodeIndex<Action> = { byNode: new Map(), nodeless: [] }
  for (const action of actions) file(index, action)
  return index
}

function file<Action extends Findable & { readonly id: number }>(index: NodeIndex<Action>, action: Action): void {
  if (!action.node) {
    index.nodeless.push(action)
    return
  }
  const known = index.byNode.get(action.node.name)
  index.byNode.set(action.node.name, known ? later(known, action) : action)
}

/** Some may have got their node since. */
function fileAgain<Action extends Findable & { readonly id: number }>(index: NodeIndex<Action>): void {
  if (!index.nodeless.some(({ node }) => node)) return
  const before = index.nodeless
  index.nodeless = []
  for (const action of before) file(index, action)
}

const later = <Action extends { readonly id: number }>(a: Action, b: Action): Action => (a.id > b.id ? a : b)
