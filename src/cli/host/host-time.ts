/** Whole seconds since the epoch. */
export const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1000)
