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
      ? `This node is copying the store from ${other} and joins when that is complete. No action is needed.`
      : `This node has not caught up with ${other} and cannot continue without it. Start ${other}.`
  if (!votes)
    return isHeard
      ? `${other} continued without this node, which will rejoin automatically.`
      : `This node has no vote and no data because ${other} continued without it. Start ${other}.`
  if (holding && !isHeard)
    return `This node waits for ${other}, which may have continued without it. Start it, or run \`systole quorum unblock\` if it is off.`
  return undefined
}
