/** setTimeout takes no more, and calls back at once for whatever is longer: a time limit of a month would be over before it began. */
const longestTimerMs = 2 ** 31 - 1

/** As many milliseconds as a timer can have: whoever has asked for more looks again then. */
export const timerMs = (ms: number): number => Math.max(0, Math.min(Math.ceil(ms), longestTimerMs))
