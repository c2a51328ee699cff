/** A node on its way back: what its commands did is undone in reverse order, then its hold ends. */
import { assertNever, type NodeName } from '../base/index.ts'
import { whyNotTaken } from './availability.ts'
import {
  beginCommand,
  commandOf,
  hasLostHold,
  isOver,
  lostHoldWhy,
  mayBegin,
  triesAgain,
  whatCame,
} from './commands.ts'
import { isHeld, isSettledWith } from './forward.ts'
import type { RolloutNode } from './record.ts'
import type { Turn } from './turn.ts'

export function goBack(turn: Turn, node: RolloutNode): void {
  switch (node.phase) {
    case 'waiting':
    case 'back':
    case 'undo-failed':
      return
    case 'holding':
    case 'working':
    case 'failed':
      turnBack(turn, node)
      break
    case 'releasing':
    case 'done':
      takeAgain(turn, node)
      break
    case 'undo-holding':
      whenHeldAgain(turn, node)
      break
    case 'undoing':
      undo(turn, node)
      break
    case 'undo-releasing':
      whenBack(turn, node)
      break
    default:
      assertNever(node.phase)
      break
  }
}

/** A command that is under way is waited for: half of it would be worse. */
function turnBack(turn: Turn, node: RolloutNode): void {
  if (!isOver(turn, node.task ?? node.stale)) return
  const seen = node.task === undefined ? undefined : turn.input.tasks.get(node.task)
  const neverBegan = seen?.began === false && node.attempt === 1 && node.isFirst === true
  if (neverBegan) turn.setNode(node.node, { touched: node.command })
  if ((node.held && !hasLostHold(turn, node)) || !hasUndo(turn, node.node)) {
    if (hasUndo(turn, node.node)) returns(turn, node)
    undoFrom(turn, node.node)
    return
  }
  takeAgain(turn, node)
}

function takeAgain(turn: Turn, { node, phase }: RolloutNode): void {
  if (!hasUndo(turn, node)) {
    if (phase === 'done') {
      putBack(turn, node)
      return
    }
    undoFrom(turn, node)
    return
  }
  if (phase === 'done') {
    // A node that cannot be put back needs a person first: no other goes down.
    if (turn.record.nodes.some((one) => one.phase === 'undo-failed')) return
    if (!turn.input.settled || whyNotTaken(turn.record, turn.input, node) !== undefined) return
  }
  const isHolding = turn.record.definition.hold !== 'none'
  if (isHolding) turn.do({ kind: 'put-hold', node })
  turn.setNode(node, { phase: 'undo-holding', since: turn.now, held: isHolding }, ['task', 'ended'])
  returns(turn, turn.node(node))
  turn.tell('is put back', node)
}

/** From its first undo on it runs the new version no more. */
function returns(turn: Turn, { node, before }: RolloutNode): void {
  turn.version(node, {
    state: 'configuring',
    ...(before?.version !== undefined && { version: before.version }),
  })
}

const hasUndo = (turn: Turn, name: NodeName): boolean =>
  turn.record.definition.commands.slice(0, turn.node(name).touched).some(({ undo: back }) => back !== undefined)

function whenHeldAgain(turn: Turn, node: RolloutNode): void {
  if (hasLostHold(turn, node)) {
    failBackWithoutHold(turn, node, 'undo-holding')
    return
  }
  if (isHeld(turn, node) && isOver(turn, node.stale)) {
    undoFrom(turn, node.node)
    return
  }
  if (turn.now > node.since + turn.record.definition.holdTimeoutMs)
    failBack(turn, node, { in: 'undo-holding', why: 'it was not ready within the time of hold-timeout' })
}

/** Goes to the undo of the last command that has one, or to the release. */
function undoFrom(turn: Turn, name: NodeName): void {
  const { commands, hold } = turn.record.definition
  const { touched, held } = turn.node(name)
  const at = commands.slice(0, touched).findLastIndex(({ undo: back }) => back !== undefined)
  const undoing = commands[at]
  if (undoing?.undo !== undefined && hasLostHold(turn, turn.node(name))) {
    failBackWithoutHold(turn, turn.node(name), 'undoing')
    return
  }
  if (undoing?.undo !== undefined) {
    turn.setNode(name, { phase: 'undoing', command: at, touched: at + 1, attempt: 0 }, [
      'task',
      'why',
      'tail',
      'failedIn',
    ])
    turn.tell(`undo: ${undoing.name}`, name)
    beginCommand(turn, name, undoing.undo)
    return
  }
  if (held && hold !== 'none') turn.do({ kind: 'delete-hold', node: name })
  turn.setNode(name, { phase: 'undo-releasing', touched: 0, since: turn.now, held: false }, [
    'task',
    'why',
    'tail',
    'failedIn',
  ])
  turn.tell('is released', name)
}

function undo(turn: Turn, node: RolloutNode): void {
  const argv = commandOf(turn, node)?.undo
  if (argv === undefined) {
    undoFrom(turn, node.node)
    return
  }
  if (node.task === undefined) {
    if (!mayBegin(turn, node)) return
    if (hasLostHold(turn, node)) failBackWithoutHold(turn, node, 'undoing')
    else beginCommand(turn, node.node, argv)
    return
  }
  const came = whatCame(turn, node, true)
  if (came.kind === 'wait') return
  if (came.kind === 'ok') {
    turn.setNode(node.node, { touched: node.command })
    undoFrom(turn, node.node)
    return
  }
  if (triesAgain(turn, node, came)) return
  failBack(turn, node, {
    in: 'undoing',
    why: `undo of ${came.why}`,
    ...(came.tail !== undefined && { tail: came.tail }),
  })
}

function whenBack(turn: Turn, node: RolloutNode): void {
  if (isSettledWith(turn, node)) {
    putBack(turn, node.node)
    return
  }
  if (turn.now > node.since + turn.record.definition.releaseTimeoutMs)
    failBack(turn, node, { in: 'undo-releasing', why: 'the cluster did not settle within the time of release-timeout' })
}

function putBack(turn: Turn, name: NodeName): void {
  const { before } = turn.node(name)
  turn.setNode(
    name,
    { phase: 'back', touched: 0, command: 0, attempt: 0, since: turn.now, ended: turn.now, held: false },
    ['task', 'why', 'tail', 'failedIn'],
  )
  turn.version(name, before ?? { state: 'provisioned' })
  turn.tell('is as it was', name)
}

interface Failure {
  readonly in: 'undo-holding' | 'undoing' | 'undo-releasing'
  readonly why: string
  readonly tail?: string
}

/** The next `abort` holds the node again first. */
function failBackWithoutHold(turn: Turn, node: RolloutNode, phase: Failure['in']): void {
  turn.setNode(node.node, { held: false })
  failBack(turn, node, { in: phase, why: lostHoldWhy })
}

function failBack(turn: Turn, node: RolloutNode, failure: Failure): void {
  const { tail, why } = failure
  const seen = node.task === undefined ? undefined : turn.input.tasks.get(node.task)
  if (node.task !== undefined && (seen?.state === 'ready' || seen?.state === 'running'))
    turn.do({ kind: 'cancel-task', id: node.task })
  turn.setNode(
    node.node,
    { phase: 'undo-failed', failedIn: failure.in, why, since: turn.now, ...(tail !== undefined && { tail }) },
    tail === undefined ? ['tail'] : [],
  )
  turn.tell(`could not be put back: ${why}`, node.node)
  turn.set({ state: 'halted', why: `${node.node} could not be put back: ${why}` })
}
