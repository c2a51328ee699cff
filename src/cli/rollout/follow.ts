/** Follows a rollout until it waits for a person or has ended: live on a terminal, plain lines elsewhere. Ending this ends nothing else. */
import { setTimeout as delay } from 'node:timers/promises'
import { printable } from '../../base/index.ts'
import { hasEnded, hasFleetEnded, type RolloutsKnown } from '../../rollout/index.ts'
import { type Call, done, type Outcome, Refusal } from '../call/command.ts'
import { isDown, knownNow } from './known.ts'
import { printFleetRollout, type ShownFleet } from './print-fleet.ts'
import { printRollout, type ShownRollout } from './print-rollout.ts'

const pollMs = 500

/** sysexits.h's EX_TEMPFAIL for what has not ended. */
export const exitCodes = { complete: 0, refused: 1, halted: 3, aborted: 4, open: 75 } as const

export function exitCodeOf({ state }: Pick<ShownRollout | ShownFleet, 'state'>): number {
  if (state === 'complete' || state === 'halted' || state === 'aborted') return exitCodes[state]
  return exitCodes.open
}

const waitsForPerson = (rollout: ShownRollout): boolean =>
  hasEnded(rollout) ||
  rollout.state === 'unconfirmed' ||
  ((rollout.state === 'halted' || rollout.state === 'paused') &&
    rollout.nodes.every(({ phase, goal }) =>
      goal === 'back'
        ? phase === 'back' || phase === 'undo-failed'
        : phase === 'waiting' || phase === 'done' || phase === 'failed',
    ))

const fleetWaitsForPerson = (rollout: ShownFleet): boolean =>
  hasFleetEnded(rollout) ||
  rollout.state === 'unconfirmed' ||
  ((rollout.state === 'halted' || rollout.state === 'paused') &&
    rollout.parts.every(
      ({ phase, seen, wanted }) =>
        phase !== 'starting' &&
        (phase !== 'running' || (wanted === undefined && (seen?.state === 'halted' || seen?.state === 'paused'))),
    ))

/** As it is now: what is printed, what is new in its journal, and how it ends. */
interface Shown {
  readonly text: string
  readonly lines: readonly string[]
  readonly isLast: boolean
  readonly rollout: ShownRollout | ShownFleet
}

function shownOf(
  { rollouts, fleet = [] }: RolloutsKnown,
  { id, from }: { readonly id: string; readonly from: number },
): Shown {
  const [rollout] = rollouts
  const [over] = fleet
  if (over !== undefined) {
    const known = over.lines - over.journal.length
    const lines = over.journal.slice(Math.max(0, from - known)).map(fleetLineOf)
    return { text: printFleetRollout(over), lines, isLast: fleetWaitsForPerson(over), rollout: over }
  }
  if (rollout === undefined) throw new Refusal(`There is no rollout '${id}'.`)
  const lines = (rollout.journal ?? []).map(lineOf)
  return { text: printRollout(rollout), lines, isLast: waitsForPerson(rollout), rollout }
}

export async function follow(call: Call, id: string): Promise<Outcome> {
  const isLive = process.stderr.isTTY === true && !call.flags.has('json')
  let lines = 0
  let fromLine = 0
  let isDownTold = false
  for (;;) {
    try {
      const shown = shownOf(await knownNow(call, { id, fromLine }), { id, from: fromLine })
      isDownTold = false
      if (isLive) lines = redraw(shown.isLast ? '' : shown.text, lines)
      else for (const line of shown.lines) call.terminal.progress(line)
      fromLine += shown.lines.length
      if (shown.isLast) return done(shown.text, shown.rollout, exitCodeOf(shown.rollout))
    } catch (error) {
      // The node may be one that reboots: the rollout goes on without it.
      if (!isDown(error)) throw error
      if (!isDownTold) call.terminal.progress(`This node does not know at this moment: ${error.message}`)
      isDownTold = true
      lines = 0
    }
    await delay(pollMs)
  }
}

export const fleetLineOf = ({ at, cluster, text }: ShownFleet['journal'][number]): string =>
  `${at.slice(11, 19)} ${cluster === undefined ? '' : `${cluster}: `}${text}`

export const lineOf = ({
  at,
  node,
  text,
}: {
  readonly at: string
  readonly node?: string
  readonly text: string
}): string => `${at.slice(11, 19)} ${node === undefined ? '' : `${node}: `}${text}`

/** Over what was drawn before. */
function redraw(text: string, before: number): number {
  const up = before > 0 ? `\u001b[${before}A\u001b[J` : ''
  process.stderr.write(up + printable(text))
  return text.split('\n').length - 1
}
