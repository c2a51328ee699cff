/** A node that was removed from the cluster while the rollout was under way: nothing more is done there, and nobody waits for it. */
import { isOver } from './commands.ts'
import type { RolloutInput } from './effects.ts'
import { type RolloutNode, waiting } from './record.ts'
import { staleOf } from './stale.ts'
import type { Turn } from './turn.ts'

/** If the node is added again while the rollout is under way, it begins from the start: it may be another machine by then. */
export function leaveOut(turn: Turn, node: RolloutNode): void {
  const { node: name, phase, goal, held } = node
  if (phase === 'done' && goal === 'forward') return
  if (phase === 'waiting' || phase === 'back') {
    // One that is as it was needs no word.
    if (phase === 'waiting' && node.leftOut !== true) turn.setNode(name, { leftOut: true })
    return
  }
  isOver(turn, node.task ?? node.stale)
  if (held) turn.do({ kind: 'delete-hold', node: name })
  turn.setNode(name, { ...waiting, since: turn.now, leftOut: true, ...staleOf(node) }, [
    'task',
    'isFirst',
    'retryAt',
    'bootId',
    'why',
    'tail',
    'failedIn',
    'begun',
    'ended',
  ])
  turn.tell('was removed from the cluster: it is left out', name)
}

/** It was added again. */
export function takeIn(turn: Turn, { node, leftOut }: RolloutNode): void {
  if (leftOut === true) turn.setNode(node, {}, ['leftOut'])
}

export const isLeftOut = ({ node, phase }: RolloutNode, { removed }: RolloutInput): boolean =>
  removed.has(node) && (phase === 'waiting' || phase === 'back')
