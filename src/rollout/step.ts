/**
 * The core of a rollout: `rolloutStep(record, input, now)` → the record as it is next, and what is done with it. It looks only at what is, so that a
 * missed or doubled look changes nothing. Contract: the effects are written in one transaction with the record, which compares the record's
 * revision and the DC's term; and the next look sees that transaction and whatever came before it.
 *
 * Invariants: a node begins only where its limits, quorum, the window and other rollouts allow it, and in a settled cluster; a node that has begun is
 * finished or put back; the id of a task is never used twice; at the end no node is held.
 */
import type { Step } from '../base/index.ts'
import { whyNotInWindow, whyNotTaken, whyRequired } from './availability.ts'
import { goBack } from './back.ts'
import type { RolloutEffect, RolloutInput } from './effects.ts'
import { begin, goForward } from './forward.ts'
import { hasEnded, type RolloutNode, type RolloutRecord } from './record.ts'
import { isLeftOut, leaveOut, takeIn } from './removed.ts'
import { staleOf } from './stale.ts'
import { Turn } from './turn.ts'

export function rolloutStep(
  record: RolloutRecord,
  input: RolloutInput,
  now: number,
): Step<RolloutRecord, RolloutEffect> {
  if (hasEnded(record)) return { state: record, effects: [] }
  const turn = new Turn(record, input, now)
  for (const node of record.nodes) {
    if (input.removed.has(node.node)) {
      leaveOut(turn, node)
      continue
    }
    takeIn(turn, node)
    if (node.goal === 'back') goBack(turn, turn.node(node.node))
    else goForward(turn, node)
  }
  if (turn.record.state === 'running') beginNodes(turn)
  conclude(turn)
  return { state: turn.record, effects: turn.effects }
}

/** The first wave that is not done. */
function currentWave({ nodes }: RolloutRecord, input: RolloutInput): number | undefined {
  const waves = nodes.filter((node) => node.phase !== 'done' && !isLeftOut(node, input)).map(({ wave }) => wave)
  return waves.length === 0 ? undefined : Math.min(...waves)
}

/** Those that wait in the current wave, each with why it does not begin yet. */
export function whyWaiting(record: RolloutRecord, input: RolloutInput): ReadonlyMap<string, string> {
  const wave = currentWave(record, input)
  const why = (node: RolloutNode): string | undefined => {
    if (record.state !== 'running') return `the rollout is ${record.state}`
    if (node.wave !== wave && !isLeftOut(node, input)) return `wave ${(wave ?? 0) + 1} is not complete`
    return whyNotInGeneral(record, input) ?? whyNotTaken(record, input, node.node)
  }
  return new Map(
    record.nodes
      .filter(({ phase }) => phase === 'waiting')
      .flatMap((node) => {
        const reason = why(node)
        return reason === undefined ? [] : [[node.node as string, reason] as const]
      }),
  )
}

function whyNotInGeneral(record: RolloutRecord, input: RolloutInput): string | undefined {
  const outside = whyNotInWindow(record, input.clock)
  if (outside !== undefined) return outside
  const missing = whyRequired(record.definition.requires ?? [], input)
  if (missing !== undefined) return missing
  return input.settled ? undefined : 'the cluster has not settled'
}

function beginNodes(turn: Turn): void {
  if (whyNotInGeneral(turn.record, turn.input) !== undefined) return
  const wave = currentWave(turn.record, turn.input)
  for (const { node, phase, goal, wave: its } of turn.record.nodes)
    if (
      its === wave &&
      phase === 'waiting' &&
      goal === 'forward' &&
      whyNotTaken(turn.record, turn.input, node) === undefined
    )
      begin(turn, node)
}

function conclude(turn: Turn): void {
  const { state, nodes, definition, confirmBy } = turn.record
  if (state === 'aborting') {
    if (nodes.every(({ phase }) => phase === 'waiting' || phase === 'back'))
      end(turn, 'aborted', hasLeftOut(turn) ? 'the nodes that are left are as they were' : 'everything is as it was')
    return
  }
  if (state === 'unconfirmed') {
    if (turn.now <= (confirmBy ?? 0)) return
    turn.tell('nobody has confirmed it in time: it is put back')
    startAbort(turn, 'nobody has confirmed it in time')
    return
  }
  const isOpen = (node: RolloutNode): boolean => node.phase !== 'done' && !isLeftOut(node, turn.input)
  if (nodes.some(isOpen) || (state !== 'running' && state !== 'paused')) return
  if (definition.confirmWithinMs === undefined) {
    end(turn, 'complete', 'all nodes are done')
    return
  }
  turn.set({
    state: 'unconfirmed',
    confirmBy: turn.now + definition.confirmWithinMs,
    why: 'it waits for `systole rollout confirm`',
  })
  turn.tell('all nodes are done: it waits to be confirmed')
}

const hasLeftOut = ({ record, input }: Turn): boolean => record.nodes.some(({ node }) => input.removed.has(node))

export function end(turn: Turn, state: 'complete' | 'aborted', text: string): void {
  const { why: _, confirmBy: _until, ...rest } = turn.record
  const { why } = turn.record
  turn.replace({ ...rest, state, ended: turn.now, ...(state === 'aborted' && why !== undefined && { why }) })
  turn.tell(`${state}: ${text}`)
}

export function startAbort(turn: Turn, why: string): void {
  const { confirmBy: _, ...rest } = turn.record
  turn.replace({ ...rest, state: 'aborting', why })
  for (const node of turn.record.nodes) {
    if (node.phase === 'waiting' || node.phase === 'back') continue
    turn.setNode(node.node, { goal: 'back' })
    if (node.phase !== 'undo-failed') continue
    turn.setNode(node.node, undoneFrom(node), ['task', 'why', 'tail', 'failedIn', 'retryAt'])
    turn.setNode(node.node, { since: turn.now, ...staleOf(node) })
  }
}

function undoneFrom({ failedIn, held }: RolloutNode): Partial<RolloutNode> {
  if (failedIn === 'undo-releasing') return { phase: 'undo-releasing', attempt: 0 }
  return { phase: held ? 'undo-holding' : 'failed', attempt: 0 }
}
