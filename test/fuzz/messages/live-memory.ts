/**
 * What is kept, in bytes: after a collection, so that what V8 has not thrown away yet counts for nothing. The size of the process says less: it
 * grows with the space that V8 reserves for what is new, and hardly shrinks.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

export function liveBytes(): number {
  collect()
  // What finalizers let go of.
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** What may be kept for good beyond the first tenth of all messages, whatever their number: code that is compiled late, caches with a bound. */
export const mostGrowth = 3 * 1024 * 1024

/** From the first measurement to the least of the others: what grows with the messages is in all of them. */
export function growthOf(measured: readonly number[]): number {
  const [first = 0, ...others] = measured
  return Math.max(0, Math.min(...others) - first)
}
