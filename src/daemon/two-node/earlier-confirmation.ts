/**
 * A word to go on alone that an earlier attempt left behind. It was true when it was given: since then the others may have been switched on,
 * and be a majority without this node. So nothing is begun on it, and only what the store has become already is ended.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { judgeEarlierConfirmation } from '../../node/index.ts'
import { hasVote } from '../../quorum/index.ts'
import type { Log } from '../host/log.ts'
import { type AskPorts, askOthers } from '../peers/ask-for-list.ts'
import type { GoingAlone } from './going-alone.ts'

export interface EarlierConfirmationPorts extends Omit<AskPorts, 'quorate' | 'onRemoved'> {
  readonly log: Log
  readonly goingAlone: Pick<GoingAlone, 'granted' | 'underWay' | 'finish' | 'forgetConfirmation'>
  readonly isAlone: () => Promise<boolean | undefined>
  readonly over: () => boolean
}

const lookAgainMs = 1000

/** Resolves once there is no such word any more. Meanwhile an administrator may give a new one. */
export async function settleEarlierConfirmation({
  goingAlone,
  log,
  over,
  ...ports
}: EarlierConfirmationPorts): Promise<void> {
  const known = ports.file().nodesVersion
  let waits = false
  while (!over() && goingAlone.granted) {
    if (!goingAlone.underWay)
      try {
        const [answers, alone] = await Promise.all([askOthers(ports), ports.isAlone()])
        if (over() || goingAlone.underWay) continue
        const othersActed = answers.some(({ file, quorate }) => quorate || file.nodesVersion > known)
        const verdict = judgeEarlierConfirmation({ hasVote: hasVote(ports.file(), ports.self), alone, othersActed })
        if (verdict === 'forget') goingAlone.forgetConfirmation()
        else if (verdict === 'finish') await goingAlone.finish()
        else if (!waits) {
          waits = true
          log.warn('what came of an earlier word to go on alone is not known yet', { alone, othersActed })
        }
      } catch (error) {
        log.error('an earlier word to go on alone could not be settled yet', { error })
      }
    if (goingAlone.granted) await delay(lookAgainMs)
  }
}
