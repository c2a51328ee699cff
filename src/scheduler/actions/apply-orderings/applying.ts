/**
 * The workplace of applying orderings, which nobody outside sees: the state of each action as it is so far, the relations that were
 * added and those that do not apply, and the actions that are to be looked at again.
 */
import type { ActionState, PlannedAction, PlannedRelation } from '../draft/action.ts'
import type { Draft } from '../draft/draft.ts'
import { pairingOf } from '../draft/pairing.ts'
import type { PlannedPrimitive } from '../draft/planned-resource.ts'
import { has, none, type Rules } from '../draft/relation.ts'
import type { AppliedOrderings } from './applied-orderings.ts'
import type { Counted } from './counted.ts'
import { PartActions } from './part-actions.ts'
import { type Reach, reachOf } from './reach.ts'
import { WatchedState } from './watched-state.ts'
import { Worklist } from './worklist.ts'

type Relations = Map<PlannedAction, PlannedRelation[]>

export class Applying {
  readonly draft: Draft
  readonly work = new Worklist()
  readonly parts: PartActions
  /** What it does not reach is as it was drafted, and stays so. */
  readonly reaches: Reach
  /** What was counted of the parts of a clone or bundle, and after how many changes. */
  readonly counts = new Map<PlannedAction, { readonly counted: Counted; readonly changes: number }>()
  /** How often any action became needed or not, or possible or not. */
  changes = 0
  /** How far a change has been followed. */
  depth = 0
  readonly #states: ActionState[] = []
  readonly #dropped: boolean[] = []
  readonly #addedBefore: Relations = new Map()
  readonly #addedAfter: Relations = new Map()
  readonly #withdrawn = new Set<PlannedPrimitive>()
  #relations: number
  #pairing: Draft['pairing']

  constructor(draft: Draft) {
    this.draft = draft
    this.parts = new PartActions(draft)
    this.#relations = draft.relations
    this.#pairing = draft.pairing
    this.reaches = reachOf(draft, this.parts)
  }

  readonly #changed = (): void => {
    this.changes++
  }

  stateOf = (action: PlannedAction): ActionState => this.#states[action.id] ?? this.#begin(action)

  #begin(action: PlannedAction): ActionState {
    const drafted = this.draft.draftedState(action)
    const state = this.reaches(action) ? new WatchedState(drafted, this.#changed) : drafted
    this.#states[action.id] = state
    return state
  }

  get pairing(): Draft['pairing'] {
    return this.#pairing
  }

  destinationOf: Draft['destinationOf'] = (rsc) =>
    this.#withdrawn.has(rsc) ? { nextRole: 'Stopped' } : this.draft.destinationOf(rsc)

  /** What was to be active stays down after all. */
  withdraw(resources: readonly PlannedPrimitive[]): void {
    for (const rsc of resources) this.#withdrawn.add(rsc)
    this.#pairing = pairingOf({ destinationOf: this.destinationOf, assignment: this.draft.assignment })
  }

  /** The relations in which an action is the `then`, latest last. */
  before(action: PlannedAction): readonly PlannedRelation[] {
    const added = this.#addedBefore.get(action)
    return added ? [...action.before, ...added] : action.before
  }

  after(action: PlannedAction): readonly PlannedRelation[] {
    const added = this.#addedAfter.get(action)
    return added ? [...action.after, ...added] : action.after
  }

  isDropped({ number }: PlannedRelation): boolean {
    return this.#dropped[number] === true
  }

  drop({ number }: PlannedRelation): void {
    this.#dropped[number] = true
  }

  /** Relates two more actions; true if nothing of this was said before. */
  relate(first: PlannedAction, follower: PlannedAction, rules: Rules): boolean {
    if (rules === none || first === follower) return false
    const added = this.#addedBefore.get(follower)
    const isSaid = (relation: PlannedRelation): boolean =>
      relation.first === first && relation.follower === follower && has(relation.rules, rules)
    const fewer = first.after.length <= follower.before.length ? first.after : follower.before
    if (fewer.some(isSaid) || added?.some(isSaid)) return false
    const relation = { number: this.#relations, first, follower, rules }
    this.#relations++
    push(this.#addedBefore, follower, relation)
    push(this.#addedAfter, first, relation)
    return true
  }

  /** An action and whatever comes after it are to be looked at. */
  lookAgain(action: PlannedAction): void {
    this.work.add(action)
    for (const { follower } of this.after(action)) this.work.add(follower)
  }

  /** What came of it, once nothing is left to be looked at. */
  finish(): AppliedOrderings {
    const { draft, stateOf, destinationOf } = this
    const before = (action: PlannedAction): readonly PlannedRelation[] =>
      this.before(action).filter((relation) => !this.isDropped(relation))
    return { ...draft, stateOf, before, destinationOf, pairing: this.#pairing }
  }
}

function push(to: Relations, action: PlannedAction, relation: PlannedRelation): void {
  const known = to.get(action)
  if (known) known.push(relation)
  else to.set(action, [relation])
}
