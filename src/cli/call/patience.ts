/** `--wait[=<seconds>]` of commands that ask again and again until they have what they want. */
import { parseDurationMs } from '../../base/index.ts'
import { type Call, Refusal } from './command.ts'

/** 0 without --wait, no end without a number of seconds. */
export function patienceMs({ flags }: Call): number {
  const wait = flags.get('wait')
  if (wait === undefined) return 0
  if (wait === true) return Number.POSITIVE_INFINITY
  const ms = parseDurationMs(wait)
  if (ms === undefined) throw new Refusal(`'${wait}' is not a number of seconds to wait.`)
  return ms
}
