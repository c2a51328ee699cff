/** What an exit code of an agent means, in words. */
const words: Readonly<Record<number, string>> = {
  0: 'OK',
  1: 'Error occurred',
  2: 'Invalid parameter',
  3: 'Unimplemented',
  4: 'Insufficient privileges',
  5: 'Not installed',
  6: 'Not configured',
  7: 'Not running',
  8: 'Promoted',
  9: 'Failed in promoted role',
  190: 'Degraded',
  191: 'Degraded promoted',
}

export const describeExitCode = (exitCode: number): string => words[exitCode] ?? `Unknown exit status`

/** As Pacemaker's tools and alerts say it. */
const exitWords: Readonly<Record<number, string>> = {
  0: 'ok',
  1: 'error',
  2: 'invalid parameter',
  3: 'unimplemented feature',
  4: 'insufficient privileges',
  5: 'not installed',
  6: 'not configured',
  7: 'not running',
  8: 'promoted',
  9: 'promoted (failed)',
  189: 'OCF_UNKNOWN',
  190: 'degraded',
  191: 'promoted (degraded)',
}

export const exitWord = (code: number): string => exitWords[code] ?? 'unknown'

const statusWords: Readonly<Record<string, string>> = {
  '-1': 'pending',
  '0': 'complete',
  '1': 'Cancelled',
  '2': 'Timed Out',
  '3': 'NOT SUPPORTED',
  '4': 'Error',
  '5': 'Hard error',
  '6': 'Fatal error',
  '7': 'Not installed',
  '8': 'Internal communication failure',
  '9': 'Cannot execute now',
  '10': 'No fence device',
  '11': 'CIB secrets unavailable',
}

/** What became of an operation that was begun, from its `op-status`. */
export const statusWord = (status: string | undefined): string => statusWords[status ?? ''] ?? 'unknown'
