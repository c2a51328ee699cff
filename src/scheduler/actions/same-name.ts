/**
 * The actions of one resource that are named alike: its starts, its probes. Most have one or two, but a probe may have one for
 * each of a thousand nodes, and every one that is drafted asks first whether it is there already.
 */
import type { NodeName } from '../../base/index.ts'
import type { NodeStatus } from '../../status/index.ts'
import { type Findable, latestFor } from './action.ts'

/** So many are looked through faster than an index is made of them. */
const few = 8

export class SameName<Action extends Findable & { readonly id: number }> {
  readonly #all: Action[]
  /** The latest on each node, and those that had no node when they were looked at; made once there are many. */
  #byNode: Map<NodeName, Action> | undefined
  #nodeless: Action[] = []

  constructor(first: Action) {
    this.#all = [first]
  }

  /** In the order in which they came about. */
  get all(): readonly Action[] {
    return this.#all
  }

  add(action: Action): void {
    this.#all.push(action)
    if (this.#byNode) this.#file(action)
  }

  /** One that has no node yet is taken to be meant for any. */
  latestFor(node: NodeStatus | undefined): Action | undefined {
    if (!node || this.#all.length <= few) return latestFor(node, this.#all)
    const there = this.#onNode(node.name)
    const anywhere = this.#nodeless.at(-1)
    return there && anywhere ? (there.id > anywhere.id ? there : anywhere) : (there ?? anywhere)
  }

  #onNode(name: NodeName): Action | undefined {
    if (!this.#byNode) {
      this.#byNode = new Map()
      for (const action of this.#all) this.#file(action)
    } else if (this.#nodeless.some(({ node }) => node)) {
      const before = this.#nodeless
      this.#nodeless = []
      for (const action of before) this.#file(action)
    }
    return this.#byNode.get(name)
  }

  #file(action: Action): void {
    if (!action.node) {
      this.#nodeless.push(action)
      return
    }
    const known = this.#byNode?.get(action.node.name)
    if (!known || known.id < action.id) this.#byNode?.set(action.node.name, action)
  }
}
