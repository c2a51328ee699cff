/** The machine's monotonic clock: one zero for all threads of the process, so that times may travel between them. */
import { type MonotonicMs, monotonicMs } from '../../base/index.ts'

export const monotonicNow = (): MonotonicMs => monotonicMs(Number(process.hrtime.bigint() / 1000n) / 1000)
