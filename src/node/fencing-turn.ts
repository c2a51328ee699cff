/** What a step of fencing gives back, and how steps follow each other. */
import type { TwoNodeInput } from '../quorum/index.ts'
import type { NodeFencing, NodeFencingEffect } from './fencing-state.ts'
import type { NodeEffect, NodeState, NodeTurn } from './state.ts'

/** `told`: to the rules for two nodes. */
export interface FencingTurn extends NodeTurn {
  readonly reported: readonly TwoNodeInput[]
}

export const withFencing = (state: NodeState, changed: Partial<NodeFencing>): NodeState => ({
  ...state,
  fencing: { ...state.fencing, ...changed },
})

export const tell = (effect: NodeFencingEffect): NodeEffect => ({ kind: 'fencing', effect })

export const only = (state: NodeState, ...effects: readonly NodeEffect[]): FencingTurn => ({
  state,
  effects,
  reported: [],
})

export function after(turn: FencingTurn, next: (state: NodeState) => FencingTurn): FencingTurn {
  const { state, effects, reported } = next(turn.state)
  return { state, effects: [...turn.effects, ...effects], reported: [...turn.reported, ...reported] }
}
