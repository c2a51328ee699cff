/** `--confirm-within` of every command that changes the configuration. */
import { parseDurationMs } from '../../base/index.ts'
import { longestConfirmationMs, shortestConfirmationMs } from '../../holds/index.ts'
import { type Call, Refusal } from '../call/command.ts'

/** Milliseconds. */
export function confirmationTime(call: Call): number | undefined {
  const word = call.flags.get('confirm-within')
  if (word === undefined) return undefined
  const ms = parseDurationMs(String(word))
  if (ms === undefined || ms < shortestConfirmationMs || ms > longestConfirmationMs)
    throw new Refusal(`--confirm-within=${String(word)}: specify a time from 5s to 24h, for example 5m.`)
  if (call.cluster.live === undefined)
    throw new Refusal('--confirm-within needs the running cluster, which takes the change back. Omit it for a file.')
  return ms
}

/** What follows the message of a change that is to be confirmed. */
export function howToConfirm(call: Call, version: number): string {
  const word = call.flags.get('confirm-within')
  return word === undefined
    ? ''
    : ` It is taken back after ${String(word)} unless you run 'systole config confirm ${version}'.`
}
