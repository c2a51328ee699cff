/** A node on its way to the new version: hold, commands, release. */
import { assertNever, type NodeName } from '../base/index.ts'
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
import type { RolloutNode } from './record.ts'
import type { Turn } from './turn.ts'

export function begin(turn: Turn, name: NodeName): void {
  const { definition } = turn.record
  const version = turn.input.nodes.get(name)?.version
  turn.setNode(
    name,
    {
      phase: 'holding',
      since: turn.now,
      begun: turn.now,
      held: definition.hold !== 'none',
      ...(version && { before: version }),
    },
    version === undefined ? ['before'] : [],
  )
  if (definition.hold !== 'none') turn.do({ kind: 'put-hold', node: name })
  turn.version(name, { version: definition.version, state: 'configuring' })
  turn.tell(definition.hold === 'none' ? 'begins' : `begins: ${definition.hold}`, name)
}

export function goForward(turn: Turn, node: RolloutNode): void {
  switch (node.phase) {
    case 'holding':
      whenHeld(turn, node)
      break
    case 'working':
      work(turn, node)
      break
    case 'releasing':
      whenReleased(turn, node)
      break
    case 'waiting':
    case 'done':
    case 'failed':
    case 'undo-holding':
    case 'undoing':
    case 'undo-releasing':
    case 'undo-failed':
    case 'back':
      return
    default:
      assertNever(node.phase)
      break
  }
}

/** The node is as the hold wants it, and so is the rest of the cluster. */
export function isHeld({ input, record }: Turn, { node }: RolloutNode): boolean {
  const seen = input.nodes.get(node)
  if (seen?.online !== true) return false
  if (record.definition.hold === 'none') return true
  return input.settled && (record.definition.hold === 'maintenance' || seen.empty)
}

export const isSettledWith = ({ input }: Turn, { node }: RolloutNode): boolean =>
  input.settled && input.nodes.get(node)?.online === true

function whenHeld(turn: Turn, node: RolloutNode): void {
  if (hasLostHold(turn, node)) {
    failWithoutHold(turn, node, node.command)
    return
  }
  if (isHeld(turn, node) && isOver(turn, node.stale)) {
    enter(turn, node.node, node.command)
    return
  }
  if (turn.now > node.since + turn.record.definition.holdTimeoutMs)
    fail(turn, node, {
      in: 'holding',
      why: `it was not ready within the time of hold-timeout (${turn.record.definition.hold})`,
    })
}

/** Goes to a command, or to the release after the last one. */
function enter(turn: Turn, name: NodeName, at: number): void {
  const { commands, version, hold } = turn.record.definition
  const [last, next] = [commands[at - 1], commands[at]]
  if (last?.stage !== 'validate' && next?.stage !== 'actions' && next?.stage !== 'after' && next?.stage !== 'before')
    turn.version(name, { version, state: 'configured' })
  if (next !== undefined) {
    if (next.stage === 'validate' && last?.stage !== 'validate') turn.version(name, { version, state: 'validating' })
    const { touched } = turn.node(name)
    const isFirst = at >= touched
    turn.setNode(
      name,
      { phase: 'working', command: at, touched: Math.max(at + 1, touched), attempt: 0, ...(isFirst && { isFirst }) },
      isFirst ? ['task'] : ['task', 'isFirst'],
    )
    turn.tell(`${next.stage}: ${next.name}`, name)
    beginCommand(turn, name, next.argv)
    return
  }
  if (last?.stage === 'validate') turn.version(name, { version, state: 'validated' })
  if (hold !== 'none') turn.do({ kind: 'delete-hold', node: name })
  turn.setNode(name, { phase: 'releasing', since: turn.now, held: false }, ['task'])
  turn.tell('is released', name)
}

function work(turn: Turn, node: RolloutNode): void {
  const command = commandOf(turn, node)
  if (command === undefined) return
  if (node.task === undefined) {
    if (!mayBegin(turn, node)) return
    if (hasLostHold(turn, node)) failWithoutHold(turn, node, node.command)
    else beginCommand(turn, node.node, command.argv)
    return
  }
  const came = whatCame(turn, node, false)
  if (came.kind === 'wait') return
  if (came.kind === 'ok') {
    const next = node.command + 1
    if (hasLostHold(turn, node) && turn.record.definition.commands[next] !== undefined)
      failWithoutHold(turn, node, next)
    else enter(turn, node.node, next)
    return
  }
  if (triesAgain(turn, node, came)) return
  fail(turn, node, { in: 'working', why: came.why, ...(came.tail !== undefined && { tail: came.tail }) })
}

/** `resume` holds the node again and goes on with that command. */
function failWithoutHold(turn: Turn, node: RolloutNode, command: number): void {
  turn.setNode(node.node, { held: false, command })
  fail(turn, node, { in: 'holding', why: lostHoldWhy })
}

function whenReleased(turn: Turn, node: RolloutNode): void {
  if (isSettledWith(turn, node)) {
    turn.setNode(node.node, { phase: 'done', ended: turn.now, since: turn.now }, ['why', 'tail', 'failedIn'])
    turn.tell('is done', node.node)
    return
  }
  if (turn.now > node.since + turn.record.definition.releaseTimeoutMs)
    fail(turn, node, { in: 'releasing', why: 'the cluster did not settle within the time of release-timeout' })
}

interface Failure {
  readonly in: 'holding' | 'working' | 'releasing'
  readonly why: string
  readonly tail?: string
}

function fail(turn: Turn, { node, wave, task }: RolloutNode, failure: Failure): void {
  const { definition, state } = turn.record
  const { tail } = failure
  const seen = task === undefined ? undefined : turn.input.tasks.get(task)
  if (task !== undefined && (seen?.state === 'ready' || seen?.state === 'running'))
    turn.do({ kind: 'cancel-task', id: task })
  turn.setNode(
    node,
    { phase: 'failed', failedIn: failure.in, why: failure.why, since: turn.now, ...(tail !== undefined && { tail }) },
    tail === undefined ? ['tail'] : [],
  )
  turn.version(node, { version: definition.version, state: 'failed' }, tail)
  turn.tell(`has failed: ${failure.why}`, node)
  if (definition.onFailure === 'node-back') turn.setNode(node, { goal: 'back' })
  if (definition.onFailure === 'wave-back')
    for (const one of turn.record.nodes)
      if (one.wave === wave && one.phase !== 'waiting' && one.phase !== 'back') turn.setNode(one.node, { goal: 'back' })
  if (state === 'running' || state === 'paused') turn.set({ state: 'halted', why: `${node}: ${failure.why}` })
}
