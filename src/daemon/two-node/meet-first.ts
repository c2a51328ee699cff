/**
 * A node that was left as the only voter and has booted since: it does nothing before it has met the other, or is told that the
 * other is off. Where the other acts already, on an administrator's word, this node gives way: its own log is the older one.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { NodeName } from '../../base/index.ts'
import { hasVote } from '../../quorum/index.ts'
import type { Log } from '../host/log.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'

export interface MeetFirst {
  readonly self: NodeName
  readonly peer: NodeName
  readonly log: Log
  readonly file: () => ClusterFile
  readonly over: () => boolean
  /** The peer as its daemon describes itself; undefined where it does not answer. */
  readonly ask: () => Promise<PeerAnswer | undefined>
  /** The store knows the peer as one that was added and has never been here. */
  readonly neverJoined: () => Promise<boolean>
}

export interface PeerAnswer {
  readonly file: ClusterFile
  readonly quorate: boolean
}

export type Meeting = 'go-on' | 'give-way' | 'wait'

const askAgainMs = 500

/** Resolves with the list to give way to, or with nothing where this node may go on. */
export async function meetFirst(meeting: MeetFirst): Promise<ClusterFile | undefined> {
  meeting.log.warn('this node waits for the other of two, which may have gone on without it', { peer: meeting.peer })
  while (!meeting.over()) {
    const answer = await meeting.ask()
    const verdict = answer === undefined ? 'wait' : judgeMeeting(meeting.self, meeting.file(), answer)
    if (verdict === 'give-way') return answer?.file
    if (verdict === 'go-on' || (await meeting.neverJoined())) return undefined
    await delay(askAgainMs)
  }
  return undefined
}

/** Each may have gone on without the other. Whoever acts is right; of two that wait, the one whose list is newer. */
export function judgeMeeting(self: NodeName, own: ClusterFile, { file, quorate }: PeerAnswer): Meeting {
  if (hasVote(file, self)) return 'go-on'
  if (quorate || file.nodesVersion > own.nodesVersion) return 'give-way'
  return file.nodesVersion < own.nodesVersion ? 'go-on' : 'wait'
}
