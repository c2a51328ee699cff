/** What the log says when a daemon ends at an exception that nobody expected. Whoever supervises it starts it again. */
import { isShortage } from '../../base/index.ts'

export const unexpectedEnd = (error: unknown): string =>
  error instanceof Error && 'code' in error && isShortage(error.code)
    ? 'the daemon ends without room for another file or process'
    : 'the daemon ends because of a bug'
