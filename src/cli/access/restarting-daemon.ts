/**
 * A daemon that ends in the middle of a change: its node was cut off, is back, and learns that the cluster counts it as lost, so that its daemon
 * restarts; or it is upgraded. It is back within seconds. What only reads is read again then; a change is made by compare-and-swap, so that
 * it may be asked for again, and the daemon knows one that it has saved already.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import {
  ConnectionEndedError,
  type LocalClient,
  type Messages,
  type PushAnswer,
  RestartingError,
} from '../../rpc/index.ts'

/** It starts, meets the others, and has quorum. */
const backWithinMs = 15_000
const askAgainMs = 250

export async function readAcrossRestart<T>(live: LocalClient, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    await untilBack(live, error)
    return await read()
  }
}

/** The daemon knows the change again by its id, whatever its author may see of the history. */
export async function pushAcrossRestart(
  live: LocalClient,
  change: Messages['PushRequest'],
  withinMs = backWithinMs,
): Promise<PushAnswer> {
  const known = { ...change, changeId: randomUUID() }
  try {
    return await live.pushConfiguration(known)
  } catch (error) {
    await untilBack(live, error, withinMs)
    return await live.pushConfiguration(known)
  }
}

/** Throws what the call has failed with where that is no restart, or nobody is back in time. */
async function untilBack(live: LocalClient, error: unknown, withinMs = backWithinMs): Promise<void> {
  if (!(error instanceof ConnectionEndedError || error instanceof RestartingError)) throw error
  const deadline = performance.now() + withinMs
  for (;;) {
    const state = await live.getState({ askStore: false }).catch(() => undefined)
    if (state?.started === true && state.quorate) return
    if (performance.now() + askAgainMs > deadline) throw error
    await delay(askAgainMs)
  }
}
