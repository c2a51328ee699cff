/**
 * How SBD's shared disks keep a node alive (sbd(8)). Whoever fences a node writes to a majority of its disks and counts it as dead
 * `msgwait` after that. So a node lives only on what it has read since: a reading that was begun at `r` and found no such message is good
 * for its patience, and the watchdog's time after that the node has been reset.
 *
 * Worked numbers: a watchdog of 5 s and a msgwait of 10 s leave 5 s. A fifth of that is kept for clocks and for whatever stands still
 * between a look at the clock and a write to the watchdog: a reading is good for 4 s. The message is written at 0 s: the last clean reading
 * was begun before 0 s, the last feeding is before 4 s, the reset before 9 s.
 */

export interface DiskTimes {
  readonly watchdogMs: number
  readonly msgwaitMs: number
  /** How often the disk is read. */
  readonly loopMs: number
}

const keptBack = 1 / 5

/** For how long a reading is good, from its beginning; undefined: these times leave too little for two readings and two feedings. */
export function diskPatienceMs({ watchdogMs, msgwaitMs, loopMs }: DiskTimes): number | undefined {
  const patienceMs = (msgwaitMs - watchdogMs) * (1 - keptBack)
  return patienceMs >= Math.max(2 * loopMs, (2 * watchdogMs) / 5) ? patienceMs : undefined
}

/**
 * How many of the disks must have been read. Whoever fences writes to more than half of them, so that one of two is enough to
 * see every message; of three it takes two.
 */
export const disksToRead = (count: number): number => (count < 3 ? 1 : Math.floor(count / 2) + 1)
