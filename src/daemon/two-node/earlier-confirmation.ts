/**
 * A word to go on alone that an earlier attempt left behind. It was true when it was given: since then the others may have been switched on,
 * and be a majority without this node. So nothing is begun on it, and only what the store has become already is ended.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { NodeName } from '../../base/index.ts'
import {
  actedWithoutThisNode,
  judgeEarlierConfirmation,
  livesThatAreOver,
  type OtherAnswer,
  type RegisteredHere,
} from '../../node/index.ts'
import { hasVote } from '../../quorum/index.ts'
import type { Entry } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import { type AskPorts, askOthers } from '../peers/ask-for-list.ts'
import { incarnationIn } from '../records/confirm-fencing.ts'
import { fromBytes } from '../records/json-value.ts'
import type { GoingAlone } from './going-alone.ts'

export interface EarlierConfirmationPorts extends Omit<AskPorts, 'quorate' | 'onRemoved'> {
  readonly log: Log
  readonly goingAlone: Pick<GoingAlone, 'granted' | 'underWay' | 'finish' | 'forgetConfirmation'>
  readonly isAlone: () => Promise<boolean | undefined>
  /** By this node's own member of the store, whatever others say. */
  readonly registered: () => Promise<RegisteredHere>
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
        const alone = await ports.isAlone()
        const registered: RegisteredHere = alone === true ? await ports.registered() : new Map()
        const answers = (await askOthers(ports)).map(
          ({ file, ...answer }): OtherAnswer => ({ ...answer, nodesVersion: file.nodesVersion }),
        )
        if (over() || goingAlone.underWay) continue
        const othersActed = actedWithoutThisNode(answers, { nodesVersion: known, registered })
        const verdict = judgeEarlierConfirmation({ hasVote: hasVote(ports.file(), ports.self), alone, othersActed })
        if (verdict === 'forget') goingAlone.forgetConfirmation()
        else if (verdict === 'finish')
          await goingAlone.finish(livesThatAreOver(goingAlone.granted.lost, answers, registered))
        else if (!waits) {
          waits = true
          log.warn('the result of an earlier confirmation to continue alone is not known yet', { alone, othersActed })
        }
      } catch (error) {
        log.error('an earlier confirmation to continue alone could not be settled yet', { error })
      }
    if (goingAlone.granted) await delay(lookAgainMs)
  }
}

/** From the records of members. */
export function registeredIn(members: readonly Entry[]): RegisteredHere {
  return new Map(
    members.flatMap((entry) => {
      const value = fromBytes(entry.value)
      if (typeof value !== 'object' || value === null || !('node' in value)) return []
      const incarnation = incarnationIn(entry)
      const known = { incarnation: typeof incarnation === 'number' ? incarnation : undefined, lease: entry.lease }
      return [[value.node as NodeName, known]]
    }),
  )
}
