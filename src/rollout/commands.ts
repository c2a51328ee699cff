/** The commands of a node: begun as tasks, each with an id that is never used twice, and what came of them. */
import type { NodeName } from '../base/index.ts'
import type { RolloutCommand } from './definition.ts'
import type { TaskSeen } from './effects.ts'
import type { RolloutNode } from './record.ts'
import type { Turn } from './turn.ts'

/** A node that is away longer than this after the time of its command has failed. */
export const graceMs = 60_000

export type Came =
  | { readonly kind: 'wait' }
  | { readonly kind: 'ok' }
  | { readonly kind: 'failed'; readonly why: string; readonly final: boolean; readonly tail?: string }

export const commandOf = (turn: Turn, { command }: RolloutNode): RolloutCommand | undefined =>
  turn.record.definition.commands[command]

export function beginCommand(turn: Turn, name: NodeName, argv: readonly string[]): void {
  const node = turn.node(name)
  const command = commandOf(turn, node)
  if (command === undefined) return
  const { id, definition } = turn.record
  // A playbook that the DC plays, too: with that DC it is lost, as a command is with its node.
  const runner = command.playbook?.place === 'dc' ? (turn.input.dc ?? name) : name
  const task = `${id}-${turn.record.nodes.indexOf(node) + 1}-${node.serial + 1}`
  const bootId = turn.input.nodes.get(name)?.bootId
  turn.setNode(
    name,
    {
      task,
      serial: node.serial + 1,
      attempt: node.attempt + 1,
      since: turn.now,
      ...(bootId !== undefined && { bootId }),
    },
    ['retryAt', 'stale', ...(bootId === undefined ? (['bootId'] as const) : [])],
  )
  turn.do({
    kind: 'put-task',
    id: task,
    node: runner,
    argv: wrapped(turn, name, { command, argv }),
    env: {
      ...command.env,
      SYSTOLE_ROLLOUT: id,
      SYSTOLE_ROLLOUT_VERSION: definition.version,
      SYSTOLE_ROLLOUT_NODE: name,
    },
    timeoutMs: command.timeoutMs,
  })
}

function wrapped(
  turn: Turn,
  name: NodeName,
  { command, argv }: { readonly command: RolloutCommand; readonly argv: readonly string[] },
): readonly string[] {
  if (command.stopsCluster) return [...startsAgain, ...argv]
  const boots = command.reboots && argv === command.argv
  return boots && turn.input.nodes.get(name)?.isRemote === true ? leavingFirst(command, argv) : argv
}

/** Of a failed command: the daemon begins again at once. Of one that has ended well: once the boot has had its time. */
const beginsAgain = 'systemctl start systoled-remote.service >/dev/null 2>&1'

/**
 * A remote node whose connection breaks is fenced: so it leaves in order, and then boots. Its daemon stays down after that: if there is no boot, or if the command
 * fails or is killed, a shell in a session of its own starts it again. That one is there before the node leaves.
 */
function leavingFirst({ exitCodes, timeoutMs }: RolloutCommand, argv: readonly string[]): readonly string[] {
  const good = Object.entries({ '0': 'ok', ...exitCodes }).flatMap(([code, meaning]) =>
    meaning === 'ok' ? [code] : [],
  )
  const script = [
    `guard=$(setsid sh -c 'echo $$; exec >/dev/null; while kill -0 "$1"; do sleep 1; done; ${beginsAgain}' systole-rollout-guard $$ </dev/null 2>/dev/null &)`,
    'trap : TERM',
    'systoled --remote --leave || { kill "$guard" 2>/dev/null; exit 1; }',
    '"$@"',
    'code=$?',
    `case " ${good.join(' ')} " in *" $code "*)`,
    '  kill "$guard" 2>/dev/null',
    `  setsid sh -c 'sleep ${Math.ceil((timeoutMs + graceMs) / 1000)}; ${beginsAgain}' </dev/null >/dev/null 2>&1 &`,
    'esac',
    'exit $code',
  ]
  return ['/bin/sh', '-c', script.join('\n'), 'systole-rollout-boot', ...argv]
}

/**
 * However the command ends, its node takes part again: otherwise nobody there could go on, or put it back. Where the command does not end in time, SIGKILL
 * ends this shell too: a second one, in a session of its own, starts the cluster once the first is gone. The command begins when that one has said its
 * number, and so has its session: whoever is killed before that is killed with it.
 */
