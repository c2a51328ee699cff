/** Seconds east of UTC in the time zone of this host: for rules that name none. A value for rooms that decide, which ask no host. */
export const utcOffsetAt = (seconds: number): number => -new Date(seconds * 1000).getTimezoneOffset() * 60
