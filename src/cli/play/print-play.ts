/** Plays for people. */
import {
  isDone,
  layersOf,
  type PlayHost,
  type PlayRecord,
  type PlayStep,
  type PlayStepRecord,
} from '../../plays/index.ts'
import { alignColumns } from '../call/table.ts'

/** docs/guides/plays.md has the table; `systole rollout` has the same codes. */
export const exitCodes = { done: 0, refused: 1, halted: 3, open: 75, cancelled: 130 } as const

export function exitCodeOf({ state }: Pick<PlayRecord, 'state'>): number {
  if (state === 'done' || state === 'halted' || state === 'cancelled') return exitCodes[state]
  return exitCodes.open
}

/** In the order in which they can begin. */
export function printSteps(steps: readonly PlayStep[]): string {
  const layers = layersOf(steps)
  const sorted = steps.toSorted((a, b) => (layers.get(a.id) ?? 0) - (layers.get(b.id) ?? 0))
  return alignColumns(
    sorted.map(({ id, nodes, once, reboots, components, requires }) => [
      id,
      `${once ? 'on one of ' : ''}${nodes.join(', ')}`,
      `${components.length} ${components.length === 1 ? 'component' : 'components'}${reboots ? ', boots the node' : ''}`,
      requires.length === 0 ? '' : `after ${requires.join(', ')}`,
    ]),
  )
}

export function printPlay(play: PlayRecord): string {
  const rows = play.steps.flatMap((step) =>
    step.hosts.map((host, at) => [at === 0 ? step.id : '', host.node, stateOf(host, step), secondsOf(host)]),
  )
  const tails = play.steps.flatMap(({ id, hosts }) =>
    hosts.flatMap(({ node, tail }) => {
      const lines = tail?.trimEnd().split('\n')
      return lines === undefined ? [] : [`${id} on ${node}:\n${lines.map((line) => `  ${line}\n`).join('')}`]
    }),
  )
  return `${alignColumns(rows)}${tails.join('')}${summaryOf(play)}\n`
}

function stateOf({ state, exitCode, reason }: PlayHost, step: PlayStepRecord): string {
  const why = reason === undefined ? '' : `: ${reason}`
  switch (state) {
    case 'started':
      return 'running'
    case 'failed':
      return exitCode === undefined || reason !== undefined ? `failed${why}` : `failed with exit code ${exitCode}`
    case 'skipped':
      return 'not needed'
    case 'waiting':
      return step.once && isDone(step) ? 'not needed' : 'waiting'
    case 'offline':
      return `not begun${why}`
    default:
      return `${state}${why}`
  }
}

function secondsOf({ started, ended }: PlayHost): string {
  if (started === undefined || ended === undefined) return ''
  const ms = Math.max(Date.parse(ended) - Date.parse(started), 0)
  return ms < 10_000 ? `${(ms / 1000).toFixed(2)} s` : `${Math.round(ms / 1000)} s`
}

export function summaryOf({ id, state, steps }: PlayRecord): string {
  const done = steps.filter(isDone).length
  const what = {
    active: 'runs',
    halted: 'has halted',
    cancelling: 'is being cancelled',
    cancelled: 'was cancelled',
    done: 'is done',
  }
  const next = state === 'halted' ? ` Fix the cause, and run: systole play resume ${id}` : ''
  return `Play ${id} ${what[state]}: ${done} of ${steps.length} steps.${next}`
}

/** What is new since the record before, a line each. */
export function news(before: PlayRecord | undefined, now: PlayRecord): readonly string[] {
  return now.steps.flatMap((step, at) =>
    step.hosts.flatMap((host) => {
      const was = before?.steps[at]?.hosts.find(({ node }) => node === host.node)
      const isSilent = host.state === (was?.state ?? 'waiting') || host.state === 'waiting' || host.state === 'skipped'
      return isSilent ? [] : [`${step.id}: ${host.node} ${stateOf(host, step)}`]
    }),
  )
}
