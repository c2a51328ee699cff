/**
 * The two ways in which a store fails, as opposed to the outcomes that it reports as values. The difference matters to a
 * caller: after `unavailable` nothing has happened, after `timeout` nobody knows, so it reads before it repeats.
 */
import { OutsideError } from '../../base/index.ts'

/** The request was not carried out: nothing reached the store, or the store refused it as a whole. */
export class StoreUnavailableError extends OutsideError {
  override readonly name = 'StoreUnavailableError'
  constructor(sentence: string, cause?: unknown) {
    super(sentence, cause === undefined ? undefined : { cause })
  }
}

/** The request may or may not have been carried out. */
export class StoreTimeoutError extends OutsideError {
  override readonly name = 'StoreTimeoutError'
  constructor(sentence: string, cause?: unknown) {
    super(sentence, cause === undefined ? undefined : { cause })
  }
}

/** Whether the store has failed, in either way: what it was asked may work later. */
export function isStoreFailure(error: unknown): error is StoreUnavailableError | StoreTimeoutError {
  return error instanceof StoreUnavailableError || error instanceof StoreTimeoutError
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
