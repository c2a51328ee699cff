/**
 * The core of a rollout over clusters of the fleet: `fleetStep(record, input, now)` → the record as it is next, and what is asked of which cluster. What is asked
 * follows from the record alone, and asking it twice is asking it once: a start has a key, by which the cluster knows it again; a word to a rollout that
 * has heard it changes nothing. So any DC goes on with it, and answers may be lost.
 *
 * Invariants: a cluster begins only when all of the waves before are done and every cluster of its wave and of those before can be reached; after an abort
 * nothing begins; the rollout ends as complete only when each cluster keeps it, and as aborted only when none has anything of it left, but for those that it names.
 */
import type { Step } from '../../base/index.ts'
import { type FleetPart, type FleetRolloutRecord, hasFleetEnded, type PartSeen } from './fleet-record.ts'
import { FleetTurn } from './fleet-turn.ts'

export type FleetAsk = { readonly cluster: string; readonly attempt: number } & (
  | { readonly kind: 'start' }
  /** Is there a rollout of its key? Begins none. */
  | { readonly kind: 'find' }
  | { readonly kind: 'watch'; readonly id: string }
  | { readonly kind: 'word'; readonly id: string; readonly word: 'pause' | 'resume' | 'abort' | 'confirm' }
)

export type PartAnswer =
  | ({ readonly kind: 'part'; readonly id: string } & PartSeen)
  /** All nodes there run the version. */
  | { readonly kind: 'already' }
  /** It has no such rollout. */
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly why: string }
  /** Nobody knows whether it was heard. */
  | { readonly kind: 'away'; readonly why: string }

export interface FleetAnswer {
  readonly ask: FleetAsk
  readonly answer: PartAnswer
}

export interface FleetInput {
  readonly answers: readonly FleetAnswer[]
  /** The clusters of the fleet. */
  readonly members: ReadonlySet<string>
  /** Those that say how they are, and have quorum. */
  readonly reached: ReadonlySet<string>
}

/** A request of an earlier DC that is under way has arrived by then, or never will. */
export const lateStartMs = 60_000

export function fleetStep(
  record: FleetRolloutRecord,
  input: FleetInput,
  now: number,
): Step<FleetRolloutRecord, FleetAsk> {
  if (hasFleetEnded(record)) return { state: record, effects: [] }
  const turn = new FleetTurn(record, now)
  for (const { cluster, phase } of record.parts)
    if (!input.members.has(cluster) && phase !== 'confirmed' && phase !== 'back' && phase !== 'left-out') {
      turn.setPart(cluster, { phase: 'left-out', since: now }, ['wanted', 'away', 'why'])
      turn.tell('was removed from the fleet and is left out', cluster)
    }
  for (const answer of input.answers) hear(turn, answer)
  if (turn.record.state === 'running') beginWave(turn, input)
  conclude(turn)
  return { state: turn.record, effects: hasFleetEnded(turn.record) ? [] : asksOf(turn.record) }
}

function hear(turn: FleetTurn, { ask, answer }: FleetAnswer): void {
  const { cluster } = ask
  const part = turn.record.parts.find((one) => one.cluster === cluster)
  // Of an attempt that is over.
  if (part === undefined || part.attempt !== ask.attempt || !isOpen(part)) return
  if (answer.kind === 'away') {
    if (part.away !== answer.why) turn.setPart(cluster, { away: answer.why })
    return
  }
  if (part.away !== undefined) turn.setPart(cluster, {}, ['away'])
  switch (answer.kind) {
    case 'part':
      if (ask.kind === 'word' && ask.word === part.wanted) turn.setPart(cluster, {}, ['wanted'])
      hearPart(turn, cluster, answer)
      break
    case 'already':
      turn.setPart(cluster, { phase: 'done', since: turn.now }, ['why'])
      turn.tell('has nothing to do: all nodes run the version', cluster)
      break
    case 'refused':
      hearRefusal(turn, ask, answer.why)
      break
    case 'none':
      if (part.phase === 'starting' && turn.now - part.since <= lateStartMs) break
      putBack(turn, cluster)
      if (turn.record.state !== 'aborting') turn.halt(`${cluster} no longer knows it`)
      break
  }
}