const startsAgain = [
  '/bin/sh',
  '-c',
  [
    `guard=$(setsid sh -c 'echo $$; exec >/dev/null; while kill -0 "$1"; do sleep 1; done; systole cluster start' systole-rollout-guard $$ </dev/null 2>/dev/null &)`,
    'trap : TERM',
    '"$@"',
    'code=$?',
    'systole cluster start',
    'kill "$guard" 2>/dev/null',
    'exit $code',
  ].join('\n'),
  'systole-rollout',
] as const

/** Such a command, also one of an older version. */
export const startsClusterAgain = (argv: readonly string[]): boolean =>
  argv[0] === startsAgain[0] && argv[3] === startsAgain[3]

/** Somebody else has released the hold: nothing more may begin under resources that return. */
export const hasLostHold = ({ input }: Turn, { node, held }: RolloutNode): boolean => held && !input.held.has(node)

export const lostHoldWhy = 'its hold was released by force'

const isFinal = (task: TaskSeen): boolean => task.state !== 'ready' && task.state !== 'running'

/** Its next attempt may begin. */
export const mayBegin = (turn: Turn, node: RolloutNode): boolean =>
  isOver(turn, node.stale) && turn.now >= (node.retryAt ?? 0)

/** Nothing of it runs any more. One that no node has begun is cancelled first. */
export function isOver(turn: Turn, task: string | undefined): boolean {
  if (task === undefined) return true
  const seen = turn.input.tasks.get(task)
  if (seen === undefined || isFinal(seen)) return true
  if (seen.state === 'ready') turn.do({ kind: 'cancel-task', id: task })
  return false
}

/** What came of the command, or of its undo. */
export function whatCame(turn: Turn, node: RolloutNode, isUndo: boolean): Came {
  const command = commandOf(turn, node)
  if (command === undefined || node.task === undefined) return { kind: 'wait' }
  const seen: TaskSeen = turn.input.tasks.get(node.task) ?? { state: 'lost', began: true }
  const came = isFinal(seen) ? ofResult(turn, node, { command, seen, isUndo }) : ({ kind: 'wait' } as const)
  if (came.kind !== 'wait' || turn.now <= node.since + command.timeoutMs + graceMs) return came
  const why = isFinal(seen) ? `${node.node} has not booted and come back` : `${node.node} does not answer`
  return { kind: 'failed', why: `${command.name}: ${why}`, final: true }
}

interface Result {
  readonly command: RolloutCommand
  readonly seen: TaskSeen
  readonly isUndo: boolean
}

function ofResult(turn: Turn, node: RolloutNode, { command, seen, isUndo }: Result): Came {
  const { name, exitCodes, reboots, stopsCluster } = command
  const here = turn.input.nodes.get(node.node)
  const tail = seen.tail === undefined ? {} : { tail: seen.tail }
  const booted = here?.online === true && here.bootId !== undefined && here.bootId !== node.bootId
  if (seen.state === 'cancelled') return { kind: 'failed', why: `${name} was cancelled`, final: true, ...tail }
  if (seen.state === 'lost') {
    if (reboots && !isUndo)
      return booted || (here?.online === true && here.bootId === undefined) ? { kind: 'ok' } : { kind: 'wait' }
    const lost = command.playbook?.place === 'dc' ? 'the DC that played it' : node.node
    return { kind: 'failed', why: `${name} was lost when ${lost} went down`, final: false, ...tail }
  }
  const { exitCode, signal } = seen
  const meaning = exitCode === undefined || isUndo ? undefined : exitCodes[String(exitCode)]
  if (meaning === 'ok' || (meaning === undefined && exitCode === 0)) {
    if (isUndo) return { kind: 'ok' }
    if (reboots) return booted || here?.bootId === undefined ? onceOnline(here?.online) : { kind: 'wait' }
    return stopsCluster ? onceOnline(here?.online) : { kind: 'ok' }
  }
  const how = exitCode === undefined ? `was ended by ${signal ?? 'a signal'}` : `ended with ${exitCode}`
  return { kind: 'failed', why: `${name} ${how}`, final: meaning === 'failed', ...tail }
}

const onceOnline = (online: boolean | undefined): Came => ({ kind: online === true ? 'ok' : 'wait' })

/** True: it is tried again, or about to be. */
export function triesAgain(turn: Turn, node: RolloutNode, came: Extract<Came, { readonly kind: 'failed' }>): boolean {
  const command = commandOf(turn, node)
  if (command === undefined || came.final || node.attempt > command.retries) return false
  turn.setNode(node.node, { retryAt: turn.now + command.retryDelayMs }, ['task'])
  turn.tell(`${came.why}; it is tried again`, node.node)
  return true
}
