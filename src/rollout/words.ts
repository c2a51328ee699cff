/** What a person says to a rollout. A refusal is a sentence. */
import type { Step } from '../base/index.ts'
import type { RolloutEffect, RolloutInput } from './effects.ts'
import { hasEnded, type RolloutNode, type RolloutRecord, stateAt, waiting } from './record.ts'
import { staleOf } from './stale.ts'
import { end, startAbort } from './step.ts'
import { Turn } from './turn.ts'

export const words = ['pause', 'resume', 'abort', 'confirm'] as const
export type Word = (typeof words)[number]

export interface Said {
  readonly word: Word
  readonly by: string
}

type Heard = Step<RolloutRecord, RolloutEffect> | { readonly refused: string }

const nothingSeen: RolloutInput = {
  nodes: new Map(),
  tasks: new Map(),
  roles: new Map(),
  services: new Map(),
  removed: new Set(),
  held: new Set(),
  settled: false,
  majority: 0,
  otherVotes: 0,
  clock: { day: 0, minutes: 0 },
}

export function rolloutWord(record: RolloutRecord, { word, by }: Said, now: number): Heard {
  const { id, state } = record
  if (hasEnded(record)) return { refused: `The rollout ${id} has ended: it is ${state}.` }
  const turn = new Turn(record, nothingSeen, now)
  turn.tell(`${word} by ${by}`)
  const told = turn.record
  const refused = hear(turn, word)
  if (refused !== undefined) return { refused }
  if (turn.record === told) return { state: record, effects: [] }
  return { state: turn.record, effects: turn.effects }
}

function hear(turn: Turn, word: Word): string | undefined {
  const { id, state } = turn.record
  switch (word) {
    case 'pause':
      if (state === 'running') turn.set({ state: 'paused', why: 'it was paused' })
      else if (state !== 'paused') return `The rollout ${id} cannot be paused: it is ${state}.`
      return undefined
    case 'resume':
      return resume(turn)
    case 'abort':
      startAbort(turn, 'it was aborted')
      return undefined
    case 'confirm':
      if (state !== 'unconfirmed') return `The rollout ${id} cannot be confirmed: it is ${state}.`
      end(turn, 'complete', 'it was confirmed')
      return undefined
  }
}

function resume(turn: Turn): string | undefined {
  const { id, state, nodes } = turn.record
  if (state === 'running') return undefined
  if (state === 'aborting')
    return `The rollout ${id} is being put back, and cannot be resumed. Start it again afterwards.`
  if (state === 'unconfirmed') return `The rollout ${id} waits to be confirmed: run \`systole rollout confirm ${id}\`.`
  const returning = nodes.find(({ goal, phase }) => goal === 'back' && phase !== 'back' && phase !== 'undo-failed')
  if (returning) return `The rollout ${id} cannot be resumed yet: ${returning.node} is being put back.`
  for (const node of nodes) resumeNode(turn, node)
  const { why: _, ...rest } = turn.record
  turn.replace({ ...rest, state: 'running' })
  return undefined
}

/** A node that failed goes on where it failed; one that was put back begins again. */
function resumeNode(turn: Turn, before: RolloutNode): void {
  const { node, phase, held, failedIn } = before
  const stale = staleOf(before)
  const cleared = ['task', 'why', 'tail', 'failedIn', 'retryAt'] as const
  if (phase === 'back') turn.setNode(node, { ...waiting, since: turn.now }, [...cleared, 'begun', 'ended'])
  const { definition } = turn.record
  if (phase === 'undo-failed') {
    turn.version(node, { version: definition.version, state: 'configuring' })
    // Some of what it did is undone: it begins with its first command.
    if (!held && definition.hold !== 'none') turn.do({ kind: 'put-hold', node })
    turn.setNode(
      node,
      {
        phase: 'holding',
        goal: 'forward',
        since: turn.now,
        command: 0,
        attempt: 0,
        held: definition.hold !== 'none',
        ...stale,
      },
      cleared,
    )
  }
  if (phase !== 'failed') return
  const state = stateAt(definition, failedIn === 'releasing' ? definition.commands.length : before.command)
  turn.version(node, { version: definition.version, state })
  const again = failedIn === 'releasing' ? 'releasing' : failedIn === 'holding' ? 'holding' : 'working'
  const kept = again === 'working' ? { retryAt: turn.now, ...stale } : {}
  const isHeldAgain = again === 'holding' && !held && definition.hold !== 'none'
  if (isHeldAgain) turn.do({ kind: 'put-hold', node })
  const command = definition.commands[before.command]
  if (again !== 'working')
    turn.tell(again === 'holding' ? `is tried again: ${definition.hold}` : 'is released again', node)
  else if (command !== undefined) turn.tell(`${command.stage}: ${command.name} runs again`, node)
  turn.setNode(node, { phase: again, since: turn.now, attempt: 0, held: held || isHeldAgain, ...kept }, [
    'task',
    'isFirst',
    'why',
    'tail',
    'failedIn',
  ])
}
