/**
 * Relations between two actions: what the state of one means for the other. Each relation is a set of rules; the rules
 * are what order constraints, groups, clones, migration and fencing are made of ("Ordering" in Pacemaker Explained).
 */
export const rule = {
  /** If both are in the transition, `first` comes before `then`. */
  ordered: 1 << 0,
  /** If `first` is needed, so is `then`. */
  firstImpliesThen: 1 << 1,
  /**
   * The way down of an order: if `then` (a stop) is needed and is no part of a live migration, `first` is none either. That
   * `first` is needed at all follows from the way up: its own start cannot run any more, or has to run again.
   */
  thenImpliesFirst: 1 << 2,
  /** If a promoted `then` is needed, so is `first`. */
  promotedThenImpliesFirst: 1 << 3,
  /** `then` can run only if `first` can. */
  unrunnableFirstBlocks: 1 << 4,
  /** `first` can run, as a part of a live migration, only if `then` can. */
  unmigratableThenBlocks: 1 << 5,
  /** `first` being needed puts `then` into the graph, if only as a point in the order. */
  firstShowsThen: 1 << 6,
  /** `then` being needed puts `first` into the graph. */
  thenShowsFirst: 1 << 7,
  /** Only the way up is ordered: a `first` that cannot run stops `then` from being touched. */
  asymmetric: 1 << 8,
  /** Holds only if both are on one node. */
  onSameNode: 1 << 9,
  /** As before, but for a migration the node it goes to counts; alone in its relation. */
  onSameNodeOrTarget: 1 << 10,
  /** Holds only if `first` is needed and both are on one node; alone in its relation. */
  neededOnSameNode: 1 << 20,
  /** A needed `then` needs `first` (a stop) as well: the restart of a resource. */
  restart: 1 << 11,
  /** `then` stays real only if `first` can run: the start that a migration replaces. */
  firstElseThen: 1 << 12,
  /** Not at the same time, in whatever order. */
  serialize: 1 << 13,
  /** `then` needs only some of its firsts to be runnable. */
  minRunnable: 1 << 14,
  /** A needed `then` (a stop) makes `first` (a reload) pointless. */
  thenCancelsFirst: 1 << 15,
  /** Made by the cluster, so it may order a guest's resource and its container. */
  guestAllowed: 1 << 16,
  /** As firstImpliesThen, but only for the `then` on the node of `first`: unfencing. */
  firstImpliesSameNodeThen: 1 << 17,
  /** Holds only where `first` cannot be part of a live migration. */
  unlessFirstMigrates: 1 << 18,
  /** The probe of a connection waits for its container, unless that container was found running. */
  nestedProbe: 1 << 19,
} as const

export type Rules = number
export const none: Rules = 0

export interface Relation<Action> {
  /** Among all relations; given once the draft is done. */
  number: number
  readonly first: Action
  readonly follower: Action
  readonly rules: Rules
}

/** What has relations; its own come latest last. */
export interface Related<Action> {
  readonly id: number
  /** Relations in which it is the `then`. */
  readonly before: Relation<Action>[]
  /** Relations in which it is the `first`. */
  readonly after: Relation<Action>[]
}

export const has = (rules: Rules, wanted: Rules): boolean => (rules & wanted) !== 0

/**
 * Relates two actions, unless they are one, or were related before by any of the same rules: what was said first stays.
 * True when something new was said.
 */
export function relate<Action extends Related<Action>>(
  first: Action | undefined,
  follower: Action | undefined,
  rules: Rules,
): boolean {
  if (rules === none || !first || !follower || first === follower) return false
  // Looked up from the end that has fewer relations: a probe or a fencing action may have thousands.
  const [relations, viaFirst] =
    first.after.length <= follower.before.length ? [first.after, true] : [follower.before, false]
  for (const relation of relations) {
    const other = viaFirst ? relation.follower : relation.first
    if (other === (viaFirst ? follower : first) && has(relation.rules, rules)) return false
  }
  const relation: Relation<Action> = { number: 0, first, follower, rules }
  first.after.push(relation)
  follower.before.push(relation)
  return true
}
