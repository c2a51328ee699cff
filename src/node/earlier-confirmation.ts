/**
 * What becomes of a word to go on alone that an earlier attempt, or an earlier daemon, has begun with and not ended. It was true when it was given:
 * since then the others may have been switched on, and be a majority without this node.
 */
import type { TwoNodeSituation } from '../quorum/index.ts'

/** `alone`: this node's etcd is a cluster of one, and undefined where it does not answer. */
export interface EarlierConfirmation {
  readonly alone: boolean | undefined
  readonly hasVote: boolean
  /** Another has quorum, or a newer list of nodes. */
  readonly othersActed: boolean
}

/** Of more than two voters nothing is begun on it, and only what the store has become already is ended. */
export function judgeEarlierConfirmation({
  hasVote,
  alone,
  othersActed,
}: EarlierConfirmation): 'forget' | 'finish' | 'wait' {
  if (!hasVote || alone === false) return 'forget'
  return alone && !othersActed ? 'finish' : 'wait'
}

/** The other of two can have done nothing meanwhile: that takes this node's vote. So the word still counts while it is silent. */
export function judgeConfirmationOfTwo(
  alone: boolean | undefined,
  situation: TwoNodeSituation | undefined,
): 'forget' | 'go-on' | 'wait' {
  if (alone === false || (situation?.heartbeat === 'heard' && situation.quorate)) return 'forget'
  return situation?.heartbeat === 'silent' && situation.met ? 'go-on' : 'wait'
}
