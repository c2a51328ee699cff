/**
 * What each rule of a relation means for the two actions, as a table: under which condition which of them loses what. What
 * is lost does not come back, so that applying the rules ends. The rules themselves are explained in `relation.ts`.
 */
import { roleRank } from '../../../cib/index.ts'
import type { ActionState, PlannedAction } from '../draft/action.ts'
import { currentRole } from '../draft/planned-resource.ts'
import { type Rules, rule } from '../draft/relation.ts'
import type { Counted } from './counted.ts'

export interface Party {
  readonly action: PlannedAction
  readonly state: ActionState
}

export interface Pair {
  readonly first: Party
  readonly follower: Party
  /** The state of `first` as it counts here, which for a group or clone follows from its parts. */
  readonly counted: Counted
}

export interface Consequence {
  readonly rule: Rules
  /** The side whose parts are looked at one by one, where it is a group, clone or bundle. */
  readonly partsOf: 'first' | 'follower'
  readonly apply: (pair: Pair) => void
  /** Says nothing about states, but orders each pair of instances of interleaved clones. */
  readonly onlyInterleaved?: boolean
  /** Where that side is a point that belongs to no resource. */
  readonly applyToPoint?: (pair: Pair) => void
}

/** In the order in which they are applied; later ones see what earlier ones changed. */
export const consequences: readonly Consequence[] = [
  {
    // A required first requires the follower, unless it is replaced by a live migration.
    rule: rule.firstImpliesThen,
    partsOf: 'follower',
    apply: ({ first, follower, counted }) => {
      if (!counted.optional && !first.state.migratable) lose(follower, 'optional', first)
    },
    applyToPoint: ({ follower, counted }) => {
      if (!counted.optional) follower.state.optional = false
    },
  },
  { rule: rule.restart, partsOf: 'follower', apply: restart },
  {
    rule: rule.thenImpliesFirst,
    partsOf: 'first',
    apply: ({ first, follower }) => {
      if (!follower.state.optional && !follower.state.migratable) lose(first, 'migratable', follower)
    },
    applyToPoint: ({ first, follower, counted }) => {
      if (!counted.optional && !follower.state.runnable) first.state.runnable = false
    },
  },
  {
    rule: rule.promotedThenImpliesFirst,
    partsOf: 'follower',
    apply: ({ first, follower }) => {
      const { rsc } = follower.action
      if (follower.state.optional || !rsc || currentRole(rsc) !== 'Promoted') return
      lose(first, 'optional', follower)
      if (!follower.state.migratable) lose(first, 'migratable', follower)
    },
  },
  {
    rule: rule.unrunnableFirstBlocks,
    partsOf: 'follower',
    apply: ({ first, follower, counted }) => {
      if (!follower.state.runnable || counted.runnable) return
      lose(follower, 'runnable', first)
      lose(follower, 'migratable', first)
    },
    applyToPoint: ({ follower, counted }) => {
      if (!counted.runnable) follower.state.runnable = false
    },
  },
  {
    rule: rule.unmigratableThenBlocks,
    partsOf: 'follower',
    apply: ({ first, follower }) => {
      if (!follower.state.migratable || !follower.state.runnable) lose(first, 'runnable', follower)
      if (!follower.state.optional) lose(first, 'optional', follower)
    },
  },
  {
    rule: rule.firstElseThen,
    partsOf: 'follower',
    apply: ({ first, follower }) => {
      if (first.state.runnable) return
      lose(follower, 'migratable', first)
      follower.state.pseudo = false
    },
  },
  { rule: rule.ordered, partsOf: 'follower', onlyInterleaved: true, apply: () => undefined },
  { rule: rule.asymmetric, partsOf: 'follower', apply: leaveUntouched },
]

/** A resource that has to start again has to stop before; one that cannot start again is stopped all the same. */
function restart({ first, follower }: Pair): void {
  const { rsc } = follower.action
  const isManaged = rsc?.kind !== 'primitive' || rsc.assigned.managed
  const isStuck = !follower.state.runnable && isManaged && first.action.rsc === rsc
  if (follower.state.optional && !isStuck) return
  if (first.state.runnable || !follower.state.optional) lose(first, 'optional', follower)
  if (!follower.state.migratable) lose(first, 'migratable', follower)
  if (!first.state.optional && !first.state.runnable) lose(follower, 'runnable', first)
}

/** An asymmetric order keeps from being touched what comes after an action that cannot run, unless it is as it shall be. */
function leaveUntouched({ first, follower }: Pair): void {
  const { rsc, task, node } = follower.action
  if (!rsc || first.state.runnable) return
  if (follower.state.optional) {
    const role = currentRole(rsc)
    if (task === 'stop' && role === 'Stopped') return
    const active = rsc.kind === 'primitive' ? rsc.resource.state.active : []
    const isThere = active.length === 1 && active[0]?.node === node?.name
    if (task === 'start' && isThere && roleRank(role) >= roleRank('Started')) return
  }
  lose(follower, 'optional', first)
  lose(follower, 'runnable', first)
}

const lossNames = { optional: 'required', runnable: 'unrunnable', migratable: 'unmigrateable' } as const

/** Takes a property away. The first loss that another resource causes is the reason that is shown. */
export function lose({ action, state }: Party, property: keyof typeof lossNames, { action: cause }: Party): void {
  if (!state[property]) return
  state[property] = false
  if (action.rsc === cause.rsc || state.reason !== undefined) return
  const { rsc, task } = cause
  state.reason = `${lossNames[property]}${rsc ? ` ${rsc.id}` : ''} ${task}`
  state.cause = rsc && { kind: 'action', loss: lossNames[property], resource: rsc.id, task }
}
