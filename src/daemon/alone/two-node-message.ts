/** What one of two nodes waits for, for people: with a command only where that command helps. Pure. */
import type { NodeName } from '../../base/index.ts'

export function waitingMessage(now: {
  readonly other: NodeName
  readonly heartbeat: 'heard' | 'restarting' | 'silent'
  readonly quorate: boolean
  /** It was told, or found out at its boot, that the other may have gone on without it. */
  readonly holding: boolean
  /** This node has a vote by its list. */
  readonly votes: boolean
  /** Its member of the store has every change. */
  readonly complete: boolean
}): string | undefined {
  const { other, heartbeat, quorate, holding, votes, complete } = now
  if (quorate) return undefined
  const isHeard = heartbeat !== 'silent'
  if (votes && !complete)
    return isHeard
      ? `This node copies the store from ${other}, which is there: it takes part as soon as it has. Nothing need be done.`
      : `This node has not caught up with ${other} and cannot go on without it: start ${other}.`
  if (!votes)
    return isHeard
      ? `${other} has gone on without this node, which joins again by itself.`
      : `This node has no vote and no data, because ${other} has gone on without it: start ${other}.`
  if (holding && !isHeard)
    return `This node waits for ${other}, which may have gone on without it: start it, or \`systole quorum unblock\` if it is off.`
  return undefined
}
