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
