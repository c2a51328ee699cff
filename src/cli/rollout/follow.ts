/** Follows a rollout until it waits for a person or has ended: live on a terminal, plain lines elsewhere. Ending this ends nothing else. */
import { setTimeout as delay } from 'node:timers/promises'
import { printable } from '../../base/index.ts'
import { hasEnded } from '../../rollout/index.ts'
import { type Call, done, type Outcome, Refusal } from '../call/command.ts'
import { isDown, knownNow } from './known.ts'
import { printRollout, type ShownRollout } from './print-rollout.ts'

const pollMs = 500

/** sysexits.h's EX_TEMPFAIL for what has not ended. */
export const exitCodes = { complete: 0, refused: 1, halted: 3, aborted: 4, open: 75 } as const

export function exitCodeOf({ state }: Pick<ShownRollout, 'state'>): number {
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

export async function follow(call: Call, id: string): Promise<Outcome> {
  const isLive = process.stderr.isTTY === true && !call.flags.has('json')
  let lines = 0
  let fromLine = 0
  let isDownTold = false
  for (;;) {
    try {
      const { rollouts } = await knownNow(call, { id, fromLine })
      const [rollout] = rollouts
      if (rollout === undefined) throw new Refusal(`There is no rollout '${id}'.`)
      isDownTold = false
      const isLast = waitsForPerson(rollout)
      if (isLive) lines = redraw(isLast ? '' : printRollout(rollout), lines)
      else for (const line of rollout.journal ?? []) call.terminal.progress(lineOf(line))
      fromLine += rollout.journal?.length ?? 0
      if (isLast) return done(printRollout(rollout), rollout, exitCodeOf(rollout))
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