function hearRefusal(turn: FleetTurn, ask: FleetAsk, why: string): void {
  const { cluster } = ask
  if (ask.kind === 'start') {
    if (turn.part(cluster).phase !== 'starting') return
    turn.setPart(cluster, { phase: 'refused', since: turn.now, why })
    turn.tell(`has not started it: ${why}`, cluster)
    turn.halt(`${cluster} has not started it: ${why}`)
    return
  }
  if (ask.kind !== 'word') return
  const { why: before, wanted } = turn.part(cluster)
  // It may have heard it before, and the answer was lost: its own state says what has become of it, and is asked for first.
  turn.setPart(cluster, { why }, wanted === ask.word ? ['wanted', 'seen'] : ['seen'])
  if (before !== why) turn.tell(`${ask.word} was refused: ${why}`, cluster)
}

function hearPart(turn: FleetTurn, cluster: string, { kind: _, id, ...seen }: PartAnswer & { kind: 'part' }): void {
  const before = turn.part(cluster)
  if (before.id !== id) turn.tell(`has begun it as ${id}`, cluster)
  const isSame = JSON.stringify(before.seen) === JSON.stringify(seen)
  if (before.id !== id || !isSame) turn.setPart(cluster, { id, seen })
  if (before.phase === 'starting') turn.setPart(cluster, { phase: 'running', since: turn.now })
  if (before.seen?.state !== seen.state) turn.tell(`is ${seen.state}${because(seen.why)}`, cluster)
  const { state } = turn.record
  switch (seen.state) {
    case 'unconfirmed':
      if (before.phase !== 'done') turn.setPart(cluster, { phase: 'done', since: turn.now }, ['why'])
      break
    case 'complete':
      turn.setPart(cluster, { phase: 'confirmed', since: turn.now }, ['why', 'wanted'])
      break
    case 'aborted':
      putBack(turn, cluster)
      if (state !== 'aborting') turn.halt(`${cluster} has put it back${because(seen.why)}`)
      break
    default:
      if (before.phase === 'done') turn.setPart(cluster, { phase: 'running', since: turn.now })
      if (seen.state === 'halted' && turn.part(cluster).wanted === undefined)
        turn.halt(`${cluster} has halted${because(seen.why)}`)
  }
}

const because = (why: string | undefined): string => (why === undefined ? '' : `: ${why}`)

function putBack(turn: FleetTurn, cluster: string): void {
  turn.setPart(cluster, { phase: 'back', since: turn.now }, ['why', 'wanted', 'away'])
  turn.tell('has nothing of it left', cluster)
}

/** Something of it is, or may be, in that cluster. */
const isOpen = ({ phase }: FleetPart): boolean => phase === 'starting' || phase === 'running' || phase === 'done'

const isFinished = ({ phase }: FleetPart): boolean => phase === 'done' || phase === 'confirmed' || phase === 'left-out'

function currentWave({ parts }: FleetRolloutRecord): number | undefined {
  const waves = parts.filter((part) => !isFinished(part)).map(({ wave }) => wave)
  return waves.length === 0 ? undefined : Math.min(...waves)
}

/** Why the wave does not begin yet. */
function whyNotBegun({ parts }: FleetRolloutRecord, wave: number, reached: ReadonlySet<string>): string | undefined {
  const away = parts.filter(
    (part) => part.wave <= wave && part.phase !== 'left-out' && (part.away !== undefined || !reached.has(part.cluster)),
  )
  if (away.length === 0) return undefined
  return `${away.map(({ cluster }) => cluster).join(', ')} ${away.length === 1 ? 'does' : 'do'} not answer, or ${away.length === 1 ? 'has' : 'have'} no quorum`
}

/** Those that have not begun, each with why. */
export function whyClustersWait(
  record: FleetRolloutRecord,
  { reached }: Pick<FleetInput, 'reached'>,
): ReadonlyMap<string, string> {
  const wave = currentWave(record)
  const why = (part: FleetPart): string | undefined => {
    if (record.state !== 'running') return `the rollout is ${record.state}`
    if (part.wave !== wave) return `wave ${(wave ?? 0) + 1} is not complete`
    return whyNotBegun(record, part.wave, reached)
  }
  return new Map(
    record.parts
      .filter(({ phase }) => phase === 'waiting')
      .flatMap((part) => {
        const reason = why(part)
        return reason === undefined ? [] : [[part.cluster, reason] as const]
      }),
  )
}

