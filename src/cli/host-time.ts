/** Moments without a time zone, in rules and on the command line, mean that of this host, as they do for the daemon. */
export const utcOffsetAt = (seconds: number): number => -new Date(seconds * 1000).getTimezoneOffset() * 60

/** Whole seconds since the epoch. */
export const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1000)
