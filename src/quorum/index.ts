/**
 * May we act? A node is quorate while its lease is confirmed by the store's majority, by its own monotonic clock and with
 * a margin. `quorumStep` keeps that lease alive and says when it no longer holds; `votes.ts` counts for people; `loss.ts`
 * knows how long others must wait for a node that ends by itself; `watchdog.ts` is when a node feeds the timer that resets it, and
 * `disks.ts` how long a reading of a disk lets it;
 * `vote-step.ts` is which vote is given or taken next, `witness-health.ts` whether the witness is of use;
 * `two-node.ts` is what one of two does when the other is gone, and `voters.ts` which two those are;
 * `meeting.ts` is whom a node meets before it takes part.
 */

export { allTellStore, endByDiskFencing, meansBoot } from './disk-fencing-record.ts'
export { type DiskTimes, diskPatienceMs, disksToRead } from './disks.ts'
export { lossWait, watchdogWait } from './loss.ts'
export { hasNeverJoined, judgeMeeting, type MeetsFirst, type MetPeer, meetsFirst, neverJoined } from './meeting.ts'
export {
  type MembershipStep,
  nextMembershipStep,
  type StoreMember,
  type VoterNode,
  type VoterState,
  voterCount,
} from './membership-step.ts'
export {
  initialQuorum,
  isQuorate,
  linkReserveMs,
  nextQuorumAt,
  type QuorumEffect,
  type QuorumInput,
  type QuorumState,
  type QuorumTimings,
  quorateUntil,
  quorumStep,
} from './quorum.ts'
export {
  describeTwoNode,
  initialTwoNode,
  keepsResources,
  nextTwoNodeAt,
  type TwoNodeEffect,
  type TwoNodeInput,
  type TwoNodeSituation,
  type TwoNodeState,
  twoNodeStep,
  type WhyPeerIsOff,
} from './two-node.ts'
export type { VoteChange, VoteStep } from './vote-step.ts'
export { isAwaited, nextVoteStep, othersAreMajority } from './vote-step.ts'
export { hasVote, type ListedHost, otherOfAll, otherOfTwo, type VoterList, votesIn } from './voters.ts'
export { quorumVotes } from './votes.ts'
export {
  type DiskRule,
  initialWatchdog,
  nextWatchdogAt,
  permitIntervalMs,
  type WatchdogEffect,
  type WatchdogInput,
  type WatchdogPermit,
  type WatchdogState,
  watchdogStep,
} from './watchdog.ts'
export {
  afterAnswer,
  unheardWitness,
  type WitnessAnswered,
  type WitnessHealth,
  witnessProblem,
  witnessVoterState,
} from './witness-health.ts'