function beginWave(turn: FleetTurn, { reached }: FleetInput): void {
  const wave = currentWave(turn.record)
  if (wave === undefined || whyNotBegun(turn.record, wave, reached) !== undefined) return
  for (const { cluster, phase, wave: its, attempt } of turn.record.parts) {
    if (its !== wave || phase !== 'waiting') continue
    turn.setPart(cluster, { phase: 'starting', since: turn.now, attempt: attempt + 1 }, ['id', 'seen', 'why', 'away'])
    turn.tell('begins', cluster)
  }
}

function conclude(turn: FleetTurn): void {
  const { state, parts, confirmWithinMs, confirmBy } = turn.record
  if (state === 'aborting') {
    if (parts.some(isOpen)) return
    const kept = parts.filter(({ phase }) => phase === 'confirmed').map(({ cluster }) => cluster)
    const left = parts.filter(({ phase }) => phase === 'left-out').map(({ cluster }) => cluster)
    const but = [
      ...(kept.length === 0 ? [] : [`${kept.join(', ')}, where it was confirmed`]),
      ...(left.length === 0 ? [] : [`${left.join(', ')}, which left the fleet`]),
    ]
    const except = but.length === 0 ? '' : `, but for ${but.join(', and ')}`
    turn.end('aborted', `everything is as it was${except}`, `${turn.record.why ?? 'it was aborted'}${except}`)
    return
  }
  if (state === 'unconfirmed' && turn.now > (confirmBy ?? 0)) startFleetAbort(turn, 'nobody has confirmed it in time')
  if (state === 'confirming' && !parts.some(isOpen)) {
    const back = parts.filter(({ phase }) => phase === 'back').map(({ cluster }) => cluster)
    const except = back.length === 0 ? undefined : `${back.join(', ')} put it back`
    turn.end('complete', except === undefined ? 'all clusters are done' : `but ${except}`, except)
  }
  if (state !== 'running' || parts.some((part) => !isFinished(part))) return
  if (confirmWithinMs === undefined) startConfirming(turn)
  else {
    turn.set({
      state: 'unconfirmed',
      confirmBy: turn.now + confirmWithinMs,
      why: 'it waits for `systole rollout confirm`',
    })
    turn.tell('all clusters are done: it waits to be confirmed')
  }
}

export function startConfirming(turn: FleetTurn): void {
  turn.set({ state: 'confirming', why: 'each cluster is asked to keep it' })
  // Nothing was done there, so there is nothing to keep.
  for (const { cluster, phase, id } of turn.record.parts)
    if (phase === 'done' && id === undefined) turn.setPart(cluster, { phase: 'confirmed', since: turn.now })
}

export function startFleetAbort(turn: FleetTurn, why: string): void {
  turn.set({ state: 'aborting', why })
  for (const part of turn.record.parts) {
    const { cluster, phase, id } = part
    if (phase === 'waiting' || phase === 'refused' || (phase === 'done' && id === undefined))
      turn.setPart(cluster, { phase: 'back', since: turn.now }, ['why', 'away'])
    else if (phase === 'starting') turn.setPart(cluster, { since: turn.now, wanted: 'abort' })
    else if (isOpen(part)) turn.setPart(cluster, { wanted: 'abort' })
  }
}

function asksOf(record: FleetRolloutRecord): readonly FleetAsk[] {
  return record.parts.flatMap((part): readonly FleetAsk[] => {
    if (!isOpen(part)) return []
    const { cluster, attempt, id, wanted, seen } = part
    const to = { cluster, attempt }
    if (id === undefined)
      return part.phase === 'starting' ? [{ ...to, kind: record.state === 'aborting' ? 'find' : 'start' }] : []
    const word = wanted ?? wordFor(record, seen)
    return [word === undefined ? { ...to, kind: 'watch', id } : { ...to, kind: 'word', id, word }]
  })
}

function wordFor({ state }: FleetRolloutRecord, seen: PartSeen | undefined): 'pause' | 'confirm' | undefined {
  if ((state === 'paused' || state === 'halted') && seen?.state === 'running') return 'pause'
  return state === 'confirming' && seen?.state === 'unconfirmed' ? 'confirm' : undefined
}
