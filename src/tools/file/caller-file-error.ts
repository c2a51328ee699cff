import { reasonOf } from '../../base/index.ts'

/** A file that the caller named and that cannot be used, in one sentence. */
export class CallerFileError extends Error {
  override readonly name = 'CallerFileError'

  constructor(
    path: string,
    readonly done: 'read' | 'written',
    cause: unknown,
  ) {
    super(`${path} cannot be ${done}: ${reasonOf(cause)}.`, { cause })
  }
}

export function told<T>(path: string, done: 'read' | 'written', use: () => T): T {
  try {
    return use()
  } catch (error) {
    throw new CallerFileError(path, done, error)
  }
}
