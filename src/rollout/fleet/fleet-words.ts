/** What a person says to a rollout over clusters. A refusal is a sentence. */
import { type FleetRolloutRecord, hasFleetEnded } from './fleet-record.ts'
import { startConfirming, startFleetAbort } from './fleet-step.ts'
import { FleetTurn } from './fleet-turn.ts'

interface FleetSaid {
  readonly word: 'pause' | 'resume' | 'abort' | 'confirm'
  readonly by: string
}

type Heard = { readonly record: FleetRolloutRecord } | { readonly refused: string }

export function fleetWord(record: FleetRolloutRecord, { word, by }: FleetSaid, now: number): Heard {
  const { id, state } = record
  if (hasFleetEnded(record)) return { refused: `The rollout ${id} has ended: it is ${state}.` }
  const turn = new FleetTurn(record, now)
  const refused = hear(turn, word)
  if (refused !== undefined) return { refused }
  if (turn.record !== record) turn.tell(`${word} by ${by}`)
  return { record: turn.record }
}

function hear(turn: FleetTurn, word: FleetSaid['word']): string | undefined {
  const { id, state } = turn.record
  switch (word) {
    case 'pause':
      if (state === 'running') turn.set({ state: 'paused', why: 'it was paused' })
      else if (state !== 'paused') return `The rollout ${id} cannot be paused: it is ${state}.`
      return undefined
    case 'resume':
      return resume(turn)
    case 'abort':
      if (state === 'confirming')
        return `The rollout ${id} cannot be aborted: it was confirmed, and the clusters keep it.`
      startFleetAbort(turn, 'it was aborted')
      return undefined
    case 'confirm':
      if (state !== 'unconfirmed') return `The rollout ${id} cannot be confirmed: it is ${state}.`
      startConfirming(turn)
      return undefined
  }
}

function resume(turn: FleetTurn): string | undefined {
  const { id, state, parts } = turn.record
  if (state === 'running') return undefined
  if (state === 'aborting')
    return `The rollout ${id} is being put back, and cannot be resumed. Start it again afterwards.`
  if (state === 'unconfirmed') return `The rollout ${id} waits to be confirmed: run \`systole rollout confirm ${id}\`.`
  if (state === 'confirming') return `The rollout ${id} is done: the clusters are asked to keep it.`
  const returning = parts.find(({ seen, phase }) => phase === 'running' && seen?.state === 'aborting')
  if (returning) return `The rollout ${id} cannot be resumed yet: ${returning.cluster} puts it back.`
  for (const { cluster, phase } of parts) {
    if (phase === 'refused' || phase === 'back')
      turn.setPart(cluster, { phase: 'waiting', since: turn.now }, ['id', 'seen', 'why', 'wanted', 'away'])
    // A pause may be on its way there.
    else if (phase === 'running') turn.setPart(cluster, { wanted: 'resume' }, ['why'])
    // It was to be put back, and is done all the same.
    else if (phase === 'done') turn.setPart(cluster, {}, ['wanted', 'why'])
  }
  const { why: _, ...rest } = turn.record
  return void turn.replace({ ...rest, state: 'running' })
}
